import { setTimeout as pause } from 'node:timers/promises';
import {
  bundleDeploymentResource,
  catalogSourceResource,
  clusterCatalogResource,
  type PlatformChoice,
  parseCatalogSource,
  parseClusterCatalog,
  parsePlatformOperator,
  platformOperatorResource,
  platformPackageLabel,
  type Subscription,
} from '../../../src/api/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import { conditionsOf, findObject, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import type { Waiting } from '../run/wait.ts';
import type { Migration, PlatformGoal } from './record.ts';
import type { Subscribed } from './subscribed.ts';

const pollMs = 300;

/** A migration that ends with a PlatformOperator. */
export interface PlatformMigration extends Pick<Migration, 'package'> {
  readonly platformOperator: PlatformGoal;
}

/** A PlatformOperator that an operator becomes, and the ClusterCatalog that it follows from then on. */
export interface PlatformTarget {
  readonly goal: PlatformGoal;
  readonly catalog: string;
}

/** What the user has asked for. */
export interface PlatformRequest {
  readonly name: string;
  /** Of a ClusterCatalog; undefined: the one with the image of the CatalogSource. */
  readonly catalog: string | undefined;
}

async function sourceImage(kube: KubeClient, { spec }: Subscription): Promise<string | undefined> {
  const { apiVersion, kind } = catalogSourceResource;
  const found = await findObject(kube, { apiVersion, kind, namespace: spec.sourceNamespace, name: spec.source });
  return found && parseCatalogSource(found).spec.image;
}

function isServing(object: KubeObject): boolean {
  return conditionsOf(object).some(({ type, status }) => type === 'Serving' && status === 'True');
}

function shownNames(objects: readonly KubeObject[]): string {
  const names = objects.map(({ metadata }) => metadata.name).slice(0, 10);
  return names.length === 0 ? 'none' : names.join(', ');
}

/** @throws TerminalError NoCatalog */
async function catalogFor(
  kube: KubeClient,
  { subscription }: Subscribed,
  { catalog }: PlatformRequest,
): Promise<string> {
  const { items } = await kube.list(clusterCatalogResource);
  const image = catalog === undefined ? await sourceImage(kube, subscription) : undefined;
  const found = items.find((item) => {
    if (catalog !== undefined) return item.metadata.name === catalog;
    return image !== undefined && parseClusterCatalog(item).spec.source.image?.ref === image;
  });
  if (found !== undefined && isServing(found)) return found.metadata.name ?? '';
  const { source, sourceNamespace } = subscription.spec;
  const expected =
    catalog === undefined
      ? `the image of CatalogSource ${sourceNamespace}/${source} (${image ?? 'which has none'})`
      : `the name "${catalog}"`;
  const state = found === undefined ? '' : `; "${found.metadata.name}" is not served: see its conditions`;
  const text = `a PlatformOperator follows a ClusterCatalog: expected one with ${expected} that is served, found ${shownNames(items)}${state}. Create it, or name another one with --catalog; nothing was changed`;
  throw new TerminalError('NoCatalog', text);
}

/** A package is installed by one PlatformOperator.
 *  @throws TerminalError NameTaken */
export async function assertFree(kube: KubeClient, packageName: string, name: string): Promise<void> {
  const { items } = await kube.list(platformOperatorResource);
  const same = items.find((item) => parsePlatformOperator(item).spec.package.name === packageName);
  const taken = same ?? items.find(({ metadata }) => metadata.name === name);
  const labelSelector = `${platformPackageLabel}=${packageName}`;
  const made = taken ?? (await kube.list({ ...bundleDeploymentResource, labelSelector })).items[0];
  if (made === undefined) return;
  const what =
    made === taken && same === undefined
      ? 'exists already: choose another name with --name'
      : `has package "${packageName}" already, and a package is installed once`;
  throw new TerminalError('NameTaken', `${made.kind} "${made.metadata.name}" ${what}; nothing was changed`);
}

/** Finds what is needed for the PlatformOperator, and that nothing is in its way.
 *  @throws TerminalError NoCatalog, NameTaken */
export async function platformTarget(
  kube: KubeClient,
  subscribed: Subscribed,
  request: PlatformRequest,
): Promise<PlatformTarget> {
  const { spec } = subscribed.subscription;
  await assertFree(kube, spec.name, request.name);
  const catalog = await catalogFor(kube, subscribed, request);
  const upgradePolicy = spec.installPlanApproval === 'Manual' ? 'None' : 'Automatic';
  return { goal: { name: request.name, upgradePolicy }, catalog };
}

/** What the PlatformOperator is to find on the BundleDeployment: the installed bundle is its choice. */
export function choiceFor(
  { subscription, csv }: Subscribed,
  { catalog }: PlatformTarget,
  image: string,
): PlatformChoice {
  const { metadata, spec } = subscription;
  return {
    package: spec.name,
    bundle: csv.metadata.name ?? '',
    version: csv.spec.version ?? '0.0.0',
    image,
    ...(spec.channel !== undefined && spec.channel !== '' && { channel: spec.channel }),
    catalog: { name: catalog },
    reason: `Subscription ${metadata.namespace}/${metadata.name} had installed it`,
  };
}

async function findOperator(kube: KubeClient, name: string): Promise<KubeObject | undefined> {
  const { apiVersion, kind } = platformOperatorResource;
  return await findObject(kube, { apiVersion, kind, name });
}

async function createOperator(
  kube: KubeClient,
  { name, upgradePolicy }: PlatformGoal,
  packageName: string,
): Promise<void> {
  const { apiVersion, kind } = platformOperatorResource;
  const object = { apiVersion, kind, metadata: { name }, spec: { package: { name: packageName }, upgradePolicy } };
  await kube.create(object, { fieldManager: 'rukpakctl' });
}

/** Creates the PlatformOperator, unless it exists.
 *  @throws TerminalError NameTaken */
async function ensureOperator(
  kube: KubeClient,
  { package: packageName, platformOperator: goal }: PlatformMigration,
  deploymentName: string,
): Promise<void> {
  const existing = await findOperator(kube, goal.name);
  if (existing === undefined) return await createOperator(kube, goal, packageName);
  if (parsePlatformOperator(existing).spec.package.name === packageName) return;
  const text = `PlatformOperator "${goal.name}" is of another package than "${packageName}": delete it and run the command again; the operator runs as BundleDeployment "${deploymentName}" meanwhile`;
  throw new TerminalError('NameTaken', text);
}

/** What it still waits for; undefined when the PlatformOperator has the BundleDeployment and reports it as installed. */
function missingOf(live: KubeObject | undefined, deploymentName: string): string | undefined {
  if (live === undefined) return 'it was deleted';
  const installed = conditionsOf(live).find(({ type }) => type === 'Installed');
  if (installed === undefined) return 'it has no condition Installed yet';
  const active = parsePlatformOperator(live).status?.activeBundleDeployment?.name;
  return installed.status === 'True' && active === deploymentName
    ? undefined
    : `${installed.reason}: ${installed.message}`;
}

/** Creates the PlatformOperator, unless it exists, and waits until it has the BundleDeployment and reports it as installed.
 *  @throws TerminalError NameTaken, NotInstalled */
export async function completePlatform(
  { kube, timeoutMs, progress }: Waiting,
  migration: PlatformMigration,
  deploymentName: string,
): Promise<void> {
  await ensureOperator(kube, migration, deploymentName);
  const { name } = migration.platformOperator;
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    const missing = missingOf(await findOperator(kube, name), deploymentName);
    if (missing === undefined) return;
    if (performance.now() > untilMs) {
      const advice = `the operator runs as BundleDeployment "${deploymentName}" meanwhile; run the command again to wait further`;
      const message = `PlatformOperator "${name}" has not taken BundleDeployment "${deploymentName}" after ${timeoutMs / 1000} s: ${missing}; ${advice}`;
      throw new TerminalError('NotInstalled', message);
    }
    progress.show(`PlatformOperator ${name}: ${missing}`);
    await pause(pollMs);
  }
}
