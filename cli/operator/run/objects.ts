import {
  type CatalogSource,
  catalogSourceResource,
  clusterServiceVersionResource,
  parseCatalogSource,
  type Subscription,
  subscriptionResource,
} from '../../../src/api/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import { isNotFound, type KubeClient } from '../../../src/kube/index.ts';
import { explainMissing } from '../../client/index.ts';
import { deleteObject, operatorOf } from '../objects.ts';

const fieldManager = 'longshore';
/** On the CatalogSource of an operator that was run, so that no other one is changed or removed. */
const managedBy = { 'app.kubernetes.io/managed-by': 'longshore-operator-run' } as const;

/** The catalog that `operator run` makes for a package. */
export function runCatalogName(packageName: string): string {
  return `${packageName}-run`;
}

/** Whether `operator run` made the CatalogSource. */
export function isRunCatalog({ metadata }: CatalogSource): boolean {
  return Object.entries(managedBy).every(([key, value]) => metadata.labels?.[key] === value);
}

/** The CatalogSource of an earlier run; undefined where there is none.
 *  @throws TerminalError CatalogExists for one that another user made */
export async function findRunCatalog(
  kube: KubeClient,
  namespace: string,
  packageName: string,
): Promise<CatalogSource | undefined> {
  const { apiVersion, kind } = catalogSourceResource;
  const name = runCatalogName(packageName);
  try {
    const found = parseCatalogSource(await explainMissing(kube.get({ apiVersion, kind, namespace, name })));
    if (isRunCatalog(found)) return found;
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
  const text = `CatalogSource "${name}" in namespace "${namespace}" was not made by operator run: use another namespace`;
  throw new TerminalError('CatalogExists', text);
}

/** Makes the CatalogSource, or gives it another image. */
export async function applyRunCatalog(
  kube: KubeClient,
  place: { readonly namespace: string; readonly packageName: string },
  image: string,
): Promise<void> {
  const { apiVersion, kind } = catalogSourceResource;
  const { namespace, packageName } = place;
  const metadata = { name: runCatalogName(packageName), namespace, labels: { ...managedBy } };
  const spec = { sourceType: 'grpc', image, displayName: `${packageName} (operator run)` };
  await kube.apply({ apiVersion, kind, metadata, spec }, { fieldManager, force: true });
}

/** Deletes a Subscription with its ClusterServiceVersion, so that the same version can be installed again. */
export async function removeInstalled(kube: KubeClient, subscription: Subscription): Promise<void> {
  const { csv } = await operatorOf(kube, subscription);
  const both = [
    { resource: subscriptionResource, metadata: subscription.metadata },
    ...(csv === undefined ? [] : [{ resource: clusterServiceVersionResource, metadata: csv.metadata }]),
  ];
  for (const { resource, metadata } of both) {
    const { apiVersion, kind } = resource;
    const { namespace = '', name, uid } = metadata;
    await deleteObject(kube, { apiVersion, kind, namespace, name }, uid);
  }
}
