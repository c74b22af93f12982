import { clusterCatalogResource, platformOperatorResource, type Resource } from '../../src/api/index.ts';
import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { groupOf, isNotFound, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import { isOurs } from './installed.ts';

/** Kinds that a cluster may have from another program, too: then they, and their objects, are none of ours. */
export const sharedKinds: readonly Resource[] = [platformOperatorResource, clusterCatalogResource];

/** Name of the CustomResourceDefinition of a kind. */
export function crdNameOf({ plural, apiVersion }: Resource): string {
  return `${plural}.${groupOf(apiVersion)}`;
}

const leaveCatalogs = '--no-cluster-catalogs';

/** What there is for ClusterCatalogs alone. */
function isForCatalogs({ kind, metadata }: KubeObject): boolean {
  return kind === 'MutatingWebhookConfiguration' || (kind === 'Service' && metadata.name === 'catalogs');
}

function withoutCatalogs(object: KubeObject): KubeObject {
  const spec = object['spec'];
  if (object.kind !== 'Deployment' || !isJsonObject(spec)) return object;
  const { template } = spec as unknown as { template: { spec: { containers: readonly JsonObject[] } } };
  const containers = template.spec.containers.map((container) => {
    const args = (container['args'] ?? []) as readonly string[];
    return args.includes(leaveCatalogs) ? container : { ...container, args: [...args, leaveCatalogs] };
  });
  return {
    ...object,
    spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } },
  } as KubeObject;
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
      if (isOurs(await options.kube.get(refOf(crd), { signal: options.signal }))) continue;
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
  if (!left.has(crdNameOf(clusterCatalogResource))) return retained;
  return retained.filter((object) => !isForCatalogs(object)).map(withoutCatalogs);
}
