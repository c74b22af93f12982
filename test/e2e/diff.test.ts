import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { application, brokenApplication, type Files, missingCrds } from './contents.ts';
import { longshoreOn, type Printed, writeFolder } from './program.ts';
import { account, bundleDeployment, startWorld, type World } from './world.ts';

let world: World;
let dir = '';

const secret = (value: string): Files => ({
  'manifests/30-secret.yaml': `apiVersion: v1
kind: Secret
metadata: {name: word, namespace: shop}
stringData: {password: ${value}, same: hush-hush}
`,
});
const one: Files = { ...application('shop', 1), ...secret('first-word') };
const two: Files = { ...application('shop', 2), ...secret('second-word') };

beforeAll(async () => {
  world = await startWorld();
  dir = await mkdtemp(join(tmpdir(), 'longshore-diff-'));
  const auth = Buffer.from(`${account.username}:${account.password}`).toString('base64');
  await writeFile(join(dir, 'auth.json'), JSON.stringify({ auths: { [world.registry.host]: { auth } } }));
  await world.kube.create(bundleDeployment('shop', world.imageSource('shop:v1', one)), { fieldManager: 'test' });
  await world.deploymentWith('shop', { type: 'Installed', status: 'True' });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

function diff(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Printed> {
  const login = { REGISTRY_AUTH_FILE: join(dir, 'auth.json') };
  return longshoreOn(world.platform.kubeconfigPath)(['diff', ...args], { cwd: dir, env: { ...login, ...env } });
}

const folderOf = (name: string, files: Files): Promise<string> => writeFolder(join(dir, name), files);

test('an installed deployment does not differ from its own Bundle, nor from its folder', async () => {
  expect(await diff(['bd/shop'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await diff(['bd/shop', '--bundle', await folderOf('one', one)])).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('a new version is shown as what is changed, added and removed, and nothing is written', async () => {
  const files = { ...two, 'manifests/40-new.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: annex}\n' };
  const before = await world.get('ConfigMap', 'settings', 'shop');
  const printed = await diff(['bd/shop', '--bundle', await folderOf('two', files)]);
  expect(printed).toMatchObject({ code: 1, stderr: '' });
  expect(printed.stdout).toContain('--- installed: ConfigMap shop/settings\n+++ desired: ConfigMap shop/settings\n@@');
  expect(printed.stdout).toMatch(/^-\s+version: '1'\n\+\s+version: '2'$/m);
  expect(printed.stdout).toContain('--- /dev/null\n+++ desired: Namespace annex\n');
  expect(printed.stdout).toContain('--- installed: ConfigMap shop/legacy\n+++ /dev/null\n');
  for (const noise of ['managedFields', 'resourceVersion', 'generation', 'shop/kept']) {
    expect(printed.stdout).not.toContain(noise);
  }
  expect(await world.get('ConfigMap', 'settings', 'shop')).toEqual(before);
});

test('values of Secrets are masked, and their changes are visible', async () => {
  const printed = await diff(['bd/shop', '--bundle', await folderOf('secret', two)]);
  expect(printed.stdout).toMatch(/^-\s+password: '?\*\*\* \(before\)'?\n\+\s+password: '?\*\*\* \(after\)'?$/m);
  const hidden = ['first-word', 'second-word', 'hush-hush'].flatMap((word) => [
    word,
    Buffer.from(word).toString('base64'),
  ]);
  for (const word of hidden) expect(printed.stdout + printed.stderr).not.toContain(word);
});

test('an image is compared as well, and a program gets JSON', async () => {
  world.imageSource('shop:v2', two);
  const ref = `${world.registry.host}/shop:v2`;
  const args = ['--image', ref, '--registry-ca', world.caPath, '-o', 'json'];
  const printed = await diff(['bd/shop', ...args]);
  expect(printed).toMatchObject({ code: 1, stderr: '' });
  const { changes, kept, blockers } = JSON.parse(printed.stdout) as {
    changes: { action: string; kind: string; name: string }[];
    kept: unknown[];
    blockers: unknown[];
  };
  expect(changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`).sort()).toEqual([
    'delete ConfigMap legacy',
    'update ConfigMap settings',
    'update Secret word',
  ]);
  expect({ kept, blockers }).toEqual({ kept: [], blockers: [] });
});

test('the deployment of a file is compared by its image, and by its namespaces', async () => {
  const source = { ...world.imageSource('shop:v2', two) };
  const desired = bundleDeployment('shop', source);
  await writeFile(join(dir, 'shop.json'), JSON.stringify(desired));
  const printed = await diff(['bd/shop', '-f', 'shop.json', '--registry-ca', world.caPath]);
  expect(printed.code).toBe(1);
  expect(printed.stdout).toContain('desired: ConfigMap shop/settings');
  await writeFile(join(dir, 'other.json'), JSON.stringify(bundleDeployment('other', source)));
  const other = await diff(['bd/shop', '-f', 'other.json']);
  expect(other).toMatchObject({ code: 2, stdout: '' });
  expect(other.stderr).toContain('expected the BundleDeployment "shop", found "other"');
});

test('drift shows without a new version', async () => {
  const paused = { metadata: { annotations: { 'core.rukpak.io/paused': 'true' } } };
  const deployment = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'shop' };
  await world.kube.patch(deployment, paused, { fieldManager: 'test' });
  await world.deploymentWith('shop', { type: 'Paused', status: 'True' });
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'shop' };
  await world.kube.patch(settings, { data: { version: 'edited' } }, { fieldManager: 'someone' });
  const printed = await diff(['bd/shop']);
  expect(printed.code).toBe(1);
  expect(printed.stdout).toMatch(/^-\s+version: edited\n\+\s+version: '1'$/m);
  await world.kube.patch(
    deployment,
    { metadata: { annotations: { 'core.rukpak.io/paused': null } } },
    { fieldManager: 'test' },
  );
  // Other tests compare what is installed: the drift must not be corrected while they do.
  await eventually(async () => {
    expect(await world.get('ConfigMap', 'settings', 'shop')).toMatchObject({ data: { version: '1' } });
  });
});

test('what blocks a pivot is reported, and has an exit status of its own', async () => {
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', namespace: 'default' } };
  await world.kube.create(theirs as KubeObject, { fieldManager: 'someone' });
  const taken = {
    ...one,
    'manifests/50.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: theirs, namespace: default}\n',
  };
  const foreign = await diff(['bd/shop', '--bundle', await folderOf('taken', taken)]);
  expect(foreign.code).toBe(2);
  expect(foreign.stderr).toMatch(
    /^blocked: .*ConfigMap "theirs" in namespace "default" exists and cannot be imported/m,
  );
  const refused = await diff(['bd/shop', '--bundle', await folderOf('broken', brokenApplication('shop'))]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/^blocked: ConfigMap "Not_A_Name".*: .*Invalid value/m);
  const missing = await diff(['bd/shop', '--bundle', await folderOf('missing', missingCrds), '-o', 'json']);
  expect(missing.code).toBe(2);
  const { blockers } = JSON.parse(missing.stdout) as { blockers: string[] };
  expect(blockers.join()).toContain('no matches for kind "CatalogSource" in version "operators.coreos.com/v1alpha1"');
});

test('output is colored only for terminals that support it', async () => {
  const folder = await folderOf('colours', two);
  const forced = await diff(['bd/shop', '--bundle', folder], { NO_COLOR: '', FORCE_COLOR: '1' });
  expect(forced.stdout).toContain('\u001b[32m+');
  const plain = await diff(['bd/shop', '--bundle', folder]);
  expect(plain.stdout).not.toContain('\u001b');
});

test.each([
  { args: ['bundle/shop'], code: 2, text: 'expected bd/NAME or clusterextension/NAME, found "bundle/shop"' },
  { args: ['bd/absent'], code: 2, text: 'bundledeployments.core.rukpak.io "absent" not found' },
  { args: ['bd/shop', '--bundle', 'nowhere'], code: 2, text: 'nowhere: no such file or directory' },
  { args: ['bd/shop', '-f', 'nowhere.yaml'], code: 2, text: 'nowhere.yaml: no such file or directory' },
  { args: ['bd/shop', '--image', '127.0.0.1:1/x'], code: 2, text: 'ECONNREFUSED' },
  { args: ['bd/shop', '--bundle', 'a', '--image', 'b'], code: 2, text: 'expected one of them, found both' },
])('diff $args fails with a clear message', async ({ args, code, text }) => {
  const printed = await diff(args);
  expect(printed).toMatchObject({ code, stdout: '' });
  expect(printed.stderr).toContain(text);
});

/** Files in work folders of commands that this process has open. */
function openWorkFiles(): readonly string[] {
  const targets = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(join('/proc/self/fd', descriptor));
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.includes('/longshore-bundle-'));
}

test.skipIf(process.platform !== 'linux')(
  'an image that cannot be fetched leaves no file open (skipped without /proc)',
  async () => {
    const before = openWorkFiles();
    expect(await diff(['bd/shop', '--image', '127.0.0.1:1/x'])).toMatchObject({ code: 2 });
    expect(openWorkFiles()).toEqual(before);
  },
);
