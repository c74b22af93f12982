import {
  catalogSourceResource,
  clusterServiceVersionResource,
  operatorGroupResource,
  parseClusterServiceVersion,
  parseSubscription,
  type Subscription,
  subscriptionResource,
} from '../../src/api/index.ts';
import { errorMessage, TerminalError } from '../../src/base/index.ts';
import {
  isAlreadyExists,
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  refOf,
} from '../../src/kube/index.ts';
import { isCopied } from '../../src/operators/index.ts';
import { othersIn } from '../install/index.ts';
import { ensureGroup } from './group.ts';
import { deleteObject } from './objects.ts';
import type { InstallRequest } from './request.ts';

const fieldManager = 'longshore';

/** What was made for an installation, so that it can be removed if the user does not want it after all. */
export interface Prepared {
  readonly subscription: Subscription;
  /** The Subscription is the last one. */
  readonly created: readonly KubeObject[];
}

/** Makes the namespace where it does not exist; what was made. */
export async function ensureNamespace(kube: KubeClient, name: string): Promise<readonly KubeObject[]> {
  try {
    await kube.get({ apiVersion: 'v1', kind: 'Namespace', name });
    return [];
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
  return [await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager })];
}

function subscriptionOf(request: InstallRequest): KubeObject {
  const { apiVersion, kind } = subscriptionResource;
  const { namespace, packageName, channel, catalog, startingCsv, config } = request;
  return {
    apiVersion,
    kind,
    metadata: { name: packageName, namespace },
    spec: {
      name: packageName,
      source: catalog.name,
      sourceNamespace: catalog.namespace,
      installPlanApproval: request.approval,
      channel,
      ...(startingCsv === undefined ? {} : { startingCSV: startingCsv }),
      ...(config === undefined ? {} : { config }),
    },
  };
}

async function createSubscription(kube: KubeClient, request: InstallRequest): Promise<KubeObject> {
  try {
    return await kube.create(subscriptionOf(request), { fieldManager });
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    const { packageName, namespace } = request;
    const text = `namespace "${namespace}" has a Subscription "${packageName}" already: see longshore operator describe ${packageName} -n ${namespace}`;
    throw new TerminalError('AlreadyInstalled', text, { cause: thrown });
  }
}

const named = (kind: string, objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ metadata }) => `${kind} ${metadata.name}`);

/** Operators in the namespace, installed or to be. Copies of those of other namespaces are none. */
async function operatorsIn(kube: KubeClient, namespace: string): Promise<readonly string[]> {
  const subscriptions = await kube.list({ ...subscriptionResource, namespace });
  const versions = await kube.list({ ...clusterServiceVersionResource, namespace });
  const originals = versions.items.filter((item) => !isCopied(parseClusterServiceVersion(item)));
  return [
    ...named(subscriptionResource.kind, subscriptions.items),
    ...named(clusterServiceVersionResource.kind, originals),
  ];
}

/** What would be lost with a namespace, or would not run without an OperatorGroup: others may have begun to use it while a user was asked. */
async function usersOf(kube: KubeClient, { kind, metadata }: KubeObject): Promise<readonly string[]> {
  try {
    if (kind === operatorGroupResource.kind) return await operatorsIn(kube, metadata.namespace ?? '');
    if (kind !== 'Namespace') return [];
    const { name = '' } = metadata;
    const sources = await kube.list({ ...catalogSourceResource, namespace: name });
    const catalogs = named(catalogSourceResource.kind, sources.items);
    return [...new Set([...(await operatorsIn(kube, name)), ...catalogs, ...(await othersIn(kube, name))])];
  } catch (thrown) {
    // It must not be deleted unseen.
    if (!isKubeError(thrown)) throw thrown;
    return [`objects that cannot be listed: ${errorMessage(thrown)}`];
  }
}

/** Deletes what was made, the last first, and nothing that was created again, or is used by others, meanwhile. */
export async function undo(kube: KubeClient, created: readonly KubeObject[]): Promise<void> {
  for (const object of created.toReversed()) {
    const { kind, metadata } = object;
    const users = await usersOf(kube, object);
    if (users.length === 0) await deleteObject(kube, refOf(object), metadata.uid);
    else process.stderr.write(`${kind} ${metadata.name} stays: there are also ${users.join(', ')}\n`);
  }
}

/** Makes the namespace, an OperatorGroup where there is none, and the Subscription. What was made is removed if a part of it fails.
 *  @throws TerminalError TooManyOperatorGroups, OperatorGroupExists, UnsupportedInstallMode, AlreadyInstalled */
export async function prepare(kube: KubeClient, request: InstallRequest): Promise<Prepared> {
  const created: KubeObject[] = [];
  try {
    created.push(...(await ensureNamespace(kube, request.namespace)));
    created.push(...(await ensureGroup(kube, request)));
    const subscription = await createSubscription(kube, request);
    created.push(subscription);
    return { subscription: parseSubscription(subscription), created };
  } catch (thrown) {
    await undo(kube, created);
    throw thrown;
  }
}
