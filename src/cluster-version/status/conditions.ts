import type { ConditionChange } from '../../controller/index.ts';
import { summaryOf } from '../failures/summary.ts';
import { multipleFailures, UpdateFailure } from '../failures/update-failure.ts';
import type { OperatorWaits } from './timing.ts';
import { type Waiting, waitingFor } from './waiting.ts';

/** What the conditions of an update are made of. */
export interface UpdateState {
  /** The version, or the image while the version is unknown. */
  readonly version: string;
  readonly isReconciling: boolean;
  /** Whether the release was applied completely since it was requested. */
  readonly isCompleted: boolean;
  readonly done: number;
  readonly total: number;
  readonly failure: UpdateFailure | undefined;
  readonly isInvalid: boolean;
  readonly waits: OperatorWaits;
  readonly nowMs: number;
}

const invalidReason = 'InvalidClusterVersion';
const unknownSlow = 'SlowClusterOperator';

/** The part of a failure that is one, without what is only waited for. */
function failingPart(failure: UpdateFailure): UpdateFailure {
  if (failure.members.length === 0) return failure;
  const failing = failure.members.filter(({ effect }) => effect !== 'None');
  const [first] = failing;
  if (first === undefined || failing.length === failure.members.length) return failure;
  return failing.length === 1 ? first : multipleFailures(failing);
}

/** Several failures that are all only waited for, as one. */
function awaitedPart(failure: UpdateFailure): UpdateFailure {
  const { members } = failure;
  const [first] = members;
  if (first === undefined || members.some(({ effect }) => effect !== 'None')) return failure;
  const names = [...new Set(members.flatMap((member) => member.names))].toSorted();
  return new UpdateFailure(first.reason, first.message, { effect: 'None', names });
}

function counted({ version, done, total }: UpdateState, what: string): string {
  const base = `Working towards ${version}`;
  if (done === 0 || total === 0) return what === '' ? base : `${base}: ${what}`;
  const counts = `${base}: ${done} of ${total} done (${Math.trunc((done / total) * 100)}% complete)`;
  return what === '' ? counts : `${counts}, ${what}`;
}

type Change = Pick<ConditionChange, 'message' | 'reason' | 'status'>;

function failingChange(failure: UpdateFailure | undefined, waiting: Waiting | undefined): Change {
  if (waiting?.isSlow === true) return { status: 'Unknown', reason: unknownSlow, message: waiting.message };
  if (failure === undefined) return { status: 'False', reason: '', message: '' };
  return { status: 'True', reason: failure.reason, message: failure.message };
}

function reconcilingChange({ version, isInvalid }: UpdateState, failure: UpdateFailure | undefined): Change {
  if (failure !== undefined) {
    const message = `Error while reconciling ${version}: ${summaryOf(failure)}`;
    return { status: 'False', reason: failure.reason, message };
  }
  if (!isInvalid) return { status: 'False', reason: '', message: `Cluster version is ${version}` };
  return { status: 'False', reason: invalidReason, message: `Stopped at ${version}: the cluster version is invalid` };
}

function failedText(failure: UpdateFailure, waiting: Waiting | undefined): string {
  if (waiting?.isExceeded === true) return waiting.message;
  return failure.effect === 'Report' ? failure.message : summaryOf(failure);
}

function updatingChange(state: UpdateState, failure: UpdateFailure | undefined, waiting: Waiting | undefined): Change {
  const { version, isInvalid } = state;
  if (failure !== undefined) {
    const message = `Unable to apply ${version}: ${failedText(failure, waiting)}`;
    return { status: 'True', reason: failure.reason, message };
  }
  if (isInvalid) {
    const message = `Reconciling ${version}: the cluster version is invalid`;
    return { status: 'True', reason: invalidReason, message };
  }
  return { status: 'True', reason: waiting?.reason ?? '', message: counted(state, waiting?.message ?? '') };
}

/** Conditions `Available`, `Failing` and `Progressing` of an update. `Available` is left as it is until the release was applied once.
 *  @see docs/spec/cluster-version.md#conditions */
export function updateConditions(state: UpdateState): readonly ConditionChange[] {
  const { failure, isReconciling, waits, nowMs } = state;
  const waiting = failure === undefined || isReconciling ? undefined : waitingFor(awaitedPart(failure), waits, nowMs);
  const isFailure = failure !== undefined && (waiting === undefined || waiting.isExceeded);
  const failed = isFailure ? failure : undefined;
  const failing = failed === undefined || isReconciling ? failed : failingPart(failed);
  const available: ConditionChange[] = state.isCompleted
    ? [{ type: 'Available', status: 'True', reason: '', message: `Done applying ${state.version}` }]
    : [];
  const progressing = isReconciling ? reconcilingChange(state, failed) : updatingChange(state, failed, waiting);
  return [
    ...available,
    { type: 'Failing', ...failingChange(failing, waiting) },
    { type: 'Progressing', ...progressing },
  ];
}
