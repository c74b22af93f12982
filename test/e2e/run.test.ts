import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Connection } from '../conformance/connection.ts';
import { configMap, type Files, namespace, withSubdirectory } from './contents.ts';
import { longshoreOn, type Printed, writeFolder } from './program.ts';
import { bundleDeployment, errorOf, startWorld, statusOf, type World } from './world.ts';

const operator = fileURLToPath(new URL('../../examples/tide-gauge/v0.1.0', import.meta.url));
const plain = 'core-rukpak-io-plain';
const registry = 'core-rukpak-io-registry';

let world: World;
let dir = '';

beforeAll(async () => {
  world = await startWorld();
  dir = await mkdtemp(join(tmpdir(), 'longshore-run-'));
  await world.kube.create(bundleDeployment('steady', world.imageSource('steady:v1', filesOf('steady'))), {
    fieldManager: 'test',
  });
  await world.deploymentWith('steady', { type: 'Healthy', status: 'True' });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const longshore = (args: readonly string[], input?: Buffer): Promise<Printed> =>
  longshoreOn(world.platform.kubeconfigPath)(args, input === undefined ? {} : { input });
const folderOf = (name: string, files: Files): Promise<string> => writeFolder(join(dir, name), files);
/** A Namespace with one ConfigMap, both of the name. */
const filesOf = (name: string, data = 'one'): Files => ({
  'manifests/0.yaml': namespace(name),
  'manifests/1.yaml': configMap(name, name, { data }),
});
const textOf = async (name: string): Promise<unknown> =>
  ((await world.get('ConfigMap', name, name))['data'] as { data: string }).data;

interface Spec {
  readonly config?: object;
  readonly template: { readonly spec: { readonly provisionerClassName: string; readonly source: object } };
}
const specOf = async (name: string): Promise<Spec> =>
  (await world.get('BundleDeployment', name))['spec'] as unknown as Spec;

describe('longshore run', { shuffle: false }, () => {
  test('waits until the folder is installed, and reports it', async () => {
    const printed = await longshore(['run', 'shop', await folderOf('shop', filesOf('shop'))]);
    expect(printed.code).toBe(0);
    expect(printed.stdout).toMatch(/^bundledeployment\.core\.rukpak\.io "shop" installed \(.*bundle shop-\w+\)$/m);
    expect(await textOf('shop')).toBe('one');
  });

  test('takes a tar, by its name and on standard input', async () => {
    const folder = await folderOf('tarred', filesOf('tarred'));
    const path = join(dir, 'tarred.tgz');
    await promisify(execFile)('tar', ['-czf', path, '-C', folder, '.']);
    expect(await longshore(['run', 'tarred', path])).toMatchObject({ code: 0 });
    const { stdout: tar } = await promisify(execFile)('tar', ['-c', '-C', folder, '.'], { encoding: 'buffer' });
    const printed = await longshore(['run', 'tarred', '-'], tar);
    expect(printed).toMatchObject({ code: 0 });
    expect(printed.stdout).toContain('is already up-to-date');
  });

  test('detects the format of an operator, and installs it where the options request', async () => {
    const printed = await longshore(['run', 'tide', operator, '--namespace', 'tides', '--watch-namespace', 'tides']);
    expect(printed).toMatchObject({ code: 0 });
    const { config, template } = await specOf('tide');
    expect(template.spec.provisionerClassName).toBe(registry);
    expect(config).toEqual({ installNamespace: 'tides', watchNamespace: 'tides' });
  });

  test('a wrong class is corrected by another run', async () => {
    const args = ['run', 'corrected', operator, '--namespace', 'tides-2', '--watch-namespace', 'tides-2'];
    const wrong = await longshore([...args, '--bundle-provisioner-class', plain, '--validate=false']);
    expect(wrong.code).toBe(1);
    expect((await specOf('corrected')).template.spec.provisionerClassName).toBe(plain);
    await longshore(['delete', 'tide']);
    expect(await longshore(args)).toMatchObject({ code: 0 });
    expect((await specOf('corrected')).template.spec.provisionerClassName).toBe(registry);
  });

  test('a git URL without a reference is its default branch, and then a tag; the cluster fetches both', async () => {
    await world.git.createRepository('moved.git', [
      { files: filesOf('moved'), tags: ['v1'] },
      { files: filesOf('moved', 'two') },
    ]);
    const url = `${world.git.url}/moved.git`;
    expect(await longshore(['run', 'moved', url])).toMatchObject({ code: 0 });
    expect(await textOf('moved')).toBe('two');
    expect((await specOf('moved')).template.spec.source).toMatchObject({ git: { ref: { branch: 'main' } } });
    expect(await longshore(['run', 'moved', url, '--tag', 'v1'])).toMatchObject({ code: 0 });
    expect(await textOf('moved')).toBe('one');
  });

  test('replaces a source of another type that kubectl has set', async () => {
    const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'absent' } }] };
    await world.kube.create(bundleDeployment('replaced', source), { fieldManager: 'kubectl-create' });
    const printed = await longshore(['run', 'replaced', await folderOf('replaced', filesOf('replaced'))]);
    expect(printed).toMatchObject({ code: 0 });
    expect((await specOf('replaced')).template.spec.source).toEqual({ type: 'upload', upload: {} });
  });

  test('a failed installation ends with the reason of the condition', async () => {
    await longshore(['run', 'shop', await folderOf('shop', filesOf('shop'))]);
    const printed = await longshore(['run', 'rival', await folderOf('rival', filesOf('shop'))]);
    expect(printed.code).toBe(1);
    expect(printed.stderr).toMatch(
      /^longshore: bundledeployment "rival" is not installed: Installed=False \(InstallFailed\): /m,
    );
    expect(printed.stderr).toMatch(/what to do: the cluster keeps trying: .*"longshore delete NAME"/);
    expect(printed.stderr).not.toContain('rollback');
  });

  test('objects that are not healthy in time are reported', async () => {
    const files = {
      'manifests/0.yaml': `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: unbound, namespace: default, annotations: {}}
spec: {storageClassName: none-such, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`,
    };
    const printed = await longshore(['run', 'slow', await folderOf('slow', files), '--timeout', '2000ms']);
    expect(printed.code).toBe(1);
    expect(printed.stderr).toMatch(/"slow" is not installed: timed out after 2 s: not healthy yet: .*unbound/);
  });

  test.each([
    {
      name: 'a bundle that is not valid',
      files: withSubdirectory,
      text: /is not a valid plain\+v0 bundle \(class \S+\): .*subdirectories/,
    },
    {
      name: 'a folder without manifests',
      files: { 'a.txt': '' },
      text: /expected a directory "manifests" at the root/,
    },
  ])('$name is refused before anything is created', async ({ files, text }) => {
    const printed = await longshore(['run', 'refused', await folderOf(`refused-${Object.keys(files).length}`, files)]);
    expect(printed).toMatchObject({ code: 1, stdout: '' });
    expect(printed.stderr).toMatch(text);
    await expect(errorOf(world.get('BundleDeployment', 'refused'))).resolves.toBeInstanceOf(Error);
  });

  test.each([
    { args: ['nope'], code: 1, text: 'nope: no such file or directory; for an image, include its registry' },
    { args: ['/etc/hostname'], code: 1, text: 'not a valid tar archive' },
    { args: ['localhost:1/x:v1'], code: 1, text: 'if only the cluster can fetch it, name its class' },
    { args: ['https://localhost:1/x.git'], code: 1, text: 'name a --branch, --tag or --commit' },
    { args: ['https://user:secret@localhost:1/x.git'], code: 2, text: 'the address contains credentials' },
    { args: [operator, '--tag', 'v1'], code: 2, text: '--tag: expected with the URL of a git repository' },
    { args: [operator, '--config', '/no/such'], code: 2, text: '/no/such: no such file or directory' },
    {
      args: [operator, '--system-namespace', 'wrong'],
      code: 1,
      text: 'secret "rukpak-ca" not found in namespace "wrong"',
    },
  ])('$args fails with a clear message', async ({ args, code, text }) => {
    const printed = await longshore(['run', 'unclear', ...args]);
    expect(printed).toMatchObject({ code, stdout: '' });
    expect(printed.stderr).toContain(text);
    expect(printed.stderr).not.toContain('secret@');
  });
});

describe('longshore delete', () => {
  test('waits until everything that was installed is removed', async () => {
    await longshore(['run', 'gone', await folderOf('gone', filesOf('gone'))]);
    const printed = await longshore(['delete', 'bd/gone']);
    expect(printed).toMatchObject({ code: 0, stdout: 'bundledeployment.core.rukpak.io "gone" deleted\n' });
    await expect(errorOf(world.get('BundleDeployment', 'gone'))).resolves.toBeInstanceOf(Error);
    await expect(errorOf(world.get('ConfigMap', 'gone', 'gone'))).resolves.toBeInstanceOf(Error);
  });

  test('reports what blocks it at the timeout, and which component is missing', async () => {
    await longshore(['run', 'held', await folderOf('held', filesOf('held'))]);
    const finalizers = [
      ...((await world.get('BundleDeployment', 'held')).metadata.finalizers ?? []),
      'example.com/hold',
    ];
    const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'held' };
    await world.kube.patch(ref, { metadata: { finalizers } }, { fieldManager: 'test' });
    const printed = await longshore(['delete', 'held', '--timeout', '2']);
    expect(printed).toMatchObject({ code: 1, stdout: '' });
    expect(printed.stderr).toMatch(/bundledeployment "held" is not deleted after 2 s: .*example\.com\/hold/);
    expect(statusOf(await world.get('BundleDeployment', 'held'))).toHaveProperty('activeBundle');
    await world.kube.patch(ref, { metadata: { finalizers: null } }, { fieldManager: 'test' });
    const absent = await longshore(['delete', 'absent']);
    expect(absent).toMatchObject({ code: 1, stdout: '' });
    expect(absent.stderr).toContain('"absent" not found');
  });
});

describe('revisions', () => {
  const recordedIn = async (name: string): Promise<Record<string, unknown>[]> =>
    JSON.parse((await longshore(['history', name, '-o', 'json'])).stdout) as Record<string, unknown>[];

  test('versions are listed, recorded and rolled back to, pinned, settings included', async () => {
    const [first = ''] = await world.git.createRepository('dated.git', [
      { files: filesOf('dated'), tags: ['v1'] },
      { files: filesOf('dated', 'two'), tags: ['v2'] },
    ]);
    const url = `${world.git.url}/dated.git`;
    await longshore(['run', 'dated', url, '--tag', 'v1', '--namespace', 'before']);
    const upgraded = await longshore(['run', 'dated', url, '--tag', 'v2']);
    expect(upgraded.stdout).toMatch(/"dated" installed \(version v2, bundle dated-\w+\)/);
    const listed = await longshore(['list']);
    expect(listed.stdout).toMatch(/^NAME +VERSION +REVISION +STATE +AGE +SOURCE$/m);
    expect(listed.stdout).toMatch(/^dated +v2 +2 +Installed +\d+s +http:\S+\/dated\.git v2 \([0-9a-f]{7}\)$/m);
    expect(await recordedIn('dated')).toMatchObject([
      { revision: 1, version: 'v1' },
      { revision: 2, version: 'v2' },
    ]);

    const back = await longshore(['rollback', 'dated']);
    expect(back).toMatchObject({ code: 0 });
    expect(back.stdout).toContain('"dated" rolled back to revision 1 (version v1)');
    expect(await textOf('dated')).toBe('one');
    const { config, template } = await specOf('dated');
    expect(config).toEqual({ installNamespace: 'before' });
    expect(template.spec.source).toEqual({ type: 'git', git: { repository: url, ref: { commit: first } } });
    expect(await recordedIn('dated')).toMatchObject([{ revision: 1 }, { revision: 2 }, { revision: 3 }]);
    expect(await longshore(['rollback', 'dated', '--to', '2'])).toMatchObject({ code: 0 });
    expect(await textOf('dated')).toBe('two');
  });

  test('a failed upgrade of an upload is rolled back to the Bundle that is still there', async () => {
    await longshore(['run', 'undone', await folderOf('undone', filesOf('undone'))]);
    const { activeBundle } = statusOf(await world.get('BundleDeployment', 'undone'));
    const bad = { ...filesOf('undone', 'two'), 'manifests/2.yaml': configMap('other', 'no-such-namespace', {}) };
    const failed = await longshore(['run', 'undone', await folderOf('undone-2', bad)]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('"longshore rollback NAME" returns to the previous version');
    expect(await longshore(['rollback', 'undone'])).toMatchObject({ code: 0 });
    expect(statusOf(await world.get('BundleDeployment', 'undone'))['activeBundle']).toBe(activeBundle);
    expect(await recordedIn('undone')).toHaveLength(1);
  });

  test('kubectl shows version and source in wide columns', async () => {
    const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    using connection = new Connection(await readFile(world.platform.kubeconfigPath, 'utf8'));
    const path = '/apis/core.rukpak.io/v1alpha1/bundledeployments';
    const { body } = await connection.ask({ method: 'GET', path, headers: { accept: table } });
    const { columnDefinitions, rows } = body as {
      columnDefinitions: { name: string; priority: number }[];
      rows: { cells: unknown[] }[];
    };
    expect(columnDefinitions.slice(-2)).toMatchObject([
      { name: 'Version', priority: 1 },
      { name: 'Source', priority: 1 },
    ]);
    expect(rows.find(({ cells }) => cells[0] === 'steady')?.cells.slice(-2)).toEqual([
      'v1',
      expect.stringMatching(/^\S+\/steady:v1 \(sha256:[0-9a-f]{12}\)$/),
    ]);
  });

  test.each([
    { args: ['history', 'absent'], text: '"absent" not found' },
    { args: ['rollback', 'steady', '--to', '77'], text: 'has no revision 77; recorded: 1' },
    { args: ['rollback', 'steady', '--to', 'one'], text: '--to: expected a whole number' },
  ])('$args fails with a clear message', async ({ args, text }) => {
    const printed = await longshore(args);
    expect(printed.code).not.toBe(0);
    expect(printed.stdout).toBe('');
    expect(printed.stderr).toContain(text);
  });

  test('a list is YAML for programs', async () => {
    const yaml = await longshore(['list', '-o', 'yaml']);
    expect(yaml.stdout).toMatch(/^- name: /);
  });
});
