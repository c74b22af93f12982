import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';

import { conditionsOf, type KubeObject } from '../../kube/index.ts';
import type { ApplyMode, ReleaseTask } from '../../release/index.ts';
import { objectOf } from '../failures/api-failure.ts';
import { type FailureEffect, UpdateFailure } from '../failures/update-failure.ts';

/** Reason and message of one operator, and of several. */
interface Finding {
  readonly reason: string;
  readonly pluralReason: string;
  readonly text: string;
  readonly pluralText: string;
  readonly effect: FailureEffect;
  /** The condition that has the cause. */
  readonly condition?: string;
}

const findings = {
  noVersions: {
    reason: 'ClusterOperatorNoVersions',
    pluralReason: 'ClusterOperatorsNoVersions',
    text: 'does not declare expected versions',
    pluralText: 'do not declare expected versions',
    effect: 'Fail',
  },
  notAvailable: {
    reason: 'ClusterOperatorNotAvailable',
    pluralReason: 'ClusterOperatorsNotAvailable',
    text: 'is not available',
    pluralText: 'are not available',
    effect: 'Fail',
    condition: 'Available',
  },
  degraded: {
    reason: 'ClusterOperatorDegraded',
    pluralReason: 'ClusterOperatorsDegraded',
    text: 'is degraded',
    pluralText: 'are degraded',
    effect: 'FailAfterInterval',
    condition: 'Degraded',
  },
  updating: {
    reason: 'ClusterOperatorUpdating',
    pluralReason: 'ClusterOperatorsUpdating',
    text: 'is updating versions',
    pluralText: 'are updating versions',
    effect: 'None',
    condition: 'Progressing',
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

const good: Readonly<Record<string, string>> = { Available: 'True', Degraded: 'False', Progressing: 'False' };

/** What an operator reports in a condition that is not as it should be. */
function reportedOf(live: KubeObject, type: string | undefined): ReadonlyMap<string, string> {
  const found = conditionsOf(live).find((condition) => condition.type === type && condition.status !== good[type]);
  const text = [found?.reason ?? '', found?.message ?? ''].filter((part) => part !== '').join(': ');
  return text === '' ? new Map() : new Map([[live.metadata.name ?? '', text]]);
}

/** Whether an operator is at the versions that its manifest declares, available and not degraded.
 *  @throws UpdateFailure otherwise
 *  @see docs/spec/cluster-version.md#clusteroperator-check */
export function assertOperatorDone(task: ReleaseTask, live: KubeObject, mode: ApplyMode['kind']): void {
  const finding = findingOf(task.manifest.object, live, mode);
  if (finding === undefined) return;
  const { name } = task.manifest.key;
  const { reason, pluralReason, text, pluralText, effect, condition } = finding;
  throw new UpdateFailure(reason, `Cluster operator ${name} ${text}`, {
    effect,
    names: [name],
    object: objectOf(task),
    reported: reportedOf(live, condition),
    plural: { reason: pluralReason, message: (names) => `Cluster operators ${names} ${pluralText}` },
  });
}
