import { platformPackageLabel } from '../../api/index.ts';
import { choiceOf } from './choice.ts';
import { hasNeverSucceeded } from './conditions.ts';
import type { PlatformContext } from './context.ts';
import { platformOwners } from './deployment-object.ts';
import { hasDefinitions, notedTexts } from './noted.ts';
import type { Standing } from './present.ts';

/** All BundleDeployments of the cache. */
export function standingOf(context: PlatformContext): readonly Standing[] {
  const deployments = context.deployments.values();
  const noted = notedTexts(context.bundles, deployments);
  const all = deployments.map((deployment) => ({
    name: deployment.metadata.name ?? '',
    choice: choiceOf(deployment),
    noted: noted.get(deployment) ?? '',
    packageName: deployment.metadata.labels?.[platformPackageLabel],
    isRequested: platformOwners(deployment).some(({ controller = false }) => controller),
    hasNeverSucceeded: hasNeverSucceeded(deployment),
    hasDefinitions: hasDefinitions(deployment),
    isBeingDeleted: deployment.metadata.deletionTimestamp !== undefined,
  }));
  return all.filter(({ choice, noted }) => choice !== undefined || noted.length > 0);
}
