import { mkdtemp, rm, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Files, repository, valid, withSubdirectory } from './contents.ts';
import { longshoreOn, type Printed, programPath, runProgram, writeFolder } from './program.ts';
import { bundle, conditionOf, errorOf, startWorld, type World } from './world.ts';

let world: World;
let dir = '';

beforeAll(async () => {
  world = await startWorld();
  dir = await mkdtemp(join(tmpdir(), 'longshore-run-test-'));
  await symlink(programPath, join(dir, 'rukpakctl'));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const longshore = (...args: readonly string[]): Promise<Printed> => longshoreOn(world.platform.kubeconfigPath)(args);
/** The same program under the name of RukPak's. */
const rukpakctl = (...args: readonly string[]): Promise<Printed> =>
  runProgram(process.execPath, [join(dir, 'rukpakctl'), ...args], {
    env: { KUBECONFIG: world.platform.kubeconfigPath, NO_COLOR: '1' },
  });
const folderOf = (name: string, files: Files): Promise<string> => writeFolder(join(dir, name), files);

describe('rukpakctl run', () => {
  test('K1 uploads a folder, which is unpacked and installed; again, and it is up to date whatever the times of its files', async () => {
    const folder = await folderOf('valid', valid);
    const first = await rukpakctl('run', 'test', folder);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const pattern =
      /^bundledeployment\.core\.rukpak\.io "test" applied\nsuccessfully uploaded bundle content for "(test-\w+)"\n$/;
    expect(first.stdout).toMatch(pattern);
    const name = pattern.exec(first.stdout)?.[1] ?? '';
    const unpacked = await world.bundleWithPhase(name, 'Unpacked');
    expect(conditionOf(unpacked, 'Unpacked')?.reason).toBe('UnpackSuccessful');
    const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
    const deployment = await world.deploymentWith('test', installed);
    expect(conditionOf(deployment, 'HasValidBundle')).toMatchObject({ status: 'True', reason: 'UnpackSuccessful' });

    await utimes(join(folder, 'manifests/crds.yaml'), 1, 1);
    const again = await rukpakctl('run', 'test', folder);
    expect(again.stdout).toBe(
      `bundledeployment.core.rukpak.io "test" applied\nbundle "${name}" is already up-to-date\n`,
    );
  });

  test('K2 a missing folder is named, and nothing is created', async () => {
    const printed = await rukpakctl('run', 'absent', join(dir, 'no-such-folder'));
    expect(printed.code).not.toBe(0);
    expect(printed.stderr).toContain('no such file or directory');
    await expect(errorOf(world.get('BundleDeployment', 'absent'))).resolves.toBeInstanceOf(Error);
  });

  test('K3 invalid content is uploaded, and the cluster reports what is wrong with it', async () => {
    const printed = await rukpakctl('run', 'bad', await folderOf('subdir', withSubdirectory));
    expect(printed.code).toBe(0);
    const failed = await world.deploymentWith('bad', {
      type: 'HasValidBundle',
      status: 'False',
      reason: 'UnpackFailed',
    });
    expect(conditionOf(failed, 'HasValidBundle')?.message).toContain('subdirectories are not allowed');
  });
});

describe('longshore content', () => {
  test('K4 lists the files of an unpacked Bundle', async () => {
    await world.kube.create(bundle('seven', world.imageSource('seven:v1', repository)), { fieldManager: 'test' });
    await world.bundleWithPhase('seven', 'Unpacked');
    const printed = await longshore('content', 'seven');
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    for (const path of Object.keys(repository))
      expect(printed.stdout).toMatch(new RegExp(`^-rw-r--r-- +\\d+ ${path}$`, 'm'));
    const json = JSON.parse((await longshore('content', 'seven', '--output', 'json')).stdout) as { path: string }[];
    expect(json.map(({ path }) => path)).toEqual(expect.arrayContaining(Object.keys(repository)));
  });

  test('K5, K6 of a missing Bundle reports it on standard error alone', async () => {
    expect(await longshore('content', 'badname')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'content command failed: bundles.core.rukpak.io "badname" not found\n',
    });
  });

  test('K7 of a Bundle that is not unpacked reports the missing address', async () => {
    await world.kube.create(bundle('failing', world.imageSource('failing:v1', withSubdirectory)), {
      fieldManager: 'test',
    });
    await world.bundleWithPhase('failing', 'Failing');
    const printed = await longshore('content', 'failing');
    expect(printed).toEqual({ code: 1, stdout: '', stderr: 'content command failed: error: url is not available\n' });
  });

  test('needs the name of a Bundle', async () => {
    const printed = await longshore('content');
    expect(printed.code).toBe(2);
    expect(printed.stderr).toContain('BUNDLE is missing');
  });
});
