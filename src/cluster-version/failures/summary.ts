import type { UpdateFailure } from './update-failure.ts';

/** By reason, with the names of the objects, or without. */
const withNames: Readonly<Record<string, readonly [named: (name: string) => string, nameless: string]>> = {
  ClusterOperatorDegraded: [(name) => `the cluster operator ${name} is degraded`, 'a cluster operator is degraded'],
  ClusterOperatorNotAvailable: [
    (name) => `the cluster operator ${name} is not available`,
    'a cluster operator is not available',
  ],
  ClusterOperatorNoVersions: [
    (name) => `the cluster operator ${name} does not declare expected versions`,
    'a cluster operator does not declare expected versions',
  ],
  WorkloadNotAvailable: [
    (name) => `the workload ${name} has not yet successfully rolled out`,
    'a workload has not yet rolled out',
  ],
  WorkloadNotProgressing: [(name) => `the workload ${name} cannot roll out`, 'a workload cannot roll out'],
};

const resourceText = 'some resources could not be updated';
const withoutNames: Readonly<Record<string, string>> = {
  ClusterOperatorsNotAvailable: 'some cluster operators are not available',
  ImageVerificationFailed: 'the image may not be safe to use',
  UpdatePayloadClusterDown: 'the control plane is down or not responding',
  UpdatePayloadClusterError: 'the control plane is reporting an internal error',
  UpdatePayloadClusterOverloaded: 'the control plane is overloaded and is not accepting updates',
  UpdatePayloadClusterUnauthorized: 'could not authenticate to the server',
  UpdatePayloadIntegrity: 'the contents of the update are invalid',
  UpdatePayloadResourceConflict: resourceText,
  UpdatePayloadResourceForbidden: 'the server is rejecting updates',
  UpdatePayloadResourceInvalid: 'some cluster configuration is invalid',
  UpdatePayloadResourceNotFound: resourceText,
  UpdatePayloadResourceTypeMissing: 'a required extension is not available to update',
  UpdatePayloadRetrievalFailed: 'could not download the update',
  UpgradePreconditionCheckFailed: 'it may not be safe to apply this update',
};

/** What `Progressing` reports of a failure.
 *  @see docs/spec/cluster-version.md#summary-text-of-the-other-reasons */
export function summaryOf({ reason, names }: UpdateFailure): string {
  const name = names.join(', ');
  const named = withNames[reason];
  if (named !== undefined) return name === '' ? named[1] : named[0](name);
  const fixed = withoutNames[reason];
  if (fixed !== undefined) return fixed;
  if (reason.startsWith('UpdatePayload')) return 'the update could not be applied';
  return name === '' ? `an unknown error has occurred: ${reason}` : `${name} has an unknown error: ${reason}`;
}
