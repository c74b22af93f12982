import type { ClusterServiceVersionStatus } from '../../api/index.ts';
import {
  formatTimestamp,
  isJsonEqual,
  type JsonObject,
  type JsonValue,
  objectAt,
  remainingMs,
  textAt,
} from '../../base/index.ts';
import type { KubeObject, ObjectEvent } from '../../kube/index.ts';
import type { Standing } from './decision.ts';
import type { RequirementEntry } from './requirement-entry.ts';

const maxConditions = 20;

type Condition = NonNullable<ClusterServiceVersionStatus['conditions']>[number];

function withEntry(conditions: readonly Condition[], entry: Condition): readonly Condition[] {
  const last = conditions.at(-1);
  if (last !== undefined && last.phase === entry.phase && last.reason === entry.reason) return conditions;
  return [...conditions, entry].slice(-maxConditions);
}

/** The members of the status that change with the phase, reason or message; undefined if none of these changes. The history gets an entry with
 *  another phase or reason.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export function nextStatus(
  status: ClusterServiceVersionStatus | undefined,
  { phase, reason, message }: Standing,
  nowMs: number,
): JsonObject | undefined {
  if (status?.phase === phase && status.reason === reason && status.message === message) return undefined;
  const lastUpdateTime = formatTimestamp(nowMs);
  const isSamePhase = status?.phase === phase && status.lastTransitionTime !== undefined;
  const lastTransitionTime = isSamePhase ? status.lastTransitionTime : lastUpdateTime;
  const entry = { phase, reason, message, lastUpdateTime, lastTransitionTime };
  const conditions = withEntry(status?.conditions ?? [], entry);
  return { ...entry, conditions } as unknown as JsonObject;
}

/** The requirements as a member of the status; empty if they are as they were. */
export function requirementsMember(
  status: ClusterServiceVersionStatus | undefined,
  entries: readonly RequirementEntry[],
): JsonObject {
  const requirementStatus = entries as unknown as JsonValue;
  const before = (status?.requirementStatus ?? []) as unknown as JsonValue;
  return isJsonEqual(before, requirementStatus) ? {} : { requirementStatus };
}

const loopMs = 60_000;
const maxRepetitions = 6;

/** Whether the same phase and reason were reached so often within a minute that something else undoes them. */
export function isLoop(status: ClusterServiceVersionStatus | undefined, next: Standing, nowMs: number): boolean {
  const same = (status?.conditions ?? []).filter(
    ({ phase, reason, lastUpdateTime = '' }) =>
      phase === next.phase && reason === next.reason && remainingMs(Date.parse(lastUpdateTime), loopMs, nowMs) > 0,
  );
  return same.length >= maxRepetitions;
}

/** The Event of a changed status. */
export function eventsOf(before: KubeObject, after: KubeObject): readonly ObjectEvent[] {
  const [was, is] = [before, after].map((object) => objectAt(object as JsonObject, 'status'));
  const [phase, reason, message] = ['phase', 'reason', 'message'].map((key) => textAt(is, key));
  if (phase === undefined || reason === undefined || message === undefined || phase === '') return [];
  if (['phase', 'reason', 'message'].every((key) => textAt(was, key) === textAt(is, key))) return [];
  return [{ type: phase === 'Failed' ? 'Warning' : 'Normal', reason, message }];
}

/** Whether a replacement began: rows T18 and T26. */
export function isUpgrade(before: KubeObject, after: KubeObject): boolean {
  const [was, is] = [before, after].map((object) => textAt(objectAt(object as JsonObject, 'status'), 'phase'));
  return was !== is && is === 'Replacing';
}
