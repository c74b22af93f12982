import {
  clusterCatalogResource,
  clusterExtensionResource,
  platformOperatorResource,
  type Resource,
} from '../../src/api/index.ts';
import { type JsonObject, listOfTexts, objectsAt } from '../../src/base/index.ts';
import { groupOf, isNotFound, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import { withContainers } from './containers.ts';
import { isOurs } from './installed.ts';

/** Kinds that a cluster may have from another program, too: then they, and their objects, are none of ours. */
export const sharedKinds: readonly Resource[] = [
  platformOperatorResource,
  clusterExtensionResource,
  clusterCatalogResource,
];

/** Name of the CustomResourceDefinition of a kind. */
export function crdNameOf({ plural, apiVersion }: Resource): string {
  return `${plural}.${groupOf(apiVersion)}`;
}

const leaveCatalogs = '--no-cluster-catalogs';

/** What there is for ClusterCatalogs alone. */
function isForCatalogs({ kind, metadata }: KubeObject): boolean {
  return kind === 'MutatingWebhookConfiguration' || (kind === 'Service' && metadata.name === 'catalogs');
}

const extensionWebhook = 'vclusterextensions.olm.operatorframework.io';

/** Without the webhook of ClusterExtensions, which those of another program are no matter of. */
function withoutExtensionWebhook(object: KubeObject): KubeObject {
  const { webhooks } = object as unknown as { readonly webhooks?: readonly JsonObject[] };
  if (object.kind !== 'ValidatingWebhookConfiguration' || webhooks === undefined) return object;
  return { ...object, webhooks: webhooks.filter(({ name }) => name !== extensionWebhook) } as KubeObject;
}

function withoutCatalogs(object: KubeObject): KubeObject {
  return withContainers(object, (container) => {
    const args = listOfTexts(container, 'args');
    return args.includes(leaveCatalogs) ? container : { ...container, args: [...args, leaveCatalogs] };
  });
}

/** Whether an embedded API server has brought the definition itself: others create none. */
function isOfEmbedded({ metadata }: KubeObject): boolean {
  const entries = objectsAt(metadata as unknown as JsonObject, 'managedFields');
  return entries.some((entry) => entry['manager'] === 'kube-apiserver' && entry['subresource'] === undefined);
}

/** The objects without the kinds that another program has brought to the cluster; ClusterCatalogs of such a one are left to it. */
export async function leaveOthersKinds(
  objects: readonly KubeObject[],
  options: { readonly kube: KubeClient; readonly signal: AbortSignal; readonly onLeft: (crd: KubeObject) => void },
): Promise<readonly KubeObject[]> {
  const left = new Set<string>();
  const names = new Set(sharedKinds.map(crdNameOf));
  const crds = objects.filter(
    ({ kind, metadata }) => kind === 'CustomResourceDefinition' && names.has(metadata.name ?? ''),
  );
  for (const crd of crds) {
    try {
      const live = await options.kube.get(refOf(crd), { signal: options.signal });
      if (isOurs(live) || isOfEmbedded(live)) continue;
    } catch (thrown) {
      if (isNotFound(thrown)) continue;
      throw thrown;
    }
    options.onLeft(crd);
    left.add(crd.metadata.name ?? '');
  }
  const retained = objects.filter(
    ({ kind, metadata }) => kind !== 'CustomResourceDefinition' || !left.has(metadata.name ?? ''),
  );
  // Who brought the kind reconciles its objects.
  const isLeft = [clusterCatalogResource, clusterExtensionResource].some((kind) => left.has(crdNameOf(kind)));
  if (!isLeft) return retained;
  return retained
    .filter((object) => !isForCatalogs(object))
    .map((object) => withoutCatalogs(withoutExtensionWebhook(object)));
}
