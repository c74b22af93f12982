import { bundleResource, extensionFinalizer } from '../../api/index.ts';
import { errorMessage, TerminalError, TransientError } from '../../base/index.ts';
import { requeueAfter, type Step } from '../../controller/index.ts';
import { conditionsOf, hasFinalizer, isConflict, type KubeObject, preconditionOf, refOf } from '../../kube/index.ts';
import type { ExtensionChoice } from '../../operators/index.ts';
import { choiceIn, deploymentNameOf } from './choice.ts';
import {
  deprecationConditions,
  failureOf,
  installedCondition,
  type Progress,
  progressingCondition,
  progressOfAll,
  settled,
  unhealthyText,
  unpacking,
} from './conditions.ts';
import { fieldManager } from './context.ts';
import { isOwnedBy } from './deployment-object.ts';
import { ensureDeployment, withTime } from './ensure.ts';
import { installedBundle, isBundleMissing, ownDeployments } from './find.ts';
import { removeDeleted, removeUnneeded } from './remove.ts';
import { resolve } from './resolve.ts';
import { type Desired, type ExtensionRun, extensionOf } from './run.ts';

const ensureFinalizer: Step<ExtensionRun> = async (run, { signal }) => {
  const { context, object } = run;
  if (hasFinalizer(object, extensionFinalizer)) return undefined;
  const finalizers = [...(object.metadata.finalizers ?? []), extensionFinalizer];
  const metadata = { finalizers, ...preconditionOf(object) };
  const written = await context.kube.patch(refOf(object), { metadata }, { fieldManager, signal });
  context.extensions.wrote(written);
  run.status.rebase(run, written);
  return undefined;
};

const accountAdvice =
  'spec.serviceAccount must name the service account to install with, because these controllers run with --require-service-account; until then nothing is installed, changed or corrected';

function specProblem(run: ExtensionRun): string | undefined {
  const { spec } = extensionOf(run);
  if (spec?.source.catalog === undefined) return 'spec.source.catalog is required: it selects what to install';
  const hasAccount = (spec.serviceAccount?.name ?? '') !== '';
  return run.context.isAccountRequired && !hasAccount ? accountAdvice : undefined;
}

function noteDeployment(run: ExtensionRun, deployment: KubeObject | undefined): void {
  run.deployment = deployment;
  run.installed = installedBundle(run.context, deployment);
  run.isForgotten = isBundleMissing(run.context, deployment);
}

/** What the ClusterExtension has, before anything is decided. */
const findInstalled: Step<ExtensionRun> = async (run) => {
  await Promise.resolve();
  const { context, object } = run;
  const named = context.deployments.get(deploymentNameOf(object.metadata.name ?? ''));
  noteDeployment(run, named !== undefined && isOwnedBy(named, object.metadata.uid) ? named : undefined);
  return undefined;
};

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function setInstalled(run: ExtensionRun, isRollingOut: boolean): void {
  const { installed, isForgotten } = run;
  if (isForgotten) return;
  // Names with build metadata are no names of objects, which the schema asks for.
  const isShown = installed !== undefined && subdomain.test(installed.bundle);
  const bundle = isShown ? { name: installed.bundle, version: installed.version } : undefined;
  run.status.set(run, [installedCondition(installed, isRollingOut)]);
  run.status.setFields(run, { install: bundle === undefined ? null : { bundle } });
}

const checkSpec: Step<ExtensionRun> = async (run) => {
  await Promise.resolve();
  const message = specProblem(run);
  if (message === undefined) return undefined;
  setInstalled(run, false);
  run.status.set(run, [
    progressingCondition({ reason: 'Blocked', message }),
    ...deprecationConditions(undefined, run.installed),
  ]);
  return 'stop';
};

/** What the provisioners take from the same place, and a ClusterExtension has fields of its own for. */
const reservedFields = ['serviceAccount', 'installNamespace'];

function configProblem(run: ExtensionRun): string | undefined {
  const inline = extensionOf(run).spec?.config?.inline ?? {};
  const found = reservedFields.find((field) => Object.hasOwn(inline, field));
  return found && `invalid ClusterExtension configuration: invalid configuration: unknown field "${found}"`;
}

const plainReasons: ReadonlySet<Progress['reason']> = new Set(['Succeeded', 'RollingOut', 'ProgressDeadlineExceeded']);

/** Problems of a bundle name it, as in Operator Lifecycle Manager; a deadline is that of the rollout. */
function ofBundle({ main: { bundle, version } }: Desired, { reason, message }: Progress): Progress {
  if (plainReasons.has(reason)) return { reason, message };
  const text = `error for resolved bundle ${JSON.stringify(bundle)} with version ${JSON.stringify(version)}: ${message}`;
  return { reason, message: text };
}

function report(run: ExtensionRun, desired: Desired, progress: Progress): void {
  setInstalled(run, progress.reason === 'RollingOut');
  run.status.set(run, [
    progressingCondition(ofBundle(desired, progress)),
    ...deprecationConditions(desired.deprecations, run.installed),
  ]);
}

/** Names of the BundleDeployments of dependencies. */
function neededDeployments({ object }: ExtensionRun, { needed }: Desired) {
  return needed.flatMap(({ packageName, planned }) => {
    const name = deploymentNameOf(`${object.metadata.name ?? ''}.${packageName}`);
    return planned === undefined ? [] : [{ name, planned }];
  });
}

async function ensureAll(run: ExtensionRun, desired: Desired, signal: AbortSignal) {
  const { main } = desired;
  const needed: KubeObject[] = [];
  for (const { name, planned } of neededDeployments(run, desired)) {
    const live = run.context.deployments.get(name);
    const choice: ExtensionChoice = withTime({ ...planned, chosenAt: main.chosenAt }, live && choiceIn(live));
    needed.push(await ensureDeployment(run, { name, choice, isMain: false }, signal));
  }
  const name = deploymentNameOf(run.object.metadata.name ?? '');
  const choice = withTime(main, run.deployment && choiceIn(run.deployment));
  const deployment = await ensureDeployment(run, { name, choice, isMain: true }, signal);
  return { deployment, needed, choice };
}

/** Whether what is installed now was rolled out before: what happens to it afterwards is no matter of the deadline. */
function wasSettled({ object }: ExtensionRun): boolean {
  const progressing = conditionsOf(object).find(({ type }) => type === 'Progressing');
  return progressing?.reason === 'Succeeded';
}

const minuteMs = 60_000;

interface Rollout {
  readonly deployment: KubeObject;
  readonly choice: ExtensionChoice;
}

/** What has not been rolled out yet, as far as a deadline counts: what is installed has to be healthy as well, until it was once. */
function pendingText(run: ExtensionRun, progress: Progress, { deployment, choice }: Rollout): string | undefined {
  if (progress.reason !== 'Succeeded') return progress.message;
  const isSame = run.installed?.bundle === choice.bundle && run.installed.image === choice.image;
  return isSame && wasSettled(run) ? undefined : unhealthyText(deployment);
}

function withDeadline(run: ExtensionRun, progress: Progress, rollout: Rollout): Progress {
  const { progressDeadlineMinutes: minutes = 0 } = extensionOf(run).spec ?? {};
  if (minutes === 0 || progress.reason === 'InvalidConfiguration') return progress;
  const pending = pendingText(run, progress, rollout);
  if (pending === undefined) return progress;
  const leftMs = Date.parse(rollout.choice.chosenAt) + minutes * minuteMs - run.context.clock.now();
  if (leftMs > 0) {
    requeueAfter(run, leftMs);
    return progress.reason === 'Succeeded' ? { reason: 'RollingOut', message: pending } : progress;
  }
  const message = `Revision has not rolled out for ${minutes} minute(s). Last status: ${pending}`;
  return { reason: 'ProgressDeadlineExceeded', message };
}

const waiting: Progress = { reason: 'RollingOut', message: 'Waiting for the bundle to be installed' };

/** Why a Bundle is not unpacked yet, where its own status has more to report: an image that does not exist yet is waited for. */
async function withUnpackProblem(
  { context: { bundles, kube } }: ExtensionRun,
  progress: Progress,
  { deployment, signal }: { readonly deployment: KubeObject; readonly signal: AbortSignal },
): Promise<Progress> {
  if (progress !== unpacking) return progress;
  const { uid } = deployment.metadata;
  const own = bundles.values().filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
  const [newest] = own.toSorted((a, b) => (ageOf(a) < ageOf(b) ? 1 : -1));
  if (newest === undefined) return progress;
  const ref = { ...bundleResource, name: newest.metadata.name ?? '' };
  const unpacked = conditionsOf(await kube.get(ref, { signal })).find(({ type }) => type === 'Unpacked');
  const isFailing = unpacked?.reason === 'UnpackPending' && unpacked.message !== '';
  return isFailing ? { reason: 'Retrying', message: unpacked.message } : progress;
}

function ageOf({ metadata }: KubeObject): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.resourceVersion ?? ''}`;
}

/** Whether all is installed. */
async function installAll(run: ExtensionRun, desired: Desired, signal: AbortSignal): Promise<boolean> {
  const { deployment, needed, choice } = await ensureAll(run, desired, signal);
  noteDeployment(run, deployment);
  const isBehind = run.installed?.image !== choice.image || run.installed.bundle !== choice.bundle;
  const found = await withUnpackProblem(run, progressOfAll(deployment, needed), { deployment, signal });
  const progress = found === settled && isBehind ? waiting : found;
  report(run, desired, withDeadline(run, progress, { deployment, choice }));
  return progress === settled;
}

/** Installs the choice, corrects drift of its BundleDeployments, and reports how far they are. */
const install: Step<ExtensionRun> = async (run, { signal }) => {
  const { desired } = run;
  if (desired === undefined) return 'stop';
  const problem = configProblem(run);
  if (problem !== undefined) {
    report(run, desired, { reason: 'InvalidConfiguration', message: problem });
    return 'stop';
  }
  try {
    return (await installAll(run, desired, signal)) ? undefined : 'stop';
  } catch (thrown) {
    const isKnown = thrown instanceof TransientError || thrown instanceof TerminalError;
    if (signal.aborted || !isKnown || isConflict(thrown)) throw thrown;
    report(run, desired, failureOf(errorMessage(thrown)));
    throw thrown;
  }
};

/** Dependencies of an earlier version go once the new one is installed. */
const release: Step<ExtensionRun> = async (run, { signal }) => {
  const { desired, context, object } = run;
  if (desired?.deprecations === undefined) return 'stop';
  const used = new Set(neededDeployments(run, desired).map(({ name }) => name));
  used.add(deploymentNameOf(object.metadata.name ?? ''));
  const standing = new Set(desired.needed.filter(({ planned }) => planned === undefined).map((one) => one.packageName));
  const others = ownDeployments(context, object).filter(
    (one) => !used.has(one.metadata.name ?? '') && !standing.has(choiceIn(one)?.package ?? ''),
  );
  await removeUnneeded(run, others, signal);
  return undefined;
};

/** Brings the cluster to have what a ClusterExtension asks for. */
export const steps: readonly Step<ExtensionRun>[] = [
  removeDeleted,
  ensureFinalizer,
  findInstalled,
  checkSpec,
  resolve,
  install,
  release,
];
