import type { ClusterVersion, UpdateRisk } from '../../api/index.ts';
import type { TargetRelease } from '../facts.ts';

function applies({ conditions = [] }: UpdateRisk): boolean {
  return conditions.some(({ type, status }) => type === 'Applies' && status === 'True');
}

/** What the history records of an update to a release whose risks apply to the cluster and were accepted by their names; empty for none.
 *  @see docs/spec/cluster-version.md#recommended-condition-of-a-conditional-update */
export function acceptedRisksText({ spec, status }: ClusterVersion, { image }: TargetRelease): string {
  const accepted = new Set((spec.desiredUpdate?.acceptRisks ?? []).map(({ name }) => name));
  const update = status?.conditionalUpdates?.find(({ release }) => release.image === image);
  const names = (update?.risks ?? [])
    .filter((risk) => accepted.has(risk.name) && applies(risk))
    .map(({ name }) => name);
  if (names.length === 0) return '';
  return `The target release ${image} is exposed to the risks [${names.toSorted().join(',')}] which were all explicitly accepted by the cluster administrator.`;
}
