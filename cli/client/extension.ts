import { bundleDeploymentResource, clusterExtensionResource, packageNameAnnotation } from '../../src/api/index.ts';
import { type JsonObject, objectAt, TerminalError, textAt } from '../../src/base/index.ts';
import { conditionsOf, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import type { Target } from './target.ts';

function isOwnedBy({ metadata }: KubeObject, uid: string | undefined): boolean {
  return metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true;
}

function packageOf(deployment: KubeObject): string | undefined {
  const metadata = objectAt(deployment['spec'] as JsonObject, 'template', 'metadata');
  return textAt(objectAt(metadata, 'annotations') ?? {}, packageNameAnnotation);
}

/** The BundleDeployment of a ClusterExtension.
 *  @throws TerminalError NothingChosen when there is none, with what its condition reports */
export async function deploymentOfExtension(kube: KubeClient, name: string): Promise<KubeObject> {
  const extension = await kube.get({ ...clusterExtensionResource, name });
  const requested = textAt(objectAt(extension['spec'] as JsonObject, 'source', 'catalog') ?? {}, 'packageName');
  const { items } = await kube.list(bundleDeploymentResource);
  const found = items.find((one) => isOwnedBy(one, extension.metadata.uid) && packageOf(one) === requested);
  if (found !== undefined) return { ...found, ...pick(bundleDeploymentResource) };
  const progressing = conditionsOf(extension).find(({ type }) => type === 'Progressing');
  const why = progressing?.message ?? 'no controller has reconciled it; longshore doctor checks whether they run';
  throw new TerminalError('NothingChosen', `nothing was chosen for clusterextension "${name}" yet: ${why}`);
}

function pick({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): Pick<KubeObject, 'apiVersion' | 'kind'> {
  return { apiVersion, kind };
}

/** The object itself, or the BundleDeployment of a ClusterExtension. */
export async function resolveTarget(kube: KubeClient, target: Target): Promise<Target> {
  if (target.kind !== 'ClusterExtension') return target;
  const { metadata } = await deploymentOfExtension(kube, target.name);
  return { kind: 'BundleDeployment', name: metadata.name ?? '' };
}
