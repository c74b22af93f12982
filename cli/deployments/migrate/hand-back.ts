import {
  bundleDeploymentResource,
  clusterServiceVersionResource,
  installPlanResource,
  olmLabels,
  parseClusterServiceVersion,
  parseInstallPlan,
  parseSubscription,
  releasedFromAnnotation,
  type Subscription,
} from '../../../src/api/index.ts';
import type { ObjectChange } from '../../../src/apply/index.ts';
import { type JsonObject, objectAt, objectsAt, TerminalError, textAt } from '../../../src/base/index.ts';
import { findObject, findSame, type KubeClient, type KubeObject, refOf } from '../../../src/kube/index.ts';
import { ownerLabels } from '../../../src/operators/index.ts';
import { approvePlan } from '../../client/index.ts';
import type { Waiting } from '../run/wait.ts';
import { print } from './context.ts';
import { until, untilDeleted } from './hand-over.ts';
import { type Continued, continuedBy, continuesAnnotation } from './returned.ts';
import type { SubscriptionTarget } from './subscription-target.ts';

const writer = { fieldManager: 'rukpakctl' };
const rbac = 'rbac.authorization.k8s.io/v1';

/** Labels by which Operator Lifecycle Manager knows what belongs to an operator: without them it would leave these objects behind at the end. */
export async function labelForOlm(
  kube: KubeClient,
  { namespace, content }: SubscriptionTarget,
  changes: readonly ObjectChange[],
): Promise<void> {
  const { kind } = clusterServiceVersionResource;
  for (const { ref, before } of changes) {
    // These are labelled when the plan and the ClusterServiceVersion are applied.
    if (before === undefined || ref.kind === 'Deployment' || ref.kind === 'CustomResourceDefinition') continue;
    const isNamespaced = ref.namespace !== undefined;
    const labels = isNamespaced
      ? { [olmLabels.managed]: 'true' }
      : ownerLabels({ kind, namespace, name: content.name });
    await kube.patch(ref, { metadata: { uid: before.metadata.uid ?? '', labels: { ...labels } } }, writer);
  }
}

/** Deletes the BundleDeployment; what it has installed stays.
 *  @throws TerminalError StillThere */
export async function deleteDeployment(waiting: Waiting, { name, uid }: Continued): Promise<void> {
  const { kube, progress } = waiting;
  const ref = { apiVersion: bundleDeploymentResource.apiVersion, kind: bundleDeploymentResource.kind, name };
  const live = await findSame(kube, ref, { uid });
  if (live === undefined) return;
  if (live.metadata.deletionTimestamp === undefined) await kube.delete(ref, { uid, propagationPolicy: 'Orphan' });
  progress.show(`BundleDeployment ${name}: waiting until it has released what it installed`);
  await untilDeleted(waiting, ref, uid);
  print(`BundleDeployment ${name} deleted`);
}

/** What the ClusterServiceVersion reports; an empty text once it has succeeded, undefined where there is none. */
async function versionText(kube: KubeClient, namespace: string, name: string): Promise<string | undefined> {
  const { apiVersion, kind } = clusterServiceVersionResource;
  const found = await findObject(kube, { apiVersion, kind, namespace, name });
  if (found === undefined) return undefined;
  const { phase = 'not reconciled', message = '' } = parseClusterServiceVersion(found).status ?? {};
  return phase === 'Succeeded' ? '' : `ClusterServiceVersion ${name}: ${phase}: ${message}`;
}

/** What is wrong with the InstallPlan. */
function failureIn(status: Subscription['status']): string | undefined {
  return status?.conditions?.find((one) => one.type.startsWith('InstallPlan') && one.status === 'True')?.message;
}

/** Why the operator of a Subscription is not installed yet; undefined when it is. */
async function missingOf(kube: KubeClient, object: KubeObject): Promise<string | undefined> {
  const { metadata, spec, status } = parseSubscription(object);
  const { startingCSV: name = '' } = spec;
  const text = await versionText(kube, metadata.namespace ?? '', name);
  if (text === '')
    return status?.installedCSV === name ? undefined : 'waiting until it reports its version as installed';
  return text ?? failureIn(status) ?? 'waiting for its ClusterServiceVersion';
}

/** Approves the plan of the Subscription, if it is the one of the migration. */
async function approve(kube: KubeClient, object: KubeObject): Promise<void> {
  const { metadata, spec, status } = parseSubscription(object);
  const { apiVersion, kind } = installPlanResource;
  const name = status?.installPlanRef?.name ?? '';
  const plan = parseInstallPlan(await kube.get({ apiVersion, kind, namespace: metadata.namespace, name }));
  const names = plan.spec.clusterServiceVersionNames;
  if (plan.spec.approved) return;
  if (names.length === 1 && names[0] === spec.startingCSV) return await approvePlan(kube, plan);
  const text = `InstallPlan ${metadata.namespace}/${name} installs ${names.join(', ')}: expected ${spec.startingCSV}; approve it if that is what you want, and run the command again`;
  throw new TerminalError('PlanChanged', text);
}

/** Whether a binding is for accounts of one namespace alone. */
function isForAccountsOf(binding: KubeObject, place: string): boolean {
  const subjects = objectsAt(binding as JsonObject, 'subjects');
  return (
    subjects.length > 0 && subjects.every(({ kind, namespace }) => kind === 'ServiceAccount' && namespace === place)
  );
}

/** The role that a binding names, where it exists. */
async function roleOf(kube: KubeClient, binding: KubeObject): Promise<KubeObject | undefined> {
  const roleRef = objectAt(binding as JsonObject, 'roleRef');
  const [kind, name] = [textAt(roleRef, 'kind'), textAt(roleRef, 'name')];
  const { namespace } = binding.metadata;
  const place = kind === 'Role' && namespace !== undefined ? { namespace } : {};
  const found = await findObject(kube, { apiVersion: rbac, kind, name, ...place });
  return found && { ...found, apiVersion: rbac, kind };
}

/** Roles, with their bindings, that were made for the BundleDeployment alone: the InstallPlan has brought its own. What the Subscription continues is the word
 *  of its author: only what gives permissions to accounts of its own namespace may be of its operator. */
async function deleteRoles(kube: KubeClient, object: KubeObject, { name: deployment }: Continued): Promise<void> {
  const { spec, metadata: subscription } = parseSubscription(object);
  const isLeft = ({ metadata: { name = '', annotations = {}, labels = {} } }: KubeObject): boolean =>
    annotations[releasedFromAnnotation] === deployment &&
    name.startsWith(`${spec.startingCSV}-`) &&
    labels[olmLabels.managed] === undefined;
  for (const kind of ['RoleBinding', 'ClusterRoleBinding']) {
    const { items } = await kube.list({ apiVersion: rbac, kind });
    for (const item of items.filter((one) => isLeft(one) && isForAccountsOf(one, subscription.namespace ?? ''))) {
      const binding = { ...item, apiVersion: rbac, kind };
      const role = await roleOf(kube, binding);
      // First, so that a repeated migration finds it by its binding.
      if (role !== undefined && isLeft(role)) await kube.delete(refOf(role), { uid: role.metadata.uid ?? '' });
      await kube.delete(refOf(binding), { uid: binding.metadata.uid ?? '' });
    }
  }
}

/** What follows once nothing of Longshore's has the operator; each step is repeated without harm.
 *  @throws TerminalError NotInstalled, PlanChanged */
export async function completeSubscription(waiting: Waiting, subscription: KubeObject): Promise<void> {
  const { kube } = waiting;
  const live = await kube.get(refOf(subscription));
  const continued = continuedBy(live);
  if (continued === undefined) return;
  await approve(kube, live);
  const done = await until(waiting, subscription, (object) => missingOf(kube, object));
  await deleteRoles(kube, done, continued);
  // Its status is written meanwhile: the version of the object is no precondition.
  const metadata = { uid: done.metadata.uid ?? '', annotations: { [continuesAnnotation]: null } };
  await kube.patch(refOf(subscription), { metadata }, writer);
}
