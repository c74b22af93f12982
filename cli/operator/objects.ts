import {
  type CatalogSource,
  type ClusterServiceVersion,
  catalogSourceResource,
  clusterServiceVersionResource,
  installPlanResource,
  parseCatalogSource,
  parseClusterServiceVersion,
  parseInstallPlan,
  parseSubscription,
  type Resource,
  type Subscription,
  subscriptionResource,
} from '../../src/api/index.ts';
import { nearest, TerminalError } from '../../src/base/index.ts';
import type { InstalledOperator } from '../../src/installations/index.ts';
import { findObject, isForbidden, isNotFound, type KubeClient, type ObjectRef } from '../../src/kube/index.ts';
import { componentLabel, originalVersions } from '../../src/operators/index.ts';
import { explainMissing, namedSubscription } from '../client/index.ts';
import { workloadProblems } from './workloads.ts';

async function find<T>(
  kube: KubeClient,
  { apiVersion, kind }: Resource,
  place: { readonly namespace: string; readonly name: string; readonly parse: (raw: unknown) => T },
): Promise<T | undefined> {
  const { namespace, name, parse } = place;
  if (name === '') return undefined;
  const found = await findObject(kube, { apiVersion, kind, namespace, name });
  return found && parse(found);
}

/** The Subscriptions of a namespace; of all without one. */
export async function listSubscriptions(
  kube: KubeClient,
  namespace: string | undefined,
): Promise<readonly Subscription[]> {
  const target = { ...subscriptionResource, ...(namespace === undefined ? {} : { namespace }) };
  const { items } = await explainMissing(kube.list(target));
  return items.map((item) => parseSubscription(item));
}

const catalogConditions = ['CatalogSourcesUnhealthy', 'ResolutionFailed', 'BundleUnpackFailed', 'BundleUnpacking'];

/** Its catalog, where it may be what decides. */
async function catalogOf(kube: KubeClient, { spec, status }: Subscription): Promise<InstalledOperator['catalog']> {
  const { conditions = [], currentCSV = '' } = status ?? {};
  const isDoubtful = conditions.some((one) => catalogConditions.includes(one.type) && one.status === 'True');
  if (!isDoubtful && currentCSV !== '') return undefined;
  const place = { namespace: spec.sourceNamespace, name: spec.source, parse: parseCatalogSource };
  return (await find(kube, catalogSourceResource, place)) ?? 'missing';
}

/** What belongs to a Subscription. */
export async function operatorOf(kube: KubeClient, subscription: Subscription): Promise<InstalledOperator> {
  const { namespace = '' } = subscription.metadata;
  const { installPlanRef, currentCSV = '', installedCSV = '' } = subscription.status ?? {};
  const csvOf = (name: string): Promise<ClusterServiceVersion | undefined> =>
    find(kube, clusterServiceVersionResource, { namespace, name, parse: parseClusterServiceVersion });
  const [plan, current, catalog] = await Promise.all([
    find(kube, installPlanResource, { namespace, name: installPlanRef?.name ?? '', parse: parseInstallPlan }),
    csvOf(currentCSV),
    catalogOf(kube, subscription),
  ]);
  const csv = current ?? (installedCSV === currentCSV ? undefined : await csvOf(installedCSV));
  return { subscription, plan, csv, catalog, workloads: csv === undefined ? [] : await workloadProblems(kube, csv) };
}

/** Where the Subscription may be instead, as far as the user may look there. */
async function elsewhere(kube: KubeClient, name: string): Promise<string | undefined> {
  try {
    const all = await listSubscriptions(kube, undefined);
    const found = all.find(({ metadata, spec }) => metadata.name === name || spec.name === name);
    return found && `there is one in namespace "${found.metadata.namespace}": add -n ${found.metadata.namespace}`;
  } catch (thrown) {
    if (isForbidden(thrown)) return undefined;
    throw thrown;
  }
}

/** The Subscription to a package, or of that name.
 *  @throws TerminalError OperatorNotFound, OperatorAmbiguous, OlmMissing */
export async function findSubscription(kube: KubeClient, namespace: string, name: string): Promise<Subscription> {
  const all = await listSubscriptions(kube, namespace);
  const found = namedSubscription(all, name);
  if (found !== undefined) return found;
  const others = all.map(({ spec }) => spec.name);
  const meant = nearest(name, others);
  const there = others.length === 0 ? 'has no Subscription' : `has Subscriptions to ${others.join(', ')}`;
  const advice = meant === undefined ? await elsewhere(kube, name) : `did you mean "${meant}"?`;
  const text = `no Subscription to "${name}" in namespace "${namespace}", which ${there}: ${advice ?? 'see longshore operator list'}`;
  throw new TerminalError('OperatorNotFound', text);
}

/** All versions of an operator in a namespace, by the label of what belongs to its package: two or more while it is upgraded. */
export async function versionsOf(
  kube: KubeClient,
  namespace: string,
  packageName: string,
): Promise<readonly ClusterServiceVersion[]> {
  const { items } = await kube.list({ ...originalVersions, namespace });
  const label = componentLabel(packageName, namespace);
  const labelled = items.filter(({ metadata }) => metadata.labels?.[label] !== undefined);
  return labelled.map((item) => parseClusterServiceVersion(item));
}

/** The CatalogSources of all namespaces.
 *  @throws TerminalError OlmMissing */
export async function listCatalogSources(kube: KubeClient): Promise<readonly CatalogSource[]> {
  const { items } = await explainMissing(kube.list(catalogSourceResource));
  return items.map((item) => parseCatalogSource(item));
}

/** Deletes exactly the object that was read: not one that was created again under its name.
 *  @returns whether it existed */
export async function deleteObject(kube: KubeClient, ref: ObjectRef, uid: string | undefined): Promise<boolean> {
  try {
    await kube.delete(ref, uid === undefined ? {} : { uid });
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}
