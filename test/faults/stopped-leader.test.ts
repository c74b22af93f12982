/** @module-tag long */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeClient } from '../../src/kube/index.ts';
import { type OwnProcess, type OwnProcesses, openOwnProcesses, renew } from '../e2e/own-processes.ts';
import { bundleDeployment, conditionOf } from '../e2e/world.ts';
import { eventually, freePort, startApiProxy } from '../support/index.ts';

const patience = { timeoutMs: 90_000 };
const deployments = 8;
const leaseRef = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  name: 'core.rukpak.io',
  namespace: 'rukpak-system',
};
const stack = new AsyncDisposableStack();
let world: OwnProcesses;
let kube: KubeClient;

/** Writes of the clients of a proxy, and its kubeconfig. */
async function startRecorder(
  name: string,
): Promise<{ readonly writes: readonly string[]; readonly kubeconfig: string }> {
  const writes: string[] = [];
  const admin = await readFile(world.kubeconfig, 'utf8');
  const proxy = stack.use(
    await startApiProxy(admin, (write) => {
      writes.push(write);
      return 'pass';
    }),
  );
  const kubeconfig = join(world.folder, `kubeconfig-of-${name}`);
  await writeFile(kubeconfig, proxy.kubeconfig);
  return { writes, kubeconfig };
}

beforeAll(async () => {
  world = stack.use(await openOwnProcesses());
  ({ kube } = world);
}, 120_000);

afterAll(async () => {
  await stack.disposeAsync();
});

async function holder(): Promise<string> {
  const { holderIdentity = '' } = (await kube.get(leaseRef))['spec'] as { readonly holderIdentity?: string };
  if (holderIdentity === '') throw new Error('no leader');
  return holderIdentity;
}

async function startReplica(name: string, kubeconfig: string): Promise<OwnProcess> {
  const tlsDir = join(world.folder, `tls-of-${name}`);
  await renew(tlsDir);
  const port = await freePort();
  const address = ['--http-bind-address', `127.0.0.1:${port}`, '--http-external-address', `https://127.0.0.1:${port}`];
  const store = ['--provisioner-storage-dir', join(world.folder, `bundles-of-${name}`)];
  const election = ['--leader-elect', '--leader-elect-lease-duration', '6'];
  return await world.startAs(kubeconfig, tlsDir, ['controllers', ...address, ...store, ...election]);
}

async function createDeployment(name: string): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { a: 'b' } };
  const metadata = { name: `content-of-${name}`, namespace: 'rukpak-system' };
  const data = { 'object.yaml': JSON.stringify(object) };
  await kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, data }, { fieldManager: 'test' });
  const configMaps = [{ configMap: { name: metadata.name }, path: 'manifests' }];
  await kube.create(bundleDeployment(name, { type: 'configMaps', configMaps }), { fieldManager: 'test' });
}

test('a leader that is suspended, and resumes after another one has taken over, writes nothing', async () => {
  const recorder = await startRecorder('old');
  const old = await startReplica('old', recorder.kubeconfig);
  const first = await eventually(holder, patience);
  await startReplica('new', world.kubeconfig);
  const names = Array.from({ length: deployments }, (_, index) => `app-${index}`);
  const before = recorder.writes.length;
  await Promise.all(names.map(createDeployment));
  await eventually(() => expect(recorder.writes.length).toBeGreaterThan(before + deployments), patience);
  old.child.kill('SIGSTOP');
  await eventually(async () => expect(await holder()).not.toBe(first), patience);
  const known = recorder.writes.length;
  const ended = once(old.child, 'exit');
  old.child.kill('SIGCONT');
  expect(await ended).toEqual([1, null]);
  expect(recorder.writes.slice(known)).toEqual([]);
  await eventually(async () => {
    for (const name of names) {
      const found = await kube.get({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name });
      expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True' });
    }
  }, patience);
});
