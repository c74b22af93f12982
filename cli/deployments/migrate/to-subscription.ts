import { clusterExtensionResource } from '../../../src/api/index.ts';
import type { Preview } from '../../../src/apply/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import { conditionsOf, type KubeObject } from '../../../src/kube/index.ts';
import { openChartRenderer } from '../../bundle-files/index.ts';
import { createContentClient } from '../../client/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import type { Finding } from '../diff/desired.ts';
import { ownerUid, waitingOf } from './by-extension.ts';
import { type Context, confirmOnce, print } from './context.ts';
import { deploymentWith, extensionWith, refuse } from './extension.ts';
import { completeSubscription, deleteDeployment, labelForOlm } from './hand-back.ts';
import { platformOwnersOf, releaseExtension, releaseFromPlatform } from './hand-over.ts';
import { subscriptionReached } from './reached.ts';
import { begunSubscription } from './returned.ts';
import { showPreview } from './shown-preview.ts';
import { assertPlanned, awaitPlan, plannedProperties, subscribe, unsubscribe } from './subscription-plan.ts';
import { previewSubscription } from './subscription-preview.ts';
import { type SubscriptionTarget, subscriptionTarget } from './subscription-target.ts';

const deadlineMs = 15 * 60_000;

/** Why a condition does not show that the newest template is installed; undefined if it does. */
function problemOf(deployment: KubeObject, type: string): string | undefined {
  const { generation = 0 } = deployment.metadata;
  const found = conditionsOf(deployment).find((one) => one.type === type);
  if (found === undefined || (found.observedGeneration ?? generation) < generation)
    return `${type} is not reported yet`;
  const isTrue = found.status === 'True' && found.reason !== 'UnpackPending';
  return isTrue ? undefined : `${type} is ${found.status} (${found.reason}): ${found.message}`;
}

/** Nothing is on its way. */
function assertSettled(deployment: KubeObject): void {
  const problems = ['HasValidBundle', 'Installed', 'Healthy'].map((type) => problemOf(deployment, type));
  const problem = problems.find((text) => text !== undefined);
  if (problem !== undefined) refuse(deployment, `it is not settled: ${problem}`);
}

/** What has made the BundleDeployment: a ClusterExtension, PlatformOperators of the package, or nothing.
 *  @throws TerminalError Managed */
async function ownersOf(
  { kube }: Context,
  deployment: KubeObject,
  packageName: string,
): Promise<readonly KubeObject[]> {
  const extension = await extensionWith(kube, packageName);
  if (extension !== undefined && extension.metadata.uid === ownerUid(deployment)) return [extension];
  return await platformOwnersOf(kube, { deployment, packageName });
}

function consequences(target: SubscriptionTarget, owners: readonly KubeObject[]): string {
  const { deployment, subscription, group, bundle, namespace, catalog } = target;
  const made = group.object === undefined ? '' : `, and OperatorGroup ${namespace}/${group.name} is created`;
  const deleted = [...owners, deployment].map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ');
  return `Subscription ${namespace}/${subscription.metadata.name} of CatalogSource ${catalog.namespace}/${catalog.name} takes over ${bundle.name}, with manual approval${made}. Deleted without what is installed: ${deleted}.`;
}

interface Handing {
  readonly target: SubscriptionTarget;
  readonly owners: readonly KubeObject[];
  readonly preview: Preview;
}

async function handBack(context: Context, { target, owners, preview }: Handing): Promise<void> {
  const waiting = waitingOf(context);
  const { deployment, packageName } = target;
  const { name = '', uid = '' } = deployment.metadata;
  await labelForOlm(context.kube, target, preview.changes);
  const extension = owners.find(({ kind }) => kind === clusterExtensionResource.kind);
  if (extension !== undefined) await releaseExtension(waiting, extension, deployment);
  else await releaseFromPlatform(waiting, { deployment, packageName });
  await deleteDeployment(waiting, { name, uid });
}

/** The plan is made, and compared with what is installed, before anything is handed over. */
async function planned(context: Context, finding: Finding, target: SubscriptionTarget): Promise<Preview> {
  const { kube } = context;
  const { signal } = finding;
  const plan = await awaitPlan(waitingOf(context), target);
  await assertPlanned(plan, target, { ...finding, kube });
  const properties = plannedProperties(plan, target.bundle.name);
  return await previewSubscription(kube, target, { properties, signal });
}

async function begin(context: Context, finding: Finding, packageName: string): Promise<KubeObject | undefined> {
  const { kube, values, progress } = context;
  const { deployment, signal } = finding;
  assertSettled(deployment);
  const owners = await ownersOf(context, deployment, packageName);
  const target = await subscriptionTarget(finding, { packageName, catalog: values.catalog });
  const about = consequences(target, owners);
  if (values['dry-run']) {
    const preview = await previewSubscription(kube, target, { properties: undefined, signal });
    progress.clear();
    showPreview(preview);
    print(`${about} The image of the bundle is compared once the InstallPlan exists.`);
    return undefined;
  }
  const created = await subscribe(kube, target);
  try {
    const preview = await planned(context, finding, target);
    progress.clear();
    showPreview(preview);
    await confirmOnce(context, about);
    await handBack(context, { target, owners, preview });
  } catch (thrown) {
    // From then on the Subscription is what continues the operator.
    if (await isUntouched(context, target)) await unsubscribe(kube, created);
    throw thrown;
  }
  return target.subscription;
}

/** Whether the BundleDeployment has the operator further. */
async function isUntouched({ kube }: Context, { deployment, packageName }: SubscriptionTarget): Promise<boolean> {
  const live = await deploymentWith(kube, packageName);
  const { uid, deletionTimestamp } = live?.metadata ?? {};
  return uid === deployment.metadata.uid && deletionTimestamp === undefined;
}

async function continueBegun(context: Context, begun: KubeObject): Promise<KubeObject | undefined> {
  const { namespace, name } = begun.metadata;
  const about = `Subscription ${namespace}/${name} takes over the operator: its migration was begun, and the BundleDeployment was deleted.`;
  return (await confirmOnce(context, about)) ? begun : undefined;
}

/** An operator of a ClusterExtension, a PlatformOperator or a BundleDeployment becomes that of a Subscription.
 *  @throws TerminalError OperatorNotFound, NotMigrated, Managed, Blocked, NotConfirmed, NotInstalled, StillThere */
export async function toSubscription(context: Context, packageName: string): Promise<number> {
  const { kube, progress } = context;
  const deployment = await deploymentWith(kube, packageName);
  const begun = await begunSubscription(kube, packageName);
  if (deployment === undefined && begun === undefined) {
    if (await subscriptionReached(context, packageName)) return 0;
    throw new TerminalError('OperatorNotFound', `no BundleDeployment installs package "${packageName}"`);
  }
  await using stack = new AsyncDisposableStack();
  const subscription =
    deployment === undefined
      ? await continueBegun(context, begun as KubeObject)
      : await begin(context, await findingFor(stack, context, deployment), packageName);
  if (subscription === undefined) return 0;
  await completeSubscription(waitingOf(context), subscription);
  progress.clear();
  const { namespace, name } = subscription.metadata;
  print(
    `${packageName} is Subscription ${namespace}/${name} from now on; set spec.installPlanApproval Automatic to get updates`,
  );
  return 0;
}

async function findingFor(
  stack: AsyncDisposableStack,
  { values, progress }: Context,
  deployment: KubeObject,
): Promise<Finding> {
  const client = stack.use(await createContentClient(values));
  const work = stack.use(await openWorkFolder());
  const signal = AbortSignal.timeout(deadlineMs);
  // The bundle of an operator is no chart.
  const charts = openChartRenderer({ helm: 'helm' }, work);
  return {
    client,
    work,
    deployment,
    systemNamespace: values['system-namespace'],
    charts,
    requested: {},
    values,
    progress,
    signal,
  };
}
