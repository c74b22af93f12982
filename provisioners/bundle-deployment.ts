import {
  type Bundle,
  type BundleDeployment,
  type HasValidBundleReason,
  type HealthyReason,
  type InstalledReason,
  parseBundle,
  parseBundleDeployment,
  templateHashLabel,
} from '../src/api/index.ts';
import { InstallBlocked, type KindRef } from '../src/apply/index.ts';
import { errorMessage, type JsonObject, TerminalError, TransientError } from '../src/base/index.ts';
import { type ReconcileContext, runSteps, type Step } from '../src/controller/index.ts';
import { type Condition, isAlreadyExists, type KubeObject, refOf, setCondition } from '../src/kube/index.ts';
import { bundleOfTemplate, isBundleOf, obsoleteBundles } from './bundle-template.ts';
import { fieldManager, type ProvisionerContext, writeStatus } from './context.ts';
import { ownerOf, recordedKinds, recordInstalledKinds } from './installed-record.ts';
import { bundlesOf, deleteBundle } from './owned-bundles.ts';
import { removeDeployment } from './removal.ts';

/** What a reconcile asks of those who wait. */
export interface DeploymentHooks {
  /** The deployment waits for something that belongs to others; called with false once it does not. */
  readonly setBlocked: (name: string, isBlocked: boolean) => void;
  /** The stored content of the Bundle is gone. */
  readonly onContentLost: (bundleName: string) => void;
}

/** One reconcile of one BundleDeployment. */
interface DeploymentRun {
  readonly context: ProvisionerContext;
  readonly hooks: DeploymentHooks;
  object: KubeObject;
  bundle?: KubeObject;
}

type ConditionChange =
  | {
      readonly type: 'HasValidBundle';
      readonly status: Condition['status'];
      readonly reason: HasValidBundleReason;
      readonly message: string;
    }
  | {
      readonly type: 'Installed';
      readonly status: Condition['status'];
      readonly reason: InstalledReason;
      readonly message: string;
    }
  | {
      readonly type: 'Healthy';
      readonly status: Condition['status'];
      readonly reason: HealthyReason;
      readonly message: string;
    };

/** What the schema allows a condition's message. */
const maxMessageCharacters = 32_768;

/** Said with every `Installed=False`. */
const notInstalled: ConditionChange = {
  type: 'Healthy',
  status: 'False',
  reason: 'InstallationStatusFalse',
  message: 'Installed condition is false',
};

function deploymentOf(run: DeploymentRun): BundleDeployment {
  return parseBundleDeployment(run.object);
}

async function report(
  run: DeploymentRun,
  changes: readonly ConditionChange[],
  options: { readonly signal: AbortSignal; readonly activeBundle?: string },
): Promise<void> {
  const { context, object } = run;
  const { status, metadata } = deploymentOf(run);
  const observedGeneration = metadata.generation ?? 0;
  let conditions: readonly Condition[] = status?.conditions ?? [];
  for (const change of changes) {
    conditions = setCondition(conditions, { ...change, observedGeneration }, context.clock.now());
  }
  const { activeBundle, signal } = options;
  const next = {
    observedGeneration,
    conditions: conditions as unknown as JsonObject[],
    ...(activeBundle === undefined ? {} : { activeBundle }),
  };
  run.object = await writeStatus({ kube: context.kube, cache: context.deployments, signal }, object, next);
}

/** A deployment that is to go is only taken apart. */
const tearDown: Step<DeploymentRun> = async ({ context, object }, { signal }) => {
  if (object.metadata.deletionTimestamp === undefined) return undefined;
  await removeDeployment(context, object, signal);
  return 'stop';
};

function ownedBundles({ context, object }: DeploymentRun): readonly KubeObject[] {
  return bundlesOf(context, object);
}

/** See `recordInstalledKinds`. */
async function recordKinds(run: DeploymentRun, kinds: readonly KindRef[], signal: AbortSignal): Promise<void> {
  run.object = await recordInstalledKinds(run.context, run.object, { kinds, signal });
}

async function createBundle(run: DeploymentRun, wanted: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { kube, bundles } = run.context;
  const obsolete = obsoleteBundles([...ownedBundles(run), wanted], {
    wanted: wanted.metadata.name ?? '',
    active: deploymentOf(run).status?.activeBundle,
  });
  for (const bundle of obsolete) await deleteBundle(run.context, bundle, signal);
  let created: KubeObject;
  try {
    created = await kube.create(wanted, { fieldManager, signal });
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    created = await kube.get(refOf(wanted), { signal });
    if (!isBundleOf(created, ownerOf(run.object).name)) throw thrown;
  }
  bundles.wrote(created);
  return created;
}

const ensureBundle: Step<DeploymentRun> = async (run, { signal }) => {
  const wanted = bundleOfTemplate(deploymentOf(run));
  const hash = wanted.metadata.labels?.[templateHashLabel];
  const match = ownedBundles(run).find(({ metadata }) => metadata.labels?.[templateHashLabel] === hash);
  try {
    run.bundle = match ?? (await createBundle(run, wanted, signal));
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const message = errorMessage(thrown);
    const reason = 'ReconcileFailed';
    await report(run, [{ type: 'HasValidBundle', status: 'Unknown', reason, message }], { signal });
    throw thrown;
  }
  return undefined;
};

function bundleCondition(bundle: Bundle): ConditionChange & { readonly type: 'HasValidBundle' } {
  const { name } = bundle.metadata;
  const type = 'HasValidBundle';
  if (bundle.status?.phase === 'Unpacked') {
    return { type, status: 'True', reason: 'UnpackSuccessful', message: `Successfully unpacked the ${name} Bundle` };
  }
  if (bundle.status?.phase === 'Failing') {
    const why = bundle.status.conditions?.find((condition) => condition.type === 'Unpacked')?.message;
    const message = `Failed to unpack the ${name} Bundle${why === undefined ? '' : `: ${why}`}`;
    return { type, status: 'False', reason: 'UnpackFailed', message };
  }
  return { type, status: 'True', reason: 'UnpackPending', message: `Waiting for the ${name} Bundle to be unpacked` };
}

/** Without an unpacked Bundle there is nothing to do: a change of the Bundle starts the next reconcile. */
const checkBundle: Step<DeploymentRun> = async (run, context) => {
  const { signal } = context;
  if (run.bundle === undefined) return 'stop';
  const isGoing = run.bundle.metadata.deletionTimestamp !== undefined;
  const { status, ...rest } = parseBundle(run.bundle);
  const condition = bundleCondition(isGoing || status === undefined ? rest : { ...rest, status });
  if (condition.reason === 'UnpackSuccessful') return undefined;
  await report(run, [condition], { signal });
  await keepActive(run, context);
  return 'stop';
};

function revisionOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}

async function loadObjects(
  run: DeploymentRun,
  bundle: KubeObject,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { name = '', uid = '' } = bundle.metadata;
  try {
    return (await run.context.unpacker.load({ name, uid }, { signal })) as unknown as KubeObject[];
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    run.hooks.onContentLost(name);
    const message = errorMessage(thrown);
    await report(run, [{ type: 'HasValidBundle', status: 'False', reason: 'BundleLoadFailed', message }], { signal });
    throw thrown;
  }
}

function activeOf(run: DeploymentRun): string {
  return deploymentOf(run).status?.activeBundle ?? '';
}

/** Installs the objects of a Bundle for the deployment. */
async function installObjects(
  run: DeploymentRun,
  bundle: KubeObject,
  work: { readonly objects: readonly KubeObject[]; readonly signal: AbortSignal },
): Promise<void> {
  await run.context.engine.install({
    owner: ownerOf(run.object),
    revision: revisionOf(bundle),
    recordedKinds: recordedKinds(run.object),
    recordKinds: (kinds) => recordKinds(run, kinds, work.signal),
    isUpgrade: activeOf(run) !== '',
    ...work,
  });
}

/** While the wanted version cannot be installed the one before is kept whole: drift from it, and what a broken-off pivot has
 *  written, is put right. A failure here is not the deployment's news. */
async function keepActive(run: DeploymentRun, { signal, log }: ReconcileContext): Promise<void> {
  const { engine, unpacker } = run.context;
  const active = ownedBundles(run).find(({ metadata }) => metadata.name === activeOf(run));
  if (active === undefined || active.metadata.name === run.bundle?.metadata.name) return;
  if (engine.isInPlace(ownerOf(run.object), revisionOf(active))) return;
  const { name = '', uid = '' } = active.metadata;
  try {
    const objects = (await unpacker.load({ name, uid }, { signal })) as unknown as KubeObject[];
    await installObjects(run, active, { objects, signal });
  } catch (thrown) {
    signal.throwIfAborted();
    log.warn({ bundle: name, message: errorMessage(thrown) }, 'the active version could not be kept whole');
  }
}

function failureReason(run: DeploymentRun, thrown: unknown): InstalledReason {
  const active = activeOf(run);
  if (active === '') return 'InstallFailed';
  if (active === run.bundle?.metadata.name) return 'ReconcileFailed';
  return thrown instanceof InstallBlocked && thrown.isConflict ? 'ErrorGettingReleaseState' : 'UpgradeFailed';
}

async function reportInstallFailure(run: DeploymentRun, thrown: unknown, signal: AbortSignal): Promise<void> {
  const isKnown = thrown instanceof TransientError || thrown instanceof TerminalError;
  if (signal.aborted || !isKnown || run.bundle === undefined) return;
  run.hooks.setBlocked(ownerOf(run.object).name, true);
  const message = errorMessage(thrown);
  const reason = failureReason(run, thrown);
  const installed = { type: 'Installed', status: 'False', reason, message } as const;
  await report(run, [bundleCondition(parseBundle(run.bundle)), installed, notInstalled], { signal });
  run.context.events.record(run.object, { type: 'Warning', reason, message });
}

const install: Step<DeploymentRun> = async (run, context) => {
  const { bundle } = run;
  const { signal } = context;
  if (bundle === undefined) return 'stop';
  const owner = ownerOf(run.object);
  if (run.context.engine.isInPlace(owner, revisionOf(bundle))) return undefined;
  const objects = await loadObjects(run, bundle, signal);
  try {
    await installObjects(run, bundle, { objects, signal });
  } catch (thrown) {
    await reportInstallFailure(run, thrown, signal);
    await keepActive(run, context);
    throw thrown;
  }
  run.hooks.setBlocked(owner.name, false);
  return undefined;
};

/** What the installed objects say of themselves. */
async function healthCondition(run: DeploymentRun, signal: AbortSignal): Promise<ConditionChange> {
  const lines = await run.context.engine.unhealthy(ownerOf(run.object), signal);
  const type = 'Healthy';
  if (lines.length === 0) return { type, status: 'True', reason: 'Healthy', message: 'BundleDeployment is healthy' };
  return { type, status: 'False', reason: 'Unhealthy', message: lines.join('\n').slice(0, maxMessageCharacters) };
}

const reportInstalled: Step<DeploymentRun> = async (run, { signal, log }) => {
  if (run.bundle === undefined) return 'stop';
  const { name = '' } = run.bundle.metadata;
  const before = deploymentOf(run).status;
  const message = `Instantiated bundle ${name} successfully`;
  const reason = 'InstallationSucceeded';
  const installed = { type: 'Installed', status: 'True', reason, message } as const;
  const healthy = await healthCondition(run, signal);
  await report(run, [bundleCondition(parseBundle(run.bundle)), installed, healthy], { signal, activeBundle: name });
  if (before?.activeBundle === name) return undefined;
  log.info({ bundle: name, previous: before?.activeBundle }, 'bundle installed');
  run.context.events.record(run.object, { type: 'Normal', reason, message });
  return undefined;
};

const removeOldBundles: Step<DeploymentRun> = async (run, { signal }) => {
  for (const bundle of ownedBundles(run)) {
    if (bundle.metadata.name !== run.bundle?.metadata.name) await deleteBundle(run.context, bundle, signal);
  }
  return undefined;
};

const steps: readonly Step<DeploymentRun>[] = [
  tearDown,
  ensureBundle,
  checkBundle,
  install,
  reportInstalled,
  removeOldBundles,
];

/** Brings the cluster to hold what the deployment's template asks for, and nothing else of it. */
export async function reconcileBundleDeployment(
  context: ProvisionerContext & { readonly hooks: DeploymentHooks },
  name: string,
  run: ReconcileContext,
): Promise<void> {
  const object = context.deployments.get(name);
  if (object === undefined) {
    context.hooks.setBlocked(name, false);
    return;
  }
  if (!context.classes.has(parseBundleDeployment(object).spec.provisionerClassName)) return;
  await runSteps(steps, { context, hooks: context.hooks, object }, run);
}
