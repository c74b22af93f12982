import { describe, expect, test } from 'vitest';
import type { ClusterVersion, ClusterVersionSpec, ClusterVersionStatus } from '../../api/index.ts';
import { evaluatePreconditions, summarizePreconditions } from './preconditions.ts';
import type { RuleFacts } from './rules.ts';

const time = '2026-03-01T10:00:00Z';
const image = (version: string): string => `example.com/release@${version}`;
const entry = (version: string, state = 'Completed'): NonNullable<ClusterVersionStatus['history']>[number] => {
  return { state, version, image: image(version), startedTime: time, completionTime: time, verified: false };
};
const condition = (type: string, status: string, ...[reason = '', message = '']: readonly string[]): object => {
  return { type, status, reason, message, lastTransitionTime: time };
};

interface Situation {
  readonly history?: readonly string[];
  /** The newest entry of the history has not finished. */
  readonly isUpdating?: boolean;
  readonly conditions?: readonly object[];
  readonly spec?: Partial<ClusterVersionSpec>;
  readonly status?: Partial<ClusterVersionStatus>;
  readonly changedOverrides?: readonly string[];
}

/** A cluster at `current`, whose updates are all recommended. */
function facts(current: string, desiredVersion: string, situation: Situation = {}): RuleFacts {
  const { history = [current], isUpdating = false, conditions = [], spec, status, changedOverrides } = situation;
  const clusterVersion: ClusterVersion = {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterVersion',
    metadata: { name: 'version' },
    spec: { clusterID: '', channel: 'stable', ...spec },
    status: {
      desired: { version: current, image: image(current) },
      history: history.map((version, index) => entry(version, isUpdating && index === 0 ? 'Partial' : 'Completed')),
      observedGeneration: 1,
      versionHash: '',
      availableUpdates: [{ version: desiredVersion, image: image(desiredVersion) }],
      conditions: conditions as NonNullable<ClusterVersionStatus['conditions']>,
      ...status,
    },
  };
  return { clusterVersion, desiredVersion, changedOverrides };
}
const found = (...args: Parameters<typeof facts>): readonly string[] =>
  evaluatePreconditions(facts(...args)).map(
    ({ name, reason, message, isBlocking }) => `${isBlocking ? 'blocks' : 'warns'} ${name} ${reason}: ${message}`,
  );

describe('CV-97: a rollback', () => {
  const history = ['4.14.9', '4.14.5', '4.14.3'];
  test('to the previous patch is possible', () => {
    expect(found('4.14.9', '4.14.5', { history })).toEqual([]);
  });
  test('to an older patch is not', () => {
    const text = `4.14.3 is less than the current target 4.14.9, and the only supported rollback is to the cluster's previous version 4.14.5 (${image('4.14.5')})`;
    expect(found('4.14.9', '4.14.3', { history })).toEqual([
      `blocks ClusterVersionRollback LowDesiredVersion: ${text}`,
    ]);
  });
  test('to the previous minor is not', () => {
    const text =
      "4.13.9 is less than the current target 4.14.9 and matches the cluster's previous version, but rollbacks that change major or minor versions are not recommended";
    expect(found('4.14.9', '4.13.9', { history: ['4.14.9', '4.13.9'] })).toEqual([
      `blocks ClusterVersionRollback LowDesiredVersion: ${text}`,
    ]);
  });
  test.each([
    ['without a history', ['4.14.9']],
    ['whose previous version is none', ['4.14.9', 'four', '4.14.5']],
  ])('%s is not possible', (_, history) => {
    const text = '4.14.5 is less than the current target 4.14.9, and the cluster has no previous Semantic Version';
    expect(found('4.14.9', '4.14.5', { history })).toEqual([
      `blocks ClusterVersionRollback LowDesiredVersion: ${text}`,
    ]);
  });
});

describe('CV-98: a hop', () => {
  test.each([
    [
      '4.14.0',
      '4.16.0',
      'MultipleMinorVersionsUpdate: 4.16.0 is more than one minor version beyond the current target 4.14.0 (4.16 > 4.(14+1)), and only updates within the current minor version or to the next minor version are supported.',
    ],
    [
      '4.14.0',
      '6.0.0',
      'MajorVersionUpdate: 6.0.0 has a larger major version than the current target 4.14.0 (6 > 4), and only updates within the current major version are supported.',
    ],
    [
      '4.14.0',
      '5.1.0',
      'MajorVersionUpdate: 5.1.0 has a larger major version than the current target 4.14.0 (5 > 4), and only updates within the current major version or to 5.0 are supported.',
    ],
  ])('from %s to %s is refused', (current, target, text) => {
    expect(found(current, target)).toEqual([`blocks ClusterVersionGiantHop ${text}`]);
  });
  test.each([
    ['4.14.0', '4.15.0'],
    ['4.14.0', '5.0.0'],
    ['4.14.0', '4.14.9'],
    ['4.14.0', '4.14.0'],
  ])('from %s to %s is none', (current, target) => {
    expect(found(current, target)).toEqual([]);
  });
});

const notUpgradeable = condition('Upgradeable', 'False', 'Migration', 'dns must be migrated.');

describe('CV-24: Upgradeable=False', () => {
  test('blocks a minor update, in its own words', () => {
    expect(found('4.14.0', '4.15.0', { conditions: [notUpgradeable] })).toEqual([
      'blocks ClusterVersionUpgradeable Migration: dns must be migrated.',
    ]);
  });
  test('does not block a patch', () => {
    expect(found('4.14.0', '4.14.1', { conditions: [notUpgradeable] })).toEqual([]);
  });
  test.each(['True', 'Unknown'])('the status %s blocks nothing', (status) => {
    expect(found('4.14.0', '4.15.0', { conditions: [condition('Upgradeable', status)] })).toEqual([]);
  });
});

describe('CV-78: overrides', () => {
  const override = { kind: 'Deployment', group: 'apps', namespace: 'a', name: 'b', unmanaged: true };
  const reason = 'ClusterVersionOverrides';
  const situation = {
    conditions: [condition('Upgradeable', 'False', reason, 'Overridden.')],
    spec: { overrides: [override] },
  };
  const text = (target: string): string =>
    `warns ClusterVersionUpgradeable ClusterVersionOverridesSet: Retarget from 4.14.0 to ${target} is not blocked by ClusterVersionOverridesSet. But the cluster-version operator is not managing these resources; they are currently the responsibility of the agent that set the overrides: Disabling ownership via cluster version overrides prevents upgrades between minor or major versions. Please remove overrides before requesting a minor or major version update.`;
  test('block a minor update, and are a warning about a patch', () => {
    expect(found('4.14.0', '4.15.0', situation)).toEqual([`blocks ClusterVersionUpgradeable ${reason}: Overridden.`]);
    expect(found('4.14.0', '4.14.1', situation)).toEqual([text('4.14.1')]);
  });
  test('do not block a minor update that leaves the overridden objects as they are', () => {
    expect(found('4.14.0', '4.15.0', { ...situation, changedOverrides: [] })).toEqual([text('4.15.0')]);
    expect(found('4.14.0', '4.15.0', { ...situation, changedOverrides: ['deployment "a/b"'] })).toHaveLength(1);
    const several = { ...situation, conditions: [condition('Upgradeable', 'False', 'MultipleReasons', 'Two.')] };
    expect(found('4.14.0', '4.15.0', { ...several, changedOverrides: [] })).toEqual([
      'blocks ClusterVersionUpgradeable MultipleReasons: Two.',
    ]);
  });
});

test('CV-99: a patch while a minor update runs is a warning', () => {
  const situation = {
    history: ['4.15.0', '4.14.9'],
    isUpdating: true,
    conditions: [condition('Upgradeable', 'False', 'ClusterVersionUpdating'), condition('Progressing', 'True')],
  };
  expect(found('4.15.0', '4.15.1', situation)).toEqual([
    'warns ClusterVersionUpgradeable MinorVersionClusterUpdateInProgress: Retarget to 4.15.1 while a minor version update from 4.14.9 to 4.15.0 is in progress',
  ]);
});

describe('CV-100: an update that is not known to be recommended is a warning', () => {
  const way = 'from 4.14.0 to 4.14.1';
  const unknown = `so the recommended status of updating ${way} is unknown.`;
  const release = { version: '4.14.1', image: image('4.14.1') };
  const conditional = (...conditions: readonly object[]): object[] => [{ release, risks: [], conditions }];
  const cases: readonly [string, Situation, string | undefined][] = [
    ['no channel', { spec: { channel: '' } }, `NoChannel: Configured channel is unset, ${unknown}`],
    ['nothing retrieved', {}, `UnknownUpdate: No RetrievedUpdates, ${unknown}`],
    [
      'retrieved without it',
      { conditions: [condition('RetrievedUpdates', 'True', 'AsExpected')] },
      `UnknownUpdate: RetrievedUpdates=True (AsExpected), so the update ${way} is probably neither recommended nor supported.`,
    ],
    [
      'not retrieved',
      { conditions: [condition('RetrievedUpdates', 'False', 'RemoteFailed')] },
      `UnknownUpdate: RetrievedUpdates=False (RemoteFailed), ${unknown}`,
    ],
  ];
  const risky: readonly [string, readonly object[], string | undefined][] = [
    [
      'a risk applies',
      conditional(condition('Recommended', 'False', 'Slow', 'Disks may be slow. https://example.com')),
      `Slow: Update ${way} is not recommended:\n\nDisks may be slow. https://example.com`,
    ],
    [
      'a risk cannot be evaluated',
      conditional(condition('Recommended', 'Unknown', 'EvaluationFailed', 'no answer')),
      `EvaluationFailed: Update ${way} is Recommended=Unknown: EvaluationFailed: no answer`,
    ],
    ['no risk applies', conditional(condition('Recommended', 'True', 'NotExposedToRisks')), undefined],
    [
      'no condition',
      conditional(),
      `UnknownConditionType: Update ${way} has a status.conditionalUpdates entry, but no Recommended condition.`,
    ],
  ];
  const asStatus = (updates: readonly object[]): Situation => ({
    status: { conditionalUpdates: updates as NonNullable<ClusterVersionStatus['conditionalUpdates']> },
  });
  const all = [...cases, ...risky.map(([name, updates, text]) => [name, asStatus(updates), text] as const)];
  test.each(all)('%s', (_, situation, text) => {
    const status = { ...situation.status, availableUpdates: null };
    const expected = text === undefined ? [] : [`warns ClusterVersionRecommendedUpdate ${text}`];
    expect(found('4.14.0', '4.14.1', { ...situation, status })).toEqual(expected);
  });
});

test('a version that is none blocks as the target, and is a warning as the current one', () => {
  expect(found('four', '4.14.1')).toEqual([
    'warns ClusterVersionRollback InvalidCurrentVersion: No Major.Minor.Patch elements found',
    'warns ClusterVersionGiantHop InvalidCurrentVersion: No Major.Minor.Patch elements found',
  ]);
  expect(found('4.14.0', 'four', { conditions: [notUpgradeable] })).toEqual([
    'blocks ClusterVersionRollback InvalidDesiredVersion: No Major.Minor.Patch elements found',
    'blocks ClusterVersionGiantHop InvalidDesiredVersion: No Major.Minor.Patch elements found',
    'blocks ClusterVersionUpgradeable InvalidDesiredVersion: No Major.Minor.Patch elements found',
  ]);
});

describe('the summary', () => {
  const one = { name: 'A', reason: 'R', message: 'M.', isBlocking: true };
  const other = { name: 'B', reason: 'S', message: 'N.', isBlocking: false };
  const text = 'Precondition "A" failed because of "R": M.';
  const both = `Multiple precondition checks failed:\n* ${text}\n* Precondition "B" failed because of "S": N.`;
  test.each([
    ['nothing', [], false, { isBlocking: false, message: '' }],
    ['one that blocks', [one], false, { isBlocking: true, message: text }],
    ['several', [one, other], false, { isBlocking: true, message: both }],
    ['a warning', [other], false, { isBlocking: false, message: 'Precondition "B" failed because of "S": N.' }],
    ['CV-60: forced', [one, other], true, { isBlocking: false, message: `Forced through blocking failures: ${both}` }],
    ['a forced warning', [other], true, { isBlocking: false, message: 'Precondition "B" failed because of "S": N.' }],
  ])('%s', (_, ...[findings, isForced, expected]) => {
    expect(summarizePreconditions(findings, isForced)).toEqual(expected);
  });
});
