/** @module-tag long */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { configMap, type Files } from '../e2e/contents.ts';
import { type DataFolder, openDataFolder } from '../e2e/platform-process.ts';
import { programPath } from '../e2e/program.ts';
import { bundleDeployment, statusOf } from '../e2e/world.ts';
import { eventually, type Registry, startRegistry } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const asTest = { fieldManager: 'test' };
const count = 12;
const run = promisify(execFile);

/** Maps of both versions, and those that one version alone has. */
function filesOf(name: string, version: number): Files {
  const names = Array.from({ length: count }, (_, index) => [`both-${index}`, `only-${version}-${index}`]).flat();
  return {
    'manifests/all.yaml': names.map((one) => configMap(one, name, { version: String(version) })).join('---\n'),
  };
}

interface Situation {
  /** By its version: how many maps have it. */
  readonly maps: Readonly<Record<string, number>>;
  readonly bundles: number;
  readonly isInstalled: boolean;
}

interface Play {
  readonly kube: KubeClient;
  readonly name: string;
}

async function situationOf({ kube, name }: Play): Promise<Situation> {
  const deployment = await kube.get({ apiVersion, kind: 'BundleDeployment', name });
  const { items } = await kube.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: name });
  const versions = items.map((item) => (item as KubeObject & { data?: { version?: string } }).data?.version ?? '');
  const maps: Record<string, number> = {};
  for (const version of versions.filter((one) => one !== '')) maps[version] = (maps[version] ?? 0) + 1;
  const labelSelector = `core.rukpak.io/owner-name=${name}`;
  const bundles = (await kube.list({ apiVersion, kind: 'Bundle', labelSelector })).items;
  const status = statusOf(deployment);
  const conditions = (status['conditions'] ?? []) as { type: string; status: string; observedGeneration?: number }[];
  const { generation } = deployment.metadata;
  return {
    maps,
    bundles: bundles.length,
    isInstalled: conditions.some(
      ({ type, status: value, observedGeneration }) =>
        type === 'Installed' && value === 'True' && observedGeneration === generation,
    ),
  };
}

async function untilVersion(play: Play, version: number): Promise<void> {
  await eventually(async () => {
    expect(await situationOf(play)).toMatchObject({
      maps: { [version]: 2 * count },
      bundles: 1,
      isInstalled: true,
    });
  });
}

/** When the platform is killed: after the template is that of version 1 again. */
const moments: readonly { readonly name: string; readonly isReached: (now: Situation) => boolean }[] = [
  { name: 'bundle-made', isReached: ({ bundles, maps }) => bundles === 2 || (maps['1'] ?? 0) > 0 },
  { name: 'first-write', isReached: ({ maps }) => (maps['1'] ?? 0) > 0 },
  { name: 'all-written', isReached: ({ maps }) => maps['1'] === 2 * count },
];

async function play(folder: DataFolder, registry: Registry, moment: (typeof moments)[number]): Promise<void> {
  const { name } = moment;
  const platform = await folder.start();
  const refs = [1, 2].map((version) => {
    registry.putImage(`${name}:v${version}`, [{ files: filesOf(name, version) }]);
    return `${registry.host}/${name}:v${version}`;
  });
  const first = { kube: platform.kube, name };
  await platform.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, asTest);
  for (const version of [1, 2]) {
    const source = { type: 'image', image: { ref: refs[version - 1] } };
    const deployment = { ...bundleDeployment(name, source), metadata: { name } };
    await platform.kube.apply(deployment, { ...asTest, force: true });
    await untilVersion(first, version);
  }
  const args = [programPath, 'rollback', name, '--kubeconfig', folder.kubeconfigPath, '--no-wait'];
  const { stdout } = await run(process.execPath, args);
  expect(stdout).toContain('is being rolled back to revision 1');
  await eventually(async () => expect(moment.isReached(await situationOf(first))).toBe(true), { intervalMs: 1 });
  platform.kill();
  await platform.ended;
  const next = await folder.start();
  await untilVersion({ kube: next.kube, name }, 1);
  const { maps } = await situationOf({ kube: next.kube, name });
  expect(maps).toEqual({ 1: 2 * count });
  await next.stop();
}

test('a rollback to the version before ends as asked for, whenever the platform is killed', async () => {
  await using folder = await openDataFolder();
  await using registry = await startRegistry();
  for (const moment of moments) await play(folder, registry, moment);
});
