import {
  bundleResource,
  extensionChoiceAnnotation,
  parseBundle,
  parseBundleDeployment,
  platformChoiceAnnotation,
  platformPackageLabel,
} from '../../../src/api/index.ts';
import { type JsonObject, objectAt, TerminalError, textAt } from '../../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, preconditionOf, refOf } from '../../../src/kube/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import type { Waiting } from '../run/wait.ts';
import { type Context, confirmOnce, print } from './context.ts';
import { choiceOn, deploymentWith, type ExtensionTarget, extensionTarget, extensionWith } from './extension.ts';
import { handOver, platformOwnersOf, releaseExtension, whenExtended } from './hand-over.ts';
import { assertFree, completePlatform } from './platform.ts';
import { assertProvided } from './provided.ts';

const deadlineMs = 15 * 60_000;

/** What a ClusterExtension does to a BundleDeployment. */
export function extensionLine(name: string): string {
  return `ClusterExtension ${name} takes over BundleDeployment ${name}, pinned to the installed version.`;
}

export function waitingOf({ kube, values, progress }: Context): Waiting {
  return { kube, timeoutMs: values.timeout, progress };
}

/** The image of the template, and the one that its content was fetched from. */
export async function imagesOf(
  kube: KubeClient,
  { deployment, bundle }: { readonly deployment: KubeObject; readonly bundle: { readonly image: string } },
): Promise<readonly string[]> {
  const { activeBundle = '' } = parseBundleDeployment(deployment).status ?? {};
  try {
    const { status } = parseBundle(await kube.get({ ...bundleResource, name: activeBundle }));
    const resolved = status?.resolvedSource?.image?.ref;
    return resolved === undefined ? [bundle.image] : [bundle.image, resolved];
  } catch (thrown) {
    if (isNotFound(thrown)) return [bundle.image];
    throw thrown;
  }
}

/** @throws TerminalError NotProvided */
async function assertCatalogs({ kube, values, progress }: Context, target: ExtensionTarget): Promise<void> {
  const { packageName, bundle } = target;
  const images = await imagesOf(kube, target);
  const continued = { packageName, version: bundle.version, images, catalog: values.catalog };
  await using work = await openWorkFolder();
  await assertProvided(kube, continued, { values, work, progress, signal: AbortSignal.timeout(deadlineMs) });
  progress.clear();
}

/** A BundleDeployment, regardless of who made it, becomes that of a ClusterExtension.
 *  @throws TerminalError OperatorNotFound, NotMigrated, NotProvided, Managed, NotInstalled */
export async function toExtension(context: Context, packageName: string): Promise<number> {
  const { kube, values, progress } = context;
  const deployment = await deploymentWith(kube, packageName);
  if (deployment === undefined) {
    throw new TerminalError('OperatorNotFound', `no BundleDeployment installs package "${packageName}"`);
  }
  const target = extensionTarget(deployment, packageName, values.catalog);
  const { name = '' } = target.extension.metadata;
  const extension = await extensionWith(kube, packageName);
  if (extension !== undefined && extension.metadata.name !== name) {
    const text = `ClusterExtension "${extension.metadata.name}" has package "${packageName}" already; nothing was changed`;
    throw new TerminalError('NameTaken', text);
  }
  const isOwn = ownerUid(deployment) !== undefined && ownerUid(deployment) === extension?.metadata.uid;
  if (isOwn) await whenExtended(waitingOf(context), target);
  else if (!(await takeOver(context, target))) return 0;
  progress.clear();
  print(
    `${target.bundle.name} is ClusterExtension ${name} from now on; remove spec.source.catalog.version to get updates`,
  );
  return 0;
}

/** Checks, asks and hands over; false where nothing is to be done. */
async function takeOver(context: Context, target: ExtensionTarget): Promise<boolean> {
  await platformOwnersOf(context.kube, target);
  await assertCatalogs(context, target);
  const about = `${extensionLine(target.extension.metadata.name ?? '')} No object that is installed changes.`;
  if (!(await confirmOnce(context, about))) return false;
  await handOver(waitingOf(context), target);
  return true;
}

export function ownerUid({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

/** The way back from a ClusterExtension, interrupted ones included; undefined where there is none.
 *  @throws TerminalError NotMigrated, AccountBound, NotProvided, NameTaken, NotInstalled */
export async function leavesExtension(context: Context, packageName: string): Promise<number | undefined> {
  const { kube, values } = context;
  if (values.to === undefined) return undefined;
  const extension = await extensionWith(kube, packageName);
  const deployment = await deploymentWith(kube, packageName);
  const isBegun = deployment !== undefined && (isMadeForExtension(deployment) || isForPlatform(deployment));
  if (deployment === undefined || (extension === undefined && !isBegun)) return undefined;
  if (values.to === 'PlatformOperator') return await toPlatform(context, { extension, deployment, packageName });
  return extension === undefined ? undefined : await toDeployment(context, extension, deployment);
}

async function toDeployment(context: Context, extension: KubeObject, deployment: KubeObject): Promise<number> {
  const { name = '' } = extension.metadata;
  const about = `ClusterExtension ${name} is deleted; its BundleDeployment stays, and no object that is installed changes.`;
  if (!(await confirmOnce(context, about))) return 0;
  await releaseExtension(waitingOf(context), extension, deployment);
  context.progress.clear();
  print(`BundleDeployment ${deployment.metadata.name} is on its own from now on`);
  return 0;
}

function isMadeForExtension({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[extensionChoiceAnnotation] !== undefined;
}

/** Made ready for a PlatformOperator, which was not created then. */
function isForPlatform({ metadata }: KubeObject): boolean {
  return metadata.labels?.[platformPackageLabel] !== undefined && (metadata.ownerReferences ?? []).length === 0;
}

interface Leaving {
  readonly extension: KubeObject | undefined;
  readonly deployment: KubeObject;
  readonly packageName: string;
}

/** @throws TerminalError AccountBound */
function assertNoAccount({ deployment }: Leaving): void {
  const account = objectAt(deployment['spec'] as JsonObject, 'config', 'serviceAccount');
  if (account === undefined) return;
  const text = `it is installed with the permissions of ServiceAccount "${textAt(account, 'name')}", and a PlatformOperator would have those of the controllers: use --to BundleDeployment; nothing was changed`;
  throw new TerminalError('AccountBound', text);
}

/** A PlatformOperator takes the BundleDeployment over; a pinned version stays. */
async function toPlatform(context: Context, leaving: Leaving): Promise<number> {
  const { kube, progress } = context;
  const { extension, deployment, packageName } = leaving;
  const { name = '' } = deployment.metadata;
  assertNoAccount(leaving);
  if (!isForPlatform(deployment)) await assertFree(kube, packageName, name);
  const target = extensionTarget(deployment, packageName, context.values.catalog);
  await assertCatalogs(context, target);
  const about = `PlatformOperator ${name} takes over BundleDeployment ${name}, with upgradePolicy None; no object that is installed changes.`;
  if (!(await confirmOnce(context, about))) return 0;
  const waiting = waitingOf(context);
  const free = extension === undefined ? deployment : await releaseExtension(waiting, extension, deployment);
  const { chosenAt: _time, ...choice } = choiceOn(deployment) as JsonObject;
  const metadata = {
    ...preconditionOf(free),
    labels: { [platformPackageLabel]: packageName },
    annotations: { [extensionChoiceAnnotation]: null, [platformChoiceAnnotation]: JSON.stringify(choice) },
  };
  await kube.patch(refOf(deployment), { metadata }, { fieldManager: 'rukpakctl' });
  await completePlatform(waiting, { package: packageName, platformOperator: { name, upgradePolicy: 'None' } }, name);
  progress.clear();
  print(`${target.bundle.name} is PlatformOperator ${name} from now on; set upgradePolicy Automatic to get updates`);
  return 0;
}
