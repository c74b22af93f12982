import { mergeRules } from './merge-rules.ts';

/** Decisions that the scenarios do not reach, for they need other failures of the API server, or tens of minutes: what the source of the cluster-version-operator
 *  decides, found by reading it. The name of a table is the function. `differs` states why Longshore decides otherwise. */
interface Row {
  readonly differs?: string;
}

/** What the API server answers: reason, and the texts that the update has then. */
export interface FailureRow extends Row {
  readonly reason: string;
  readonly status: number;
  readonly becomes: string;
  readonly cause: string;
  readonly summary: string;
}

const gone = {
  becomes: 'UpdatePayloadResourceNotFound',
  cause: 'resource may have been deleted',
  summary: 'some resources could not be updated',
};
const down = {
  becomes: 'UpdatePayloadClusterDown',
  cause: 'the server is down or not responding',
  summary: 'the control plane is down or not responding',
};
const overloaded = {
  becomes: 'UpdatePayloadClusterOverloaded',
  cause: 'the server is overloaded and is not accepting updates',
  summary: 'the control plane is overloaded and is not accepting updates',
};

/** `reasonForPayloadSyncError` and `SummaryForReason` of pkg/payload/task.go. */
export const apiFailures: readonly FailureRow[] = [
  { reason: 'NotFound', status: 404, ...gone },
  { reason: 'AlreadyExists', status: 409, ...gone },
  {
    reason: 'Conflict',
    status: 409,
    becomes: 'UpdatePayloadResourceConflict',
    cause: 'someone else is updating this resource',
    summary: gone.summary,
  },
  { reason: 'Timeout', status: 504, ...down },
  { reason: 'ServiceUnavailable', status: 503, ...down },
  { reason: 'UnexpectedServerResponse', status: 502, ...down },
  {
    reason: 'InternalError',
    status: 500,
    becomes: 'UpdatePayloadClusterError',
    cause: 'the server is reporting an internal error',
    summary: 'the control plane is reporting an internal error',
  },
  {
    reason: 'Invalid',
    status: 422,
    becomes: 'UpdatePayloadResourceInvalid',
    cause: 'the object is invalid, possibly due to local cluster configuration',
    summary: 'some cluster configuration is invalid',
  },
  {
    reason: 'Unauthorized',
    status: 401,
    becomes: 'UpdatePayloadClusterUnauthorized',
    cause: 'could not authenticate to the server',
    summary: 'could not authenticate to the server',
  },
  {
    reason: 'Forbidden',
    status: 403,
    becomes: 'UpdatePayloadResourceForbidden',
    cause: 'the server has forbidden updates to this resource',
    summary: 'the server is rejecting updates',
  },
  { reason: 'ServerTimeout', status: 500, ...overloaded },
  { reason: 'TooManyRequests', status: 429, ...overloaded },
  {
    reason: 'Gone',
    status: 410,
    becomes: 'UpdatePayloadFailed',
    cause: '',
    summary: 'the update could not be applied',
  },
  {
    reason: 'Unreachable',
    status: 0,
    ...down,
    differs: 'A server without an answer is down; the reference states `UpdatePayloadFailed` without a cause.',
  },
];

/** `SummaryForReason`: the text with the name `x`, and without a name. */
export const summaries: Readonly<Record<string, readonly [named: string, nameless: string]>> = {
  UpdatePayloadRetrievalFailed: ['could not download the update', 'could not download the update'],
  UpdatePayloadIntegrity: ['the contents of the update are invalid', 'the contents of the update are invalid'],
  UpdatePayloadResourceTypeMissing: [
    'a required extension is not available to update',
    'a required extension is not available to update',
  ],
  ImageVerificationFailed: ['the image may not be safe to use', 'the image may not be safe to use'],
  UpgradePreconditionCheckFailed: [
    'it may not be safe to apply this update',
    'it may not be safe to apply this update',
  ],
  ClusterOperatorDegraded: ['the cluster operator x is degraded', 'a cluster operator is degraded'],
  ClusterOperatorNotAvailable: ['the cluster operator x is not available', 'a cluster operator is not available'],
  ClusterOperatorsNotAvailable: [
    'some cluster operators are not available',
    'some cluster operators are not available',
  ],
  ClusterOperatorNoVersions: [
    'the cluster operator x does not declare expected versions',
    'a cluster operator does not declare expected versions',
  ],
  WorkloadNotAvailable: ['the workload x has not yet successfully rolled out', 'a workload has not yet rolled out'],
  WorkloadNotProgressing: ['the workload x cannot roll out', 'a workload cannot roll out'],
  UpdatePayloadSomething: ['the update could not be applied', 'the update could not be applied'],
  ClusterOperatorsDegraded: [
    'x has an unknown error: ClusterOperatorsDegraded',
    'an unknown error has occurred: ClusterOperatorsDegraded',
  ],
  MultipleErrors: ['x has an unknown error: MultipleErrors', 'an unknown error has occurred: MultipleErrors'],
};

/** A failure of a round by its members, minutes since when each operator is waited for, and the conditions. */
export interface ProgressRow extends Row {
  readonly failures: readonly string[];
  readonly minutes?: Readonly<Record<string, number>>;
  readonly isReconciling?: boolean;
  readonly failing: string;
  readonly progressing: string;
}

const towards = 'True ClusterOperatorUpdating Working towards 1.1.0: 2 of 3 done (66% complete), ';
const slow = 'which is longer than expected';

/** `convertErrorToProgressing`, `filterErrorForFailingCondition` and `updateClusterVersionStatus` of pkg/cvo/status.go. A failure is `effect reason name`. */
export const progress: readonly ProgressRow[] = [
  { failures: ['None Updating a'], failing: 'False', progressing: `${towards}waiting on a` },
  { failures: ['None Updating a'], minutes: { a: 30 }, failing: 'False', progressing: `${towards}waiting on a` },
  {
    failures: ['None Updating a'],
    minutes: { a: 31 },
    failing: `Unknown SlowClusterOperator waiting on a over 30 minutes ${slow}`,
    progressing: `${towards}waiting on a over 30 minutes ${slow}`,
  },
  {
    failures: ['None Updating a', 'None Updating b'],
    minutes: { a: 31, b: 2 },
    failing: `Unknown SlowClusterOperator waiting on a over 30 minutes ${slow}`,
    progressing: `True ClusterOperatorsUpdating Working towards 1.1.0: 2 of 3 done (66% complete), waiting on a over 30 minutes ${slow}`,
  },
  {
    failures: ['None Updating machine-config'],
    minutes: { 'machine-config': 89 },
    failing: 'False',
    progressing: `${towards}waiting on machine-config`,
  },
  {
    failures: ['FailAfterInterval Degraded a'],
    minutes: { a: 40 },
    failing: 'False',
    progressing:
      'True ClusterOperatorDegraded Working towards 1.1.0: 2 of 3 done (66% complete), waiting up to 40 minutes on a',
  },
  {
    failures: ['FailAfterInterval Degraded a', 'FailAfterInterval Degraded b'],
    minutes: { a: 41, b: 3 },
    failing: 'True ClusterOperatorsDegraded Cluster operators a, b are degraded',
    progressing:
      'True ClusterOperatorsDegraded Unable to apply 1.1.0: wait has exceeded 40 minutes for these operators: a',
  },
  {
    // A time that was never noted counts as long ago.
    failures: ['FailAfterInterval Degraded a'],
    failing: 'True ClusterOperatorDegraded Cluster operator a is degraded',
    progressing:
      'True ClusterOperatorDegraded Unable to apply 1.1.0: wait has exceeded 40 minutes for these operators: a',
  },
  {
    failures: ['Report Degraded a'],
    failing: 'True ClusterOperatorDegraded Cluster operator a is degraded',
    progressing: 'True ClusterOperatorDegraded Unable to apply 1.1.0: Cluster operator a is degraded',
  },
  {
    failures: ['Fail NotAvailable a', 'Fail NotAvailable b'],
    failing: 'True ClusterOperatorsNotAvailable Cluster operators a, b are not available',
    progressing: 'True ClusterOperatorsNotAvailable Unable to apply 1.1.0: some cluster operators are not available',
  },
  {
    failures: ['None Updating a', 'Fail NotAvailable b'],
    failing: 'True ClusterOperatorNotAvailable Cluster operator b is not available',
    progressing: 'True MultipleErrors Unable to apply 1.1.0: an unknown error has occurred: MultipleErrors',
  },
  {
    failures: ['None Updating a', 'FailAfterInterval Degraded b', 'Fail NotAvailable c'],
    failing:
      'True MultipleErrors Multiple errors are preventing progress:\n* Cluster operator b is degraded\n* Cluster operator c is not available',
    progressing: 'True MultipleErrors Unable to apply 1.1.0: an unknown error has occurred: MultipleErrors',
  },
  {
    failures: ['None Updating a'],
    isReconciling: true,
    failing: 'True ClusterOperatorUpdating Cluster operator a is updating versions',
    progressing:
      'False ClusterOperatorUpdating Error while reconciling 1.1.0: a has an unknown error: ClusterOperatorUpdating',
  },
  {
    failures: ['FailAfterInterval Degraded a'],
    minutes: { a: 1 },
    isReconciling: true,
    failing: 'True ClusterOperatorDegraded Cluster operator a is degraded',
    progressing: 'False ClusterOperatorDegraded Error while reconciling 1.1.0: the cluster operator a is degraded',
  },
];

/** Newest entry and desired release as `version image`, `-` for an unknown part, and whether they are the same. */
export interface HistoryRow extends Row {
  readonly entry: string;
  readonly desired: string;
  /** The entry, completed; undefined: another one is added. */
  readonly merged: string | undefined;
}

/** `mergeEqualVersions` of pkg/cvo/status.go. */
export const sameReleases: readonly HistoryRow[] = [
  { entry: '1 a', desired: '1 a', merged: '1 a' },
  { entry: '1 a', desired: '- a', merged: '1 a' },
  { entry: '- a', desired: '1 a', merged: '1 a' },
  { entry: '- a', desired: '- a', merged: '- a' },
  { entry: '2 a', desired: '1 a', merged: undefined },
  { entry: '1 -', desired: '1 a', merged: '1 a' },
  { entry: '1 b', desired: '1 a', merged: undefined },
  { entry: '- b', desired: '- a', merged: undefined },
  { entry: '- -', desired: '1 a', merged: undefined },
];

/** Tables with how many cases each has, and what differs in them. */
export const tables: readonly { readonly source: string; readonly count: number; readonly differing: string[] }[] = [
  ['pkg/payload/task.go: reasonForPayloadSyncError', apiFailures] as const,
  ['pkg/payload/task.go: SummaryForReason', Object.values(summaries).map((): Row => ({}))] as const,
  ['pkg/cvo/sync_worker.go, status.go: condenseClusterOperators, convertErrorToProgressing', progress] as const,
  ['pkg/cvo/status.go: mergeEqualVersions', sameReleases] as const,
  ['lib/resourcemerge, lib/resourceapply, pkg/cvo/internal/generic.go', mergeRules] as const,
].map(([source, rows]) => ({
  source,
  count: rows.length,
  differing: [...new Set(rows.flatMap(({ differs }: Row) => differs ?? []))],
}));
