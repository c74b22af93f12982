import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import {
  availableUpdates,
  condition,
  conditionalUpdates,
  conditionsWith,
  entry,
  establish,
  releaseImage as image,
  operator,
  release,
  statusWith,
  type UpdateSituation,
} from './update-situations.ts';
import {
  channelLine,
  defaultUpstream,
  desiredUpdate,
  kube,
  kubeconfigPath,
  openUpgradeCluster,
  ref,
  situation,
  upgrade,
} from './upgrade-cluster.ts';

openUpgradeCluster();

const table = `
Recommended updates:

  VERSION     IMAGE
  4.15.0      ${image('4.15.0')}
  4.14.27     ${image('4.14.27')}
  4.14.5-rc.1 ${image('4.14.5-rc.1')}
  4.14.3      ${image('4.14.3')}
`;

describe('longshore upgrade', () => {
  test('CV-05: lists recommended updates, then those with known issues', async () => {
    await establish(kube, situation('with updates'));
    expect(await upgrade('--include-not-recommended')).toEqual({
      code: 0,
      stderr: '',
      stdout: `Cluster version is 4.14.1

${defaultUpstream}${channelLine}${table}
Updates with known issues:

  Version: 4.15.2
  Image: ${image('4.15.2')}
  Reason: EvaluationFailed
  Message: Could not evaluate exposure to update risk Leak (no answer)
    Leak description: Memory leaks.
    Leak URL: https://example.com/Leak

  Version: 4.14.2
  Image: ${image('4.14.2')}
  Reason: SlowDisks
  Message: Disks may be slow. https://example.com/SlowDisks
`,
    });
  });

  test('CV-06: without the option there is a hint', async () => {
    await establish(kube, situation('with updates'));
    const hint =
      'Additional updates which are not recommended, or where the recommended status is "Unknown", for your cluster configuration are available, to view those re-run the command with --include-not-recommended.\n';
    const { stdout } = await upgrade();
    expect(stdout).toBe(`Cluster version is 4.14.1\n\n${defaultUpstream}${channelLine}${table}\n${hint}`);
    await establish(kube, situation('with known issues alone'));
    expect((await upgrade()).stdout).toContain('Additional updates which are not recommended for your cluster');
  });

  test('CV-07, CV-08: updates are read from the object and from the command in the same form', async () => {
    await establish(kube, situation('with updates'));
    const document = JSON.parse((await upgrade('-o json')).stdout) as JsonObject;
    const status = (await kube.get(ref))['status'] as JsonObject;
    expect(document).toMatchObject({
      availableUpdates: status['availableUpdates'],
      conditionalUpdates: status['conditionalUpdates'],
      channel: 'stable-4.14',
    });
    expect(Object.keys((document['availableUpdates'] as JsonObject[])[0] ?? {}).toSorted()).toEqual([
      'channels',
      'image',
      'url',
      'version',
    ]);
    expect((document['conditionalUpdates'] as JsonObject[])[0]).toMatchObject({
      conditions: [{ type: 'Recommended', status: 'False', reason: 'SlowDisks' }],
      release: { version: '4.14.2' },
      risks: [{ name: 'SlowDisks' }],
    });
  });

  const missing = ['kubectl', 'jq'].filter((program) => spawnSync(program, ['--help']).error !== undefined);
  const why = missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} not installed)`;
  test.skipIf(missing.length > 0)(`CV-07, CV-08: jq finds the updates in what kubectl prints${why}`, async () => {
    await establish(kube, situation('with updates'));
    const queried = async (field: string): Promise<JsonObject[]> => {
      const command = `kubectl --kubeconfig '${kubeconfigPath}' get clusterversion version -o json | jq .status.${field}`;
      return JSON.parse((await promisify(execFile)('sh', ['-c', command])).stdout) as JsonObject[];
    };
    const [first] = await queried('availableUpdates');
    expect(Object.keys(first ?? {})).toEqual(['channels', 'image', 'url', 'version']);
    const risk = { name: 'SlowDisks', url: 'https://example.com/risk' };
    expect(await queried('conditionalUpdates')).toContainEqual(
      expect.objectContaining({
        conditions: [expect.objectContaining({ type: 'Recommended', status: 'False', reason: 'SlowDisks' }) as unknown],
        release: expect.objectContaining({ version: '4.14.2' }) as unknown,
        risks: [expect.objectContaining(risk) as unknown],
      }),
    );
  });

  test('an update that runs, fails and is not accepted is shown with its reasons', async () => {
    await establish(kube, situation('updating, and not accepted'));
    expect((await upgrade()).stdout).toBe(`Failing=True:

  Reason: ClusterOperatorDegraded
  Message: Cluster operator dns is degraded
  for long

info: An upgrade is in progress. Working towards 4.14.2: 12 of 40 done (30% complete)

Upgradeable=False

  Reason: MultipleReasons
  Message: Not now:
  * one
  * two

ReleaseAccepted=False

  Reason: PreconditionChecks
  Message: Preconditions failed:
  many

${defaultUpstream}${channelLine}
Recommended updates:

  VERSION     IMAGE
  4.14.3      ${image('4.14.3')}
`);
  });

  test('updates that are not retrieved are a warning', async () => {
    await establish(kube, situation('updates not refreshed'));
    expect((await upgrade()).stderr).toBe(
      'warning: Cannot refresh available updates:\n  Reason: RemoteFailed\n  Message: no answer\n  at all\n\n',
    );
    await establish(kube, situation('without a channel'));
    expect((await upgrade()).stderr).toContain('warning: Cannot display available updates:\n  Reason: NoChannel\n');
  });

  test('texts of the cluster cannot steer the terminal', async () => {
    await establish(kube, {
      status: statusWith(conditionsWith(condition('Progressing', 'False', '', 'done\u001b[2Jhidden'))),
    });
    expect((await upgrade()).stdout).toContain(String.raw`done\x1b[2Jhidden`);
  });
});

describe('longshore upgrade recommend', () => {
  test('explains updates by minor version', async () => {
    await establish(kube, situation('with updates'));
    expect(
      (await upgrade('recommend')).stdout,
    ).toBe(`Upstream update service is unset, so the cluster will use an appropriate default.
${channelLine}
Updates to 4.15:

  Version: 4.15.2
  Image: ${image('4.15.2')}
  Reason: EvaluationFailed
  Message: Could not evaluate exposure to update risk Leak (no answer)
    Leak description: Memory leaks.
    Leak URL: https://example.com/Leak

  VERSION     ISSUES
  4.15.0      no known issues relevant to this cluster

Updates to 4.14:
  VERSION     ISSUES
  4.14.27     no known issues relevant to this cluster
  4.14.5-rc.1 no known issues relevant to this cluster
And 2 older 4.14 updates you can see with '--show-outdated-releases' or '--version VERSION'.
`);
    expect((await upgrade('recommend --show-outdated-releases')).stdout).toContain('  4.14.2      SlowDisks\n');
  });

  test('an update with an issue has exit status 2 until the issue is accepted', async () => {
    await establish(kube, situation('with updates'));
    const { code, stderr, stdout } = await upgrade('recommend --version 4.14.2');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'longshore: issues that apply to this cluster but which were not included in --accept: ConditionalUpdateRisk\n',
    });
    expect(stdout).toContain('Update to 4.14.2 Recommended=False:\n');
    const accepted = await upgrade('recommend --version 4.14.2 --accept ConditionalUpdateRisk');
    expect(accepted).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Reason: accepted SlowDisks via') as string,
    });
  });

  test('Upgradeable=False is an issue of every other minor version', async () => {
    const conditions = conditionsWith(condition('Upgradeable', 'False', 'AdminAck', 'APIs are removed.'));
    await establish(kube, { status: statusWith({ availableUpdates, conditionalUpdates }, conditions) });
    const document = JSON.parse((await upgrade('recommend -o json')).stdout) as {
      updates: { release: { version: string }; issue: { reason: string } | null }[];
    };
    expect(document.updates.map(({ release: { version }, issue }) => [version, issue?.reason ?? ''])).toEqual([
      ['4.15.2', 'MultipleReasons'],
      ['4.15.0', 'AdminAck'],
      ['4.14.27', ''],
      ['4.14.5-rc.1', ''],
      ['4.14.3', ''],
      ['4.14.2', 'SlowDisks'],
    ]);
  });
});

describe('longshore upgrade channel', () => {
  const channelOf = async (): Promise<unknown> => ((await kube.get(ref))['spec'] as JsonObject)['channel'];
  test.each([
    ['stable-4.14', 0, 'info: Cluster is already in stable-4.14 (no change)', 'stable-4.14'],
    ['fast-4.14', 0, '', 'fast-4.14'],
    [
      'other',
      2,
      'the requested channel "other" is not one of the available channels (candidate-4.14, fast-4.14, stable-4.14), you must pass --allow-explicit-channel to continue',
      'stable-4.14',
    ],
    ['other --allow-explicit-channel', 0, 'You have used --allow-explicit-channel to proceed anyway.', 'other'],
    ['', 2, 'You are requesting to clear the update channel.', 'stable-4.14'],
    ['--allow-explicit-channel', 0, 'cluster will no longer request available update recommendations.', ''],
  ])('"%s" has exit status %i', async (...[args, code, text, expected]) => {
    await establish(kube, situation('idle'));
    const printed = await upgrade(`channel ${args}`);
    expect(printed).toMatchObject({ code });
    expect(printed.stdout + printed.stderr).toContain(text);
    expect(await channelOf()).toBe(expected);
  });
});

describe('longshore upgrade accept', () => {
  test('risks are accepted, and no longer accepted', async () => {
    await establish(kube, situation('idle'));
    expect((await upgrade('accept B,A')).stdout).toBe('info: Accept risks are [A, B]\n');
    expect((await upgrade('accept A')).stdout).toBe('info: Accept risks are not changed\n');
    expect((await upgrade('accept C,A-')).stdout).toBe('info: Accept risks are [B, C]\n');
    expect(await desiredUpdate()).toEqual({ acceptRisks: [{ name: 'B' }, { name: 'C' }] });
    expect((await upgrade('accept --replace D')).stdout).toBe('info: Accept risks are [D]\n');
    expect((await upgrade('accept --clear')).stdout).toBe('info: Accept risks are []\n');
    expect(await desiredUpdate()).toBeUndefined();
  });

  test.each([
    ['A,A-', 'requested risks with both Risk and Risk-: A'],
    ['A,', 'illegal risk ""'],
    ['', 'expected the names of risks, or --clear'],
    ['--clear A', '--clear takes no risks'],
    ['--replace A-', "The suffix '-' on risks is not allowed if --replace is specified"],
  ])('"%s" is wrong usage', async (args, text) => {
    expect(await upgrade(`accept ${args}`)).toEqual({ code: 1, stdout: '', stderr: `longshore: ${text}\n` });
  });
});

describe('longshore upgrade rollback', () => {
  const at = (current: string, ...older: readonly string[]): UpdateSituation => ({
    status: statusWith({
      desired: release(current),
      history: [current, ...older].map((version) => entry(version, 'Completed')),
    }),
  });
  test('returns to the previous patch', async () => {
    await establish(kube, at('4.14.3', '4.14.1', '4.14.0'));
    expect((await upgrade('rollback')).stdout).toBe('Requested rollback from 4.14.3 to 4.14.1\n');
    expect(await desiredUpdate()).toEqual({ version: '4.14.1', image: image('4.14.1') });
  });
  test.each<[UpdateSituation, string]>([
    [at('4.14.3', '4.13.9'), 'but rollbacks that change major or minor versions are not recommended.'],
    [at('4.14.3', '4.14.9'), 'is greater than or equal to current version 4.14.3'],
    [at('4.14.3'), "no previous version found in ClusterVersion's status.history besides the current 4.14.3"],
    [
      {
        status: statusWith(
          { history: [entry('4.14.1', 'Partial'), entry('4.14.0', 'Completed')] },
          conditionsWith(condition('Progressing', 'True', 'R', 'Working towards 4.14.1')),
        ),
      },
      'unable to rollback while an update is Progressing=True: R: Working towards 4.14.1.',
    ],
  ])('%# is not possible', async (given, text) => {
    await establish(kube, given);
    expect(await upgrade('rollback')).toMatchObject({ code: 2, stderr: expect.stringContaining(text) as string });
    expect(await desiredUpdate()).toBeUndefined();
  });
});

describe('longshore upgrade status', () => {
  const started = '2026-03-01T10:00:00Z';
  const fine = [condition('Available', 'True'), condition('Degraded', 'False')];
  const updating: UpdateSituation = {
    status: statusWith(
      {
        desired: release('4.14.3'),
        history: [entry('4.14.3', 'Partial'), entry('4.14.1', 'Completed', started, started)],
      },
      conditionsWith(condition('Progressing', 'True', '', 'Working towards 4.14.3')),
    ),
    operators: [
      operator('etcd', '4.14.3', ...fine, condition('Progressing', 'False')),
      operator('dns', '4.14.1', ...fine, condition('Progressing', 'True', 'Rollout', 'Two of three Pods')),
      operator(
        'apps',
        '4.14.1',
        condition('Available', 'False', 'NoPods', 'No Pods'),
        condition('Progressing', 'False'),
      ),
      operator('auth', '4.14.1', condition('Available', 'True'), condition('Degraded', 'True', 'Keys', 'Old keys')),
    ],
  };

  test('shows operators, what updates, and what is unhealthy', async () => {
    await establish(kube, updating);
    const { stdout } = await upgrade('status --details operators');
    expect(stdout).toMatch(
      /^= Control Plane =\nAssessment: {6}Progressing\nTarget Version: {2}4\.14\.3 \(from 4\.14\.1\)\n/,
    );
    expect(stdout).toContain('Updating:        dns\n');
    expect(stdout).toContain('Completion:      25% (1 operators updated, 1 updating, 1 waiting)\n');
    expect(stdout).toContain('Operator Health: 2 Healthy, 1 Unavailable, 1 Available but degraded\n');
    expect(stdout).toMatch(/\nNAME {3}SINCE {2,}REASON {4}MESSAGE\ndns {4}\S+ {3}Rollout {3}Two of three Pods\n/);
    expect(stdout).toMatch(/Error {3}API Availability {3}Cluster Operator apps is unavailable \(NoPods\)\n/);
    expect(stdout).toMatch(/Error {3}API Availability {3}Cluster Operator auth is degraded \(Keys\)\n/);
  });

  test('shows what the engine waits for, since when, and how far it is', async () => {
    const since = new Date(Date.now() - 125_000).toISOString().replace(/\.\d+/, '');
    const waiting = { object: 'clusteroperator/dns', reason: 'ClusterOperatorUpdating', message: 'Not yet', since };
    const progress = { versionHash: 'a', done: 10, total: 40, level: '50', waitingFor: [waiting] };
    await establish(kube, { ...updating, status: { ...updating.status, progress } });
    const { stdout } = await upgrade('status');
    expect(stdout).toContain(
      `Progress:        [${'#'.repeat(10)}${'-'.repeat(30)}] 10 of 40 manifests, at run level 50\n`,
    );
    expect(stdout).toMatch(/\nclusteroperator\/dns {3}2m\d+s +ClusterOperatorUpdating {3}Not yet\n/);
    const document = JSON.parse((await upgrade('status -o json')).stdout) as JsonObject;
    expect(document).toMatchObject({
      isUpdating: true,
      progress,
      controlPlane: { target: '4.14.3', updated: 1, total: 4, updating: [{ name: 'dns' }] },
      insights: [{}, { summary: 'Cluster Operator auth is degraded (Keys)' }],
    });
  });

  test('a cluster that is not updating reports so', async () => {
    await establish(kube, situation('idle'));
    expect(await upgrade('status')).toEqual({ code: 0, stderr: '', stdout: 'The cluster is not updating.\n' });
  });
});

test('a cluster without a ClusterVersion is explained', async () => {
  await establish(kube, situation('idle'));
  await kube.delete(ref);
  const { code, stderr } = await upgrade();
  expect(code).toBe(4);
  expect(stderr).toContain('the cluster has no ClusterVersion "version"');
});
