import { type InstallPlanStep, type InstallPlanStepStatus, olmFieldManager } from '../../api/index.ts';
import {
  errorMessage,
  formatTimestamp,
  mapLimit,
  TerminalError,
  TransientError,
  WaitingError,
} from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { isForbidden, type KubeClient, NoKindMatch, serviceAccountUser } from '../../kube/index.ts';
import { awaitCrd, isKnownEstablished } from './crd-step.ts';
import { notServed } from './ensure.ts';
import { stepKindOf } from './kinds.ts';
import { createManifestReader, type ManifestReader } from './manifests.ts';
import { type PlanRun, planOf, setFailed, setInstalled, setPhase, setStatus, statusOf } from './run.ts';
import { stagesOf } from './step-order.ts';
import { invalidStep, isInvalidStep, type StepRun } from './step-run.ts';

const maxReportedWarnings = 10;
/** An API is served soon after its definition was created. */
const apiPollMs = 500;
/** At first, and later. */
const retryMs = { soon: 1_000, later: 5_000, afterTimeout: 5 * 60_000 };
const soonMs = 10_000;

/** What one pass over the steps came to. */
interface Pass {
  readonly steps: readonly InstallPlanStep[];
  /** The first error of a step that is not optional. */
  readonly error: StepError | undefined;
}

function reportWarnings({ run, step }: StepRun, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const { resolving, resource } = step;
  const during = resolving === '' ? 'operator installation' : `installation of operator ${JSON.stringify(resolving)}`;
  const texts = warnings.slice(0, maxReportedWarnings).join(', ');
  const message = `${warnings.length} warning(s) generated during ${during} (${resource.kind} ${JSON.stringify(resource.name)}): ${texts}`;
  run.context.events.record(run.object, { type: 'Warning', reason: 'AppliedWithWarnings', message });
  run.context.metrics?.add('installplan_warnings_total', {});
}

async function applyStep(given: StepRun, read: ManifestReader): Promise<InstallPlanStepStatus> {
  const { step } = given;
  const kind = stepKindOf(step);
  if (kind === undefined) throw invalidStep(step, 'its kind is not supported');
  if (step.status === 'WaitingForApi') return await awaitCrd(given);
  const warnings: string[] = [];
  const onWarning = (text: string): number => warnings.push(text);
  try {
    const manifest = kind.hasManifest ? await read(step) : {};
    return await kind.apply({ ...given, write: { ...given.write, onWarning } }, manifest);
  } catch (thrown) {
    throw thrown instanceof NoKindMatch ? notServed(given, thrown) : thrown;
  } finally {
    reportWarnings(given, warnings);
  }
}

function isDone({ status, optional }: InstallPlanStep): boolean {
  return status === 'Created' || status === 'Present' || (optional === true && status === 'NotCreated');
}

function isDue({ status }: InstallPlanStep): boolean {
  return status === 'Unknown' || status === 'NotPresent' || status === 'WaitingForApi';
}

type StepError = TransientError | TerminalError | WaitingError;

/** Whether the error is one of the step, not a defect of this program. */
function isStepError(thrown: unknown): thrown is StepError {
  return thrown instanceof TransientError || thrown instanceof TerminalError || thrown instanceof WaitingError;
}

/** One step after it was tried, and why it failed. */
interface Attempt {
  readonly step: InstallPlanStep;
  readonly error?: StepError;
}

async function attempt(given: StepRun, read: ManifestReader): Promise<Attempt> {
  const { run, step, signal } = given;
  try {
    if (!isDue(step)) throw invalidStep(step, `its status is ${step.status}`);
    return { step: { ...step, status: await applyStep(given, read) } };
  } catch (thrown) {
    signal.throwIfAborted();
    if (!isStepError(thrown)) throw thrown;
    const failed = { ...step, status: failedStatus(step, thrown) };
    if (step.optional !== true || thrown instanceof WaitingError) return { step: failed, error: thrown };
    run.context.log.info({ step: step.resource.name, why: errorMessage(thrown) }, 'optional step not applied');
    return { step: failed };
  }
}

function clientOf({ context: { kube }, account }: PlanRun, namespace: string): KubeClient {
  return account === undefined ? kube : kube.actingAs(serviceAccountUser({ namespace, name: account }));
}

/** Lanes of a stage that are worked on at a time: an API server has other clients, too. */
const parallelLanes = 4;

/** Applies the steps of a lane in their order until one fails; the index of that, with its error. */
async function applyLane(
  steps: InstallPlanStep[],
  lane: readonly number[],
  apply: (step: InstallPlanStep) => Promise<Attempt>,
): Promise<readonly [number, StepError] | undefined> {
  for (const index of lane) {
    const step = steps[index];
    if (step === undefined || isDone(step)) continue;
    const result = await apply(step);
    steps[index] = result.step;
    if (result.error !== undefined) return [index, result.error];
  }
  return undefined;
}

/** Applies the steps in their order until one fails. */
async function applySteps(run: PlanRun, signal: AbortSignal): Promise<Pass> {
  const namespace = planOf(run).metadata.namespace ?? '';
  const kube = clientOf(run, namespace);
  const { bundleLookups: lookups } = statusOf(run);
  const read = createManifestReader({ contents: run.context.contents, namespace, lookups, signal });
  const write = { fieldManager: olmFieldManager, signal };
  const steps = [...(statusOf(run).plan ?? [])];
  const apply = (step: InstallPlanStep): Promise<Attempt> =>
    attempt({ run, step, namespace, kube, write, signal }, read);
  for (const stage of stagesOf(steps)) {
    const results = await mapLimit(stage, parallelLanes, (lane) => applyLane(steps, lane, apply));
    const failures = results.filter((result) => result !== undefined);
    const [first] = failures.toSorted(([a], [b]) => a - b);
    if (first !== undefined) return { steps, error: first[1] };
  }
  return { steps: steps.map((step) => withKnownApi(run, step)), error: undefined };
}

/** A definition may have been established while further steps were applied. */
function withKnownApi({ context }: PlanRun, step: InstallPlanStep): InstallPlanStep {
  const isServed = step.status === 'WaitingForApi' && isKnownEstablished(context, step.resource.name);
  return isServed ? { ...step, status: 'Created' } : step;
}

function failedStatus(step: InstallPlanStep, thrown: unknown): InstallPlanStepStatus {
  if (isInvalidStep(thrown) && stepKindOf(step) === undefined) return 'UnsupportedResource';
  if (step.optional === true && !(thrown instanceof WaitingError)) return 'NotCreated';
  return step.status as InstallPlanStepStatus;
}

/** A step failed: it is retried until the timeout; what is not allowed may be allowed later.
 *  @see docs/spec/olm-v0.md#install-plans */
function reportError(run: PlanRun, thrown: StepError): void {
  const { clock, settings } = run.context;
  const text = errorMessage(thrown);
  if (thrown instanceof WaitingError) {
    setPhase(run, 'Installing', text);
    requeueAfter(run, thrown.afterMs);
    return;
  }
  const sinceMs = Math.max(0, clock.now() - Date.parse(statusOf(run).startTime ?? ''));
  const isLate = sinceMs >= settings.retryTimeoutMs;
  if (isInvalidStep(thrown) || (isLate && !isForbidden(thrown))) {
    setFailed(run, 'InstallComponentFailed', text);
    return;
  }
  setPhase(run, 'Installing', `retrying execution due to error: ${text}`);
  if (isLate) requeueAfter(run, retryMs.afterTimeout);
  else requeueAfter(run, Math.min(sinceMs < soonMs ? retryMs.soon : retryMs.later, settings.retryTimeoutMs - sinceMs));
}

/** Applies the steps that are due, and sets what the plan has come to. What is applied twice, after a restart, changes nothing.
 *  @throws anything that is a defect */
export async function executePlan(run: PlanRun, signal: AbortSignal): Promise<void> {
  const { clock } = run.context;
  if (statusOf(run).startTime === undefined) {
    setStatus(run, { startTime: formatTimestamp(clock.now()) });
    // A process that is killed at some step must not give the plan more time.
    await run.status.flush(run, signal);
  }
  const { steps, error } = await applySteps(run, signal);
  setStatus(run, { plan: steps.map((step) => ({ ...step, resource: { ...step.resource } })) });
  if (error !== undefined) {
    reportError(run, error);
    return;
  }
  if (!steps.every(isDone)) {
    requeueAfter(run, apiPollMs);
    return;
  }
  setPhase(run, 'Complete');
  setInstalled(run, { status: 'True' });
}
