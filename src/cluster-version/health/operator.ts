import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import { conditionsOf } from '../../controller/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { ApplyMode, ReleaseTask } from '../../release/index.ts';
import { objectOf } from '../failures/api-failure.ts';
import { type FailureEffect, UpdateFailure } from '../failures/update-failure.ts';

/** Reason and message of one operator, and of several. */
interface Finding {
  readonly reason: string;
  readonly pluralReason: string;
  readonly says: string;
  readonly pluralSays: string;
  readonly effect: FailureEffect;
}

const findings = {
  noVersions: {
    reason: 'ClusterOperatorNoVersions',
    pluralReason: 'ClusterOperatorsNoVersions',
    says: 'does not declare expected versions',
    pluralSays: 'do not declare expected versions',
    effect: 'Fail',
  },
  notAvailable: {
    reason: 'ClusterOperatorNotAvailable',
    pluralReason: 'ClusterOperatorsNotAvailable',
    says: 'is not available',
    pluralSays: 'are not available',
    effect: 'Fail',
  },
  degraded: {
    reason: 'ClusterOperatorDegraded',
    pluralReason: 'ClusterOperatorsDegraded',
    says: 'is degraded',
    pluralSays: 'are degraded',
    effect: 'FailAfterInterval',
  },
  updating: {
    reason: 'ClusterOperatorUpdating',
    pluralReason: 'ClusterOperatorsUpdating',
    says: 'is updating versions',
    pluralSays: 'are updating versions',
    effect: 'None',
  },
} as const satisfies Record<string, Finding>;

/** Versions by the name of the operand. */
function versionsOf(object: JsonObject): ReadonlyMap<string, string> {
  const versions = objectsAt(objectAt(object, 'status'), 'versions');
  return new Map(versions.map((one) => [textAt(one, 'name'), textAt(one, 'version')]));
}

function findingOf(expected: JsonObject, live: KubeObject, mode: ApplyMode['kind']): Finding | undefined {
  const versions = versionsOf(expected);
  if (versions.size === 0) return findings.noVersions;
  const statusOf = (type: string): string | undefined =>
    conditionsOf(live).find((condition) => condition.type === type)?.status;
  if (statusOf('Available') !== 'True') return findings.notAvailable;
  if (statusOf('Degraded') !== 'False') {
    return mode === 'Initializing' ? { ...findings.degraded, effect: 'Report' } : findings.degraded;
  }
  const reported = versionsOf(live as JsonObject);
  const isBehind = [...versions].some(([name, version]) => reported.get(name) !== version);
  return isBehind && mode !== 'Initializing' ? findings.updating : undefined;
}

/** Whether an operator is at the versions that its manifest declares, available and not degraded.
 *  @throws UpdateFailure otherwise
 *  @see docs/spec/cluster-version.md#clusteroperator-check */
export function assertOperatorDone(task: ReleaseTask, live: KubeObject, mode: ApplyMode['kind']): void {
  const finding = findingOf(task.manifest.object, live, mode);
  if (finding === undefined) return;
  const { name } = task.manifest.key;
  const { reason, pluralReason, says, pluralSays, effect } = finding;
  throw new UpdateFailure(reason, `Cluster operator ${name} ${says}`, {
    effect,
    names: [name],
    object: objectOf(task),
    plural: { reason: pluralReason, message: (names) => `Cluster operators ${names} ${pluralSays}` },
  });
}
