import { helmProvisionerClass } from '../api/index.ts';
import { type JsonObject, objectAt, textAt } from '../base/index.ts';
import { type Condition, conditionsOf, type KubeObject } from '../kube/index.ts';
import type { Installation, InstallationStep, StatusWord } from './contract/index.ts';
import { adviceOfDeployment } from './deployment-advice.ts';
import { deploymentFacts } from './deployment-facts.ts';
import { firstLine, identityOf } from './installation.ts';

const stepTitles = [
  ['HasValidBundle', 'Unpacked'],
  ['Installed', 'Installed'],
  ['Healthy', 'Healthy'],
] as const;

/** Reasons of conditions that are not True while nothing has failed. */
const waitingReasons: ReadonlySet<string> = new Set(['DependenciesNotMet', 'InstallationStatusFalse']);
const runningReasons: ReadonlySet<string> = new Set([
  'UnpackPending',
  'BundleUnknown',
  'InstallPending',
  'InstallationStatusUnknown',
  'HookRunning',
]);
/** Objects that are not ready yet, as `Healthy` names them; any other word means that something is wrong. */
const startingLine = /^\([^)]*\)\([^)]*\): object InProgress: |^and \d+ more$/;

function stateOf({ type, status, reason, message }: Condition): InstallationStep['state'] {
  if (reason === 'UnpackPending' || runningReasons.has(reason)) return 'running';
  if (status === 'True') return 'done';
  if (waitingReasons.has(reason)) return 'waiting';
  const isStarting = type === 'Healthy' && message.split('\n').every((line) => startingLine.test(line));
  if (isStarting || status === 'Unknown') return 'running';
  return 'failed';
}

/** What is done, where the condition has no better words. */
function doneText(type: string, object: KubeObject): string {
  const { source, version } = deploymentFacts(object);
  if (type === 'HasValidBundle') return source;
  return type === 'Installed' ? `version ${version === '' ? 'unknown' : version}` : 'all objects are healthy';
}

/** What the Bundle that is being unpacked reports: a fetch that fails is repeated, and the deployment only waits for it. */
function unpackingStep(step: InstallationStep, name: string, bundle: UnpackingBundle | undefined): InstallationStep {
  if (step.reason !== 'UnpackPending' || bundle === undefined || bundle.message === '') return step;
  const isStuck = bundle.phase === 'Failing' || /^Back-off\b/.test(bundle.message);
  if (!isStuck) return { ...step, text: bundle.message };
  return { ...step, state: 'waiting', text: bundle.message, advice: adviceOfDeployment(name, 'UnpackFailed') };
}

function stepOf([type, title]: (typeof stepTitles)[number], object: KubeObject, isReached: boolean): InstallationStep {
  const condition = conditionsOf(object).find((one) => one.type === type);
  if (condition === undefined || (!isReached && condition.status !== 'True')) {
    return { title, state: isReached ? 'running' : 'idle', reason: '', text: '', since: '', advice: [] };
  }
  const { reason, message, lastTransitionTime: since } = condition;
  const state = stateOf(condition);
  const text = state === 'done' ? doneText(type, object) : message;
  const advice =
    state === 'failed' || state === 'waiting' ? adviceOfDeployment(object.metadata.name ?? '', reason) : [];
  return { title, state, reason, text, since, advice };
}

function stepsOf(object: KubeObject, bundle: UnpackingBundle | undefined): readonly InstallationStep[] {
  let isReached = true;
  return stepTitles.map((row) => {
    const step = unpackingStep(stepOf(row, object, isReached), object.metadata.name ?? '', bundle);
    if (step.state !== 'done') isReached = false;
    return step;
  });
}

const wordByState: Readonly<Record<InstallationStep['state'], StatusWord>> = {
  done: 'Healthy',
  running: 'Progressing',
  waiting: 'Waiting',
  failed: 'Failed',
  idle: 'Unknown',
};

/** A version is installed, and what is wrong came after. */
function isDegraded(object: KubeObject, step: InstallationStep): boolean {
  return step.title === 'Healthy' || deploymentFacts(object).version !== '';
}

interface Standing {
  readonly status: StatusWord;
  readonly message: string;
  readonly advice: readonly string[];
}

/** It is not reconciled, whatever its other conditions. */
function stoppedStanding(object: KubeObject): Standing | undefined {
  const conditions = conditionsOf(object);
  const name = object.metadata.name ?? '';
  if (object.metadata.deletionTimestamp !== undefined) {
    const removing = conditions.find(({ type }) => type === 'Removing');
    const advice = removing?.reason === 'RemovalFailed' ? adviceOfDeployment(name, 'RemovalFailed') : [];
    return { status: 'Deleting', message: removing?.message ?? 'it is being deleted', advice };
  }
  const unserved = conditions.find(({ reason }) => reason === 'NoProvisioner');
  if (unserved !== undefined) {
    return { status: 'Failed', message: unserved.message, advice: adviceOfDeployment(name, 'NoProvisioner') };
  }
  const paused = conditions.find(({ type, status }) => type === 'Paused' && status === 'True');
  return paused && { status: 'Paused', message: paused.message, advice: adviceOfDeployment(name, paused.reason) };
}

function standingOf(object: KubeObject, steps: readonly InstallationStep[]): Standing {
  const stopped = stoppedStanding(object);
  if (stopped !== undefined) return stopped;
  const open = steps.find(({ state }) => state !== 'done');
  if (open === undefined) return { status: 'Healthy', message: '', advice: [] };
  const word = wordByState[open.state];
  const status = word === 'Failed' && isDegraded(object, open) ? 'Degraded' : word;
  const text = open.text === '' ? 'no provisioner has reconciled it yet' : firstLine(open.text);
  return { status, message: open.reason === '' ? text : `${open.reason}: ${text}`, advice: open.advice };
}

function classOf(object: KubeObject): string {
  const spec = objectAt(object as unknown as JsonObject, 'spec');
  return textAt(spec, 'provisionerClassName');
}

/** What a Bundle reports of its content. */
export interface UnpackingBundle {
  readonly phase: string;
  readonly message: string;
}

/** What a Bundle reports of its content. */
export function unpackingOf(bundle: KubeObject): UnpackingBundle {
  const unpacked = conditionsOf(bundle).find(({ type }) => type === 'Unpacked');
  return {
    phase: textAt(objectAt(bundle as unknown as JsonObject, 'status'), 'phase'),
    message: unpacked?.message ?? '',
  };
}

/** A BundleDeployment as an installation.
 *  @param bundle its Bundle that is not unpacked, if there is one */
export function installationOfDeployment(object: KubeObject, bundle?: UnpackingBundle): Installation {
  const { version, source } = deploymentFacts(object);
  const steps = stepsOf(object, bundle);
  const standing = standingOf(object, steps);
  const needsUser = ['Failed', 'Degraded', 'Waiting'].includes(standing.status);
  const type = classOf(object) === helmProvisionerClass ? 'Chart' : 'Bundle';
  return {
    ...identityOf(object),
    type,
    version,
    available: '',
    source,
    ...standing,
    needsUser,
    steps,
    pendingPlan: '',
    pendingBundles: [],
  };
}
