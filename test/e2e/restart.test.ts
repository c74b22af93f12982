/** @module-tag long */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually, startRegistry } from '../support/index.ts';
import { configMap } from './contents.ts';
import { type DataFolder, openDataFolder, type PlatformProcess } from './platform-process.ts';
import { longshoreOn, writeFolder } from './program.ts';
import { bundle, bundleDeployment, conditionOf, statusOf } from './world.ts';

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

  test('N12, Q3 an upload and its unpacked content exist, and drift is corrected from it', async () => {
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

  test('Q2, Q3 content that was lost with its node is fetched again by its pin, and its Bundle stays unpacked meanwhile', async () => {
    let isDown = false;
    await using registry = await startRegistry({
      intercept: (_request, response) => {
        if (isDown) response.writeHead(503).end();
        return isDown;
      },
    });
    const ref = `${registry.host}/moving:v1`;
    const put = (from: string): void => {
      registry.putImage('moving:v1', [{ files: { 'manifests/a.yaml': configMap('pinned', 'default', { from }) } }]);
    };
    put('the first image');
    await platform.kube.create(bundleDeployment('moving', { type: 'image', image: { ref } }), { fieldManager: 'test' });
    const name = statusOf(await installed('moving'))['activeBundle'] as string;
    const bundleRef = { apiVersion, kind: 'Bundle', name };
    const { resolvedSource } = statusOf(await platform.kube.get(bundleRef));

    await platform.stop();
    for (const place of [`${name}.tgz`, `records/${name}.json`, 'blobs', 'layers']) {
      await rm(join(folder.storeDir, place), { recursive: true, force: true });
    }
    put('another image behind the same tag');
    isDown = true;
    platform = await folder.start();

    const pinned = { ...settings, name: 'pinned' };
    await eventually(async () => {
      const { items } = await platform.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
      const about = items.filter((event) => (event['involvedObject'] as { name?: string }).name === name);
      expect(about.map((event) => event['reason'])).toContain('UnpackFailed');
    });
    expect(statusOf(await platform.kube.get(bundleRef))).toMatchObject({ phase: 'Unpacked', resolvedSource });
    expect((await platform.kube.get(pinned))['data']).toEqual({ from: 'the first image' });

    isDown = false;
    await platform.kube.delete(pinned);
    await eventually(async () => {
      expect((await platform.kube.get(pinned))['data']).toEqual({ from: 'the first image' });
    });
    expect(statusOf(await platform.kube.get(bundleRef))).toMatchObject({ phase: 'Unpacked', resolvedSource });
  });

  test('what an earlier version has stored without its properties is read again, and its dependencies count', async () => {
    await using registry = await startRegistry();
    const dependencies = 'dependencies: [{type: olm.package, value: {packageName: absent, version: ">=1.0.0"}}]';
    const files = { 'manifests/a.yaml': configMap('older', 'default', {}), 'metadata/dependencies.yaml': dependencies };
    registry.putImage('older:v1', [{ files }]);
    const source = { type: 'image', image: { ref: `${registry.host}/older:v1` } };
    await platform.kube.create(bundle('older', source), { fieldManager: 'test' });
    const isLabelled = async (): Promise<void> => {
      const { labels } = (await platform.kube.get({ apiVersion, kind: 'Bundle', name: 'older' })).metadata;
      expect(labels).toMatchObject({ 'core.rukpak.io/has-dependencies': 'true' });
    };
    await eventually(isLabelled);

    await platform.stop();
    const path = join(folder.storeDir, 'records/older.json');
    const record = JSON.parse(await readFile(path, 'utf8')) as { facts: Record<string, unknown> };
    const { properties: _unknown, ...facts } = record.facts;
    await writeFile(path, JSON.stringify({ ...record, facts }));
    platform = await folder.start();

    await eventually(async () => {
      const known = JSON.parse(await readFile(path, 'utf8')) as { facts: Record<string, unknown> };
      expect(known.facts['properties']).toHaveLength(1);
      await isLabelled();
    });
    expect(statusOf(await platform.kube.get({ apiVersion, kind: 'Bundle', name: 'older' }))['phase']).toBe('Unpacked');
  });

  test('N12 a Bundle still waits for its upload', async () => {
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
