import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRegistry } from '../support/index.ts';
import { runLongshore, writeFolder } from './program.ts';

const include = 'include.release.openshift.io/self-managed-high-availability: "true"';
const configMap = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  annotations: {${include}}\ndata:\n  value: "${data}"\n`;
const imageStream = (tags: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    kind: 'ImageStream',
    apiVersion: 'image.openshift.io/v1',
    spec: { tags: Object.entries(tags).map(([name, from]) => ({ name, from: { kind: 'DockerImage', name: from } })) },
  });
const digest = `sha256:${'b'.repeat(64)}`;

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-release-test-'));
  await writeFolder(join(dir, 'components'), {
    'cluster-version-operator/0000_00_cluster-version-operator_10.yaml': configMap('engine', '{{.ReleaseImage}}'),
    'etcd/0000_20_etcd_10.yaml': configMap('etcd', 'example.org/etcd:latest 0.0.1-snapshot-etcd'),
    'etcd/image-references': imageStream({ etcd: 'example.org/etcd:latest' }),
    'dns/0000_20_dns_10.yaml': configMap('dns', '0.0.1-snapshot'),
    'dns/config.yaml': configMap('dns-config', 'unnumbered'),
    'dns/0000_90_dns_preview.yaml': configMap('preview', 'x').replace(
      '{',
      '{release.openshift.io/feature-set: TechPreviewNoUpgrade, ',
    ),
  });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const run = (args: readonly string[]): ReturnType<typeof runLongshore> =>
  runLongshore(['release', ...args], { cwd: dir });
const build = (version: string, ...args: readonly string[]): ReturnType<typeof runLongshore> =>
  run(
    `build components --version ${version} --image etcd=example.com/etcd@${digest} --component-version etcd=3.6.1`
      .split(' ')
      .concat(args),
  );

describe('longshore release', () => {
  test('CV-16: what was built is extracted byte for byte, whatever it was written to', async () => {
    await using registry = await startRegistry();
    const ref = `${registry.host}/releases:1.2.0`;
    const insecure = ['--insecure-registry', registry.host];
    const built = await build('1.2.0', '--to', 'built', '-o', 'release.tar', '--push', ref, ...insecure);
    expect(built).toMatchObject({ code: 0 });
    const [, pushed] = /@(sha256:[0-9a-f]{64})\n$/.exec(built.stdout) ?? [];
    for (const [index, place] of ['built', 'release.tar', ref].entries()) {
      const to = `flat-${index}`;
      const extracted = await run(['extract', place, '--to', to, ...insecure]);
      const origin = place === 'built' ? 'of 1.2.0' : `from digest ${pushed}`;
      expect(extracted).toMatchObject({ code: 0, stdout: `Extracted release payload ${origin}\n` });
      const names = (await readdir(join(dir, to))).toSorted();
      expect(names).toEqual([
        '0000_00_cluster-version-operator_10.yaml',
        '0000_20_dns_10.yaml',
        '0000_20_etcd_10.yaml',
        '0000_50_dns_config.yaml',
        '0000_90_dns_preview.yaml',
        'image-references',
        'release-metadata',
      ]);
      for (const name of names) {
        const directory = name.includes('cluster-version') ? 'manifests' : 'release-manifests';
        expect(await readFile(join(dir, to, name))).toEqual(await readFile(join(dir, 'built', directory, name)));
      }
    }
    const etcd = await readFile(join(dir, 'flat-0/0000_20_etcd_10.yaml'), 'utf8');
    expect(etcd).toContain(`example.com/etcd@${digest} 3.6.1`);
  });

  test('an artifact has the same files', async () => {
    await build('1.2.0', '--as', 'artifact', '-o', 'artifact.tar');
    const { stdout } = await run(['extract', 'artifact.tar', '--file', '0000_20_dns_10.yaml']);
    expect(stdout).toBe(configMap('dns', '1.2.0'));
  });

  test('extract writes what a cluster loads, and prints one file', async () => {
    await build('1.2.0', '-o', 'one.tar');
    await run(['extract', 'one.tar', '--included', '--to', 'included']);
    expect(await readdir(join(dir, 'included'))).not.toContain('0000_90_dns_preview.yaml');
    const preview = ['--included', '--feature-set', 'TechPreviewNoUpgrade', '--file', '0000_90_dns_preview.yaml'];
    expect(await run(['extract', 'one.tar', ...preview])).toMatchObject({ code: 0 });
    const missing = await run(['extract', 'one.tar', '--file', 'image-reference']);
    expect(missing.stderr).toContain('the release has no file "image-reference"; did you mean image-references?');
  });

  test('info shows what is in a release, and what differs between two', async () => {
    await build('1.2.0', '-o', 'old.tar', '--channel', 'stable-1.2', '--previous', '1.1.9');
    await build('1.2.1', '-o', 'new.tar');
    const shown = await run(['info', 'old.tar']);
    expect(shown.stdout).toMatch(/^Version: +1\.2\.0\n/);
    expect(shown.stdout).toMatch(/^dns +20,50,90 +3$/m);
    expect(shown.stdout).toMatch(new RegExp(`^etcd +example.com/etcd@${digest}$`, 'm'));
    const difference = JSON.parse((await run(['info', 'old.tar', 'new.tar', '-o', 'json'])).stdout) as unknown;
    expect(difference).toMatchObject({
      from: '1.2.0',
      to: '1.2.1',
      images: [],
      manifests: [
        { change: 'changed', name: 'engine' },
        { change: 'changed', name: 'dns' },
      ],
    });
  });

  test('tasks shows the order of a release, as text and as a picture', async () => {
    await build('1.2.0', '-o', 'tasks.tar');
    const { stdout } = await run(['tasks', 'tasks.tar']);
    expect(stdout).toContain('1.2.0, updating: 4 of 5 manifests in 3 stages, at most 16 at once');
    expect(stdout).toContain('2. 20 dns  (1 manifest)\n   20 etcd  (1 manifest)\n3. 50 dns');
    expect((await run(['tasks', 'tasks.tar', '-o', 'svg'])).stdout).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  test.each([
    [['build'], 'expected --version VERSION', 2],
    [['build', '--version', '1.0.0'], 'expected a folder of components, or --component NAME=DIR|IMAGE', 2],
    [['build', 'components', '--version', 'one'], 'invalid Cincinnati metadata version "one"'],
    [
      ['build', 'components', '--version', '1.0.0'],
      'component etcd: image-references names the image "etcd": give its pull spec',
    ],
    [
      ['build', '--version', '1.0.0', '--component', 'a--b=components/dns'],
      'component "a--b": expected letters and digits',
      2,
    ],
    [['extract', 'components'], 'expected --to DIR for all files, or --file NAME for one', 2],
    [['info', 'components/dns'], 'not a release: there is no directory manifests'],
  ])('%j is refused', async (args, message, code = 1) => {
    const printed = await run(args);
    expect(printed.code).toBe(code);
    expect(printed.stderr).toContain(message);
  });
});
