import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { addProvisioners, createUnpacker } from '../../provisioners/index.ts';
import { formatYaml, parseYaml, silentLogger, systemClock } from '../../src/base/index.ts';
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

test('a deployment that users move between shards has what its template states, whatever each shard remembers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-shards-'));
  const server = await startApiServer({ simulation: false });
  const access = await loadClusterAccess({ text: server.kubeconfig });
  const kube = createKubeClient({ access, clock: systemClock });
  try {
    await prepare(kube);
    await using registry = await startRegistry();
    await using _one = await startShard(kube, join(folder, '1'), 1);
    await using _two = await startShard(kube, join(folder, '2'), 2);
    const deployment = (version: string, shard: string): KubeObject => {
      const metadata = { name: 'moved', namespace: 'default' };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { version } };
      registry.putImage(`moved/${version}`, [{ files: { 'manifests/a.yaml': formatYaml(object) } }]);
      const source = { type: 'image', image: { ref: `${registry.host}/moved/${version}` } };
      const made = bundleDeployment('moved', source as never);
      return { ...made, metadata: { ...made.metadata, labels: { 'core.rukpak.io/shard': shard } } };
    };
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'moved' };
    const become = async (version: string, shard: string): Promise<void> => {
      await kube.apply(deployment(version, shard), user);
      await eventually(async () => {
        expect((await kube.get(settings))['data']).toEqual({ version });
        const found = await kube.get({ apiVersion, kind: 'BundleDeployment', name: 'moved' });
        const { status, observedGeneration } = conditionOf(found, 'Installed') ?? {};
        expect([status, observedGeneration]).toEqual(['True', found.metadata.generation]);
      });
    };
    /** Times of managed fields are whole seconds. */
    const passSecond = async (): Promise<void> => {
      const start = Math.floor(Date.now() / 1000);
      await eventually(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(start));
    };
    await become('one', '1');
    await passSecond();
    await become('two', '2');
    await passSecond();
    await become('one', '1');
    await passSecond();
    // In the middle of an installation.
    for (const shard of ['2', '1', '2', '1', '2']) await kube.apply(deployment('two', shard), user);
    await become('two', '2');
    await become('one', '1');
    await eventually(async () => expect((await kube.list({ apiVersion, kind: 'Bundle' })).items).toHaveLength(1));
  } finally {
    kube.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
