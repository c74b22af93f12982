import { isJsonObject } from '../base/index.ts';
import type { Condition } from './conditions.ts';
import type { KubeObject } from './kube-object.ts';

/** The conditions in the status of an object; none when there is no status yet. */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const status = isJsonObject(object['status']) ? object['status'] : {};
  const { conditions } = status;
  return Array.isArray(conditions) ? (conditions.filter(isJsonObject) as unknown as readonly Condition[]) : [];
}

/** Whether a condition of an object is `True`. */
export function isConditionTrue(object: KubeObject, type: string): boolean {
  return conditionsOf(object).some((condition) => condition.type === type && condition.status === 'True');
}
