import { parseSubscription, platformOperatorResource, subscriptionResource } from '../../../src/api/index.ts';
import { type KubeClient, type KubeObject, NoKindMatch } from '../../../src/kube/index.ts';
import { waitingOf } from './by-extension.ts';
import { type Context, print } from './context.ts';
import { deploymentWith } from './extension.ts';
import { completePlatform } from './platform.ts';
import { migrationOf } from './record.ts';

/** Subscriptions to a package, in one namespace or all; none on a cluster without the kind. */
async function subscriptionsTo(
  kube: KubeClient,
  packageName: string,
  namespace?: string,
): Promise<readonly KubeObject[]> {
  try {
    const { items } = await kube.list({ ...subscriptionResource, ...(namespace !== undefined && { namespace }) });
    return items.filter((one) => one.metadata.name === packageName || parseSubscription(one).spec.name === packageName);
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return [];
    throw thrown;
  }
}

/** Completes and reports a PlatformOperator that has a BundleDeployment. */
async function platformReached(context: Context, deployment: KubeObject, packageName: string): Promise<boolean> {
  const { name = '', ownerReferences = [] } = deployment.metadata;
  const owner = ownerReferences.find(({ kind }) => kind === platformOperatorResource.kind);
  if (owner === undefined) return false;
  const platformOperator = { name: owner.name, upgradePolicy: 'None' } as const;
  if (!context.values['dry-run'])
    await completePlatform(waitingOf(context), { package: packageName, platformOperator }, name);
  context.progress.clear();
  print(`${packageName} is PlatformOperator ${owner.name} already`);
  return true;
}

/** Reports an operator that is what it is to become, as where the command was interrupted at its end; undefined where it is not.
 *  @throws TerminalError NotInstalled */
export async function reached(context: Context, packageName: string): Promise<number | undefined> {
  const { kube, values } = context;
  const deployment = await deploymentWith(kube, packageName);
  // A migration from a Subscription is continued by what is recorded of it.
  if (deployment === undefined || migrationOf(deployment) !== undefined) return undefined;
  if ((await subscriptionsTo(kube, packageName, values.namespace)).length > 0) return undefined;
  if (values.to === 'PlatformOperator')
    return (await platformReached(context, deployment, packageName)) ? 0 : undefined;
  if (values.to !== 'BundleDeployment' || (deployment.metadata.ownerReferences ?? []).length > 0) return undefined;
  print(`${packageName} is BundleDeployment ${deployment.metadata.name} already`);
  return 0;
}

/** The same of a Subscription. */
export async function subscriptionReached({ kube }: Context, packageName: string): Promise<boolean> {
  const all = (await subscriptionsTo(kube, packageName)).map((one) => parseSubscription(one));
  const [only, ...others] = all.filter(({ status }) => (status?.installedCSV ?? '') !== '');
  if (only === undefined || others.length > 0) return false;
  print(`${packageName} is Subscription ${only.metadata.namespace}/${only.metadata.name} already`);
  return true;
}
