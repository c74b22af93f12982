import {
  type ClusterServiceVersion,
  clusterServiceVersionResource,
  type InstallPlan,
  installPlanResource,
  operatorGroupResource,
  parseClusterServiceVersion,
  parseInstallPlan,
  parseOperatorGroup,
  parseSubscription,
  type Subscription,
  subscriptionResource,
} from '../../../src/api/index.ts';
import { isJsonObject, parseJson, TerminalError, textAt } from '../../../src/base/index.ts';
import { findObject, type KubeClient } from '../../../src/kube/index.ts';
import { namedSubscription } from '../../client/index.ts';

/** An operator that a Subscription has installed. */
export interface Subscribed {
  readonly subscription: Subscription;
  readonly csv: ClusterServiceVersion;
  /** Of its group; an empty text stands for all. */
  readonly targets: readonly string[];
  /** The ServiceAccount of its namespace with whose permissions the group has operators installed; empty for none. */
  readonly account: string;
  readonly plan: InstallPlan | undefined;
}

async function planOf(kube: KubeClient, { metadata, status }: Subscription): Promise<InstallPlan | undefined> {
  const name = status?.installPlanRef?.name ?? '';
  if (name === '') return undefined;
  const { apiVersion, kind } = installPlanResource;
  const found = await findObject(kube, { apiVersion, kind, namespace: metadata.namespace, name });
  return found && parseInstallPlan(found);
}

/** @throws TerminalError OperatorNotFound, OperatorAmbiguous */
async function findSubscription(kube: KubeClient, namespace: string, name: string): Promise<Subscription> {
  const { items } = await kube.list({ ...subscriptionResource, namespace });
  const all = items.map((item) => parseSubscription(item));
  const found = namedSubscription(all, name);
  if (found !== undefined) return found;
  const text = `no Subscription to "${name}" in namespace "${namespace}": see longshore operator list`;
  throw new TerminalError('OperatorNotFound', text);
}

/** @throws TerminalError OperatorBusy */
async function installedVersion(kube: KubeClient, { metadata, status }: Subscription): Promise<ClusterServiceVersion> {
  const { namespace } = metadata;
  const { installedCSV: name = '', currentCSV = '' } = status ?? {};
  const { apiVersion, kind } = clusterServiceVersionResource;
  if (name !== '' && name === currentCSV) {
    const csv = parseClusterServiceVersion(await kube.get({ apiVersion, kind, namespace, name }));
    if (csv.status?.phase === 'Succeeded') return csv;
  }
  const found = `installedCSV "${name}", currentCSV "${currentCSV}"`;
  const text = `Subscription ${namespace}/${metadata.name} is not at rest: expected an installed ClusterServiceVersion in phase Succeeded and no upgrade, found ${found}. Finish the upgrade first; nothing was changed`;
  throw new TerminalError('OperatorBusy', text);
}

/** @throws TerminalError InvalidGroup */
async function groupIn(kube: KubeClient, namespace: string): Promise<Pick<Subscribed, 'targets' | 'account'>> {
  const { items } = await kube.list({ ...operatorGroupResource, namespace });
  const [group, ...others] = items.map((item) => parseOperatorGroup(item));
  const targets = group?.status?.namespaces;
  if (targets !== undefined && others.length === 0) return { targets, account: group?.spec?.serviceAccountName ?? '' };
  const text = `namespace "${namespace}" has ${items.length} OperatorGroups: expected one that has resolved its targets; nothing was changed`;
  throw new TerminalError('InvalidGroup', text);
}

/** Reads what is installed, and that it is at rest.
 *  @throws TerminalError OperatorNotFound, OperatorBusy, InvalidGroup */
export async function readSubscribed(kube: KubeClient, namespace: string, name: string): Promise<Subscribed> {
  const subscription = await findSubscription(kube, namespace, name);
  const csv = await installedVersion(kube, subscription);
  const group = await groupIn(kube, namespace);
  return { subscription, csv, ...group, plan: await planOf(kube, subscription) };
}

function imageIn(manifest: string): string | undefined {
  const value = parseJson('the manifest of a step', manifest);
  if (!isJsonObject(value) || value['apiVersion'] !== undefined) return undefined;
  return textAt(value, 'image') || undefined;
}

/** The image of the bundle, as the plan has pinned it; undefined where the catalog had the manifests, or the plan does not exist any more. */
export function plannedImage({ plan, csv }: Pick<Subscribed, 'plan' | 'csv'>): string | undefined {
  const { bundleLookups = [], plan: steps = [] } = plan?.status ?? {};
  const looked = bundleLookups.find(({ identifier }) => identifier === csv.metadata.name)?.path;
  const own = steps.filter(({ resolving }) => resolving === csv.metadata.name);
  return looked ?? own.map(({ resource }) => imageIn(resource.manifest ?? '{}')).find((one) => one !== undefined);
}

/** The same, where it has to be known.
 *  @throws TerminalError NoBundleImage */
export function bundleImage(subscribed: Subscribed): string {
  const image = plannedImage(subscribed);
  if (image !== undefined) return image;
  const text = `the InstallPlan of ${subscribed.csv.metadata.name} does not name the image of the bundle: name it with --image`;
  throw new TerminalError('NoBundleImage', text);
}
