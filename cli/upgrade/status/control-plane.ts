import type { ClusterOperator, OperatorStatusCondition, UpdateHistory } from '../../../src/api/index.ts';
import { type ClusterVersionView, conditionOf } from '../cluster-version.ts';
import { tabbed } from '../tabbed.ts';
import { roundedDuration, shortDuration } from './durations.ts';
import { remainingMs } from './estimate.ts';
import type { Insight } from './insight.ts';

const minute = 60_000;

/** An operator that changes its version. */
interface UpdatingOperator {
  readonly name: string;
  readonly condition: OperatorStatusCondition;
}

/** The control plane of an update. */
export interface ControlPlane {
  readonly assessment: 'Progressing' | 'Progressing - Slow' | 'Stalled' | 'Completed';
  readonly target: string;
  readonly previous: string;
  /** `4.14.1 (from 4.14.0)` */
  readonly targetText: string;
  readonly total: number;
  readonly updated: number;
  readonly updating: readonly UpdatingOperator[];
  readonly waiting: number;
  readonly unavailable: number;
  readonly degraded: number;
  readonly updatingMs: number;
  readonly completedAtMs: number;
  /** Undefined once it is completed. */
  readonly remainingMs: number | undefined;
  readonly insights: readonly Insight[];
}

function conditionsOf({ status }: ClusterOperator): ReadonlyMap<string, OperatorStatusCondition> {
  return new Map((status?.conditions ?? []).map((condition) => [condition.type, condition]));
}

const markers = ['include.release.openshift.io/', 'exclude.release.openshift.io/'];

/** Those of the release, which annotations distinguish from those of others; all where none has such annotations. */
function releaseOperators(operators: readonly ClusterOperator[]): readonly ClusterOperator[] {
  const marked = operators.filter(({ metadata }) =>
    Object.keys(metadata.annotations ?? {}).some((name) => markers.some((marker) => name.startsWith(marker))),
  );
  return marked.length === 0 ? operators : marked;
}

function operatorInsight(
  name: string,
  condition: OperatorStatusCondition | undefined,
  kind: { readonly bad: string; readonly word: string; readonly errorMs: number; readonly nowMs: number },
): Insight[] {
  if (condition?.status !== kind.bad) return [];
  const sinceMs = Date.parse(condition.lastTransitionTime);
  const lastedMs = kind.nowMs - sinceMs;
  if (!(lastedMs > 5 * minute)) return [];
  const { reason = '', message = '' } = condition;
  return [
    {
      sinceMs,
      level: lastedMs > kind.errorMs ? 'Error' : 'Warning',
      impact: 'API Availability',
      summary: `Cluster Operator ${name} is ${kind.word} (${reason})`,
      description: message === '' ? '<no message>' : message,
      object: `clusteroperators.config.openshift.io: ${name}`,
      next: `kubectl describe clusteroperator ${name}`,
    },
  ];
}

function engineInsight(view: ClusterVersionView, nowMs: number): Insight[] {
  const failing = conditionOf(view, 'Failing');
  const base = {
    level: 'Warning',
    impact: 'Update Stalled',
    object: 'clusterversions.config.openshift.io: version',
    next: 'kubectl describe clusterversion version',
  } as const;
  if (failing === undefined) {
    const description = 'Current status of Cluster Version reconciliation is unclear.';
    return [{ ...base, sinceMs: nowMs, summary: 'Cluster Version version has no Failing condition', description }];
  }
  const { status, reason = '', message = '', lastTransitionTime } = failing;
  if (status === 'False') return [];
  const verb = status === 'Unknown' ? 'may be' : 'is';
  const summary = `Cluster Version version ${verb} failing to proceed with the update (${reason})`;
  return [{ ...base, sinceMs: Date.parse(lastTransitionTime), summary, description: message }];
}

type Versions = Pick<ControlPlane, 'target' | 'previous' | 'targetText'>;

function versionsOf([latest, before]: readonly UpdateHistory[]): Versions {
  const target = latest?.version ?? 'unknown';
  if (latest === undefined || before === undefined) {
    return { target, previous: 'unknown', targetText: `${target} (a new install)` };
  }
  const { version: previous = '', state, image } = before;
  const isMulti = target === previous && latest.image !== image;
  const way = isMulti ? ' to Multi-Architecture' : ` (from ${previous})`;
  return { target, previous, targetText: `${target}${state === 'Partial' ? ` (from incomplete ${previous})` : way}` };
}

function partialInsight([latest, before, ...older]: readonly UpdateHistory[]): Insight[] {
  if (before?.state !== 'Partial' || latest === undefined) return [];
  const { version: previous = '' } = before;
  const completed = older.find(({ state }) => state === 'Completed')?.version ?? 'unknown';
  return [
    {
      sinceMs: Date.parse(latest.startedTime),
      level: 'Warning',
      impact: 'None',
      summary: `Previous update to ${previous} never completed, last complete update was ${completed}`,
      description: `Current update to ${latest.version ?? ''} was initiated while the previous update to version ${previous} was still in progress`,
      object: 'clusterversions.config.openshift.io: version',
      next: 'kubectl get clusterversion version -o jsonpath={.status.history}',
    },
  ];
}

interface Operators
  extends Pick<ControlPlane, 'total' | 'updated' | 'updating' | 'waiting' | 'unavailable' | 'degraded'> {
  readonly lastProgressMs: number;
}

function isUpdated({ status }: ClusterOperator, target: string): boolean {
  return status?.versions?.some(({ name, version }) => name === 'operator' && version === target) === true;
}

function count(operators: readonly ClusterOperator[], target: string): Operators {
  const each = operators.map((operator) => {
    const conditions = conditionsOf(operator);
    const isAvailable = conditions.get('Available')?.status === 'True';
    return {
      name: operator.metadata.name,
      isUpdated: isUpdated(operator, target),
      progressing: conditions.get('Progressing'),
      isAvailable,
      isDegraded: isAvailable && conditions.get('Degraded')?.status === 'True',
    };
  });
  const left = each.filter((one) => !one.isUpdated);
  const times = each.map(({ progressing }) => Date.parse(progressing?.lastTransitionTime ?? ''));
  return {
    total: each.length,
    updated: each.length - left.length,
    updating: left.flatMap(({ name, progressing }) =>
      progressing?.status === 'True' ? [{ name, condition: progressing }] : [],
    ),
    waiting: left.filter(({ progressing }) => progressing?.status === 'False').length,
    unavailable: each.filter(({ isAvailable }) => !isAvailable).length,
    degraded: each.filter(({ isDegraded }) => isDegraded).length,
    lastProgressMs: Math.max(Number.NEGATIVE_INFINITY, ...times.filter((time) => !Number.isNaN(time))),
  };
}

function assess(completion: number, leftMs: number): ControlPlane['assessment'] {
  if (completion === 1) return 'Completed';
  if (leftMs < -10 * minute) return 'Stalled';
  return leftMs < 0 ? 'Progressing - Slow' : 'Progressing';
}

/** When an update began, how long it takes, and when an operator changed last. */
function timesOf(
  [latest]: readonly UpdateHistory[],
  lastProgressMs: number,
  nowMs: number,
): Pick<ControlPlane, 'completedAtMs' | 'updatingMs'> & { readonly untilProgressMs: number } {
  const startedMs = Date.parse(latest?.startedTime ?? '') || nowMs;
  const completedAtMs = latest?.state === 'Completed' ? Date.parse(latest.completionTime ?? '') : nowMs;
  const lastMs = lastProgressMs > startedMs ? lastProgressMs : nowMs;
  return { completedAtMs, updatingMs: completedAtMs - startedMs, untilProgressMs: lastMs - startedMs };
}

function operatorInsights(operator: ClusterOperator, nowMs: number): Insight[] {
  const { name } = operator.metadata;
  const conditions = conditionsOf(operator);
  const unavailable = { bad: 'False', word: 'unavailable', errorMs: 20 * minute, nowMs };
  const degraded = { bad: 'True', word: 'degraded', errorMs: 40 * minute, nowMs };
  return [
    ...operatorInsight(name, conditions.get('Available'), unavailable),
    ...operatorInsight(name, conditions.get('Degraded'), degraded),
  ];
}

/** Assesses the control plane by the operators of the release. */
export function assessControlPlane(
  view: ClusterVersionView,
  all: readonly ClusterOperator[],
  nowMs: number,
): ControlPlane {
  const operators = releaseOperators(all);
  const counted = count(operators, view.desired.version);
  const completion = counted.total === 0 ? 0 : counted.updated / counted.total;
  const times = timesOf(view.history, counted.lastProgressMs, nowMs);
  const leftMs = remainingMs({ completion, ...times }, view.history);
  const isDone = completion === 1;
  return {
    ...counted,
    ...versionsOf(view.history),
    assessment: assess(completion, leftMs),
    updatingMs: times.updatingMs,
    completedAtMs: times.completedAtMs,
    remainingMs: isDone ? undefined : leftMs,
    insights: [
      ...engineInsight(view, nowMs),
      ...(isDone ? [] : partialInsight(view.history)),
      ...operators.flatMap((operator) => operatorInsights(operator, nowMs)),
    ],
  };
}

function remainingText({ remainingMs: left, updatingMs, targetText }: ControlPlane): string {
  if (left === undefined) return '';
  const text = targetText.endsWith('to Multi-Architecture')
    ? 'N/A for Multi-Architecture Migration'
    : left < -10 * minute
      ? `N/A; estimate duration was ${shortDuration(Math.trunc((updatingMs + left) / minute) * minute)}`
      : left < 10 * minute
        ? '<10m'
        : shortDuration(roundedDuration(left));
  return ` (Est. Time Remaining: ${text})`;
}

const barWidth = 40;

/** `[####----] 12 of 40 manifests`, while the engine reports them. */
function progressText({ progress }: ClusterVersionView): string {
  if (progress === undefined || progress.total <= 0) return '';
  const filled = Math.round(Math.min(1, progress.done / progress.total) * barWidth);
  const level = progress.level === undefined ? '' : `, at run level ${progress.level}`;
  const bar = `${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}`;
  return `Progress:        [${bar}] ${progress.done} of ${progress.total} manifests${level}\n`;
}

function updatingTable({ updating }: ControlPlane, nowMs: number): string {
  if (updating.length === 0) return '';
  const rows = updating.flatMap(({ name, condition }) => {
    const { reason = '', message = '', lastTransitionTime } = condition;
    const short = reason.length > 20 ? `${reason.slice(0, 17)}...` : reason || '-';
    const [first = '', ...more] = message.split('\n');
    const since = shortDuration(nowMs - Date.parse(lastTransitionTime));
    return [[name, since, short, first], ...more.map((line) => ['', '', '', line])];
  });
  const table = tabbed([['NAME', 'SINCE', 'REASON', 'MESSAGE'], ...rows], { minWidth: 0, padding: 3 });
  return `\nUpdating Cluster Operators\n${table}`;
}

/** What the engine waits for, and what stops it. */
function waitingTable({ progress }: ClusterVersionView, nowMs: number): string {
  const all = [...(progress?.blockers ?? []), ...(progress?.waitingFor ?? [])];
  if (all.length === 0) return '';
  const rows = all.map(({ object, since, reason, message }) => {
    const age = since === undefined ? '-' : shortDuration(nowMs - Date.parse(since));
    return [object, age, reason, message.split('\n')[0] ?? ''];
  });
  const table = tabbed([['WAITING FOR', 'SINCE', 'REASON', 'MESSAGE'], ...rows], { minWidth: 0, padding: 3 });
  return `\n${table}`;
}

/** The section Control Plane. */
export function controlPlaneText(
  plane: ControlPlane,
  view: ClusterVersionView,
  { isDetailed, nowMs }: { readonly isDetailed: boolean; readonly nowMs: number },
): string {
  const title = '= Control Plane =\n';
  const took = shortDuration(roundedDuration(plane.updatingMs));
  if (plane.assessment === 'Completed') {
    const at = `${new Date(plane.completedAtMs).toISOString().slice(0, 19)}Z`;
    return `${title}Update to ${plane.target} successfully completed at ${at} (duration: ${took})\n`;
  }
  const { total, updated, updating, waiting, unavailable, degraded } = plane;
  const names = updating.map(({ name }) => name).join(', ');
  const health = [
    `${total - unavailable - degraded} Healthy`,
    ...(unavailable > 0 ? [`${unavailable} Unavailable`] : []),
    ...(degraded > 0 ? [`${degraded} Available but degraded`] : []),
  ];
  const share = total === 0 ? 0 : Math.round((updated / total) * 100);
  return [
    title,
    `Assessment:      ${plane.assessment}\n`,
    `Target Version:  ${plane.targetText}\n`,
    names === '' ? '' : `Updating:        ${names}\n`,
    `Completion:      ${share}% (${updated} operators updated, ${updating.length} updating, ${waiting} waiting)\n`,
    progressText(view),
    `Duration:        ${took}${remainingText(plane)}\n`,
    `Operator Health: ${health.join(', ')}\n`,
    waitingTable(view, nowMs),
    isDetailed ? updatingTable(plane, nowMs) : '',
  ].join('');
}
