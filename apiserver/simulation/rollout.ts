import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { specOf, statusOf } from '../controllers/index.ts';
import type { KubeObject } from '../core/index.ts';
import { countOf } from './simulated.ts';
import { desiredAnnotation, maxAnnotation } from './size-annotations.ts';

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
export function desiredReplicas(set: KubeObject): number {
  return countOf(specOf(set).replicas, 0);
}

const counted = (set: KubeObject, field: string): number => countOf(statusOf(set)[field], 0);

/** Sum of a status count over ReplicaSets. */
export function sumOf(sets: readonly KubeObject[], field: string): number {
  return sets.reduce((total, set) => total + counted(set, field), 0);
}

const totalOf = (sets: readonly KubeObject[]): number => sets.reduce((sum, set) => sum + desiredReplicas(set), 0);
const missingIn = (set: KubeObject): number => Math.max(0, desiredReplicas(set) - counted(set, 'availableReplicas'));

function oldestFirst(sets: readonly KubeObject[]): KubeObject[] {
  const madeAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
  return sets.toSorted((a, b) => madeAt(a).localeCompare(madeAt(b)));
}

/** Takes pods of old sets away as far as enough stay available: first those that are not available anyway. */
function planOld(old: readonly KubeObject[], current: KubeObject, minAvailable: number): Map<string, number> {
  let room = Math.max(0, totalOf([...old, current]) - minAvailable - missingIn(current));
  const plan = new Map<string, number>(old.map((set) => [set.metadata.name ?? '', desiredReplicas(set)]));
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
  plan.set(current.metadata.name ?? '', isClear ? replicas : Math.min(replicas, desiredReplicas(current)));
  return plan;
}

/** How many replicas each ReplicaSet should want next, by name. Called after every change until nothing changes. */
export function planRollout(
  deployment: KubeObject,
  current: KubeObject,
  old: readonly KubeObject[],
): ReadonlyMap<string, number> {
  if (isRecreated(deployment)) return planRecreation(deployment, current, old);
  const replicas = countOf(specOf(deployment).replicas, 1);
  const plan = planOld(old, current, minimumAvailable(deployment));
  const room = replicas + rolloutRoom(deployment).surge - totalOf(old);
  plan.set(current.metadata.name ?? '', Math.min(replicas, Math.max(desiredReplicas(current), room)));
  return plan;
}

/** What each set with pods gets of a new size: its share, by its part of the size before. Never below nothing. */
function planProportional(deployment: KubeObject, active: readonly KubeObject[]): Map<string, number> {
  const replicas = countOf(specOf(deployment).replicas, 1);
  const { surge } = rolloutRoom(deployment);
  const missing = (replicas === 0 ? 0 : replicas + surge) - totalOf(active);
  const ordered = bySize(active, missing > 0);
  const plan = new Map<string, number>();
  let open = missing;
  for (const set of ordered) {
    const share = shareOf(set, { deployment, allowed: replicas + surge });
    const step = missing > 0 ? Math.min(share, open) : Math.max(share, open);
    plan.set(set.metadata.name ?? '', desiredReplicas(set) + step);
    open -= step;
  }
  const largest = ordered[0]?.metadata.name ?? '';
  plan.set(largest, Math.max(0, (plan.get(largest) ?? 0) + open));
  return plan;
}

/** The largest first; among equals the newest when pods are added, the oldest when they are removed. */
function bySize(sets: readonly KubeObject[], isNewestFirst: boolean): KubeObject[] {
  const ordered = isNewestFirst ? oldestFirst(sets).reverse() : oldestFirst(sets);
  return ordered.toSorted((a, b) => desiredReplicas(b) - desiredReplicas(a));
}

/** How many pods more, or less, a set has when it keeps its part of the whole. */
function shareOf(set: KubeObject, to: { readonly deployment: KubeObject; readonly allowed: number }): number {
  const { deployment, allowed } = to;
  if (countOf(specOf(deployment).replicas, 1) === 0) return -desiredReplicas(set);
  const noted = Number(set.metadata.annotations?.[maxAnnotation] ?? 0);
  const before = noted > 0 ? noted : countOf(statusOf(deployment).replicas, 0);
  return before === 0 ? 0 : Math.round((desiredReplicas(set) * allowed) / before) - desiredReplicas(set);
}

function isSaturated(deployment: KubeObject, current: KubeObject | undefined): boolean {
  if (current === undefined) return false;
  const replicas = countOf(specOf(deployment).replicas, 1);
  const desired = Number(current.metadata.annotations?.[desiredAnnotation] ?? Number.NaN);
  const available = countOf(statusOf(current).availableReplicas, 0);
  return desiredReplicas(current) === replicas && desired === replicas && available === replicas;
}

/** The sizes of the sets, by name, once the Deployment is scaled, while it is paused or in the middle of a rollout: the one set that has pods,
 *  or the newest when none has any, gets all; several share. */
export function planScaling(
  deployment: KubeObject,
  current: KubeObject | undefined,
  newestFirst: readonly KubeObject[],
): Map<string, number> {
  const active = newestFirst.filter((set) => desiredReplicas(set) > 0);
  if (active.length <= 1) {
    const only = active[0] ?? newestFirst[0];
    const replicas = countOf(specOf(deployment).replicas, 1);
    return new Map<string, number>(only === undefined ? [] : [[only.metadata.name ?? '', replicas]]);
  }
  if (isSaturated(deployment, current)) {
    const old = active.filter((set) => set !== current);
    return new Map(old.map((set) => [set.metadata.name ?? '', 0]));
  }
  return isRecreated(deployment) ? new Map<string, number>() : planProportional(deployment, active);
}
