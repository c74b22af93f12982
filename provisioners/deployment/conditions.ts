import {
  type Bundle,
  type HasValidBundleReason,
  type HealthyReason,
  type InstalledReason,
  type ObjectsKeptReason,
  type PausedReason,
  pausedAnnotation,
  type RemovingReason,
  type TestedReason,
} from '../../src/api/index.ts';
import type { WorkFailure } from '../../src/controller/index.ts';
import type { Condition } from '../../src/kube/index.ts';
import { outlookOf } from '../fetches.ts';

interface Change<Type extends string, Reason extends string> {
  readonly type: Type;
  readonly status: Condition['status'];
  readonly reason: Reason;
  readonly message: string;
  /** Of another generation than the one that is looked at. */
  readonly observedGeneration?: number;
  /** About something new: its time begins now, though its status be the same. */
  readonly isFresh?: boolean;
}

/** A condition of the Bundle that the template asks for. */
export type BundleChange = Change<'HasValidBundle', HasValidBundleReason>;

/** A condition of the installed objects. */
export type HealthChange = Change<'Healthy', HealthyReason>;

/** A condition as it is to be from now on. */
export type ConditionChange =
  | BundleChange
  | Change<'Installed', InstalledReason>
  | HealthChange
  | Change<'Paused', PausedReason>
  | Change<'ObjectsKept', ObjectsKeptReason>
  | Change<'Removing', RemovingReason>
  | Change<'Tested', TestedReason>;

const nothingKept: ConditionChange = { type: 'ObjectsKept', status: 'False', reason: 'NothingKept', message: '' };

/** The first condition of each type. */
const atFirst: readonly ConditionChange[] = [
  { type: 'HasValidBundle', status: 'Unknown', reason: 'BundleUnknown', message: 'No Bundle has been looked for yet' },
  { type: 'Installed', status: 'Unknown', reason: 'InstallPending', message: 'Nothing has been installed yet' },
  {
    type: 'Healthy',
    status: 'Unknown',
    reason: 'InstallationStatusUnknown',
    message: 'Nothing has been installed yet',
  },
  { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' },
  nothingKept,
  { type: 'Removing', status: 'False', reason: 'NotRemoved', message: '' },
];

/** `changes`, after the first conditions of the types that `before` lacks. */
export function withMissing(
  before: readonly Condition[],
  changes: readonly ConditionChange[],
): readonly ConditionChange[] {
  return [...atFirst.filter(({ type }) => !before.some((condition) => condition.type === type)), ...changes];
}

/** Set with every `Installed=False`. */
export const notInstalled: ConditionChange = {
  type: 'Healthy',
  status: 'False',
  reason: 'InstallationStatusFalse',
  message: 'Installed condition is false',
};

/** Whether the deployment is paused, and which certificates are `overdue` for that. */
export function pausedCondition(isPaused: boolean, overdue?: string): ConditionChange {
  if (!isPaused) return { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' };
  const message = `Nothing is installed, changed or corrected while the annotation ${pausedAnnotation} is "true"`;
  if (overdue === undefined) return { type: 'Paused', status: 'True', reason: 'Paused', message };
  const warning = `${message}, and certificates of webhooks are not renewed: ${overdue}. Take the annotation off before that`;
  return { type: 'Paused', status: 'True', reason: 'CertificatesOverdue', message: warning };
}

/** The template names a class that no provisioner serves. */
function unservedCondition({ metadata, status }: Bundle): BundleChange | undefined {
  const unserved = status?.conditions?.find(({ reason }) => reason === 'NoProvisioner');
  if (unserved === undefined) return undefined;
  const message = `The ${metadata.name} Bundle is not unpacked: ${unserved.message}`;
  return { type: 'HasValidBundle', status: 'Unknown', reason: 'NoProvisioner', message };
}

/** What the Bundle's own status means for the deployment. */
export function bundleCondition(bundle: Bundle): BundleChange {
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
  return (
    unservedCondition(bundle) ?? {
      type,
      status: 'True',
      reason: 'UnpackPending',
      message: `Waiting for the ${name} Bundle to be unpacked`,
    }
  );
}

/** While content that had to give way or was damaged is fetched again: the Bundle is as good as it was, and so is what was installed. */
export function refetchCondition(bundleName: string, failure: WorkFailure | undefined): BundleChange {
  const why = failure === undefined ? '' : `: ${failure.error.message} (${outlookOf(failure)})`;
  const message = `Successfully unpacked the ${bundleName} Bundle; its content is no longer stored and is fetched again${why}`;
  return { type: 'HasValidBundle', status: 'True', reason: 'UnpackSuccessful', message };
}

const maxHealthLines = 10;

/** The health of the installed objects, with a line for each that is not healthy: the first ten are shown. */
export function healthCondition(lines: readonly string[]): HealthChange {
  const type = 'Healthy';
  if (lines.length === 0) return { type, status: 'True', reason: 'Healthy', message: 'BundleDeployment is healthy' };
  const more = lines.length > maxHealthLines ? [`and ${lines.length - maxHealthLines} more`] : [];
  const message = [...lines.slice(0, maxHealthLines), ...more].join('\n');
  return { type, status: 'False', reason: 'Unhealthy', message };
}

/** What the last pivot did not delete, and why; another reconcile of the same version (not a pivot) retains the condition. */
export function keptConditions(kept: readonly string[], isPivot: boolean): readonly ConditionChange[] {
  if (kept.length === 0) return isPivot ? [nothingKept] : [];
  return [{ type: 'ObjectsKept', status: 'True', reason: 'CrdInUse', message: kept.join('\n') }];
}
