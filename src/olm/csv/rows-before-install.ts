import { type Decision, type Move, move, type Row } from './decision.ts';
import type { InstallResult, PendingFacts, RequirementsResult } from './facts.ts';

const invalidStrategy = (requirements: RequirementsResult): Move | undefined =>
  requirements.state === 'Invalid'
    ? move('Failed', 'InvalidInstallStrategy', `install strategy invalid: ${requirements.message}`)
    : undefined;

/** Rows T2 to T10, of Pending.
 *  @see docs/spec/olm-v0.md#state-machine */
export const pendingRows: readonly Row<PendingFacts>[] = [
  {
    id: 'T2',
    decide: ({ gate }) =>
      gate === undefined
        ? undefined
        : move('Pending', 'OperatorConditionNotUpgradeable', `operator is not upgradeable: ${gate}`),
  },
  { id: 'T3', decide: ({ requirements }) => invalidStrategy(requirements) },
  {
    id: 'T4 not yet',
    decide: ({ requirements, graceMs }) =>
      requirements.state === 'Unmet' && graceMs > 0 ? { kind: 'Stay', afterMs: graceMs } : undefined,
  },
  {
    id: 'T4',
    decide: ({ requirements }) =>
      requirements.state === 'Unmet'
        ? move('Pending', 'RequirementsNotMet', "one or more requirements couldn't be found")
        : undefined,
  },
  {
    id: 'T5–T6',
    decide: ({ webhookFault }) =>
      webhookFault === undefined ? undefined : move('Failed', 'InvalidWebhookDescription', webhookFault),
  },
  {
    id: 'T7',
    decide: ({ hasForeignDefinition }) =>
      hasForeignDefinition ? move('Failed', 'OwnerConflict', 'conflicting CRD owner in namespace') : undefined,
  },
  {
    id: 'T8',
    decide: ({ foreignApiService }) =>
      foreignApiService === undefined ? undefined : move('Failed', 'OwnerConflict', 'unable to adopt APIService'),
  },
  { id: 'T9', decide: ({ isAwaitingReplaced }) => (isAwaitingReplaced ? { kind: 'Stay' } : undefined) },
  {
    id: 'T10',
    decide: () => move('InstallReady', 'AllRequirementsMet', 'all requirements found, attempting install'),
  },
];

const prefix = 'install strategy failed: ';

/** Rows T12 to T14, of InstallReady, after the attempt to install. */
export const installReadyRows: readonly Row<InstallResult>[] = [
  {
    id: 'T12',
    decide: (result) =>
      result.state === 'Forbidden'
        ? move('Failed', 'InstallComponentFailedNoRetry', `${prefix}${result.message}`)
        : undefined,
  },
  {
    id: 'T13',
    decide: (result) =>
      result.state === 'Failed' ? move('Failed', 'InstallComponentFailed', `${prefix}${result.message}`) : undefined,
  },
  {
    id: 'T14',
    decide: () => move('Installing', 'InstallSucceeded', 'waiting for install components to report healthy'),
  },
];

/** Row T1. */
export const firstDecision: Decision = move('Pending', 'RequirementsUnknown', 'requirements not yet checked');
