import { parsePlatformOperator } from '../../api/index.ts';
import { errorMessage, TerminalError, WaitingError } from '../../base/index.ts';
import { formatVersion } from '../../constraints/index.ts';
import { type ReconcileContext, runSteps, type Step } from '../../controller/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { CatalogView } from '../../resolver/index.ts';
import type { HeldCatalogs } from '../cluster-catalog/views.ts';
import { choiceOf, deploymentNameFor, installedBy, type PlacedChoice, type Resolved, resolvedOf } from './choice.ts';
import {
  type CatalogWord,
  deprecationConditions,
  installedCondition,
  installFailed,
  isSettled,
  sourceFailed,
  upToDate,
} from './conditions.ts';
import type { PlatformContext } from './context.ts';
import { deploymentOf, ensureDeployment, releaseOthers } from './ensure.ts';
import { type Needed, type Plan, type Planned, packageIn, planFor } from './plan.ts';
import { presentBeside, standingNeeds } from './present.ts';
import { operatorOf, type PlatformRun, report } from './run.ts';

/** When what failed is tried again though nothing has happened. */
const retryMs = 60_000;

function packageOf(run: PlatformRun): string {
  return operatorOf(run).spec.package.name;
}

/** What is installed under the name of the package, whoever asked for it first. */
function recalled(run: PlatformRun, catalogs: readonly CatalogView[]): Resolved | undefined {
  const packageName = packageOf(run);
  const deployment = deploymentOf(run.context, packageName);
  const main = deployment === undefined ? undefined : choiceOf(deployment);
  if (main?.package !== packageName) return undefined;
  return { main, dependencies: standingNeeds(run.context, main, catalogs) };
}

function rank({ metadata }: KubeObject): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`;
}

/** Of two PlatformOperators for one package, which the webhook may have let through, the older counts. */
const heedOthers: Step<PlatformRun> = async (run, { signal }) => {
  const packageName = packageOf(run);
  const older = run.context.operators.values().find((other) => {
    const isSame = parsePlatformOperator(other).spec.package.name === packageName;
    return isSame && other.metadata.uid !== run.object.metadata.uid && rank(other) < rank(run.object);
  });
  if (older === undefined) return undefined;
  const text = `package ${packageName} is already installed by PlatformOperator "${older.metadata.name}"`;
  run.changes.push(installFailed(text));
  await report(run, signal);
  return 'stop';
};

function placed(planned: Planned, bundleDeployment: string, held: HeldCatalogs): PlacedChoice {
  const { bundle, image, catalog, channel, reason } = planned;
  const digest = held.imageOf(catalog.name)?.split('@')[1];
  return {
    package: bundle.packageName,
    bundleDeployment,
    bundle: bundle.name,
    version: formatVersion(bundle.version),
    ...(bundle.release !== undefined && { release: bundle.release }),
    image,
    channel,
    catalog: { name: catalog.name, ...(digest !== undefined && { digest }) },
    reason,
  };
}

/** A dependency keeps its BundleDeployment; a new one is named after its package. */
function placedNeed(run: PlatformRun, need: Needed, held: HeldCatalogs): PlacedChoice | undefined {
  const live = deploymentOf(run.context, need.packageName);
  if (need.planned !== undefined)
    return placed(need.planned, live?.metadata.name ?? deploymentNameFor(need.packageName), held);
  const standing = live === undefined ? undefined : choiceOf(live);
  return standing && { ...standing, reason: need.reason };
}

function resolvedBy(run: PlatformRun, change: Plan & { readonly outcome: 'change' }, held: HeldCatalogs): Resolved {
  const name = run.resolved?.main.bundleDeployment ?? run.object.metadata.name ?? '';
  const dependencies = change.needed.flatMap((need) => placedNeed(run, need, held) ?? []);
  return { main: placed(change.main, name, held), dependencies };
}

function plan(run: PlatformRun, catalogs: readonly CatalogView[]): Plan {
  const packageName = packageOf(run);
  const installed = run.resolved === undefined ? undefined : installedBy(run.resolved.main);
  const name = run.object.metadata.name ?? '';
  return planFor({ catalogs, name, packageName, installed, ...presentBeside(run.context, packageName, catalogs) });
}

function wordOf(run: PlatformRun, catalogs: readonly CatalogView[]): CatalogWord | undefined {
  const { main } = run.resolved ?? {};
  const found = packageIn(catalogs, packageOf(run), main?.catalog.name);
  return found && { package: found, channel: main?.channel, bundle: found.bundles.get(main?.bundle ?? '') };
}

/** Makes all BundleDeployments what was chosen: what is needed comes first. */
async function ensureAll(run: PlatformRun, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const { main, dependencies } = run.resolved ?? {};
  if (main === undefined) return [];
  const deployments: KubeObject[] = [];
  for (const choice of dependencies ?? []) {
    deployments.push(await ensureDeployment(run, { choice, isMain: false }, signal));
  }
  return [await ensureDeployment(run, { choice: main, isMain: true }, signal), ...deployments];
}

/** Writes down what was chosen before anything is made of it, so that a restart in between changes nothing. */
async function adopt(run: PlatformRun, chosen: Resolved, signal: AbortSignal): Promise<void> {
  const before = run.resolved?.main.bundle;
  run.resolved = chosen;
  run.isChosenNow = true;
  await report(run, signal);
  const { bundle, version, reason } = chosen.main;
  const what = before === undefined ? `Installing ${bundle}` : `Updating from ${before} to ${bundle}`;
  const more = chosen.dependencies.map((one) => `${one.bundle} (${one.reason})`).join('; ');
  const message = `${what} (${version}): ${reason}${more === '' ? '' : `; with ${more}`}`;
  const news = { type: 'Normal' as const, reason: before === undefined ? 'Resolved' : 'Updating', message };
  run.context.events.record(run.object, news);
}

async function install(run: PlatformRun, signal: AbortSignal): Promise<readonly KubeObject[]> {
  try {
    return await ensureAll(run, signal);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    run.changes.push(installFailed(errorMessage(thrown)));
    await report(run, signal);
    throw new WaitingError('InstallFailed', errorMessage(thrown), { afterMs: retryMs });
  }
}

/** Chooses where nothing is chosen yet. */
const choose: Step<PlatformRun> = async (run, { signal }) => {
  if (run.resolved !== undefined) return undefined;
  using held = run.context.views.hold();
  run.resolved = recalled(run, held.catalogs);
  if (run.resolved !== undefined) return undefined;
  const chosen = plan(run, held.catalogs);
  if (chosen.outcome === 'change') {
    await adopt(run, resolvedBy(run, chosen, held), signal);
    return undefined;
  }
  const text = 'text' in chosen ? chosen.text : `nothing can be chosen for package ${packageOf(run)}`;
  run.changes.push(sourceFailed(text), ...deprecationConditions(wordOf(run, held.catalogs), false));
  await report(run, signal);
  throw new WaitingError('SourceFailed', text, { afterMs: retryMs });
};

function tellOfUpdate(run: PlatformRun, found: Plan): void {
  const next = found.outcome === 'change' ? `${found.main.bundle.name}: ${found.main.reason}` : '';
  const changes = {
    change: () => upToDate('UpdateAvailable', `${next}; spec.upgradePolicy Automatic would install it`),
    stay: () => upToDate('NothingNewer', 'No catalog has an update of what is installed'),
    blocked: () => upToDate('UpdateBlocked', 'text' in found ? found.text : ''),
    none: () => upToDate('CatalogsUnknown', 'text' in found ? found.text : ''),
  };
  run.changes.push(changes[found.outcome]());
}

/** Goes one update further, when all that was chosen before is installed and well. */
async function follow(
  run: PlatformRun,
  isDone: boolean,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | undefined> {
  using held = run.context.views.hold();
  const installed = run.changes.some(({ type, status }) => type === 'Installed' && status === 'True');
  run.changes.push(...deprecationConditions(wordOf(run, held.catalogs), installed));
  const found = plan(run, held.catalogs);
  const { upgradePolicy = 'None' } = operatorOf(run).spec;
  if (found.outcome !== 'change' || upgradePolicy === 'None') {
    tellOfUpdate(run, found);
    return undefined;
  }
  const next = `${found.main.bundle.name}: ${found.main.reason}`;
  run.changes.push(upToDate('Updating', isDone ? next : `${next}; it follows when what is installed is well`));
  if (!isDone) return undefined;
  await adopt(run, resolvedBy(run, found, held), signal);
  return await install(run, signal);
}

function speakOf(run: PlatformRun, main: KubeObject | undefined): void {
  if (main !== undefined) run.changes.push(installedCondition(main));
}

/** Installs what was chosen, puts right what somebody changed, says how it does, and looks for what is newer. */
const keepInstalled: Step<PlatformRun> = async (run, { signal }) => {
  const deployments = await install(run, signal);
  speakOf(run, deployments[0]);
  const isDone = deployments.every(isSettled);
  const updated = await follow(run, isDone, signal);
  speakOf(run, updated?.[0]);
  await report(run, signal);
  if (!isDone || updated !== undefined) return 'stop';
  return undefined;
};

/** What an earlier version needed goes when the new one is there. */
const release: Step<PlatformRun> = async (run, { signal }) => {
  const { main, dependencies = [] } = run.resolved ?? {};
  if (main === undefined) return 'stop';
  await releaseOthers(run, new Set([main, ...dependencies].map((one) => one.bundleDeployment)), signal);
  return undefined;
};

const steps: readonly Step<PlatformRun>[] = [heedOthers, choose, keepInstalled, release];

/** Brings the cluster to have what a PlatformOperator asks for. When it goes, its BundleDeployments go by their owner references. */
export async function reconcilePlatformOperator(
  context: PlatformContext,
  name: string,
  run: ReconcileContext,
): Promise<void> {
  const object = context.operators.get(name);
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
  const { spec, status } = parsePlatformOperator(object);
  const resolved = resolvedOf(spec.package.name, status);
  await runSteps(steps, { context, object, resolved, isChosenNow: false, changes: [] }, run);
}
