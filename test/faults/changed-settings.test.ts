import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { addProvisioners, createUnpacker } from '../../provisioners/index.ts';
import { formatYaml, type JsonObject, parseYaml, silentLogger, systemClock } from '../../src/base/index.ts';
import { createManager } from '../../src/controller/index.ts';
import {
  createKubeClient,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../../src/kube/index.ts';
import { bundleDeployment, conditionOf, errorOf, statusOf } from '../e2e/world.ts';
import { eventually, type Registry, startRegistry } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const user = { fieldManager: 'test' };
const before = { systemNamespace: 'before', isAccountRequired: false };

let folder: string;
let server: Awaited<ReturnType<typeof startApiServer>>;
let registry: Registry;
let kube: KubeClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-settings-'));
  server = await startApiServer({ simulation: false });
  registry = await startRegistry();
  kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  for (const plural of ['bundles', 'bundledeployments']) {
    const crd = parseYaml('crd', await readFile(`crds/core.rukpak.io_${plural}.yaml`, 'utf8'));
    await kube.create(crd as unknown as KubeObject, user);
  }
  for (const name of ['before', 'after']) {
    await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
  }
  for (const kind of ['Bundle', 'BundleDeployment']) await eventually(() => kube.list({ apiVersion, kind }));
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** The provisioners with these settings, as in a process of theirs. */
async function start(settings: typeof before): Promise<AsyncDisposable> {
  const storeDir = join(folder, 'contents');
  const unpacker = await createUnpacker({ storeDir, answerDeadlineMs: 30_000, storeBytes: 1024 ** 3, threads: 1 });
  const stopper = new AbortController();
  const manager = createManager({ kube, clock: systemClock, log: silentLogger(), signal: stopper.signal });
  addProvisioners(manager, {
    unpacker,
    workers: 4,
    resyncMs: 36_000_000,
    healthDeadlineMs: 600_000,
    dependencyPolicy: 'warn',
    hasOwnServer: true,
    foreignClasses: [],
    ...settings,
  });
  await manager.start();
  return {
    [Symbol.asyncDispose]: async () => {
      stopper.abort();
      await manager.whenStopped();
      await unpacker[Symbol.asyncDispose]();
    },
  };
}

const settingsMap = (name: string, number: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { number },
});

/** Asks for a version that consists of these objects. */
async function request(name: string, version: string, objects: readonly JsonObject[]): Promise<void> {
  registry.putImage(`${name}/${version}`, [{ files: { 'manifests/a.yaml': objects.map(formatYaml).join('---\n') } }]);
  const source = { type: 'image', image: { ref: `${registry.host}/${name}/${version}` } };
  await kube.apply(bundleDeployment(name, source as never), { ...user, force: true });
}

const ref = (name: string) => ({ apiVersion, kind: 'BundleDeployment', name });

async function untilInstalled(name: string): Promise<void> {
  await eventually(async () => {
    const found = await kube.get(ref(name));
    const isCurrent = statusOf(found)['observedGeneration'] === found.metadata.generation;
    expect([conditionOf(found, 'Installed')?.status, isCurrent]).toEqual(['True', true]);
  });
}

test('objects without a namespace stay where they are when the system namespace is another one', async () => {
  const name = 'volumes';
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec };
  const volumeRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name };
  const mapRef = { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'before' };
  const numberOf = async () => ((await kube.get(mapRef)) as KubeObject & { data?: JsonObject }).data?.['number'];
  await request(name, 'v1', [volume, settingsMap(name, '1')]);
  await using stack = new AsyncDisposableStack();
  {
    await using _first = await start(before);
    await untilInstalled(name);
  }
  const { uid } = (await kube.get({ ...volumeRef, namespace: 'before' })).metadata;
  stack.use(await start({ ...before, systemNamespace: 'after' }));
  await kube.delete(mapRef);
  await eventually(async () => expect(await numberOf()).toBe('1'));
  await request(name, 'v2', [volume, settingsMap(name, '2')]);
  await eventually(async () => expect(await numberOf()).toBe('2'));
  await untilInstalled(name);
  expect((await kube.get({ ...volumeRef, namespace: 'before' })).metadata).toMatchObject({ uid });
  expect(isNotFound(await errorOf(kube.get({ ...volumeRef, namespace: 'after' })))).toBe(true);
  await request(name, 'v3', [{ apiVersion: 'no', kind: 'Kind', metadata: { name } }]);
  await eventually(async () =>
    expect(conditionOf(await kube.get(ref(name)), 'Installed')?.reason).toBe('UpgradeFailed'),
  );
  await kube.delete(mapRef);
  await eventually(async () => expect(await numberOf()).toBe('2'));
  expect((await kube.get({ ...volumeRef, namespace: 'before' })).metadata).toMatchObject({ uid });
});

const ways = [
  { way: 'an account is required now', settings: { isAccountRequired: true }, annotations: {} },
  { way: 'it is paused', settings: {}, annotations: { 'core.rukpak.io/paused': 'true' } },
];

test.each(ways)(
  'what an interrupted first installation has left is reported after a restart when $way',
  async ({ settings, annotations }) => {
    const name = `partial-${Object.keys(settings).length}`;
    const fault = server.faults.add({ verbs: ['patch'], resource: 'configmaps', name: `${name}-b`, error: 500 });
    await request(name, 'v1', [settingsMap(`${name}-a`, '1'), settingsMap(`${name}-b`, '1')]);
    {
      await using _first = await start(before);
      await eventually(() => kube.get({ apiVersion: 'v1', kind: 'ConfigMap', name: `${name}-a`, namespace: 'before' }));
    }
    // As it is when the process is killed.
    const condition = { type: 'Installed', status: 'Unknown', reason: 'InstallPending', message: '' };
    const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    await kube.patch(ref(name), { status: { conditions } }, { ...user, subresource: 'status' });
    await kube.patch(ref(name), { metadata: { annotations } }, user);
    await using _second = await start({ ...before, ...settings });
    await eventually(async () => {
      const message = conditionOf(await kube.get(ref(name)), 'Installed')?.message;
      expect(message).toContain(`1 objects exist: ConfigMap "${name}-a" in namespace "before"`);
    });
    fault.remove();
    await kube.delete(ref(name));
  },
);
