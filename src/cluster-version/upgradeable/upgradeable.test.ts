import { describe, expect, test } from 'vitest';
import type { ClusterOperator, ClusterVersion } from '../../api/index.ts';
import { type UpgradeableFacts, upgradeableCondition, upgradeRisks } from './upgradeable.ts';

function clusterVersion(
  version: string,
  { isUpdating = false, hasOverride = false }: { readonly isUpdating?: boolean; readonly hasOverride?: boolean } = {},
): ClusterVersion {
  const override = { kind: 'Deployment', group: 'apps', namespace: 'a', name: 'b' };
  const progressing = { type: 'Progressing', lastTransitionTime: '2026-03-01T10:00:00Z' };
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterVersion',
    metadata: { name: 'version' },
    spec: { clusterID: '', overrides: [{ ...override, unmanaged: hasOverride }] },
    status: {
      desired: { version },
      observedGeneration: 1,
      versionHash: '',
      availableUpdates: null,
      conditions: [{ ...progressing, status: isUpdating ? 'True' : 'False' }],
    },
  };
}

const operator = (name: string, status: string): ClusterOperator => ({
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterOperator',
  metadata: { name },
  spec: {},
  status: {
    conditions: [
      { type: 'Upgradeable', status, lastTransitionTime: '2026-03-01T10:00:00Z', message: `${name} must be migrated.` },
    ],
  },
});

const bare: UpgradeableFacts = {
  clusterVersion: clusterVersion('4.14.3'),
  deletions: [],
  gates: { data: undefined },
  acks: { data: undefined },
  operators: [],
};
const conditionOf = (facts: Partial<UpgradeableFacts>): unknown =>
  upgradeableCondition(upgradeRisks({ ...bare, ...facts }));

test('nothing is against an update: there is no condition', () => {
  const operators = [operator('dns', 'True'), operator('etcd', 'Unknown')];
  expect(conditionOf({ operators })).toBeUndefined();
});

test.each<[string, Partial<UpgradeableFacts>, string, string]>([
  [
    'an update runs',
    { clusterVersion: clusterVersion('4.14.3', { isUpdating: true }) },
    'ClusterVersionUpdating',
    'An update is already in progress and the details are in the Progressing condition.',
  ],
  [
    'CV-78: an object is not managed',
    { clusterVersion: clusterVersion('4.14.3', { hasOverride: true }) },
    'ClusterVersionOverrides',
    'Disabling ownership via cluster version overrides prevents updates between minor or major versions. Please remove overrides before requesting a minor or major version update.',
  ],
  [
    'CV-76: deletions are pending',
    { deletions: ['deployment "b/c"', 'configmap "a"'] },
    'ResourceDeletionInProgress',
    'Cluster minor or major version upgrades are not allowed while resource deletions are in progress; resources=configmap "a",deployment "b/c"',
  ],
  [
    'CV-24: an operator is not upgradeable; its name is no reason',
    { operators: [operator('dns', 'False')] },
    'RiskNameNotCompatibleWithReasonProperty',
    'dns must be migrated.',
  ],
])('one reason: %s', (_, ...[facts, reason, message]) => {
  expect(conditionOf(facts)).toEqual({ status: 'False', reason, message });
});

test('several reasons are listed in order', () => {
  const facts = {
    clusterVersion: clusterVersion('4.14.3', { isUpdating: true, hasOverride: true }),
    gates: { data: { 'ack-4.14-b': 'Second gate.', 'ack-4.14-a': 'First gate.' } },
    operators: [operator('dns', 'False'), operator('apps', 'False')],
    deletions: ['configmap "a"'],
  };
  const condition = upgradeableCondition(upgradeRisks({ ...bare, ...facts }));
  expect(condition?.reason).toBe('MultipleReasons');
  expect(condition?.message.split('\n').map((line) => line.slice(0, 40))).toEqual([
    'Cluster should not be upgraded between m',
    '* An update is already in progress and t',
    '* Disabling ownership via cluster versio',
    '* Cluster minor or major version upgrade',
    '* First gate.',
    '* Second gate.',
    '* apps must be migrated.',
    '* dns must be migrated.',
  ]);
});

describe('CV-101: administrators acknowledge gates', () => {
  const gates = { data: { 'ack-4.14-kube-1.27-api-removals': 'APIs are removed. See <link>.' } };
  const names = (facts: Partial<UpgradeableFacts>): string[] =>
    upgradeRisks({ ...bare, gates, ...facts }).map(({ name, message }) => `${name}: ${message}`);
  const open = 'AdminAck-ack-4.14-kube-1.27-api-removals: APIs are removed. See <link>.';

  test.each<[string, Partial<UpgradeableFacts>, readonly string[]]>([
    ['without a ConfigMap of acknowledgements', {}, [open]],
    ['not acknowledged', { acks: { data: {} } }, [open]],
    ['with another value', { acks: { data: { 'ack-4.14-kube-1.27-api-removals': 'yes' } } }, [open]],
    ['acknowledged', { acks: { data: { 'ack-4.14-kube-1.27-api-removals': 'true' } } }, []],
    ['of another version', { clusterVersion: clusterVersion('4.13.9') }, []],
    [
      'of any major version',
      { clusterVersion: clusterVersion('10.2.0'), gates: { data: { 'ack-10.2-x': 'X.' } } },
      ['AdminAck-ack-10.2-x: X.'],
    ],
    [
      'without a text, which cannot be acknowledged',
      { gates: { data: { 'ack-4.14-x': '' } }, acks: { data: { 'ack-4.14-x': 'true' } } },
      ['AdminAck-ack-4.14-x: admin-gates configmap gate ack-4.14-x must contain a non-empty value.'],
    ],
    [
      'with another name, which cannot be acknowledged',
      { gates: { data: { 'wrong-name': 'X.' } }, acks: { data: { 'wrong-name': 'true' } } },
      [
        'AdminAck-wrong-name: admin-gates configmap gate "wrong-name" is invalid: admin-gates configmap gate name wrong-name has invalid format; must comply with "^ack-([0-9]+[.][0-9]+)-[^-]"',
      ],
    ],
    [
      'that cannot be read',
      { gates: { problem: 'no answer' } },
      ['AdminAckUnknown: Failed to retrieve ConfigMap admin-gates from namespace openshift-config-managed: no answer'],
    ],
    [
      'whose acknowledgements cannot be read',
      { acks: { problem: 'no answer' } },
      ['AdminAckUnknown: Failed to retrieve ConfigMap admin-acks from namespace openshift-config: no answer'],
    ],
    [
      'of a cluster without a version',
      { clusterVersion: clusterVersion('') },
      ['AdminAckUnknown: Failed to parse cluster version to check admin-acks: Version string empty'],
    ],
  ])('a gate %s', (_, facts, expected) => {
    expect(names(facts)).toEqual(expected);
  });

  test('a cluster without gates needs no acknowledgements, whether or not they can be read', () => {
    const facts = { gates: { data: undefined }, acks: { problem: 'no answer' } };
    expect(names(facts)).toEqual([]);
  });
});
