import {
  type ClusterServiceVersion,
  csvCleanupFinalizer,
  type OperatorGroup,
  olmFieldManager,
} from '../../api/index.ts';
import { remainingMs } from '../../base/index.ts';
import { type ReconcileRun, requeueAfter, StatusWriter } from '../../controller/index.ts';
import { hasFinalizer, type KubeObject } from '../../kube/index.ts';
import type { Versions } from './chain.ts';
import type { CsvContext } from './context.ts';
import type { Decision, Move } from './decision.ts';
import type { RequirementEntry } from './requirement-entry.ts';
import { eventsOf, isLoop, isUpgrade, nextStatus, requirementsMember } from './status.ts';
import { readVersion, versionsIn } from './version-index.ts';

/** One reconcile of a ClusterServiceVersion. */
export interface CsvRun extends ReconcileRun {
  readonly context: CsvContext;
  /** As it was when the reconcile began. */
  readonly csv: ClusterServiceVersion;
  readonly namespace: string;
  /** Of the same namespace. */
  readonly versions: Versions;
  readonly status: StatusWriter;
  object: KubeObject;
}

/** A run of a member of its group. */
export interface MemberRun extends CsvRun {
  readonly group: OperatorGroup;
}

/** What is being deleted, though it cannot be read, or became a copy: it is cleaned up by its name, and released. */
function readDeleted(object: KubeObject): ClusterServiceVersion | undefined {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined || !hasFinalizer(object, csvCleanupFinalizer)) return undefined;
  return { ...object, spec: { displayName: '', install: { strategy: '' } } } as unknown as ClusterServiceVersion;
}

/** Begins a reconcile; copies belong to another controller. */
export function beginCsv(context: CsvContext, object: KubeObject): CsvRun | undefined {
  const csv = readVersion(object) ?? readDeleted(object);
  if (csv === undefined) return undefined;
  const { namespace = '' } = csv.metadata;
  const { kube, clock, events, caches, metrics } = context;
  const status = new StatusWriter(object, {
    kube,
    clock,
    events,
    eventsOf: (before, after) => {
      if (isUpgrade(before, after)) metrics?.add('csv_upgrade_count', {});
      return eventsOf(before, after);
    },
    fieldManager: olmFieldManager,
    cache: caches.versions,
    hasGenerations: false,
  });
  const versions = versionsIn(namespace, caches.versions, context.versions);
  return { context, csv, namespace, versions, status, object };
}

const loopPauseMs = 15_000;
/** Between two messages about one failure: what refuses an operator may give another reason each time. */
const failurePauseMs = 10_000;

/** How long a failure stays as it was reported. */
function remainingPauseMs({ csv: { status } }: CsvRun, next: Move, nowMs: number): number {
  if (next.phase !== 'Failed' || status?.phase !== next.phase || status.reason !== next.reason) return 0;
  return remainingMs(Date.parse(status.lastUpdateTime ?? ''), failurePauseMs, nowMs) || 0;
}

/** Puts a decision into the status. */
export function applyDecision(run: CsvRun, decision: Decision, entries?: readonly RequirementEntry[]): void {
  const { context, csv, status } = run;
  const nowMs = context.clock.now();
  if (entries !== undefined) status.setFields(run, requirementsMember(csv.status, entries));
  if (decision.kind === 'Delete') return;
  if (decision.afterMs !== undefined) requeueAfter(run, decision.afterMs);
  if (decision.kind === 'Stay') return;
  const fields = nextStatus(csv.status, decision, nowMs);
  if (fields === undefined) return;
  if (isLoop(csv.status, decision, nowMs)) return requeueAfter(run, loopPauseMs);
  const pauseMs = remainingPauseMs(run, decision, nowMs);
  if (pauseMs > 0) return requeueAfter(run, pauseMs);
  status.setFields(run, fields);
}
