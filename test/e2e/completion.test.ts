import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { valid } from './contents.ts';
import { programPath, runProgram } from './program.ts';
import { bundleDeployment, startWorld, type World } from './world.ts';

let world: World;
let dir = '';
let bundleName = '';

beforeAll(async () => {
  world = await startWorld();
  dir = await mkdtemp(join(tmpdir(), 'longshore-completion-'));
  await symlink(programPath, join(dir, 'longshore'));
  await writeFile(join(dir, 'some file.tar'), '');
  await world.kube.create(bundleDeployment('combo', world.imageSource('combo:v1', valid)), { fieldManager: 'test' });
  await world.deploymentWith('combo', { type: 'Installed', status: 'True' });
  bundleName = (await world.ownedBundles('combo'))[0]?.metadata.name ?? '';
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

/** What bash offers when the tab key is pressed behind `words`. */
async function offered(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const script = `
    source <(longshore completion bash)
    COMP_WORDS=(longshore "$@"); COMP_CWORD=$#
    _longshore && printf '%s\\n' "\${COMPREPLY[@]}"`;
  const path = `${dir}:${dirname(process.execPath)}:${process.env['PATH']}`;
  const printed = await runProgram('bash', ['-c', script, 'bash', ...words], {
    cwd: dir,
    env: { PATH: path, KUBECONFIG: world.platform.kubeconfigPath, ...env },
  });
  expect(printed.stderr).toBe('');
  return printed.stdout.split('\n').filter((line) => line !== '');
}

test('bash completes commands and options', async () => {
  expect(await offered(['vers'])).toEqual(['version']);
  expect(await offered(['bundle', 'b'])).toEqual(['build']);
  expect(await offered(['version', '--o'])).toEqual(['--output']);
});

test('bash completes file names with blanks in them', async () => {
  expect(await offered(['bundle', 'inspect', 'some'])).toEqual(['some file.tar']);
});

test('bash completes the names of Bundles and BundleDeployments from the cluster', async () => {
  expect(await offered(['content', 'com'])).toEqual([bundleName]);
  expect(await offered(['run', ''])).toEqual(['combo']);
});

test('a cluster that cannot be reached completes nothing, and prints nothing', async () => {
  expect(await offered(['content', ''], { KUBECONFIG: join(dir, 'missing') })).toEqual([]);
  const kubeconfig = join(dir, 'silent');
  await writeFile(
    kubeconfig,
    `clusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}]\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n`,
  );
  expect(await offered(['content', ''], { KUBECONFIG: kubeconfig })).toEqual([]);
});
