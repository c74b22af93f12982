import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { specOf, statusOf } from '../controllers/controller.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { countOf } from './simulated.ts';

/** How many pods a rollout may have too many and too few. */
export interface RolloutRoom {
  readonly surge: number;
  readonly unavailable: number;
}

function amount(value: JsonValue | undefined, total: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? Number.parseFloat(value) : 25;
  return round((total * (Number.isFinite(percent) ? percent : 25)) / 100);
}

function rollingUpdateOf(strategy: JsonObject): JsonObject {
  return isJsonObject(strategy.rollingUpdate) ? strategy.rollingUpdate : {};
}

/** Percent of surge rounds up, of unavailability down; both zero means one unavailable. Recreate has all the room below. */
export function rolloutRoom(deployment: KubeObject): RolloutRoom {
  const spec = specOf(deployment);
  const replicas = countOf(spec.replicas, 1);
  const strategy = isJsonObject(spec.strategy) ? spec.strategy : {};
  if (strategy.type === 'Recreate') return { surge: 0, unavailable: replicas };
  const { maxSurge, maxUnavailable } = rollingUpdateOf(strategy);
  const surge = amount(maxSurge, replicas, Math.ceil);
  const unavailable = amount(maxUnavailable, replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

const wanted = (set: KubeObject): number => countOf(specOf(set).replicas, 0);
const counted = (set: KubeObject, field: string): number => countOf(statusOf(set)[field], 0);

/** Sum of a status count over ReplicaSets. */
export function sumOf(sets: readonly KubeObject[], field: string): number {
  return sets.reduce((total, set) => total + counted(set, field), 0);
}

function planOld(old: readonly KubeObject[], current: KubeObject, minAvailable: number): Map<string, number> {
  const total = [...old, current].reduce((sum, set) => sum + wanted(set), 0);
  const newUnavailable = Math.max(0, wanted(current) - counted(current, 'availableReplicas'));
  let room = Math.max(0, total - minAvailable - newUnavailable);
  const plan = new Map<string, number>();
  for (const set of old) {
    const unhealthy = Math.max(0, wanted(set) - counted(set, 'availableReplicas'));
    const step = Math.min(wanted(set), Math.max(room, Math.min(unhealthy, room)));
    room -= step;
    plan.set(set.metadata.name ?? '', wanted(set) - step);
  }
  return plan;
}

/** How many replicas each ReplicaSet should want next, by name. Called again after every change until nothing changes. */
export function planRollout(
  deployment: KubeObject,
  current: KubeObject,
  old: readonly KubeObject[],
): ReadonlyMap<string, number> {
  const replicas = countOf(specOf(deployment).replicas, 1);
  const { surge, unavailable } = rolloutRoom(deployment);
  const strategy = specOf(deployment).strategy;
  const isRecreate = isJsonObject(strategy) && strategy.type === 'Recreate';
  const plan = planOld(old, current, replicas - unavailable);
  const oldTotal = old.reduce((sum, set) => sum + wanted(set), 0);
  const room = isRecreate && sumOf(old, 'replicas') > 0 ? 0 : replicas + surge - oldTotal;
  plan.set(current.metadata.name ?? '', Math.max(0, Math.min(replicas, room)));
  return plan;
}
