import { apiVersion, ownerKindLabel, ownerNameLabel } from '../../../src/api/index.ts';
import {
  type GroupKind,
  type Health,
  healthOf,
  isRetained,
  listInstalled,
  readInventory,
} from '../../../src/apply/index.ts';
import { isJsonObject, mapLimit, systemClock } from '../../../src/base/index.ts';
import {
  type Condition,
  conditionsOf,
  findObject,
  groupOf,
  type KubeClient,
  type KubeObject,
} from '../../../src/kube/index.ts';
import type { Target } from '../../client/index.ts';
import { nodeOf, type TreeNode } from './node.ts';

export interface TreeReading {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
  /** A kind whose objects cannot be listed; the rest is shown all the same. */
  readonly onUnreadable: (kind: GroupKind, thrown: unknown) => void;
}

/** What controllers make for workloads: kinds whose objects may lie below an installed object of the other kinds. */
const madeKinds: readonly { readonly apiVersion: string; readonly kind: string; readonly makers: readonly string[] }[] =
  [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', makers: ['Deployment.apps'] },
    { apiVersion: 'batch/v1', kind: 'Job', makers: ['CronJob.batch'] },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      makers: [
        'Deployment.apps',
        'ReplicaSet.apps',
        'StatefulSet.apps',
        'DaemonSet.apps',
        'Job.batch',
        'CronJob.batch',
      ],
    },
  ];
const parallelLists = 4;

/** Reasons of conditions that are not True while nothing has failed yet. */
const startingReasons: ReadonlySet<string> = new Set([
  'InstallPending',
  'DependenciesNotMet',
  'UnpackPending',
  'Unpacking',
]);
/** Objects that are not ready yet, as `Healthy` names them; any other word means that something is wrong. */
const stillStarting = /^\([^)]*\)\([^)]*\): object InProgress: /;

/** Unhealthy because of objects that are starting, none of which has failed. */
function isStarting({ type, reason, message }: Condition): boolean {
  if (type !== 'Healthy') return startingReasons.has(reason);
  return (
    reason === 'Unhealthy' &&
    message.split('\n').every((line) => stillStarting.test(line) || /^and \d+ more$/.test(line))
  );
}

function messageOf({ reason, message }: Condition): string {
  return [reason, message].filter((text) => text !== '').join(': ');
}

/** The first condition, of those that must be True, that is not. */
function conditionHealth(object: KubeObject, types: readonly string[]): Health {
  const conditions = conditionsOf(object);
  const unserved = conditions.find(({ reason }) => reason === 'NoProvisioner');
  if (unserved !== undefined) return { state: 'Failed', message: messageOf(unserved) };
  for (const type of types) {
    const condition = conditions.find((item) => item.type === type);
    if (condition === undefined) return { state: 'InProgress', message: 'no provisioner has reconciled it yet' };
    if (condition.status === 'True' && condition.reason !== 'UnpackPending') continue;
    const isFailed = condition.status === 'False' && !isStarting(condition);
    return { state: isFailed ? 'Failed' : 'InProgress', message: messageOf(condition) };
  }
  return { state: 'Current', message: '' };
}

function healthOfOurs(object: KubeObject): Health {
  if (object.metadata.deletionTimestamp !== undefined) return healthOf(object, systemClock.now());
  return conditionHealth(object, object.kind === 'Bundle' ? ['Unpacked'] : ['HasValidBundle', 'Installed', 'Healthy']);
}

/** What is installed, from the status of the deployment. */
function versionOf(deployment: KubeObject): { readonly version?: string } {
  const { activeVersion } = isJsonObject(deployment['status']) ? deployment['status'] : {};
  return typeof activeVersion === 'string' ? { version: activeVersion } : {};
}

function activeBundleOf(deployment: KubeObject): string | undefined {
  const { activeBundle } = isJsonObject(deployment['status']) ? deployment['status'] : {};
  return typeof activeBundle === 'string' && activeBundle !== '' ? activeBundle : undefined;
}

function kindKey({ apiVersion: version, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const group = groupOf(version);
  return group === '' ? kind : `${kind}.${group}`;
}

/** All objects that controllers may have made for `installed`, one list a kind and namespace. */
async function listMade(reading: TreeReading, installed: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const requests = madeKinds.flatMap(({ makers, ...made }) => {
    const places = installed.filter((object) => makers.includes(kindKey(object)));
    return [...new Set(places.map(({ metadata }) => metadata.namespace))].map((namespace) => ({ ...made, namespace }));
  });
  const lists = await mapLimit(requests, parallelLists, async (request) => {
    try {
      return (await reading.kube.list(request, { signal: reading.signal })).items;
    } catch (thrown) {
      if (reading.signal.aborted) throw thrown;
      reading.onUnreadable({ group: groupOf(request.apiVersion), kind: request.kind }, thrown);
      return [];
    }
  });
  return lists.flat();
}

type ChildrenOf = ReadonlyMap<string, readonly KubeObject[]>;

function byController(objects: readonly KubeObject[]): ChildrenOf {
  const children = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    if (owner !== undefined) children.set(owner, [...(children.get(owner) ?? []), object]);
  }
  return children;
}

function withChildren(object: KubeObject, children: ChildrenOf): TreeNode {
  const below = children.get(object.metadata.uid ?? '') ?? [];
  const node = nodeOf(object, healthOf(object, systemClock.now()), isRetained(object.metadata));
  return { ...node, children: below.map((child) => withChildren(child, children)) };
}

/** What is installed for a deployment, each object with what its controllers made. */
async function installedNodes(reading: TreeReading, deployment: KubeObject): Promise<readonly TreeNode[]> {
  const inventory = readInventory(deployment.metadata);
  if (inventory === undefined) return [];
  const installed = await listInstalled(reading, deployment.metadata.name ?? '', inventory);
  const children = byController(await listMade(reading, installed));
  return installed.map((object) => withChildren(object, children));
}

async function bundleNodes({ kube, signal }: TreeReading, deployment: KubeObject): Promise<readonly TreeNode[]> {
  const labelSelector = `${ownerKindLabel}=BundleDeployment,${ownerNameLabel}=${deployment.metadata.name}`;
  const { items } = await kube.list({ apiVersion, kind: 'Bundle', labelSelector }, { signal });
  const active = activeBundleOf(deployment);
  return items.map((bundle) => ({
    ...nodeOf(bundle, healthOfOurs(bundle)),
    isActive: bundle.metadata.name === active,
    ...(bundle.metadata.name === active ? versionOf(deployment) : {}),
  }));
}

/** The deployment that a Bundle was made for, when it is there. */
async function deploymentOf({ kube, signal }: TreeReading, bundle: KubeObject): Promise<KubeObject | undefined> {
  const { labels } = bundle.metadata;
  const name = labels?.[ownerKindLabel] === 'BundleDeployment' ? labels[ownerNameLabel] : undefined;
  if (name === undefined) return undefined;
  return await findObject(kube, { apiVersion, kind: 'BundleDeployment', name }, { signal });
}

/** A deployment with its Bundles and everything that is installed for it; or a Bundle with what is installed from it, which is nothing unless it is
 *  the active one. */
export async function readTree(reading: TreeReading, target: Target): Promise<TreeNode> {
  const root = await reading.kube.get({ apiVersion, ...target }, { signal: reading.signal });
  const node = nodeOf(root, healthOfOurs(root));
  if (target.kind === 'BundleDeployment') {
    return {
      ...node,
      ...versionOf(root),
      children: [...(await bundleNodes(reading, root)), ...(await installedNodes(reading, root))],
    };
  }
  const deployment = await deploymentOf(reading, root);
  const isActive = deployment !== undefined && activeBundleOf(deployment) === target.name;
  return {
    ...node,
    isActive,
    ...(isActive ? versionOf(deployment) : {}),
    children: isActive ? await installedNodes(reading, deployment) : [],
  };
}
