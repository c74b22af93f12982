import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { writeFolder } from './program.ts';
import {
  availableUpdates,
  condition,
  conditionsWith,
  entry,
  establish,
  releaseImage as image,
  release,
  statusWith,
} from './update-situations.ts';
import { desiredUpdate, kube, openUpgradeCluster, ref, situation, upgrade } from './upgrade-cluster.ts';

openUpgradeCluster();

describe('a request', () => {
  const requests: readonly [string, string, string, JsonObject][] = [
    ['--to 4.14.3', 'Requested update to 4.14.3', 'CV-18', { version: '4.14.3', image: image('4.14.3') }],
    ['--to-latest', 'Requested update to 4.15.0', 'the highest', { version: '4.15.0', image: image('4.15.0') }],
    [
      `--to-image ${image('4.14.3').replace('registry', 'mirror')}`,
      'Requested update to 4.14.3',
      'an image of a mirror',
      { version: '4.14.3', image: image('4.14.3').replace('registry', 'mirror') },
    ],
    [
      '--to 4.14.2 --allow-not-recommended',
      'Requested update to 4.14.2',
      'with a risk',
      { version: '4.14.2', image: image('4.14.2') },
    ],
    [
      `--to-image ${image('9.0.0')} --allow-explicit-upgrade`,
      `Requested update to release image ${image('9.0.0')}`,
      'any image',
      { image: image('9.0.0') },
    ],
    [
      '--to-multi-arch',
      'Requested update to multi cluster architecture',
      'other architectures',
      { version: '4.14.1', architecture: 'Multi' },
    ],
    [
      '--to 4.14.3 --force',
      'Requested update to 4.14.3',
      'forced',
      { version: '4.14.3', image: image('4.14.3'), force: true },
    ],
  ];
  test.each(requests)('%s: %s (%s)', async (...[args, text, , expected]) => {
    await establish(kube, situation('with updates'));
    expect(await upgrade(args)).toMatchObject({ code: 0, stdout: `${text}\n` });
    expect(await desiredUpdate()).toEqual(expected);
  });

  const refused: readonly [string, string, number, string][] = [
    ['with updates', '--to x', 1, '--to must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): '],
    ['with updates', '--to 4.14.3 --to-image x', 1, 'only one of --to or --to-image may be provided'],
    ['with updates', '--to 4.14.3 --to-latest', 1, '--to-latest may not be used with --to or --to-image'],
    ['with updates', '--clear --to 4.14.3', 1, '--clear may not be specified with any other flags'],
    ['with updates', '--to-image a.example.com/x:y', 1, '--to-image must be a by-digest pull spec, unless --force'],
    ['with updates', '--wait', 1, '--wait needs an update: expected --to, '],
    ['with updates', 'extra', 1, 'unexpected argument "extra"'],
    [
      'with updates',
      '--to 4.14.2',
      2,
      'the update 4.14.2 is not one of the recommended updates, but is available as a conditional update. To accept the Recommended=False risk and to proceed with update use --allow-not-recommended.\n  Reason: SlowDisks\n  Message: Disks may be slow. https://example.com/SlowDisks',
    ],
    [
      'with updates',
      '--to 9.9.9',
      2,
      'the update is not one of the possible targets: 4.15.0, 4.14.27, 4.14.5-rc.1, 4.14.3. specify --to-image to continue with the update.',
    ],
    [
      'idle',
      '--to 4.14.2',
      2,
      'no recommended updates, specify --to-image to continue with the update or wait for new updates to be available.',
    ],
    [
      'without a channel',
      '--to 4.14.2',
      2,
      'cannot refresh available updates:\n  Reason: NoChannel\n  Message: The update channel has not been configured.\n\nspecify --to-image to continue with the update.',
    ],
    [
      'updating, and not accepted',
      '--to 4.14.3',
      2,
      'the cluster is experiencing an error reconciling "4.14.1":\n\n  Reason: ClusterOperatorDegraded\n  Message: Cluster operator dns is degraded\n  for long\n\nthe cluster is already upgrading:\n\n  Reason: \n  Message: Working towards 4.14.2: 12 of 40 done (30% complete)\n\nIf you want to upgrade anyway, use --allow-upgrade-with-warnings.',
    ],
    ['invalid', '--to 4.14.3', 2, 'the cluster version object is invalid, you must correct the invalid state first:'],
  ];
  test.each(refused)('%s: %s has exit status %i', async (...[name, args, code, text]) => {
    await establish(kube, situation(name));
    const printed = await upgrade(args);
    expect(printed).toMatchObject({ code });
    expect(printed.stderr).toContain(text);
    expect(await desiredUpdate()).toBeUndefined();
  });

  test('a cluster that fails is updated with --allow-upgrade-with-warnings', async () => {
    await establish(kube, situation('updating, and not accepted'));
    const { code, stderr } = await upgrade('--to 4.14.3 --allow-upgrade-with-warnings');
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is bypassing: the cluster is') as string,
    });
  });

  test('what is there already needs no request', async () => {
    await establish(kube, situation('idle'));
    expect((await upgrade('--to 4.14.1')).stdout).toBe('info: Cluster is already at version 4.14.1\n');
    expect((await upgrade('--to-latest')).stdout).toBe(
      'info: Cluster is already at the latest available version 4.14.1\n',
    );
    expect((await upgrade('--clear')).stdout).toBe('info: No update in progress\n');
  });

  test('a request is withdrawn, and accepted risks stay', async () => {
    await establish(kube, { ...situation('with updates'), spec: { desiredUpdate: { acceptRisks: [{ name: 'A' }] } } });
    await upgrade('--to 4.14.3');
    expect(await desiredUpdate()).toMatchObject({ version: '4.14.3', acceptRisks: [{ name: 'A' }] });
    expect((await upgrade('--clear')).stdout).toBe('Cancelled requested upgrade to 4.14.3\n');
    expect(await desiredUpdate()).toEqual({ acceptRisks: [{ name: 'A' }] });
  });

  test.each(['client', 'server'])('--dry-run %s changes nothing, and shows what the release changes', async (kind) => {
    await establish(kube, situation('with updates'));
    await using places = await releasePlaces();
    const { stdout, stderr, code } = await upgrade(`--to 4.14.3 --dry-run ${kind} ${places.options}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [request = '', summary = ''] = stdout.split('\n');
    expect([request, summary]).toEqual([
      `Requested update to 4.14.3 (${kind} dry run)`,
      '4.14.1 -> 4.14.3: 0 images, 3 objects',
    ]);
    expect(stdout).toContain('ConfigMap quay/changed');
    expect(stdout).toMatch(/\n- +value: old\n\+ +value: new\n/);
    expect(stdout).toMatch(/\n\+ +name: added\n/);
    expect(stdout).toMatch(/\n- +name: removed\n/);
    expect(stdout).not.toContain('other-profile');
    expect(await desiredUpdate()).toBeUndefined();
  });

  test('--dry-run goes on without a release that cannot be read', async () => {
    await establish(kube, situation('with updates'));
    const place = `${image('4.14.1')}=/nonexistent/release`;
    const { code, stdout, stderr } = await upgrade(`--to 4.14.3 --dry-run server --release-image ${place}`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Requested update to 4.14.3 (server dry run)\n' });
    expect(stderr).toMatch(/^warning: Cannot show the objects that the update changes: .*\/nonexistent\/release/);
    const multi = await upgrade('--to-multi-arch --dry-run client');
    expect(multi).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the image of the release is not known') as string,
    });
    expect(await upgrade('--to 4.14.3 --dry-run client --release-image x')).toMatchObject({
      code: 1,
      stderr: 'longshore: --release-image x: expected IMAGE=PLACE\n',
    });
  });
});

const manifest = (name: string, value: string, profile = 'self-managed-high-availability'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: quay\n  annotations: {include.release.openshift.io/${profile}: "true"}\ndata:\n  value: ${value}\n`;

/** The releases 4.14.1 and 4.14.3 in folders, and the options that name them. */
async function releasePlaces(): Promise<AsyncDisposable & { readonly options: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-upgrade-releases-'));
  const files = (version: string, own: Readonly<Record<string, string>>): Record<string, string> => ({
    'manifests/0000_00_engine_1.yaml': manifest('engine', 'same'),
    'release-manifests/release-metadata': JSON.stringify({ kind: 'cincinnati-metadata-v0', version }),
    'release-manifests/image-references': JSON.stringify({
      kind: 'ImageStream',
      metadata: { name: version },
      spec: { tags: [] },
    }),
    'release-manifests/0000_50_p_3.yaml': manifest('other-profile', version, 'other'),
    ...own,
  });
  const changed = 'release-manifests/0000_50_a_1.yaml';
  await writeFolder(
    join(dir, 'old'),
    files('4.14.1', {
      [changed]: manifest('changed', 'old'),
      'release-manifests/0000_50_a_2.yaml': manifest('removed', 'x'),
    }),
  );
  await writeFolder(
    join(dir, 'new'),
    files('4.14.3', {
      [changed]: manifest('changed', 'new'),
      'release-manifests/0000_50_a_3.yaml': manifest('added', 'x'),
    }),
  );
  const options = `--release-image ${image('4.14.1')}=${join(dir, 'old')} --release-image ${image('4.14.3')}=${join(dir, 'new')}`;
  return { options, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

/** Plays the engine: writes the status once the request is there. */
async function report(status: JsonObject): Promise<void> {
  for (;;) {
    const object = await kube.get(ref);
    if ((object['spec'] as JsonObject)['desiredUpdate'] !== undefined) {
      const observed = { ...status, observedGeneration: object.metadata.generation ?? 0 };
      await kube.update({ ...object, status: observed } as never, { fieldManager: 'test', subresource: 'status' });
      return;
    }
  }
}

describe('--wait', () => {
  const times = ['2026-03-01T10:00:00Z', '2026-03-01T10:30:00Z'] as const;
  test('ends when the release is completed', async () => {
    await establish(kube, situation('with updates'));
    const reported = report(
      statusWith({ desired: release('4.14.3'), history: [entry('4.14.3', 'Completed', ...times)] }),
    );
    const { code, stdout } = await upgrade('--to 4.14.3 --wait');
    await reported;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Requested update to 4.14.3\nCluster version is 4.14.3\n' });
  });

  test('a release that the cluster rejects has exit status 3', async () => {
    await establish(kube, situation('with updates'));
    const reported = report(
      statusWith(conditionsWith(condition('ReleaseAccepted', 'False', 'RetrievePayload', 'Retrieving failed'))),
    );
    const printed = await upgrade('--to 4.14.3 --wait');
    await reported;
    expect(printed).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('ReleaseAccepted=False: RetrievePayload: Retrieving failed') as string,
    });
  });

  test('a rejection of before is not taken for the answer', async () => {
    const rejected = condition('ReleaseAccepted', 'False', 'RetrievePayload', 'Retrieving failed');
    await establish(kube, { status: statusWith({ availableUpdates }, conditionsWith(rejected)) });
    expect(await upgrade('--to 4.14.3 --wait --timeout 1s')).toMatchObject({ code: 5 });
  });

  test.each([
    [5, 'Working towards 4.14.3', conditionsWith(condition('Progressing', 'True', '', 'Working towards 4.14.3'))],
    [4, 'Failing=True: Bad: dns is degraded', conditionsWith(condition('Failing', 'True', 'Bad', 'dns is degraded'))],
  ])('one that takes too long has exit status %i', async (code, text, conditions) => {
    await establish(kube, situation('with updates'));
    const reported = report(statusWith({ desired: release('4.14.3') }, conditions));
    const printed = await upgrade('--to 4.14.3 --wait --timeout 1s');
    await reported;
    expect(printed).toMatchObject({
      code,
      stderr: expect.stringContaining(`not updated after 1 s: ${text}`) as string,
    });
  });
});
