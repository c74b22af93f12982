/** @module-tag long */
import { expect, test } from 'vitest';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { configMap, type Files } from '../e2e/contents.ts';
import { type DataFolder, openDataFolder } from '../e2e/platform-process.ts';
import { bundleDeployment, conditionOf, statusOf } from '../e2e/world.ts';
import { eventually, type Registry, startRegistry } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const asTest = { fieldManager: 'test' };
const count = 12;
const maps = { apiVersion: 'v1', kind: 'ConfigMap' };

/** What exists before and is taken over, what is new, and at last one that no server takes: the first installation is rolled back. */
function filesOf(name: string): Files {
  const names = Array.from({ length: count }, (_, index) => [`mine-${index}`, `new-${index}`]).flat();
  const texts = [...names, 'Not_A_Name'].map((one) => configMap(one, name, { by: 'bundle' }));
  return { 'manifests/all.yaml': texts.join('---\n') };
}

interface Situation {
  readonly installation: string | undefined;
  readonly adopted: number;
  readonly created: number;
  readonly isRefused: boolean;
}

async function listed(kube: KubeClient, name: string): Promise<readonly KubeObject[]> {
  const { items } = await kube.list({ ...maps, namespace: name });
  return items.filter(({ metadata }) => /^(mine|new)-/.test(metadata.name ?? ''));
}

async function situationOf(kube: KubeClient, name: string): Promise<Situation> {
  const deployment = await kube.get({ apiVersion, kind: 'BundleDeployment', name });
  const { record } = statusOf(deployment) as { record?: { installation: string } };
  const owned = (await listed(kube, name)).filter(
    ({ metadata }) => metadata.labels?.['core.rukpak.io/owner-name'] === name,
  );
  const adopted = owned.filter(({ metadata }) => metadata.name?.startsWith('mine-')).length;
  return {
    installation: record?.installation,
    adopted,
    created: owned.length - adopted,
    isRefused: conditionOf(deployment, 'Installed')?.message.includes('Not_A_Name') === true,
  };
}

/** When the platform is killed. */
const moments: readonly { readonly name: string; readonly isReached: (now: Situation) => boolean }[] = [
  { name: 'taking-over', isReached: ({ installation }) => installation === 'TakingOver' },
  { name: 'all-adopted', isReached: ({ adopted }) => adopted === count },
];

async function play(folder: DataFolder, registry: Registry, moment: (typeof moments)[number]): Promise<void> {
  const { name } = moment;
  const platform = await folder.start();
  await platform.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, asTest);
  const uids = new Map<string, string | undefined>();
  for (let index = 0; index < count; index += 1) {
    const mine = { ...maps, metadata: { name: `mine-${index}`, namespace: name }, data: { by: 'someone' } };
    uids.set(mine.metadata.name, (await platform.kube.create(mine, asTest)).metadata.uid);
  }
  registry.putImage(`${name}:v1`, [{ files: filesOf(name) }]);
  const source = { type: 'image', image: { ref: `${registry.host}/${name}:v1` } };
  const annotations = { 'core.rukpak.io/adopt': 'true' };
  await platform.kube.create({ ...bundleDeployment(name, source), metadata: { name, annotations } }, asTest);
  await eventually(
    async () => {
      const now = await situationOf(platform.kube, name);
      if (!moment.isReached(now)) throw new Error(JSON.stringify(now));
    },
    { intervalMs: 1 },
  );
  platform.kill();
  await platform.ended;
  const next = await folder.start();
  await eventually(async () => expect(await situationOf(next.kube, name)).toMatchObject({ isRefused: true }));
  // The next version is refused before anything of it is written: what is abandoned is rolled back.
  registry.putImage(`${name}:v2`, [{ files: { 'manifests/below/all.yaml': 'not: read' } }]);
  const spec = { template: { spec: { source: { ...source, image: { ref: `${registry.host}/${name}:v2` } } } } };
  await next.kube.patch({ apiVersion, kind: 'BundleDeployment', name }, { spec }, asTest);
  await eventually(async () => {
    const deployment = await next.kube.get({ apiVersion, kind: 'BundleDeployment', name });
    expect(conditionOf(deployment, 'HasValidBundle')).toMatchObject({ status: 'False', reason: 'UnpackFailed' });
  });
  const left = new Map((await listed(next.kube, name)).map(({ metadata }) => [metadata.name, metadata]));
  for (const [mine, uid] of uids) {
    expect([mine, left.get(mine)?.uid, left.get(mine)?.deletionTimestamp]).toEqual([mine, uid, undefined]);
  }
  await next.stop();
}

test('existing objects are never deleted, whenever the platform is killed while it adopts them and rolls back', async () => {
  await using folder = await openDataFolder();
  await using registry = await startRegistry();
  for (const moment of moments) await play(folder, registry, moment);
});
