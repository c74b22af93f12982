import { parseBundleDeployment, platformPackageLabel } from '../../api/index.ts';
import type { Property } from '../../constraints/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { choiceOf } from './choice.ts';
import { hasNeverSucceeded } from './conditions.ts';
import type { PlatformContext } from './context.ts';
import { platformOwners } from './deployment-object.ts';
import type { Standing } from './present.ts';

function notedOf(context: PlatformContext, deployment: KubeObject): readonly Property[] {
  const { activeBundle = '' } = parseBundleDeployment(deployment).status ?? {};
  return context.notedOf(activeBundle);
}

/** All BundleDeployments that are there, as far as anything is known of them. */
export function standingOf(context: PlatformContext): readonly Standing[] {
  const all = context.deployments.values().map((deployment) => ({
    name: deployment.metadata.name ?? '',
    choice: choiceOf(deployment),
    noted: notedOf(context, deployment),
    packageName: deployment.metadata.labels?.[platformPackageLabel],
    isRequested: platformOwners(deployment).some(({ controller = false }) => controller),
    hasNeverSucceeded: hasNeverSucceeded(deployment),
    isBeingDeleted: deployment.metadata.deletionTimestamp !== undefined,
  }));
  return all.filter(({ choice, noted }) => choice !== undefined || noted.length > 0);
}
