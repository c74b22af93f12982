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

/** Rows of `cluster_version`. */
function releaseRows({ metadata, status }: ClusterVersion): readonly LabelledValue[] {
  const { history = [], desired = {}, conditions = [] } = status ?? {};
  const [newest] = history;
  const first = history.at(-1);
  const completed = history.findIndex(({ state }) => state === 'Completed');
  const done = history[completed];
  const failing = conditions.find(({ type, status: value }) => type === 'Failing' && value === 'True');
  const from = completedBefore(history, 0);
  const created = (metadata as { readonly creationTimestamp?: string }).creationTimestamp;
  return [
    ...(newest === undefined
      ? []
      : [
          releaseRow('current', newest, { at: newest.startedTime, from }),
          releaseRow('desired', desired, { at: newest.startedTime, from }),
        ]),
    ...(first === undefined ? [] : [releaseRow('initial', first, { at: created })]),
    ...(done === undefined
      ? []
      : [
          releaseRow('cluster', done, { at: created, from: first?.version }),
          releaseRow('completed', done, { at: done.completionTime, from: completedBefore(history, completed) }),
        ]),
    ...(newest?.state === 'Partial' ? [releaseRow('updating', newest, { at: newest.startedTime, from })] : []),
    ...(failing === undefined ? [] : [releaseRow('failure', desired, { at: failing.lastTransitionTime, from })]),
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

function ofUpdates({ version: { spec, status }, retrievedAtMs }: MetricFacts): MetricValues {
  const {
    availableUpdates = null,
    conditionalUpdates = [],
    conditionalUpdateRisks = [],
    conditions = [],
  } = status ?? {};
  const { upstream = '', channel = '' } = spec;
  const isRetrieved = conditions.some(({ type, status: value }) => type === 'RetrievedUpdates' && value === 'True');
  const count = availableUpdates?.length ?? 0;
  return {
    cluster_version_available_updates:
      isRetrieved || count > 0
        ? [{ labels: { upstream: upstream === '' ? '<default>' : upstream, channel }, value: count }]
        : [],
    cluster_version_conditional_update_condition_seconds: conditionalUpdates.flatMap((update) =>
      (update.conditions ?? []).map(({ type, status: value, reason = '', lastTransitionTime }) => ({
        labels: { version: update.release.version ?? '', condition: type, status: value, reason },
        value: seconds(lastTransitionTime),
      })),
    ),
    cluster_version_risk_conditions: conditionalUpdateRisks.flatMap(({ name, conditions: applies = [] }) =>
      applies.map(({ type, status: value, reason = '' }) => ({
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
