import { platformPackageLabel } from '../../api/index.ts';
import { choiceOf } from './choice.ts';
import { hasNeverSucceeded } from './conditions.ts';
import type { PlatformContext } from './context.ts';
import { platformOwners } from './deployment-object.ts';
import type { Standing } from './present.ts';

/** All BundleDeployments of the cache. */
export function standingOf(context: PlatformContext): readonly Standing[] {
  const all = context.deployments.values().map((deployment) => ({
    name: deployment.metadata.name ?? '',
    choice: choiceOf(deployment),
    noted: context.notedOf(deployment),
    packageName: deployment.metadata.labels?.[platformPackageLabel],
    isRequested: platformOwners(deployment).some(({ controller = false }) => controller),
    hasNeverSucceeded: hasNeverSucceeded(deployment),
    isBeingDeleted: deployment.metadata.deletionTimestamp !== undefined,
  }));
  return all.filter(({ choice, noted }) => choice !== undefined || noted.length > 0);
}
