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

/** Percent of surge rounds up, of unavailability down; both zero means one unavailable. Only a rolling update has room. */
export function rolloutRoom(deployment: KubeObject): RolloutRoom {
  const spec = specOf(deployment);
  const replicas = countOf(spec.replicas, 1);
  if (isRecreated(deployment)) return { surge: 0, unavailable: 0 };
  const { maxSurge, maxUnavailable } = rollingUpdateOf(isJsonObject(spec.strategy) ? spec.strategy : {});
  const surge = amount(maxSurge, replicas, Math.ceil);
  const unavailable = amount(maxUnavailable, replicas, Math.floor);
  return { surge, unavailable: Math.min(replicas, surge === 0 && unavailable === 0 ? 1 : unavailable) };
}

function isRecreated(deployment: KubeObject): boolean {
  const { strategy } = specOf(deployment);
  return isJsonObject(strategy) && strategy.type === 'Recreate';
}

/** How many pods must be available for the Deployment to be. */
export function minimumAvailable(deployment: KubeObject): number {
  return countOf(specOf(deployment).replicas, 1) - rolloutRoom(deployment).unavailable;
}

/** How many pods a ReplicaSet is to have. */
export function wantedOf(set: KubeObject): number {
  return countOf(specOf(set).replicas, 0);
}

const counted = (set: KubeObject, field: string): number => countOf(statusOf(set)[field], 0);

/** Sum of a status count over ReplicaSets. */
export function sumOf(sets: readonly KubeObject[], field: string): number {
  return sets.reduce((total, set) => total + counted(set, field), 0);
}

const totalOf = (sets: readonly KubeObject[]): number => sets.reduce((sum, set) => sum + wantedOf(set), 0);
const missingIn = (set: KubeObject): number => Math.max(0, wantedOf(set) - counted(set, 'availableReplicas'));

function oldestFirst(sets: readonly KubeObject[]): KubeObject[] {
  const madeAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
  return sets.toSorted((a, b) => madeAt(a).localeCompare(madeAt(b)));
}

/** Takes pods of old sets away as far as enough stay available: first those that are not available anyway. */
function planOld(old: readonly KubeObject[], current: KubeObject, minAvailable: number): Map<string, number> {
  let room = Math.max(0, totalOf([...old, current]) - minAvailable - missingIn(current));
  const plan = new Map<string, number>(old.map((set) => [set.metadata.name ?? '', wantedOf(set)]));
  const take = (set: KubeObject, most: number): void => {
    const name = set.metadata.name ?? '';
    const left = plan.get(name) ?? 0;
    const step = Math.min(left, most, room);
    room -= step;
    plan.set(name, left - step);
  };
  for (const set of oldestFirst(old)) take(set, missingIn(set));
  for (const set of oldestFirst(old)) take(set, Number.POSITIVE_INFINITY);
  return plan;
}

/** All old pods go before the first new one comes. */
function planRecreation(deployment: KubeObject, current: KubeObject, old: readonly KubeObject[]): Map<string, number> {
  const plan = new Map<string, number>(old.map((set) => [set.metadata.name ?? '', 0]));
  const replicas = countOf(specOf(deployment).replicas, 1);
  const isClear = totalOf(old) === 0 && sumOf(old, 'replicas') === 0;
  plan.set(current.metadata.name ?? '', isClear ? replicas : Math.min(replicas, wantedOf(current)));
  return plan;
}

/** How many replicas each ReplicaSet should want next, by name. Called again after every change until nothing changes. */
export function planRollout(
  deployment: KubeObject,
  current: KubeObject,
  old: readonly KubeObject[],
): ReadonlyMap<string, number> {
  if (isRecreated(deployment)) return planRecreation(deployment, current, old);
  const replicas = countOf(specOf(deployment).replicas, 1);
  const plan = planOld(old, current, minimumAvailable(deployment));
  const room = replicas + rolloutRoom(deployment).surge - totalOf(old);
  plan.set(current.metadata.name ?? '', Math.min(replicas, Math.max(wantedOf(current), room)));
  return plan;
}

/** What a paused Deployment may still do: be scaled, in the one set that has pods, or in the newest when none has any. */
export function planScaling(deployment: KubeObject, newestFirst: readonly KubeObject[]): ReadonlyMap<string, number> {
  const active = newestFirst.filter((set) => wantedOf(set) > 0);
  const set = active.length === 0 ? newestFirst[0] : active[0];
  if (set === undefined || active.length > 1) return new Map();
  return new Map([[set.metadata.name ?? '', countOf(specOf(deployment).replicas, 1)]]);
}
