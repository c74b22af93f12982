import { setTimeout as pause } from 'node:timers/promises';
import { clusterServiceVersionResource, olmLabels, subscriptionResource } from '../../../src/api/index.ts';
import {
  isJsonEqual,
  type JsonObject,
  type JsonValue,
  objectAt,
  TerminalError,
  textAt,
} from '../../../src/base/index.ts';
import {
  findObject,
  isNotFound,
  type KubeClient,
  type KubeObject,
  preconditionOf,
  refOf,
} from '../../../src/kube/index.ts';

const rbac = 'rbac.authorization.k8s.io/v1';
const conditionKind = 'OperatorCondition';
const pollMs = 300;
const ownLabels = [
  olmLabels.owner,
  olmLabels.ownerNamespace,
  olmLabels.ownerKind,
  olmLabels.managed,
  olmLabels.deploymentSpecHash,
];

/** What of Operator Lifecycle Manager is to go. */
export interface Release {
  readonly kube: KubeClient;
  readonly namespace: string;
  /** Of the ClusterServiceVersion. */
  readonly csvName: string;
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
}

function shown({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

/** Deletes exactly the object that was read. */
async function deleteObject({ kube, print }: Release, object: KubeObject, propagationPolicy?: 'Orphan'): Promise<void> {
  const { uid = '' } = object.metadata;
  try {
    await kube.delete(refOf(object), { uid, ...(propagationPolicy === undefined ? {} : { propagationPolicy }) });
    print(`${shown(object)} deleted`);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

/** Subscriptions that have installed it: nothing may install it again. */
async function deleteSubscriptions(release: Release): Promise<void> {
  const { kube, namespace, csvName } = release;
  for (const object of (await kube.list({ ...subscriptionResource, namespace })).items) {
    const status = objectAt(object as JsonObject, 'status');
    if (textAt(status, 'installedCSV') === csvName) await deleteObject(release, object);
  }
}

/** Deletes the ClusterServiceVersion and waits until it does not exist any more. What it owns is released, not collected.
 *  @throws TerminalError StillThere */
async function deleteVersion(release: Release): Promise<void> {
  const { kube, namespace, csvName, timeoutMs } = release;
  const { apiVersion, kind } = clusterServiceVersionResource;
  const ref = { apiVersion, kind, namespace, name: csvName };
  const object = await findObject(kube, ref);
  if (object === undefined) return;
  if (object.metadata.deletionTimestamp === undefined) await deleteObject(release, object, 'Orphan');
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    const live = await findObject(kube, ref);
    if (live === undefined || live.metadata.uid !== object.metadata.uid) return;
    if (performance.now() > untilMs) {
      const finalizers = live.metadata.finalizers?.join(', ') ?? 'none';
      const text = `${shown(live)} is still being deleted after ${timeoutMs / 1000} s (finalizers: ${finalizers}): Operator Lifecycle Manager must run to release it. Run the command again to go on`;
      throw new TerminalError('StillThere', text);
    }
    await pause(pollMs);
  }
}

function isLabelled({ metadata }: KubeObject, { namespace, csvName }: Release): boolean {
  const { [olmLabels.owner]: owner, [olmLabels.ownerNamespace]: place } = metadata.labels ?? {};
  return owner === csvName && place === namespace;
}

/** Whether a Role of Operator Lifecycle Manager, which no operator owns any more, is to read the certificate of its name. */
function isForCertificate({ metadata, ...role }: KubeObject): boolean {
  const { name = '', labels = {}, ownerReferences = [] } = metadata;
  const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: [name], verbs: ['get'] }];
  const isLeft = ownerReferences.length === 0 && labels[olmLabels.managed] === 'true';
  return isLeft && isJsonEqual((role['rules'] ?? null) as JsonValue, rules);
}

/** Whether a Role or RoleBinding was made for the OperatorCondition of the ClusterServiceVersion. The name alone, which others may have chosen, is not
 *  enough. */
function isOfCondition({ metadata }: KubeObject, { csvName }: Release): boolean {
  const { name, ownerReferences = [] } = metadata;
  return name === csvName && ownerReferences.some((owner) => owner.kind === conditionKind && owner.name === csvName);
}

/** Roles that were made for it alone: the BundleDeployment has brought its own. */
async function deleteRoles(release: Release): Promise<void> {
  const { kube, namespace, csvName } = release;
  const roles = (await kube.list({ apiVersion: rbac, kind: 'Role', namespace })).items;
  const names = new Set(roles.filter(isForCertificate).map(({ metadata }) => metadata.name));
  for (const kind of ['RoleBinding', 'Role']) {
    const { items } = await kube.list({ apiVersion: rbac, kind, namespace });
    const own = items.filter(
      (object) => isLabelled(object, release) || isOfCondition(object, release) || names.has(object.metadata.name),
    );
    for (const object of own) await deleteObject(release, object);
  }
  const condition = await findObject(kube, {
    apiVersion: 'operators.coreos.com/v2',
    kind: conditionKind,
    namespace,
    name: csvName,
  });
  if (condition !== undefined) await deleteObject(release, condition);
}

/** Takes the labels of OLM from Deployments. Pods are not affected: the labels of the template are others. */
async function unlabel(release: Release): Promise<void> {
  const { kube, namespace } = release;
  for (const object of (await kube.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace })).items) {
    if (!isLabelled(object, release)) continue;
    const labels = Object.fromEntries(ownLabels.map((label) => [label, null]));
    const metadata = { ...preconditionOf(object), labels };
    await kube.patch(refOf(object), { metadata }, { fieldManager: 'longshore' });
    release.print(`${shown(object)} released`);
  }
}

/** Removes the Subscription and the ClusterServiceVersion of an operator that a BundleDeployment has adopted, in an order that can be interrupted
 *  and repeated at any point.
 *  @throws TerminalError StillThere */
export async function releaseFromOlm(release: Release): Promise<void> {
  await deleteSubscriptions(release);
  await deleteVersion(release);
  await deleteRoles(release);
  await unlabel(release);
}

/** Whether both states of a Deployment have the same Pod template. */
export function hasSamePods(before: KubeObject, after: KubeObject): boolean {
  const templateOf = (object: KubeObject): JsonObject => objectAt(object as JsonObject, 'spec', 'template') ?? {};
  return isJsonEqual(templateOf(before), templateOf(after));
}
