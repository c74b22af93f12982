import type { ClusterServiceVersionPhase, ClusterServiceVersionReason } from '../../api/index.ts';
import { type Decision, firstOf, move, type Row } from './decision.ts';
import type { FailedFacts, InstallCheck, InstallingFacts, ReplacingFacts, SucceededFacts } from './facts.ts';
import { checkInstall } from './install-check.ts';
import { installReadyRows } from './rows-before-install.ts';

const unknownDeployment = ({ check }: { readonly check: InstallCheck | undefined }): Decision | undefined =>
  check === undefined ? move('Pending', 'NeedsReinstall', 'calculated deployment install is bad') : undefined;

interface Checked {
  readonly check: InstallCheck | undefined;
}

function checked(
  phase: ClusterServiceVersionPhase,
  reason: ClusterServiceVersionReason,
): (facts: Checked) => Decision | undefined {
  return ({ check }) => (check === undefined ? undefined : checkInstall(check, { phase, reason }));
}

const checkInstalling = checked('Installing', 'InstallWaiting');

function isInstalling(decision: Decision | undefined): boolean {
  return decision?.kind === 'Stay' || (decision?.kind === 'Move' && decision.phase === 'Installing');
}

/** Rows T15 to T17, of Installing.
 *  @see docs/spec/olm-v0.md#state-machine */
export const installingRows: readonly Row<InstallingFacts>[] = [
  { id: 'T15', decide: unknownDeployment },
  {
    id: 'T17',
    decide: (facts) =>
      facts.remainingMs === 0 && isInstalling(checkInstalling(facts))
        ? move('Failed', 'InstallCheckFailed', 'install timeout')
        : undefined,
  },
  {
    id: 'T16',
    decide: (facts) => {
      const decision = checkInstalling(facts);
      if (decision === undefined || decision.kind === 'Delete' || !isInstalling(decision)) return decision;
      return { ...decision, afterMs: Math.min(facts.remainingMs, decision.afterMs ?? facts.remainingMs) };
    },
  },
];

/** A change that nothing is known of yet takes away no Pod: whether an operator is unhealthy shows once the change was observed. */
function untilObserved(check: InstallCheck | undefined): InstallCheck | undefined {
  const isUnobserved = check?.strategy.state === 'Waiting' && check.strategy.isUnobserved === true;
  return isUnobserved ? { ...check, strategy: { state: 'Healthy' } } : check;
}

const checkSucceeded = checked('Failed', 'ComponentUnhealthy');

/** Rows T18 to T25, of Succeeded. */
export const succeededRows: readonly Row<SucceededFacts>[] = [
  {
    id: 'T18',
    decide: ({ replacement }) =>
      replacement === undefined
        ? undefined
        : move('Replacing', 'BeingReplaced', `being replaced by csv: ${replacement}`),
  },
  {
    id: 'T19',
    decide: ({ servingProblem }) =>
      servingProblem === undefined ? undefined : move('Failed', 'APIServiceResourceIssue', servingProblem.message),
  },
  {
    id: 'T20',
    decide: ({ areCertificatesDue }) =>
      areCertificatesDue
        ? move('Pending', 'NeedsCertRotation', 'CSV owns resources that require a cert refresh')
        : undefined,
  },
  {
    id: 'T21',
    decide: ({ requirements }) =>
      requirements.state === 'Invalid'
        ? move('Failed', 'InvalidInstallStrategy', `install strategy invalid: ${requirements.message}`)
        : undefined,
  },
  {
    id: 'T22',
    decide: ({ requirements }) =>
      requirements.state === 'Unmet' ? move('Failed', 'RequirementsNotMet', 'requirements no longer met') : undefined,
  },
  { id: 'T23', decide: unknownDeployment },
  { id: 'T24–T25', decide: ({ check }) => checkSucceeded({ check: untilObserved(check) }) },
];

const tenancyReasons: readonly string[] = [
  'NoTargetNamespaces',
  'NoOperatorGroup',
  'TooManyOperatorGroups',
  'UnsupportedOperatorGroup',
];

/** The row of a reason that a passed check of the tenancy refutes. */
function releasedFrom(id: string, reasons: readonly string[], message: string): Row<FailedFacts> {
  return {
    id,
    decide: ({ reason }) => (reasons.includes(reason) ? move('Pending', 'RequirementsUnknown', message) : undefined),
  };
}

const stay: Decision = { kind: 'Stay' };

/** Rows T26 to T35 and T41, of Failed, after a passed check of the tenancy. A failure whose cause persists stays as it is: rows without a number in
 *  the specification, which forbids its loops. */
export const failedRows: readonly Row<FailedFacts>[] = [
  {
    id: 'T26',
    decide: ({ isFailForward, replacement }) => {
      if (!isFailForward || replacement === undefined) return undefined;
      const message = `Fail Forward is enabled, allowing Failed csv to be replaced by csv: ${replacement}`;
      return move('Replacing', 'BeingReplaced', message);
    },
  },
  {
    id: 'T41',
    decide: ({ reason, retry }) => {
      if (reason !== 'InstallComponentFailedNoRetry' || retry === undefined) return undefined;
      if (retry.state === 'Forbidden') return stay;
      return move('Pending', 'DetectedClusterChange', 'Cluster resources changed state');
    },
  },
  releasedFrom('T27', tenancyReasons, 'InstallModes now support target namespaces'),
  releasedFrom(
    'T28',
    ['InterOperatorGroupOwnerConflict'],
    'OperatorGroup no longer intersecting with conflicting owner',
  ),
  releasedFrom(
    'T29',
    ['CannotModifyStaticOperatorGroupProvidedAPIs'],
    'static OperatorGroup and intersecting groups now support providedAPIs',
  ),
  {
    id: 'T30',
    decide: ({ requirements }) =>
      requirements.state === 'Invalid'
        ? move('Failed', 'InvalidInstallStrategy', `install strategy invalid: ${requirements.message}`)
        : undefined,
  },
  {
    id: 'T31',
    decide: ({ requirements }) =>
      requirements.state === 'Unmet' ? move('Pending', 'RequirementsNotMet', 'requirements not met') : undefined,
  },
  {
    id: 'webhooks still invalid',
    decide: ({ reason, webhookFault }) =>
      reason === 'InvalidWebhookDescription' && webhookFault !== undefined
        ? move('Failed', 'InvalidWebhookDescription', webhookFault)
        : undefined,
  },
  {
    id: 'owner still in conflict',
    decide: ({ reason, hasForeignDefinition, foreignApiService }) =>
      reason === 'OwnerConflict' && (hasForeignDefinition || foreignApiService !== undefined) ? stay : undefined,
  },
  {
    id: 'still not installed',
    decide: ({ reason, retry }) =>
      reason === 'InstallComponentFailed' && retry !== undefined && retry.state !== 'Done'
        ? firstOf(installReadyRows, retry).decision
        : undefined,
  },
  {
    id: 'T32',
    decide: ({ servingProblem }) => {
      if (servingProblem === undefined) return undefined;
      if (!servingProblem.isActionable) return stay;
      return move('Pending', 'APIServiceResourcesNeedReinstall', servingProblem.message);
    },
  },
  {
    id: 'T33',
    decide: ({ areCertificatesDue }) =>
      areCertificatesDue ? move('Pending', 'NeedsCertRotation', 'owned APIServices need cert refresh') : undefined,
  },
  { id: 'T34', decide: unknownDeployment },
  { id: 'T35', decide: checked('Pending', 'NeedsReinstall') },
];

/** Rows T36 to T39, of Replacing. */
export const replacingRows: readonly Row<ReplacingFacts>[] = [
  { id: 'T36', decide: ({ isReplacedPresent }) => (isReplacedPresent ? stay : undefined) },
  {
    id: 'T37',
    decide: ({ isReplacementInstalled }) =>
      isReplacementInstalled
        ? move(
            'Deleting',
            'Replaced',
            'has been replaced by a newer ClusterServiceVersion that has successfully installed.',
          )
        : undefined,
  },
  { id: 'T38', decide: ({ hasReplacement }) => (hasReplacement ? stay : undefined) },
  {
    id: 'T39',
    decide: () => ({ kind: 'Stay', problem: 'marked as replacement, but no replacement CSV found in cluster' }),
  },
];
