import {
  clusterServiceVersionResource,
  parseClusterServiceVersion,
  parseSubscription,
  subscriptionResource,
} from '../../../src/api/index.ts';
import { type JsonObject, listOfTexts, objectAt, TerminalError } from '../../../src/base/index.ts';
import { findObject, type KubeClient, type KubeObject, refOf } from '../../../src/kube/index.ts';
import type { Migration } from './record.ts';

/** The Deployments of the ClusterServiceVersion; none where it does not exist any more. */
async function deploymentsOf(
  kube: KubeClient,
  { namespace, clusterServiceVersion: name }: Migration,
): Promise<readonly string[]> {
  const { apiVersion, kind } = clusterServiceVersionResource;
  const found = await findObject(kube, { apiVersion, kind, namespace, name });
  const { deployments = [] } = (found && parseClusterServiceVersion(found).spec.install.spec) ?? {};
  return deployments.map((deployment) => deployment.name);
}

/** Subscriptions to the package that have installed something else: a migration deletes that of its ClusterServiceVersion, and leaves no other one. */
async function otherSubscriptions(kube: KubeClient, migration: Migration): Promise<readonly string[]> {
  const { namespace, package: packageName, clusterServiceVersion } = migration;
  const { items } = await kube.list({ ...subscriptionResource, namespace });
  const others = items
    .map((item) => parseSubscription(item))
    .filter(({ spec, status }) => spec.name === packageName && status?.installedCSV !== clusterServiceVersion);
  return others.map(({ metadata }) => `what Subscription "${metadata.name}" has installed`);
}

async function isOwned(kube: KubeClient, owner: KubeObject, place: { namespace: string; name: string }) {
  const found = await findObject(kube, { apiVersion: 'apps/v1', kind: 'Deployment', ...place });
  return (found?.metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.metadata.uid);
}

/** Before anything of Operator Lifecycle Manager is deleted: the annotation of a BundleDeployment is the word of its author, who may not be allowed to
 *  delete the operator that it names. What is installed shows whether the BundleDeployment has it.
 *  @throws TerminalError NotAdopted */
export async function assertAdopted(kube: KubeClient, deployment: KubeObject, migration: Migration): Promise<void> {
  const { namespace, clusterServiceVersion } = migration;
  const live = await kube.get(refOf(deployment));
  const record = objectAt(live['status'] as JsonObject | undefined, 'record');
  const missing = listOfTexts(record, 'namespaces').includes(namespace) ? [] : ['anything'];
  missing.push(...(await otherSubscriptions(kube, migration)));
  for (const name of await deploymentsOf(kube, migration)) {
    if (!(await isOwned(kube, deployment, { namespace, name }))) missing.push(`Deployment "${name}"`);
  }
  if (missing.length === 0) return;
  const { name = '' } = deployment.metadata;
  const text = `BundleDeployment "${name}" has not adopted ${missing.join(', ')} in namespace "${namespace}", although its annotation names ClusterServiceVersion "${clusterServiceVersion}": the operator stays as it is. If it was not made by a migration, remove the annotation or the BundleDeployment, and run the command again`;
  throw new TerminalError('NotAdopted', text);
}
