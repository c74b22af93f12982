import { parsePlatformOperator } from '../../api/index.ts';
import { errorMessage, TerminalError, TransientError } from '../../base/index.ts';
import { type Step } from '../../controller/index.ts';
import { conditionsOf, hasFinalizer, type KubeObject } from '../../kube/index.ts';
import type { HeldCatalogs } from '../cluster-catalog/views.ts';
import { choiceOf, deploymentNameFor, type PlacedChoice, type Resolved } from './choice.ts';
import {
  deprecationConditions,
  hasNeverSucceeded,
  installedCondition,
  installFailed,
  isSettled,
  sourceFailed,
  upToDate,
} from './conditions.ts';
import { deploymentOf, ensureDeployment, releaseOthers } from './ensure.ts';
import { type Change, isNewer, type Needed, type Plan, type Planned } from './plan.ts';
import type { NextAnswer } from './resolve-answers.ts';
import { operatorOf, type PlatformRun, setResolved } from './run.ts';
import { standingOf } from './standing.ts';

function packageOf(run: PlatformRun): string {
  return operatorOf(run).spec.package.name;
}

/** What is installed under the name of the package, whichever PlatformOperator requested it first. */
async function recalled(run: PlatformRun, held: HeldCatalogs, signal: AbortSignal): Promise<Resolved | undefined> {
  const { context } = run;
  const packageName = packageOf(run);
  const deployment = deploymentOf(context, packageName);
  const main = deployment === undefined ? undefined : choiceOf(deployment);
  if (main?.package !== packageName) return undefined;
  const question = { main, standing: standingOf(context) };
  return { main, dependencies: await context.resolver.needs(question, { held, signal }) };
}

function rank({ metadata }: KubeObject): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`;
}

/** Of two PlatformOperators for one package, which the webhook may have let through, the older counts. */
const checkOthers: Step<PlatformRun> = async (run) => {
  await Promise.resolve();
  const packageName = packageOf(run);
  const older = run.context.operators.values().find((other) => {
    const isSame = parsePlatformOperator(other).spec.package.name === packageName;
    return isSame && other.metadata.uid !== run.object.metadata.uid && rank(other) < rank(run.object);
  });
  if (older === undefined) return undefined;
  const text = `package ${packageName} is already installed by PlatformOperator "${older.metadata.name}"`;
  run.status.set(run, [installFailed(text)]);
  return 'stop';
};

function placed(planned: Planned, bundleDeployment: string, held: HeldCatalogs): PlacedChoice {
  const { name } = planned.catalog;
  const digest = held.imageOf(name)?.split('@')[1];
  return { ...planned, bundleDeployment, catalog: { name, ...(digest !== undefined && { digest }) } };
}

/** A dependency keeps its BundleDeployment; a new one is named after its package. */
function placedNeed(run: PlatformRun, need: Needed, held: HeldCatalogs): PlacedChoice | undefined {
  const live = deploymentOf(run.context, need.packageName);
  if (need.planned !== undefined)
    return placed(need.planned, live?.metadata.name ?? deploymentNameFor(need.packageName), held);
  const standing = live === undefined ? undefined : choiceOf(live);
  return standing && { ...standing, reason: need.reason };
}

function resolvedBy(run: PlatformRun, change: Change, held: HeldCatalogs): Resolved {
  const name = run.resolved?.main.bundleDeployment ?? run.object.metadata.name ?? '';
  const dependencies = change.needed.flatMap((need) => placedNeed(run, need, held) ?? []);
  return { main: placed(change.main, name, held), dependencies };
}

/** Asks the catalogs. `isFreshStart` ignores the present choice. */
async function ask(
  run: PlatformRun,
  isFreshStart: boolean,
  options: { readonly held: HeldCatalogs; readonly signal: AbortSignal },
): Promise<NextAnswer> {
  const { context, object, resolved } = run;
  const packageName = packageOf(run);
  const { name = '' } = object.metadata;
  const question = { name, packageName, main: resolved?.main, isFreshStart, standing: standingOf(context) };
  try {
    return await context.resolver.next(question, options);
  } catch (thrown) {
    if (!(thrown instanceof TransientError && thrown.reason === 'ResolutionCancelled')) throw thrown;
    const advice = 'remove the ClusterCatalog that causes this, or ask its author to fix it';
    return {
      plan: { outcome: 'none', text: `package ${packageName}: ${thrown.message}: ${advice}` },
      deprecations: undefined,
    };
  }
}

/** Creates or corrects all BundleDeployments, dependencies first. */
async function ensureAll(run: PlatformRun, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const { main, dependencies } = run.resolved ?? {};
  if (main === undefined) return [];
  const deployments: KubeObject[] = [];
  for (const choice of dependencies ?? []) {
    deployments.push(await ensureDeployment(run, { choice, isMain: false }, signal));
  }
  return [await ensureDeployment(run, { choice: main, isMain: true }, signal), ...deployments];
}

/** Records the choice before it is acted on, so that a restart in between changes nothing. */
async function adopt(
  run: PlatformRun,
  chosen: Resolved,
  { signal, isFreshStart = false }: { readonly signal: AbortSignal; readonly isFreshStart?: boolean },
): Promise<void> {
  const before = run.resolved?.main.bundle;
  run.resolved = chosen;
  setResolved(run);
  run.isChosenNow = true;
  await run.status.flush(run, signal);
  const { bundle, version, reason } = chosen.main;
  const update = isFreshStart
    ? `Installing ${bundle}, as ${before} could not be installed`
    : `Updating from ${before} to ${bundle}`;
  const what = before === undefined ? `Installing ${bundle}` : update;
  const more = chosen.dependencies.map((one) => `${one.bundle} (${one.reason})`).join('; ');
  const message = `${what} (${version}): ${reason}${more === '' ? '' : `; with ${more}`}`;
  const event = { type: 'Normal' as const, reason: before === undefined ? 'Resolved' : 'Updating', message };
  run.context.events.record(run.object, event);
}

async function install(run: PlatformRun, signal: AbortSignal): Promise<readonly KubeObject[]> {
  try {
    return await ensureAll(run, signal);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    setResolved(run);
    run.status.set(run, [installFailed(errorMessage(thrown))]);
    throw new TransientError('InstallFailed', errorMessage(thrown), { cause: thrown });
  }
}

/** Chooses where nothing is chosen yet. */
const choose: Step<PlatformRun> = async (run, { signal }) => {
  if (run.resolved !== undefined) return undefined;
  using held = run.context.views.hold();
  run.resolved = await recalled(run, held, signal);
  if (run.resolved !== undefined) return undefined;
  const { plan, deprecations } = await ask(run, true, { held, signal });
  if (plan.outcome === 'change') {
    await adopt(run, resolvedBy(run, plan, held), { signal });
    return undefined;
  }
  const text = 'text' in plan ? plan.text : `nothing can be chosen for package ${packageOf(run)}`;
  run.status.set(run, [sourceFailed(text), ...deprecationConditions(deprecations, false)]);
  throw new TransientError('SourceFailed', text);
};

function reportUpdate(run: PlatformRun, found: Plan): void {
  const next = found.outcome === 'change' ? `${found.main.bundle}: ${found.main.reason}` : '';
  const changes = {
    change: () => upToDate('UpdateAvailable', `${next}; spec.upgradePolicy Automatic would install it`),
    stay: () => upToDate('NothingNewer', 'No catalog has an update of what is installed'),
    blocked: () => upToDate('UpdateBlocked', 'text' in found ? found.text : ''),
    none: () => upToDate('CatalogsUnknown', 'text' in found ? found.text : ''),
  };
  run.status.set(run, [changes[found.outcome]()]);
}

/** The progress of the installation. */
interface Progress {
  /** All of it is installed and healthy. */
  readonly isDone: boolean;
  /** It cannot be installed, and nothing was installed before. */
  readonly hasNeverSucceeded: boolean;
}

/** What a new plan means for a choice that could not be installed. */
function inPlaceOf(failed: Resolved, plan: Plan): Plan {
  return plan.outcome !== 'change' || isNewer(plan, failed) ? plan : { outcome: 'stay' };
}

/** Starts the next update when everything chosen so far is installed and healthy. A choice that could never be installed is replaced by a newer one,
 *  whatever the policy: it is still the first installation. */
async function follow(
  run: PlatformRun,
  { isDone, hasNeverSucceeded: isFreshStart }: Progress,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | undefined> {
  const { resolved } = run;
  if (resolved === undefined) return undefined;
  using held = run.context.views.hold();
  const isInstalled = conditionsOf(run.object).some(({ type, status }) => type === 'Installed' && status === 'True');
  const { plan, deprecations } = await ask(run, isFreshStart, { held, signal });
  run.status.set(run, deprecationConditions(deprecations, isInstalled));
  const found = isFreshStart ? inPlaceOf(resolved, plan) : plan;
  const { upgradePolicy = 'None' } = operatorOf(run).spec;
  if (found.outcome !== 'change' || (upgradePolicy === 'None' && !isFreshStart)) {
    reportUpdate(run, found);
    return undefined;
  }
  const next = `${found.main.bundle}: ${found.main.reason}`;
  const isDue = isDone || isFreshStart;
  run.status.set(run, [
    upToDate('Updating', isDue ? next : `${next}; it follows when the installed version is healthy`),
  ]);
  if (!isDue) return undefined;
  await adopt(run, resolvedBy(run, found, held), { signal, isFreshStart });
  return await install(run, signal);
}

function reportInstallation(run: PlatformRun, main: KubeObject | undefined): void {
  if (main !== undefined) run.status.set(run, [installedCondition(main)]);
}

/** Installs the choice, corrects drift, reports progress, and looks for updates. */
const keepInstalled: Step<PlatformRun> = async (run, { signal }) => {
  const deployments = await install(run, signal);
  // Not before it exists: what an earlier owner installed may be deleted at the same moment.
  setResolved(run);
  reportInstallation(run, deployments[0]);
  const isDone = deployments.every(isSettled);
  const [main] = deployments;
  const progress = { isDone, hasNeverSucceeded: main !== undefined && hasNeverSucceeded(main) };
  const updated = await follow(run, progress, signal);
  reportInstallation(run, updated?.[0]);
  if (!isDone || updated !== undefined) return 'stop';
  return undefined;
};

/** Releases dependencies of an earlier version once the new one is installed. */
const release: Step<PlatformRun> = async (run, { signal }) => {
  const { main, dependencies = [] } = run.resolved ?? {};
  if (main === undefined) return 'stop';
  await releaseOthers(run, new Set([main, ...dependencies].map((one) => one.bundleDeployment)), signal);
  return undefined;
};

const accountAdvice =
  'nothing is installed for PlatformOperators, because these provisioners run with --require-service-account and a PlatformOperator names no service account: create a BundleDeployment of the bundle image with spec.config.serviceAccount instead';

/** A user who may create PlatformOperators or ClusterCatalogs chooses what is installed; where every installation is to use the permissions of a
 *  service account, they must not use those of the provisioners, nor of an account that another user set in the BundleDeployment. */
const requireAccount: Step<PlatformRun> = async (run) => {
  await Promise.resolve();
  if (!run.context.isAccountRequired) return undefined;
  run.status.set(run, [installFailed(accountAdvice)]);
  return 'stop';
};

/** Once it is deleted, its BundleDeployments are, by their owner references. In the foreground the garbage collector would delete what they have installed
 *  before them, also what they are to leave: they are deleted here. */
const skipDeleted: Step<PlatformRun> = async (run, { signal }) => {
  if (run.object.metadata.deletionTimestamp === undefined) return undefined;
  if (hasFinalizer(run.object, 'foregroundDeletion')) await releaseOthers(run, new Set(), signal);
  return 'stop';
};

/** Brings the cluster to have what a PlatformOperator asks for. */
export const steps: readonly Step<PlatformRun>[] = [
  skipDeleted,
  requireAccount,
  checkOthers,
  choose,
  keepInstalled,
  release,
];
