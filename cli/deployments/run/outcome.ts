import { type JsonObject, objectAt, textAt } from '../../../src/base/index.ts';
import { type Condition, conditionsOf, type KubeObject } from '../../../src/kube/index.ts';

/** How far an installation is. `failed` is tried again by the cluster, and may still end well. */
export type Outcome =
  | { readonly state: 'installed'; readonly bundle: string; readonly version: string | undefined }
  | { readonly state: 'waiting'; readonly text: string }
  | { readonly state: 'failed'; readonly text: string; readonly isFinal: boolean };

/** Reasons of `Installed=False` for which something else has to happen first. */
const waitingReasons: ReadonlySet<string> = new Set(['DependenciesNotMet']);

function failed({ type, status, reason, message }: Condition, isFinal = false): Outcome {
  return { state: 'failed', text: `${type}=${status} (${reason}): ${message}`, isFinal };
}

function textOf({ reason, message }: Condition): string {
  return message === '' ? reason : message;
}

function bundleOutcome(condition: Condition | undefined, isUpload: boolean): Outcome | undefined {
  if (condition === undefined) return { state: 'waiting', text: 'waiting for the Bundle' };
  const { status, reason } = condition;
  // The content of an upload stays what it is, and so does what is wrong with it.
  if (status === 'False') return failed(condition, isUpload && reason === 'UnpackFailed');
  if (reason === 'ReconcileFailed') return failed(condition);
  return reason === 'UnpackSuccessful' ? undefined : { state: 'waiting', text: textOf(condition) };
}

function installedOutcome(condition: Condition | undefined): Outcome | undefined {
  if (condition?.status === 'True') return undefined;
  if (condition?.status !== 'False') return { state: 'waiting', text: 'installing' };
  return waitingReasons.has(condition.reason) ? { state: 'waiting', text: textOf(condition) } : failed(condition);
}

function healthOutcome(condition: Condition | undefined): Outcome | undefined {
  if (condition?.status === 'True') return undefined;
  return {
    state: 'waiting',
    text: condition === undefined ? 'waiting for health' : `not healthy yet: ${condition.message}`,
  };
}

interface Status {
  readonly activeBundle?: string;
  readonly activeVersion?: string;
}

function isUploaded(object: KubeObject): boolean {
  return textAt(objectAt(object as unknown as JsonObject, 'spec', 'template', 'spec', 'source'), 'type') === 'upload';
}

/** Why nothing is done for it at all. */
function refusal(object: KubeObject, conditions: readonly Condition[]): Outcome | undefined {
  if (object.metadata.deletionTimestamp !== undefined) {
    return { state: 'failed', text: 'it is being deleted', isFinal: true };
  }
  const stopped = conditions.find(
    ({ type, status, reason }) => (type === 'Paused' && status === 'True') || reason === 'NoProvisioner',
  );
  return stopped === undefined ? undefined : failed(stopped, stopped.type === 'Paused');
}

/** Reads the conditions of a BundleDeployment that speak of `generation`, the one that was applied. */
export function outcomeOf(object: KubeObject, generation: number): Outcome {
  const conditions = conditionsOf(object).filter(({ observedGeneration = 0 }) => observedGeneration >= generation);
  const find = (type: string): Condition | undefined => conditions.find((condition) => condition.type === type);
  const open =
    refusal(object, conditions) ??
    bundleOutcome(find('HasValidBundle'), isUploaded(object)) ??
    installedOutcome(find('Installed')) ??
    healthOutcome(find('Healthy'));
  if (open !== undefined) return open;
  const { activeBundle = '', activeVersion } = (object['status'] ?? {}) as Status;
  return { state: 'installed', bundle: activeBundle, version: activeVersion };
}

/** Reasons of `Progressing` that only a change of the ClusterExtension ends. */
const finalReasons: ReadonlySet<string> = new Set(['Blocked', 'InvalidConfiguration', 'ProgressDeadlineExceeded']);

/** The same of a ClusterExtension that is to have a version installed. */
export function extensionOutcome(object: KubeObject, generation: number, version: string): Outcome {
  if (object.metadata.deletionTimestamp !== undefined)
    return { state: 'failed', text: 'it is being deleted', isFinal: true };
  const progressing = conditionsOf(object).find(({ type }) => type === 'Progressing');
  if (progressing === undefined || (progressing.observedGeneration ?? 0) < generation)
    return { state: 'waiting', text: 'waiting for its controller' };
  const { reason } = progressing;
  if (reason === 'Retrying' || finalReasons.has(reason)) return failed(progressing, finalReasons.has(reason));
  const bundle = objectAt(object as JsonObject, 'status', 'install', 'bundle');
  if (reason === 'Succeeded' && textAt(bundle, 'version') === version)
    return { state: 'installed', bundle: textAt(bundle, 'name'), version };
  return { state: 'waiting', text: textOf(progressing) };
}
