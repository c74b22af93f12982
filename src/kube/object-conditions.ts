import { isJsonObject } from '../base/index.ts';
import type { Condition } from './conditions.ts';
import type { KubeObject } from './kube-object.ts';

/** The conditions in the status of an object; none when there is no status yet. */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const status = isJsonObject(object['status']) ? object['status'] : {};
  const { conditions } = status;
  return Array.isArray(conditions) ? (conditions.filter(isJsonObject) as unknown as readonly Condition[]) : [];
}
