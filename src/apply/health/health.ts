import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';

/** Whether an object does what its spec asks for. `message` is empty for `Current`. `Unavailable` is for what its own message
 *  explains completely.
 *  @see the kstatus rules that RukPak used */
export interface Health {
  readonly state: 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'Unavailable';
  readonly message: string;
  /** When the health changes without a change of the object. */
  readonly untilMs?: number;
}

/** An object taken apart for the rules; what is missing is empty. */
export interface Subject {
  readonly kind: string;
  readonly generation: number | undefined;
  readonly createdMs: number;
  readonly nowMs: number;
  readonly spec: JsonObject;
  readonly status: JsonObject;
  condition(type: string): JsonObject | undefined;
  /** A whole number of the status; 0 when it is missing. */
  count(field: string): number;
}

/** The rule of one kind. */
export type HealthRule = (subject: Subject) => Health;

export const current: Health = { state: 'Current', message: '' };

export function inProgress(message: string): Health {
  return { state: 'InProgress', message };
}

export function failed(message: string): Health {
  return { state: 'Failed', message };
}

/** The first of `checks` that does not hold; `Current` when all do. */
export function allOf(checks: readonly (readonly [holds: boolean, message: string])[]): Health {
  const broken = checks.find(([holds]) => !holds);
  return broken === undefined ? current : inProgress(broken[1]);
}

export function subjectOf(object: KubeObject, nowMs: number): Subject {
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const status = isJsonObject(object['status']) ? object['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].filter(isJsonObject) : [];
  return {
    kind: object.kind,
    generation: object.metadata.generation,
    createdMs: Date.parse(object.metadata.creationTimestamp ?? ''),
    nowMs,
    spec,
    status,
    condition: (type) => conditions.find((condition) => condition['type'] === type),
    count: (field) => (typeof status[field] === 'number' ? status[field] : 0),
  };
}

/** A text of a condition. */
export function textOf(condition: JsonObject | undefined, field: 'status' | 'reason' | 'message'): string {
  const value = condition?.[field];
  return typeof value === 'string' ? value : '';
}
