import type { ClusterOperator, ClusterVersion, UpdateHistory } from '../../api/index.ts';
import type { LabelledValue, MetricValues } from '../../metrics/index.ts';
import type { UpdateFailure } from '../failures/update-failure.ts';
import type { WorkerStatus } from '../round/sync-worker.ts';

/** What the metrics are made of. */
export interface MetricFacts {
  readonly version: ClusterVersion;
  readonly operators: readonly ClusterOperator[];
  readonly worker: WorkerStatus | undefined;
  /** When the update service answered last. */
  readonly retrievedAtMs: number | undefined;
}

type Condition = NonNullable<NonNullable<ClusterOperator['status']>['conditions']>[number];

const values: Readonly<Record<string, number>> = { True: 1, False: 0 };

function seconds(time: string | null | undefined): number {
  const ms = time === null || time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

function releaseRow(
  type: string,
  { version = '', image = '' }: { readonly version?: string; readonly image?: string },
  { at, from = '' }: { readonly at: string | null | undefined; readonly from?: string | undefined },
): LabelledValue {
  return { labels: { type, version, image, from_version: from }, value: seconds(at) };
}

/** The release before an entry that was completed. */
function completedBefore(history: readonly UpdateHistory[], index: number): string | undefined {
  return history.slice(index + 1).find(({ state }) => state === 'Completed')?.version;
}

function ifAny<T>(value: T | undefined, rows: (value: T) => readonly LabelledValue[]): readonly LabelledValue[] {
  return value === undefined ? [] : rows(value);
}

function isTrue(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((one) => one.type === type && one.status === 'True');
}

/** Rows of `cluster_version`. */
function releaseRows({ metadata, status }: ClusterVersion): readonly LabelledValue[] {
  const { history = [], desired = {}, conditions = [] } = status ?? {};
  const [newest] = history;
  const first = history.at(-1);
  const completed = history.findIndex(({ state }) => state === 'Completed');
  const from = completedBefore(history, 0);
  const created = (metadata as { readonly creationTimestamp?: string }).creationTimestamp;
  const updating = newest?.state === 'Partial' ? newest : undefined;
  return [
    ...ifAny(newest, (entry) => [
      releaseRow('current', entry, { at: entry.startedTime, from }),
      releaseRow('desired', desired, { at: entry.startedTime, from }),
    ]),
    ...ifAny(first, (entry) => [releaseRow('initial', entry, { at: created })]),
    ...ifAny(history[completed], (entry) => [
      releaseRow('cluster', entry, { at: created, from: first?.version }),
      releaseRow('completed', entry, { at: entry.completionTime, from: completedBefore(history, completed) }),
    ]),
    ...ifAny(updating, (entry) => [releaseRow('updating', entry, { at: entry.startedTime, from })]),
    ...ifAny(isTrue(conditions, 'Failing'), ({ lastTransitionTime: at }) => [
      releaseRow('failure', desired, { at, from }),
    ]),
  ];
}

function conditionRows(name: string, conditions: readonly Condition[]): readonly LabelledValue[] {
  return conditions.flatMap(({ type, status, reason = '' }) => {
    const value = values[status];
    return value === undefined ? [] : [{ labels: { name, condition: type, reason }, value }];
  });
}

function upRow(name: string, version: string, conditions: readonly Condition[]): LabelledValue {
  const available = conditions.find(({ type }) => type === 'Available');
  const labels = { name, version, reason: available?.reason ?? (available === undefined ? 'NoConditions' : '') };
  return { labels, value: available?.status === 'True' ? 1 : 0 };
}

function ofOperators({ version, operators }: MetricFacts): MetricValues {
  const { conditions = [], desired } = version.status ?? {};
  const reported = operators.map(({ metadata: { name }, status }) => ({
    name,
    version: (status?.versions ?? []).find((one) => one.name === 'operator')?.version ?? '',
    conditions: status?.conditions ?? [],
  }));
  const all = [{ name: 'version', version: desired?.version ?? '', conditions }, ...reported];
  return {
    cluster_operator_up: all.map((one) => upRow(one.name, one.version, one.conditions)),
    cluster_operator_conditions: all.flatMap((one) => conditionRows(one.name, one.conditions)),
  };
}

const defaultUpstream = '<default>';

/** Absent while updates are unknown. */
function availableRows({ spec: { upstream, channel = '' }, status }: ClusterVersion): readonly LabelledValue[] {
  if (status === undefined) return [];
  const { availableUpdates, conditions = [] } = status;
  if (availableUpdates === null && isTrue(conditions, 'RetrievedUpdates') === undefined) return [];
  const labels = { upstream: upstream || defaultUpstream, channel };
  return [{ labels, value: availableUpdates?.length ?? 0 }];
}

function ofUpdates({ version, retrievedAtMs }: MetricFacts): MetricValues {
  const { conditionalUpdates = [], conditionalUpdateRisks = [] } = version.status ?? {};
  return {
    cluster_version_available_updates: availableRows(version),
    cluster_version_conditional_update_condition_seconds: conditionalUpdates.flatMap((update) =>
      (update.conditions ?? []).map(({ type, status: value, reason, lastTransitionTime }) => ({
        labels: { version: update.release.version ?? '', condition: type, status: value, reason },
        value: seconds(lastTransitionTime),
      })),
    ),
    cluster_version_risk_conditions: conditionalUpdateRisks.flatMap(({ name, conditions: applies = [] }) =>
      applies.map(({ type, status: value, reason }) => ({
        labels: { condition: type, risk: name, reason },
        value: values[value] ?? -1,
      })),
    ),
    cluster_version_operator_update_retrieval_timestamp_seconds:
      retrievedAtMs === undefined ? [] : [{ labels: { name: '' }, value: Math.floor(retrievedAtMs / 1000) }],
  };
}

function countOf(failure: UpdateFailure | undefined): number {
  if (failure === undefined) return 0;
  return Math.max(1, failure.members.length);
}

function ofPayload({ version: { status }, worker }: MetricFacts): MetricValues {
  const { enabledCapabilities = [], knownCapabilities = [] } = status?.capabilities ?? {};
  const enabled = new Set(enabledCapabilities);
  const capabilities = [...new Set([...knownCapabilities, ...enabledCapabilities])].toSorted();
  const version = worker?.work.payload.release.version ?? '';
  const rows = (type: string, value: number): LabelledValue => ({ labels: { version, type }, value });
  return {
    cluster_version_capability: capabilities.map((name) => ({ labels: { name }, value: enabled.has(name) ? 1 : 0 })),
    cluster_version_payload:
      worker === undefined ? [] : [rows('applied', worker.done), rows('pending', worker.total - worker.done)],
    cluster_operator_payload_errors:
      worker === undefined ? [] : [{ labels: { version }, value: countOf(worker.failure) }],
  };
}

/** The metrics of cluster updates.
 *  @see docs/spec/cluster-version.md#metrics */
export function clusterVersionMetrics(facts: MetricFacts): MetricValues {
  return {
    cluster_version: releaseRows(facts.version),
    ...ofOperators(facts),
    ...ofUpdates(facts),
    ...ofPayload(facts),
  };
}
