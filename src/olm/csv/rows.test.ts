import { describe, expect, test } from 'vitest';
import { type Decision, firstOf } from './decision.ts';
import type { FailedFacts, InstallCheck, PendingFacts, ReplacingFacts, SucceededFacts } from './facts.ts';
import { checkInstall } from './install-check.ts';
import { failedRows, installingRows, replacingRows, succeededRows } from './rows-after-install.ts';
import { firstDecision, installReadyRows, pendingRows } from './rows-before-install.ts';

function textOf(decision: Decision): string {
  if (decision.kind === 'Delete') return 'deleted';
  if (decision.kind === 'Stay') return decision.problem ?? 'stays';
  return `${decision.phase}/${decision.reason}: ${decision.message}`;
}

const healthy = { state: 'Healthy' } as const;
const check: InstallCheck = { strategy: healthy, apiServices: healthy, webhooks: healthy };
const waiting: InstallCheck = { ...check, strategy: { state: 'Waiting', message: 'w' } };
const unobserved: InstallCheck = { ...check, strategy: { state: 'Waiting', message: 'w', isUnobserved: true } };
const outdated: InstallCheck = { ...check, strategy: { state: 'Outdated', message: 'o' } };
const met = { state: 'Met' } as const;
const unmet = { state: 'Unmet' } as const;
const invalid = { state: 'Invalid', message: 'm' } as const;

test('T1', () => {
  expect(textOf(firstDecision)).toBe('Pending/RequirementsUnknown: requirements not yet checked');
});

const pending: PendingFacts = {
  gate: undefined,
  requirements: met,
  webhookFault: undefined,
  hasForeignDefinition: false,
  foreignApiService: undefined,
  isAwaitingReplaced: false,
  graceMs: 0,
};

test.each<[string, Partial<PendingFacts>, string]>([
  [
    'T2',
    { gate: 'no', requirements: unmet },
    'Pending/OperatorConditionNotUpgradeable: operator is not upgradeable: no',
  ],
  ['T3', { requirements: invalid }, 'Failed/InvalidInstallStrategy: install strategy invalid: m'],
  ['T4 not yet', { requirements: unmet, graceMs: 1000 }, 'stays'],
  ['T4', { requirements: unmet }, "Pending/RequirementsNotMet: one or more requirements couldn't be found"],
  ['T5–T6', { webhookFault: 'w' }, 'Failed/InvalidWebhookDescription: w'],
  ['T7', { hasForeignDefinition: true }, 'Failed/OwnerConflict: conflicting CRD owner in namespace'],
  ['T8', { foreignApiService: 'v1.x' }, 'Failed/OwnerConflict: unable to adopt APIService'],
  ['T9', { isAwaitingReplaced: true }, 'stays'],
  ['T10', {}, 'InstallReady/AllRequirementsMet: all requirements found, attempting install'],
])('%s', (id, facts, expected) => {
  const applied = firstOf(pendingRows, { ...pending, ...facts });
  expect([applied.id, textOf(applied.decision)]).toEqual([id, expected]);
});

test.each([
  ['T12', 'Forbidden', 'Failed/InstallComponentFailedNoRetry: install strategy failed: m'],
  ['T13', 'Failed', 'Failed/InstallComponentFailed: install strategy failed: m'],
  ['T14', 'Done', 'Installing/InstallSucceeded: waiting for install components to report healthy'],
] as const)('%s', (id, state, expected) => {
  const applied = firstOf(installReadyRows, { state, message: 'm' });
  expect([applied.id, textOf(applied.decision)]).toEqual([id, expected]);
});

test.each<[string, Partial<InstallCheck>, string]>([
  ['I1', {}, 'Succeeded/InstallSucceeded: install strategy completed with no errors'],
  ['I2', { isServerUnavailable: true, webhooks: { state: 'NotInstalled' } }, 'the API server is not available'],
  ['I3', { strategy: { state: 'Unrecoverable', message: 'm' } }, 'Failed/InstallCheckFailed: install failed: m'],
  ['I4', { apiServices: { state: 'Disrupted' } }, 'stays'],
  [
    'I5',
    { apiServices: { state: 'Failed', message: 'm' } },
    'Failed/APIServiceInstallFailed: APIService install failed: m',
  ],
  ['I6', { apiServices: { state: 'NotInstalled' } }, 'Failed/ComponentUnhealthy: apiServices not installed'],
  ['I7', { webhooks: { state: 'Failed', message: 'm' } }, 'InstallReady/ComponentUnhealthy: Webhook install failed: m'],
  ['I8', { webhooks: { state: 'NotInstalled' } }, 'Failed/ComponentUnhealthy: webhooks not installed'],
  ['I9', outdated, 'InstallReady/ComponentUnhealthy: installing: o'],
  ['I10', waiting, 'Failed/ComponentUnhealthy: installing: w'],
])('%s', (_, facts, expected) => {
  const decision = checkInstall({ ...check, ...facts }, { phase: 'Failed', reason: 'ComponentUnhealthy' });
  expect(textOf(decision)).toBe(expected);
});

test.each([
  {
    id: 'T15',
    found: undefined,
    remainingMs: 0,
    expected: 'Pending/NeedsReinstall: calculated deployment install is bad',
  },
  { id: 'T16', found: waiting, remainingMs: 1000, expected: 'Installing/InstallWaiting: installing: w' },
  {
    id: 'T16',
    found: check,
    remainingMs: 0,
    expected: 'Succeeded/InstallSucceeded: install strategy completed with no errors',
  },
  { id: 'T16', found: outdated, remainingMs: 0, expected: 'InstallReady/InstallWaiting: installing: o' },
  { id: 'T17', found: waiting, remainingMs: 0, expected: 'Failed/InstallCheckFailed: install timeout' },
])('$id: $expected', ({ id, found, remainingMs, expected }) => {
  const applied = firstOf(installingRows, { check: found, remainingMs });
  expect([applied.id, textOf(applied.decision)]).toEqual([id, expected]);
});

test('T17: what is waited for is checked again when the time is up', () => {
  expect(firstOf(installingRows, { check: waiting, remainingMs: 1000 }).decision).toMatchObject({ afterMs: 1000 });
});

const succeeded: SucceededFacts = {
  replacement: undefined,
  servingProblem: undefined,
  areCertificatesDue: false,
  requirements: met,
  check,
};

test.each<[string, Partial<SucceededFacts>, string]>([
  ['T18', { replacement: 'boat.v2', requirements: unmet }, 'Replacing/BeingReplaced: being replaced by csv: boat.v2'],
  ['T19', { servingProblem: { message: 'm' } }, 'Failed/APIServiceResourceIssue: m'],
  ['T20', { areCertificatesDue: true }, 'Pending/NeedsCertRotation: CSV owns resources that require a cert refresh'],
  ['T21', { requirements: invalid }, 'Failed/InvalidInstallStrategy: install strategy invalid: m'],
  ['T22', { requirements: unmet }, 'Failed/RequirementsNotMet: requirements no longer met'],
  ['T23', { check: undefined }, 'Pending/NeedsReinstall: calculated deployment install is bad'],
  ['T24–T25', { check: waiting }, 'Failed/ComponentUnhealthy: installing: w'],
  ['T24–T25', { check: unobserved }, 'Succeeded/InstallSucceeded: install strategy completed with no errors'],
  ['T24–T25', {}, 'Succeeded/InstallSucceeded: install strategy completed with no errors'],
])('%s: case %#', (id, facts, expected) => {
  const applied = firstOf(succeededRows, { ...succeeded, ...facts });
  expect([applied.id, textOf(applied.decision)]).toEqual([id, expected]);
});

const failed: FailedFacts = {
  ...succeeded,
  reason: 'ComponentUnhealthy',
  isFailForward: false,
  servingProblem: undefined,
  webhookFault: undefined,
  hasForeignDefinition: false,
  foreignApiService: undefined,
  retry: undefined,
};
const released = 'Pending/RequirementsUnknown: InstallModes now support target namespaces';

describe('Failed', () => {
  test.each<[string, Partial<FailedFacts>, string]>([
    [
      'T26',
      { isFailForward: true, replacement: 'boat.v2' },
      'Replacing/BeingReplaced: Fail Forward is enabled, allowing Failed csv to be replaced by csv: boat.v2',
    ],
    [
      'T41',
      { reason: 'InstallComponentFailedNoRetry', retry: { state: 'Done' } },
      'Pending/DetectedClusterChange: Cluster resources changed state',
    ],
    ['T41', { reason: 'InstallComponentFailedNoRetry', retry: { state: 'Forbidden', message: 'm' } }, 'stays'],
    ['T27', { reason: 'NoTargetNamespaces' }, released],
    ['T27', { reason: 'NoOperatorGroup' }, released],
    ['T27', { reason: 'TooManyOperatorGroups' }, released],
    ['T27', { reason: 'UnsupportedOperatorGroup' }, released],
    [
      'T28',
      { reason: 'InterOperatorGroupOwnerConflict' },
      'Pending/RequirementsUnknown: OperatorGroup no longer intersecting with conflicting owner',
    ],
    [
      'T29',
      { reason: 'CannotModifyStaticOperatorGroupProvidedAPIs' },
      'Pending/RequirementsUnknown: static OperatorGroup and intersecting groups now support providedAPIs',
    ],
    ['T30', { requirements: invalid }, 'Failed/InvalidInstallStrategy: install strategy invalid: m'],
    ['T31', { requirements: unmet }, 'Pending/RequirementsNotMet: requirements not met'],
    ['T32', { servingProblem: { message: 'm', isActionable: true } }, 'Pending/APIServiceResourcesNeedReinstall: m'],
    ['T32', { servingProblem: { message: 'm', isActionable: false }, check: waiting }, 'stays'],
    ['T33', { areCertificatesDue: true }, 'Pending/NeedsCertRotation: owned APIServices need cert refresh'],
    ['T34', { check: undefined }, 'Pending/NeedsReinstall: calculated deployment install is bad'],
    ['T35', { check: waiting }, 'Pending/NeedsReinstall: installing: w'],
    ['T35', { check: outdated }, 'InstallReady/NeedsReinstall: installing: o'],
    ['T35', {}, 'Succeeded/InstallSucceeded: install strategy completed with no errors'],
  ])('%s: case %#', (id, facts, expected) => {
    const applied = firstOf(failedRows, { ...failed, ...facts });
    expect([applied.id, textOf(applied.decision)]).toEqual([id, expected]);
  });

  test.each<[string, Partial<FailedFacts>, string]>([
    [
      'invalid webhooks',
      { reason: 'InvalidWebhookDescription', webhookFault: 'w', areCertificatesDue: true },
      'Failed/InvalidWebhookDescription: w',
    ],
    ['a definition of another one', { reason: 'OwnerConflict', hasForeignDefinition: true }, 'stays'],
    ['a foreign APIService', { reason: 'OwnerConflict', foreignApiService: 'v1.x' }, 'stays'],
    [
      'an install that fails again',
      { reason: 'InstallComponentFailed', retry: { state: 'Failed', message: 'again' } },
      'Failed/InstallComponentFailed: install strategy failed: again',
    ],
  ])('%s: no loop while the cause persists', (_, facts, expected) => {
    const { decision } = firstOf(failedRows, { ...failed, check: waiting, ...facts });
    expect(textOf(decision)).toBe(expected);
  });
});

test.each<[string, Partial<ReplacingFacts>, string]>([
  ['T36', { isReplacedPresent: true, isReplacementInstalled: true }, 'stays'],
  [
    'T37',
    { isReplacementInstalled: true },
    'Deleting/Replaced: has been replaced by a newer ClusterServiceVersion that has successfully installed.',
  ],
  ['T38', {}, 'stays'],
  ['T39', { hasReplacement: false }, 'marked as replacement, but no replacement CSV found in cluster'],
])('%s', (id, facts, expected) => {
  const all = { isReplacedPresent: false, hasReplacement: true, isReplacementInstalled: false };
  const applied = firstOf(replacingRows, { ...all, ...facts });
  expect([applied.id, textOf(applied.decision)]).toEqual([id, expected]);
});
