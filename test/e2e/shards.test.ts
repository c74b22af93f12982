/** @module-tag long */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { eventually, freePort } from '../support/index.ts';
import { configMap } from './contents.ts';
import { type OwnProcess, type OwnProcesses, openOwnProcesses, renew } from './own-processes.ts';
import { longshoreOn, writeFolder } from './program.ts';
import { bundleDeployment, conditionOf, statusOf } from './world.ts';

const patience = { timeoutMs: 90_000 };
const apiVersion = 'core.rukpak.io/v1alpha1';
const shardLabel = 'core.rukpak.io/shard';
let world: OwnProcesses;
let kube: KubeClient;
let tlsDir: string;

/** Those of two shards. */
const replicas: Replica[] = [];

interface Replica extends OwnProcess {
  readonly name: string;
  readonly url: string;
  readonly storeDir: string;
}

async function startShard(name: string, shard: string, isShared = false): Promise<Replica> {
  const port = isShared ? sharedPort : await freePort();
  const url = `https://127.0.0.1:${port}`;
  const spec = { containers: [{ name: 'manager', image: 'example.com/longshore' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'rukpak-system' }, spec };
  // The service account that a pod needs comes a moment after its namespace.
  await eventually(() => kube.create(pod, { fieldManager: 'test' }), patience);
  const storeDir = join(world.folder, `bundles-of-${name}`);
  const args = ['--shard', shard, '--shard-url', url, '--leader-elect', '--leader-elect-lease-duration', '6'];
  const address = ['--http-bind-address', `127.0.0.1:${port}`, '--http-external-address', sharedUrl];
  const place = ['--provisioner-storage-dir', storeDir, '--pod-name', name];
  const own = await world.startAs(world.kubeconfig, tlsDir, ['controllers', ...address, ...place, ...args]);
  return { ...own, name, url, storeDir };
}

/** Where clients find contents, whichever shard has them: here that of one of them. */
let sharedPort = 0;
let sharedUrl = '';

async function install(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { a: 'b' } };
  const content = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `content-of-${name}`, namespace: 'rukpak-system' },
    immutable: true,
    data: { 'object.yaml': JSON.stringify(object) },
  };
  await kube.create(content, { fieldManager: 'test' });
  const configMaps = [{ configMap: { name: content.metadata.name }, path: 'manifests' }];
  const deployment = bundleDeployment(name, { type: 'configMaps', configMaps });
  await kube.create({ ...deployment, metadata: { ...deployment.metadata, labels } }, { fieldManager: 'test' });
}

async function installed(name: string): Promise<KubeObject> {
  return await eventually(async () => {
    const found = await kube.get({ apiVersion, kind: 'BundleDeployment', name });
    expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True' });
    return found;
  }, patience);
}

async function activeOf(name: string): Promise<string> {
  return statusOf(await installed(name))['activeBundle'] as string;
}

function hasContent({ storeDir }: Replica, bundleName: string): boolean {
  return existsSync(join(storeDir, `${bundleName}.tgz`));
}

beforeAll(async () => {
  world = await openOwnProcesses();
  ({ kube } = world);
  tlsDir = join(world.folder, 'tls-of-all');
  await renew(tlsDir);
  sharedPort = await freePort();
  sharedUrl = `https://127.0.0.1:${sharedPort}`;
  await world.allowReader();
}, 120_000);
afterAll(() => world[Symbol.asyncDispose]());

describe('two shards', { shuffle: false }, () => {
  test('two shards share all work without overlap; contents and uploads are found through either', async () => {
    const second = await startShard('core-2', '2/2');
    replicas.push(second);
    const first = await startShard('core-1', '1/2', true);
    replicas.push(first);
    const names = Array.from({ length: 12 }, (_, index) => `app-${index}`);
    await Promise.all(names.map((name) => install(name)));
    await install('labelled', { [shardLabel]: '2' });
    const actives = await Promise.all(names.map(activeOf));
    const active = await activeOf('labelled');

    // Each content is with one of them, and both have some.
    const owners = actives.map((name) =>
      [first, second].filter((shard) => hasContent(shard, name)).map((one) => one.name),
    );
    for (const found of owners) expect(found).toHaveLength(1);
    expect(new Set(owners.flat())).toEqual(new Set(['core-1', 'core-2']));
    expect([hasContent(first, active), hasContent(second, active)]).toEqual([false, true]);
    const bundles = (await kube.list({ apiVersion, kind: 'Bundle' })).items;
    expect(bundles).toHaveLength(names.length + 1);

    // Every shard answers, or forwards.
    for (const shard of [first, second]) {
      expect((await world.ask(shard, `${shard.url}/bundles/${active}.tgz`)).status).toBe(200);
      expect((await world.ask(shard, `${shard.url}/bundles/${actives[0]}.tgz`)).status).toBe(200);
      expect((await world.ask(shard, `${shard.url}/bundles/none.tgz`)).status).toBe(404);
    }
    const metrics = await Promise.all([first, second].map((shard) => world.ask(shard, `${shard.url}/metrics`)));
    expect(metrics.map(({ text }) => /^longshore_shard (\d)$/m.exec(text)?.[1])).toEqual(['1', '2']);
    const leaders = metrics.map(({ text }) => /^longshore_leader.*$/m.exec(text)?.[0]);
    expect(leaders).toEqual(['longshore_leader{shard="1"} 1', 'longshore_leader{shard="2"} 1']);
    const counts = metrics.map(({ text }) =>
      Number(/^longshore_bundle_deployments\{shard="\d"\} (\d+)$/m.exec(text)?.[1]),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(names.length + 1);
  }, 240_000);

  test('an upload reaches the shard of its deployment', async () => {
    const dir = await writeFolder(join(world.folder, 'content'), {
      'manifests/a.yaml': configMap('uploaded', 'default', { from: 'an upload' }),
    });
    for (const name of ['one-upload', 'another-upload', 'a-third-upload']) {
      const run = await longshoreOn(world.kubeconfig)(['run', name, dir, '--wait=false']);
      // They bring the same object, which is the first one's.
      expect({ ...run, stdout: '' }).toEqual({ code: 0, stderr: '', stdout: '' });
      await eventually(async () => {
        const { items } = await kube.list({
          apiVersion,
          kind: 'Bundle',
          labelSelector: `core.rukpak.io/owner-name=${name}`,
        });
        expect(items.map((item) => statusOf(item)['phase'])).toEqual(['Unpacked']);
      }, patience);
    }
  }, 240_000);

  test('a shard with another count does nothing until the first one has it too; then every shard has its leader', async () => {
    const third = await startShard('core-3', '3/3');
    await install('early', { [shardLabel]: '3' });
    // It is with the first or the second one, for whom there is no third shard.
    const early = await activeOf('early');
    expect(hasContent(third, early)).toBe(false);
    const doctor = await longshoreOn(world.kubeconfig)(['doctor']);
    expect(doctor.stdout).toMatch(/ok +leader: Lease rukpak-system\/core\.rukpak\.io-2: held by core-2_/);

    for (const { child } of replicas) child.kill('SIGTERM');
    await Promise.all([startShard('core-4', '1/3', true), startShard('core-5', '2/3')]);
    await eventually(() => expect(hasContent(third, early)).toBe(true), patience);
    await install('late', { [shardLabel]: '3' });
    expect(hasContent(third, await activeOf('late'))).toBe(true);
  }, 240_000);
});
