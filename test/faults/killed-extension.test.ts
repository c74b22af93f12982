/** @module-tag long */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { bundle as bundleFiles, catalogOf, configMap, extension } from '../cluster-extensions/objects.ts';
import { type DataFolder, openDataFolder, type PlatformProcess } from '../e2e/platform-process.ts';
import { conditionOf, statusOf } from '../e2e/world.ts';
import { eventually, type Registry, startRegistry } from '../support/index.ts';

const label = 'operators.operatorframework.io.index.configs.v1';
const extensionKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' };
const catalogKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
const rukpak = 'core.rukpak.io/v1alpha1';
const namespace = 'harbour-office';
const user = { fieldManager: 'test' };
const patience = { timeoutMs: 120_000 };

/** Puts both versions and a catalog of them into the registry, has the cluster serve it, and lets the account install everything. */
async function prepare(kube: KubeClient, registry: Registry): Promise<void> {
  const { documents } = catalogOf({ channels: { stable: ['1.0.0', { version: '1.1.0', replaces: '1.0.0' }] } });
  const filled = documents.map((document): JsonObject => {
    if (document['schema'] !== 'olm.bundle') return document;
    const version = document['image'] as string;
    const own = configMap(`only-${version}`, { version });
    const files = bundleFiles(version, { extra: [configMap('settings', { version }), own] });
    return { ...document, image: `${registry.host}/tide@${registry.putImage(`tide:v${version}`, [{ files }])}` };
  });
  const files = { 'configs/catalog.json': filled.map((document) => JSON.stringify(document)).join('\n') };
  const digest = registry.putImage('catalog:latest', [{ files }], { [label]: '/configs' });
  const spec = { source: { type: 'Image', image: { ref: `${registry.host}/catalog@${digest}` } } };
  await kube.create({ ...catalogKind, metadata: { name: 'shop' }, spec }, user);
  await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
  await kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'installer', namespace } }, user);
  const group = 'rbac.authorization.k8s.io';
  const binding = {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'installer' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'installer', namespace }],
  };
  await kube.create(binding, user);
  await kube.create(JSON.parse(JSON.stringify(extension()).replaceAll('$ns', namespace)) as KubeObject, user);
}

async function request(kube: KubeClient, version: string): Promise<void> {
  const catalog = { packageName: 'tide', version, upgradeConstraintPolicy: 'SelfCertified' };
  await kube.patch({ ...extensionKind, name: 'tide' }, { spec: { source: { catalog } } }, user);
}

interface Situation {
  /** The versions of the ConfigMaps of the extension, by name. */
  readonly maps: Readonly<Record<string, string>>;
  readonly bundles: number;
  readonly template: string;
  readonly reported: string;
}

async function situationOf(kube: KubeClient): Promise<Situation> {
  const deployment = await kube.get({ apiVersion: rukpak, kind: 'BundleDeployment', name: 'tide' });
  const { items } = await kube.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace });
  const maps = (items as (KubeObject & { data?: { version?: string } })[])
    .filter(({ data }) => data?.version !== undefined)
    .map(({ metadata, data }) => [metadata.name ?? '', data?.version ?? ''] as const);
  const { install } = statusOf(await kube.get({ ...extensionKind, name: 'tide' })) as {
    install?: { bundle: { version: string } };
  };
  return {
    maps: Object.fromEntries(maps),
    bundles: (await kube.list({ apiVersion: rukpak, kind: 'Bundle' })).items.length,
    template: JSON.stringify(deployment['spec']),
    reported: install?.bundle.version ?? '',
  };
}

/** Exactly this version is there, all of it, once. */
async function isAt(kube: KubeClient, version: string): Promise<void> {
  await eventually(async () => {
    const { maps, bundles, reported } = await situationOf(kube);
    expect(maps).toEqual({ settings: version, [`only-${version}`]: version });
    expect([bundles, reported]).toEqual([1, version]);
    const found = await kube.get({ ...extensionKind, name: 'tide' });
    expect(conditionOf(found, 'Progressing')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(conditionOf(found, 'Installed')).toMatchObject({ status: 'True', reason: 'Succeeded' });
  }, patience);
}

/** When the platform is killed on its way to another version. */
const moments: readonly ((now: Situation, before: Situation, version: string) => boolean)[] = [
  ({ template }, before) => template !== before.template,
  ({ bundles, maps }, _before, version) => bundles === 2 || maps['settings'] === version,
  ({ maps }, _before, version) => Object.values(maps).includes(version),
  ({ maps }, _before, version) => Object.values(maps).every((one) => one === version),
  ({ reported }, _before, version) => reported === version,
];

async function killOnTheWay(folder: DataFolder, platform: PlatformProcess, at: number): Promise<PlatformProcess> {
  const { kube } = platform;
  const before = await situationOf(kube);
  const version = before.reported === '1.0.0' ? '1.1.0' : '1.0.0';
  await request(kube, version);
  const isReached = moments[at] ?? (() => true);
  await eventually(async () => expect(isReached(await situationOf(kube), before, version)).toBe(true), {
    intervalMs: 1,
  });
  platform.kill();
  await platform.ended;
  const next = await folder.start();
  await isAt(next.kube, version);
  return next;
}

test('an update of a ClusterExtension, and the way back, end as requested, whenever the platform is killed', async () => {
  await using folder = await openDataFolder();
  await using registry = await startRegistry();
  let platform = await folder.start();
  await prepare(platform.kube, registry);
  await eventually(async () => expect((await situationOf(platform.kube)).reported).not.toBe(''), patience);
  await request(platform.kube, '1.0.0');
  await isAt(platform.kube, '1.0.0');
  // An update and the way back in turn.
  for (const at of moments.keys()) platform = await killOnTheWay(folder, platform, at);
  await platform.stop();
});
