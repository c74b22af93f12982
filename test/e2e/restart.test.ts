import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { configMap } from './contents.ts';
import { type DataFolder, openDataFolder, type PlatformProcess } from './platform-process.ts';
import { longshoreOn, writeFolder } from './program.ts';
import { bundle, conditionOf, statusOf } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'uploaded' };

let folder: DataFolder;
let platform: PlatformProcess;
let longshore: ReturnType<typeof longshoreOn>;

beforeAll(async () => {
  folder = await openDataFolder();
  platform = await folder.start();
  longshore = longshoreOn(folder.kubeconfigPath);
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

async function installed(name: string): Promise<KubeObject> {
  return await eventually(async () => {
    const found = await platform.kube.get({ apiVersion, kind: 'BundleDeployment', name });
    expect(conditionOf(found, 'Installed')?.status).toBe('True');
    return found;
  });
}

describe('after a restart', () => {
  let active = '';

  test('N12, Q3 an upload and what was unpacked of it are there, and drift is put right from it', async () => {
    const content = { 'manifests/a.yaml': configMap('uploaded', 'default', { from: 'an upload' }) };
    const dir = await writeFolder(join(folder.path, 'content'), content);
    expect(await longshore(['run', 'kept', dir])).toMatchObject({ code: 0 });
    active = statusOf(await installed('kept'))['activeBundle'] as string;
    const before = await platform.kube.get({ apiVersion, kind: 'Bundle', name: active });

    await platform.stop();
    platform = await folder.start();

    const after = await platform.kube.get({ apiVersion, kind: 'Bundle', name: active });
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(statusOf(after)['phase']).toBe('Unpacked');
    expect((await longshore(['content', active])).stdout).toContain('manifests/a.yaml');
    await platform.kube.delete(settings);
    await eventually(async () => {
      expect((await platform.kube.get(settings))['data']).toEqual({ from: 'an upload' });
    });
    expect((await longshore(['run', 'kept', dir])).stdout).toContain(`bundle "${active}" is already up-to-date`);
  });

  test('N12 a Bundle that waits for its upload still does', async () => {
    await platform.kube.create(bundle('waiting', { type: 'upload', upload: {} }), { fieldManager: 'test' });
    const isWaiting = async (): Promise<void> => {
      const found = await platform.kube.get({ apiVersion, kind: 'Bundle', name: 'waiting' });
      expect(conditionOf(found, 'Unpacked')?.message).toBe('waiting for bundle to be uploaded');
    };
    await eventually(isWaiting);
    await platform.stop();
    platform = await folder.start();
    await eventually(isWaiting);
  });
});
