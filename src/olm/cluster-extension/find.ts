import {
  clusterExtensionResource,
  parseBundleDeployment,
  parseClusterCatalog,
  platformPackageLabel,
} from '../../api/index.ts';
import { isSelected, type LabelSelector, TerminalError } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { InstalledChoice } from '../../operators/index.ts';
import type { HeldCatalogs } from '../cluster-catalog/views.ts';
import { choiceOf } from '../platform-operator/choice.ts';
import { hasNeverSucceeded } from '../platform-operator/conditions.ts';
import { hasDefinitions, notedTexts, recordedBundle } from '../platform-operator/noted.ts';
import type { Standing } from '../platform-operator/present.ts';
import type { UnservedCatalog } from './answer.ts';
import { choiceIn, installedIn } from './choice.ts';
import type { ExtensionContext } from './context.ts';
import { isOwnedBy } from './deployment-object.ts';

/** The BundleDeployments that were made for a ClusterExtension. */
export function ownDeployments({ deployments }: ExtensionContext, { metadata }: KubeObject): readonly KubeObject[] {
  return deployments.values().filter((deployment) => isOwnedBy(deployment, metadata.uid));
}

/** What a BundleDeployment of a ClusterExtension has installed. */
export function installedBundle(
  { bundles }: Pick<ExtensionContext, 'bundles'>,
  deployment: KubeObject | undefined,
): InstalledChoice | undefined {
  const bundle = deployment && recordedBundle(bundles, deployment);
  return bundle && installedIn(bundle);
}

/** Whether the Bundle that a BundleDeployment has installed was deleted, or is not seen yet: its annotations are not known then. */
export function isBundleMissing(
  { bundles }: Pick<ExtensionContext, 'bundles'>,
  deployment: KubeObject | undefined,
): boolean {
  if (deployment === undefined || recordedBundle(bundles, deployment) !== undefined) return false;
  const { activeBundle = '', record } = parseBundleDeployment(deployment).status ?? {};
  return activeBundle !== '' && record?.uid === deployment.metadata.uid;
}

function standing(deployment: KubeObject, noted: string, uid: string | undefined): Standing {
  const isOwn = isOwnedBy(deployment, uid);
  const choice = isOwn ? choiceIn(deployment) : choiceOf(deployment);
  const { name = '', labels = {}, deletionTimestamp } = deployment.metadata;
  return {
    name,
    choice: choice && { ...choice, bundleDeployment: name },
    noted,
    packageName: isOwn ? choice?.package : labels[platformPackageLabel],
    // What was made for another owner stays as it is.
    isRequested: !isOwn,
    hasNeverSucceeded: hasNeverSucceeded(deployment),
    hasDefinitions: hasDefinitions(deployment),
    isBeingDeleted: deletionTimestamp !== undefined,
  };
}

/** What is installed on the cluster, as far as dependencies may be met by it. */
export function standingFor(context: ExtensionContext, { metadata }: KubeObject): readonly Standing[] {
  const deployments = context.deployments.values();
  const noted = notedTexts(context.bundles, deployments);
  const all = deployments.map((deployment) => standing(deployment, noted.get(deployment) ?? '', metadata.uid));
  return all.filter(({ choice, noted }) => choice !== undefined || noted.length > 0);
}

/** The ClusterCatalogs of the cluster that are available, and whose content is not here. */
export function unservedCatalogs({ catalogs }: ExtensionContext, held: HeldCatalogs): readonly UnservedCatalog[] {
  const served = new Set(held.catalogs.map(({ name }) => name));
  return catalogs.values().flatMap((object): UnservedCatalog[] => {
    const { name = '', labels = {}, deletionTimestamp } = object.metadata;
    if (served.has(name) || deletionTimestamp !== undefined) return [];
    const { spec } = parseClusterCatalog(object);
    return spec.availabilityMode === 'Unavailable' ? [] : [{ name, labels, priority: spec.priority ?? 0 }];
  });
}

/** Whether any ClusterCatalog could be chosen from. */
export function hasCatalogs({ catalogs }: ExtensionContext, selector: LabelSelector | undefined): boolean {
  try {
    return catalogs.values().some(({ metadata }) => isSelected(selector ?? {}, metadata.labels ?? {}));
  } catch (thrown) {
    if (thrown instanceof TerminalError) return true;
    throw thrown;
  }
}

/** The ClusterExtensions that own a BundleDeployment. */
export function extensionOwners({ metadata }: KubeObject): readonly string[] {
  const owners = metadata.ownerReferences ?? [];
  return owners.filter(({ kind }) => kind === clusterExtensionResource.kind).map(({ name }) => name);
}
