import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { addProvisioners, createUnpacker } from '../../provisioners/index.ts';
import {
  formatYaml,
  type JsonObject,
  parseYaml,
  sha256Digest,
  silentLogger,
  systemClock,
} from '../../src/base/index.ts';
import { createManager } from '../../src/controller/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { bundleDeployment, conditionOf } from '../e2e/world.ts';
import { eventually, startRegistry } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const systemNamespace = 'rukpak-system';
const user = { fieldManager: 'test', force: true };

/** The provisioners of one shard, with contents of their own, as in a process of theirs. */
async function startShard(kube: KubeClient, storeDir: string, index: number): Promise<AsyncDisposable> {
  const unpacker = await createUnpacker({ storeDir, answerDeadlineMs: 30_000, storeBytes: 1024 ** 3, threads: 1 });
  const stopper = new AbortController();
  const manager = createManager({ kube, clock: systemClock, log: silentLogger(), signal: stopper.signal });
  addProvisioners(manager, {
    unpacker,
    systemNamespace,
    workers: 4,
    resyncMs: 36_000_000,
    healthDeadlineMs: 600_000,
    dependencyPolicy: 'warn',
    hasOwnServer: true,
    isAccountRequired: false,
    foreignClasses: [],
    shard: { index, count: 2 },
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

async function prepare(kube: KubeClient): Promise<void> {
  for (const plural of ['bundles', 'bundledeployments']) {
    const crd = parseYaml('crd', await readFile(`crds/core.rukpak.io_${plural}.yaml`, 'utf8'));
    await kube.apply(crd as unknown as KubeObject, user);
  }
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } }, user);
  for (const kind of ['Bundle', 'BundleDeployment']) await eventually(() => kube.list({ apiVersion, kind }));
}

const stack = new AsyncDisposableStack();
let folder: string;
let kube: KubeClient;
let registry: Awaited<ReturnType<typeof startRegistry>>;
/** Called before the first shard deletes an object. */
let beforeDelete: (name: string) => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-shards-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const server = await startApiServer({ simulation: false });
  stack.defer(() => server.stop());
  kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  await prepare(kube);
  registry = stack.use(await startRegistry());
  const held: KubeClient = {
    ...kube,
    delete: async (ref, options) => {
      await beforeDelete(ref.name);
      return await kube.delete(ref, options);
    },
  };
  stack.use(await startShard(held, join(folder, '1'), 1));
  stack.use(await startShard(kube, join(folder, '2'), 2));
}, 60_000);

afterAll(async () => {
  await stack.disposeAsync();
});

function deployment(name: string, shard: string, objects: readonly object[]): KubeObject {
  const files = Object.fromEntries(
    objects.map((object, index) => [`manifests/${index}.yaml`, formatYaml(object as JsonObject)]),
  );
  const repository = `moved/${sha256Digest(JSON.stringify(objects)).slice(-12)}`;
  registry.putImage(repository, [{ files }]);
  const made = bundleDeployment(name, { type: 'image', image: { ref: `${registry.host}/${repository}` } });
  return { ...made, metadata: { ...made.metadata, labels: { 'core.rukpak.io/shard': shard } } };
}

async function whenInstalled(name: string): Promise<void> {
  await eventually(async () => {
    const found = await kube.get({ apiVersion, kind: 'BundleDeployment', name });
    const { status, observedGeneration } = conditionOf(found, 'Installed') ?? {};
    expect([status, observedGeneration]).toEqual(['True', found.metadata.generation]);
  });
}

/** Times of managed fields are whole seconds. */
async function passSecond(): Promise<void> {
  const start = Math.floor(Date.now() / 1000);
  await eventually(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(start));
}

test('a deployment that users move between shards has what its template states, whatever each shard remembers', async () => {
  const metadata = { name: 'moved', namespace: 'default' };
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', ...metadata };
  const moved = (version: string, shard: string): KubeObject =>
    deployment('moved', shard, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { version } }]);
  const become = async (version: string, shard: string): Promise<void> => {
    await kube.apply(moved(version, shard), user);
    await eventually(async () => expect((await kube.get(settings))['data']).toEqual({ version }));
    await whenInstalled('moved');
  };
  await become('one', '1');
  await passSecond();
  await become('two', '2');
  await passSecond();
  await become('one', '1');
  await passSecond();
  // In the middle of an installation.
  for (const shard of ['2', '1', '2', '1', '2']) await kube.apply(moved('two', shard), user);
  await become('two', '2');
  await become('one', '1');
  const owned = { apiVersion, kind: 'Bundle', labelSelector: 'core.rukpak.io/owner-name=moved' };
  await eventually(async () => expect((await kube.list(owned)).items).toHaveLength(1));
});

test('a shard that a deployment leaves deletes nothing that the other one has installed meanwhile', async () => {
  const namespace = 'default';
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const service = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { ports: [{ port: 80 }] },
  });
  const uidOfClaim = async (): Promise<unknown> => (await kube.get({ ...claim, name: 'data', namespace })).metadata.uid;
  await kube.apply(deployment('left', '1', [claim, service('first')]), user);
  await whenInstalled('left');
  const uid = await uidOfClaim();
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  beforeDelete = async (name) => {
    if (name !== 'first') return;
    reached.resolve();
    await released.promise;
  };
  // The claim is deleted after the Service.
  await kube.apply(deployment('left', '1', [service('second')]), user);
  await reached.promise;
  await kube.apply(deployment('left', '2', [claim, service('third')]), user);
  await whenInstalled('left');
  released.resolve();
  // The first shard begins once its former reconcile has ended.
  await kube.apply(deployment('left', '1', [claim, service('fourth')]), user);
  await whenInstalled('left');
  expect(await uidOfClaim()).toBe(uid);
});

test('an upload stays with the process that took it while its Bundle exists, in whichever shard that is', async () => {
  const spec = { provisionerClassName: 'core-rukpak-io-plain', source: { type: 'upload', upload: {} } };
  const metadata = { name: 'uploaded', labels: { 'core.rukpak.io/shard': '2' } };
  const { metadata: created } = await kube.create({ apiVersion, kind: 'Bundle', metadata, spec }, user);
  const uploads = join(folder, '3', 'uploads');
  await mkdir(uploads, { recursive: true });
  for (const owner of [`uploaded_${created.uid}`, 'other_0']) await writeFile(join(uploads, `${owner}.tgz`), 'content');
  await using _first = await startShard(kube, join(folder, '3'), 1);
  expect(await readdir(uploads)).toEqual([`uploaded_${created.uid}.tgz`]);
  await kube.delete({ apiVersion, kind: 'Bundle', name: 'uploaded' });
  await eventually(async () => expect(await readdir(uploads)).toEqual([]));
});
