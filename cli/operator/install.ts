import {
  operatorGroupResource,
  parseSubscription,
  type Subscription,
  subscriptionResource,
} from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import { isAlreadyExists, isNotFound, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import { deleteObject } from './objects.ts';

const fieldManager = 'longshore';

/** What the Subscription asks for. */
export interface InstallRequest {
  readonly namespace: string;
  readonly packageName: string;
  readonly channel: string | undefined;
  readonly catalog: { readonly namespace: string; readonly name: string };
  readonly startingCsv: string | undefined;
  /** Of the InstallPlans. */
  readonly approval: 'Automatic' | 'Manual';
  /** Of an OperatorGroup that is made if there is none; empty for all namespaces. */
  readonly targetNamespaces: readonly string[];
}

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

async function ensureGroup(
  kube: KubeClient,
  { namespace, packageName, targetNamespaces }: InstallRequest,
): Promise<readonly KubeObject[]> {
  const { apiVersion, kind } = operatorGroupResource;
  const { items } = await kube.list({ apiVersion, kind, namespace });
  if (items.length === 1) return [];
  if (items.length > 1) {
    const names = items.map(({ metadata }) => metadata.name).join(', ');
    const text = `namespace "${namespace}" has several OperatorGroups (${names}), and operators are installed only where there is one: delete the others`;
    throw new TerminalError('TooManyOperatorGroups', text);
  }
  const spec = targetNamespaces.length === 0 ? {} : { targetNamespaces: [...targetNamespaces] };
  const group = { apiVersion, kind, metadata: { name: packageName, namespace }, spec };
  return [await kube.create(group, { fieldManager })];
}

function subscriptionOf(request: InstallRequest): KubeObject {
  const { apiVersion, kind } = subscriptionResource;
  const { namespace, packageName, channel, catalog, startingCsv } = request;
  return {
    apiVersion,
    kind,
    metadata: { name: packageName, namespace },
    spec: {
      name: packageName,
      source: catalog.name,
      sourceNamespace: catalog.namespace,
      installPlanApproval: request.approval,
      ...(channel === undefined ? {} : { channel }),
      ...(startingCsv === undefined ? {} : { startingCSV: startingCsv }),
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

/** Deletes what was made, and nothing that was created again meanwhile. */
export async function undo(kube: KubeClient, created: readonly KubeObject[]): Promise<void> {
  for (const object of created.toReversed()) {
    await deleteObject(kube, refOf(object), object.metadata.uid);
  }
}

/** Makes the namespace, an OperatorGroup where there is none, and the Subscription. What was made is removed if a part of it fails.
 *  @throws TerminalError TooManyOperatorGroups, AlreadyInstalled */
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
