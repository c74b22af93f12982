/** @module-tag long */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { eventually, freePort } from '../support/index.ts';
import { configMap } from './contents.ts';
import { type OwnProcess, type OwnProcesses, openOwnProcesses } from './own-processes.ts';
import { longshoreOn, programPath, runProgram, writeFolder } from './program.ts';
import { bundleDeployment, conditionOf, statusOf } from './world.ts';

const patience = { timeoutMs: 90_000 };
const leaseRef = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  name: 'core.rukpak.io',
  namespace: 'rukpak-system',
};
const installedRef = { apiVersion: 'v1', kind: 'ConfigMap', name: 'installed', namespace: 'default' };
let world: OwnProcesses;
let kube: KubeClient;
afterAll(() => world[Symbol.asyncDispose]());

interface Replica extends OwnProcess {
  readonly name: string;
  readonly url: string;
}

const replicas = new Map<string, Replica>();

async function createPod(name: string): Promise<void> {
  const spec = { containers: [{ name: 'manager', image: 'example.com/longshore' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'rukpak-system' }, spec };
  // The service account that a pod needs comes a moment after its namespace.
  await eventually(() => kube.create(pod, { fieldManager: 'test' }), patience);
}

async function startReplica(name: string): Promise<Replica> {
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  await createPod(name);
  const address = ['--http-bind-address', `127.0.0.1:${port}`, '--http-external-address', url];
  const store = ['--provisioner-storage-dir', join(world.folder, `bundles-of-${name}`)];
  const own = await world.start('controllers', [...address, ...store, '--leader-elect', '--pod-name', name], name);
  const replica = { ...own, name, url };
  replicas.set(name, replica);
  return replica;
}

/** Who holds the lease, as soon as it is none of `others`. */
async function leaderBut(...others: readonly string[]): Promise<Replica> {
  return await eventually(async () => {
    const { holderIdentity = '' } = (await kube.get(leaseRef))['spec'] as { holderIdentity?: string };
    const name = holderIdentity.split('_', 1)[0] ?? '';
    const found = replicas.get(name);
    if (found === undefined || others.includes(name)) throw new Error(`the lease is held by "${holderIdentity}"`);
    return found;
  }, patience);
}

async function isMarked(name: string): Promise<boolean> {
  const ref = { apiVersion: 'v1', kind: 'Pod', name, namespace: 'rukpak-system' };
  return (await kube.get(ref)).metadata.labels?.['core.rukpak.io/leader'] === 'true';
}

async function install(name: string): Promise<KubeObject> {
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
  await kube.create(bundleDeployment(name, { type: 'configMaps', configMaps }), { fieldManager: 'test' });
  return await installed(name);
}

async function installed(name: string): Promise<KubeObject> {
  return await eventually(async () => {
    const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name };
    const found = await kube.get(ref);
    expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True' });
    return found;
  }, patience);
}

/** The only Bundle of the deployment, once its content is with `replica`. */
async function bundleAt(deployment: string, replica: Replica): Promise<KubeObject> {
  return await eventually(async () => {
    const target = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle' };
    const labelSelector = `core.rukpak.io/owner-name=${deployment}`;
    const [only, ...others] = (await kube.list({ ...target, labelSelector })).items;
    if (only === undefined || others.length > 0) throw new Error(`expected one Bundle, found ${1 + others.length}`);
    const contentURL = `${replica.url}/bundles/${only.metadata.name}.tgz`;
    expect(statusOf(only)).toMatchObject({ phase: 'Unpacked', contentURL });
    return only;
  }, patience);
}

/** What the commands of the document print; nothing where there is no kubectl. */
async function commandsOfDocument(): Promise<readonly string[]> {
  if (spawnSync('kubectl', ['version', '--client']).status !== 0) return [];
  const [, commands = ''] = /```sh\n(.*?)```/s.exec(await readFile('docs/high-availability.md', 'utf8')) ?? [];
  const env = { KUBECONFIG: world.kubeconfig };
  const lines = commands.trim().split('\n');
  return await Promise.all(lines.map(async (line) => (await runProgram('sh', ['-c', line], { env })).stdout));
}

beforeAll(async () => {
  world = await openOwnProcesses();
  ({ kube } = world);
  await world.allowReader();
}, 120_000);

test('Q3, Q30 of two processes one leads; the other takes over when it is killed, releases the lease or is suspended', async () => {
  await Promise.all([startReplica('core-a'), startReplica('core-b')]);
  const first = await leaderBut();
  const second = first.name === 'core-a' ? 'core-b' : 'core-a';
  const standby = replicas.get(second) as Replica;
  const before = await install('installed');
  const { name = '', uid } = (await bundleAt('installed', first)).metadata;
  await eventually(async () => expect([await isMarked(first.name), await isMarked(second)]).toEqual([true, false]));
  for (const printed of await commandsOfDocument()) expect(printed).toContain(first.name);
  const path = `/bundles/${name}.tgz`;
  expect((await world.ask(first, `${first.url}${path}`)).status).toBe(200);
  const refused = await world.ask(standby, `${standby.url}${path}`);
  expect(refused).toMatchObject({ status: 503 });
  expect(refused.text).toContain(`contents and uploads are with ${first.name}_`);
  expect((await world.ask(standby, `${standby.url}/metrics`)).status).toBe(200);

  // An upload is nowhere but with the leader: the other one takes a copy.
  const dir = await writeFolder(join(world.folder, 'content'), {
    'manifests/a.yaml': configMap('uploaded', 'default', { from: 'an upload' }),
  });
  const run = await longshoreOn(world.kubeconfig)(['run', 'uploaded', dir]);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  await installed('uploaded');
  const { name: uploaded = '', uid: uploadedUid = '' } = (await bundleAt('uploaded', first)).metadata;
  const copied = join(world.folder, `bundles-of-${second}`, 'uploads', `${uploaded}_${uploadedUid}.tgz`);
  await eventually(() => expect(existsSync(copied)).toBe(true), patience);

  // Killed: the other one has read everything already, and changes nothing of what is as it should be.
  const object = await kube.get(installedRef);
  first.child.kill('SIGKILL');
  expect((await leaderBut(first.name)).name).toBe(second);
  expect((await bundleAt('installed', standby)).metadata).toMatchObject({ name, uid });
  await eventually(async () => expect([await isMarked(first.name), await isMarked(second)]).toEqual([false, true]));
  expect((await world.ask(standby, `${standby.url}${path}`)).status).toBe(200);
  const listed = await runProgram(process.execPath, [programPath, 'content', name], {
    env: { KUBECONFIG: world.kubeconfig },
  });
  expect(listed.stdout).toContain('manifests/object.yaml');
  expect(await kube.get(installedRef)).toEqual(object);
  expect((await installed('installed')).metadata.generation).toBe(before.metadata.generation);
  await bundleAt('uploaded', standby);
  for (const ref of [installedRef, { ...installedRef, name: 'uploaded' }]) {
    await kube.delete(ref);
    await eventually(() => kube.get(ref), patience);
  }

  // On shutdown the lease is released.
  const third = await startReplica('core-c');
  const ended = once(standby.child, 'exit');
  standby.child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect((await leaderBut(first.name, second)).name).toBe('core-c');
  await install('another');
  await bundleAt('another', third);

  // Stands still: what it would have written when it goes on, it does not write any more.
  const fourth = await startReplica('core-d');
  third.child.kill('SIGSTOP');
  expect((await leaderBut(first.name, second, 'core-c')).name).toBe('core-d');
  await bundleAt('another', fourth);
  const overtaken = once(third.child, 'exit');
  third.child.kill('SIGCONT');
  expect(await overtaken).toEqual([1, null]);
  await bundleAt('another', fourth);
  expect(await isMarked('core-c')).toBe(false);
});
