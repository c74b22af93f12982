/** @module-tag long */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../../cli/examples/registry.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { catalogKind, definition, deploymentKind, extensionKind, gauge, package_, platformKind } from './migration.ts';
import { longshoreOn, type Printed } from './program.ts';
import { conditionOf, startWorld, statusOf, type World } from './world.ts';

const label = 'operators.operatorframework.io.index.configs.v1';
const user = { fieldManager: 'test' };
const patience = { timeoutMs: 120_000 };
const olm = 'operators.coreos.com/v1alpha1';

let world: World;
let registry: Registry;
/** By tag: a catalog of a bundle with an image, and one of its manifests. */
let images: { readonly bundle: string; readonly catalog: string; readonly manifests: string };

const longshore = (...args: readonly string[]): Promise<Printed> =>
  longshoreOn(world.platform.kubeconfigPath)(args, { timeoutMs: 180_000 });

async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await longshore(...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

function putCatalog(name: string, rendered: string): string {
  const head = [
    { schema: 'olm.package', name: package_, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: package_, name: 'stable', entries: [{ name: `${package_}.v0.1.0` }] },
  ];
  const content = [...head.map((document) => JSON.stringify(document)), rendered].join('\n');
  const digest = registry.putImage(`${name}:v1`, [{ files: { 'configs/catalog.json': content } }], {
    [label]: '/configs',
  });
  return `${registry.host}/${name}@${digest}`;
}

beforeAll(async () => {
  world = await startWorld(['--olm']);
  registry = await startRegistry({});
  const bundle = `${registry.host}/${package_}:v0.1.0`;
  const folder = 'examples/tide-gauge/v0.1.0';
  await succeeds('bundle', 'push', folder, bundle);
  const catalog = putCatalog('catalog', await succeeds('catalog', 'render', bundle, '-o', 'json'));
  const manifests = putCatalog('manifests', await succeeds('catalog', 'render', folder, '-o', 'json'));
  images = { bundle, catalog, manifests };
}, 180_000);
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function exists(ref: Parameters<typeof world.kube.get>[0]): Promise<boolean> {
  try {
    await world.kube.get(ref);
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

async function serve(name: string, ref: string): Promise<void> {
  const spec = { source: { type: 'Image', image: { ref } } };
  await world.kube.create({ ...catalogKind, metadata: { name }, spec }, user);
  await eventually(async () => {
    expect(conditionOf(await world.kube.get({ ...catalogKind, name }), 'Serving')?.status).toBe('True');
  }, patience);
}

/** What must stay, by uid, with what would restart Pods. */
async function standing(namespace: string): Promise<unknown> {
  const deployments = (await world.kube.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace })).items;
  const pods = (await world.kube.list({ apiVersion: 'v1', kind: 'Pod', namespace })).items;
  const resources = (await world.kube.list({ ...gauge, namespace })).items;
  const crd = await world.kube.get(definition);
  expect([deployments.length, pods.length, resources.length]).toEqual([1, 1, 1]);
  return {
    deployments: deployments.map(({ metadata, spec }) => [metadata.uid, (spec as { template: unknown }).template]),
    others: [...pods, ...resources, crd].map(({ metadata }) => metadata.uid),
  };
}

async function createGauge(namespace: string): Promise<void> {
  const object = { ...gauge, metadata: { namespace, name: 'pier' }, spec: { harbour: 'Old Pier' } };
  await eventually(() => world.kube.create(object as unknown as KubeObject, user), patience);
  await eventually(async () => {
    const pods = (await world.kube.list({ apiVersion: 'v1', kind: 'Pod', namespace })).items;
    expect(pods).toHaveLength(1);
  }, patience);
}

async function removeAll(namespace: string): Promise<void> {
  for (const kind of [extensionKind, platformKind, deploymentKind, catalogKind]) {
    for (const { metadata } of (await world.kube.list(kind)).items) {
      await world.kube.delete({ ...kind, name: metadata.name ?? '' }).catch(() => undefined);
    }
    await eventually(async () => expect((await world.kube.list(kind)).items).toEqual([]), patience);
  }
  await world.kube.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace }).catch(() => undefined);
  await world.kube.delete(definition).catch(() => undefined);
  await eventually(async () => expect(await exists(definition)).toBe(false), patience);
}

/** As its owner sees it. */
async function isExtension(namespace: string): Promise<void> {
  const extension = await world.kube.get({ ...extensionKind, name: package_ });
  expect(extension['spec']).toMatchObject({
    namespace,
    source: { catalog: { packageName: package_, version: '0.1.0' } },
  });
  expect(statusOf(extension)).toMatchObject({ install: { bundle: { name: `${package_}.v0.1.0`, version: '0.1.0' } } });
  const { metadata } = await world.kube.get({ ...deploymentKind, name: package_ });
  expect(metadata.ownerReferences).toMatchObject([{ kind: 'ClusterExtension', uid: extension.metadata.uid }]);
  // Objects that others have made are protected again.
  expect(metadata.annotations).not.toHaveProperty(['core.rukpak.io/adopt']);
}

const migrate = ['operator', 'migrate', package_] as const;

describe('an operator of a Subscription', { shuffle: false }, () => {
  const namespace = 'subscribed';
  const place = ['-n', namespace] as const;
  let before: unknown;
  beforeAll(async () => {
    await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
    const spec = { sourceType: 'grpc', image: images.catalog };
    const source = { apiVersion: olm, kind: 'CatalogSource', metadata: { name: 'shop', namespace }, spec };
    await world.kube.create(source as unknown as KubeObject, user);
    await eventually(async () => {
      const found = await world.kube.get({ apiVersion: olm, kind: 'CatalogSource', name: 'shop', namespace });
      expect(statusOf(found)).toMatchObject({ connectionState: { lastObservedState: 'READY' } });
    }, patience);
    await succeeds('operator', 'install', package_, ...place, '--catalog', 'shop', '--yes');
    await createGauge(namespace);
    before = await standing(namespace);
  }, 180_000);
  afterAll(() => removeAll(namespace), 180_000);

  async function isSubscribed(): Promise<void> {
    expect((await world.kube.list({ apiVersion: olm, kind: 'Subscription', namespace })).items).toHaveLength(1);
    expect(await exists({ ...deploymentKind, name: package_ })).toBe(false);
    expect(await exists({ ...extensionKind, name: package_ })).toBe(false);
    expect(await standing(namespace)).toEqual(before);
  }

  test('is left alone where the bundle of the catalog has no image', async () => {
    await serve('manifests', images.manifests);
    for (const mode of ['--dry-run', '--yes']) {
      const refused = await longshore(...migrate, ...place, '--to', 'ClusterExtension', mode);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(
        'bundle "tide-gauge.v0.1.0" of ClusterCatalog "manifests" has no image: the catalog contains its manifests',
      );
      expect(refused.stderr).toContain('longshore bundle push DIR REF');
      expect(refused.stderr).toContain('nothing was changed');
    }
    await isSubscribed();
    await world.kube.delete({ ...catalogKind, name: 'manifests' });
  });

  test('is left alone where no catalog has its version, or the one that is named does not exist', async () => {
    const other = registry.putImage(
      'other:v1',
      [{ files: { 'configs/c.json': JSON.stringify({ schema: 'olm.package', name: 'another' }) } }],
      { [label]: '/configs' },
    );
    await serve('other', `${registry.host}/other@${other}`);
    const refused = await longshore(...migrate, ...place, '--to', 'ClusterExtension', '--yes');
    expect(refused.stderr).toContain('cannot be continued by a ClusterExtension: ');
    expect(refused.stderr).toContain('no bundles found');
    const named = await longshore(...migrate, ...place, '--to', 'ClusterExtension', '--catalog', 'shop', '--yes');
    expect(named.stderr).toContain('there is no ClusterCatalog "shop"');
    await isSubscribed();
    await world.kube.delete({ ...catalogKind, name: 'other' });
  });

  test('becomes a ClusterExtension: Deployment, Pod, definition and custom resource stay', async () => {
    await serve('shop', images.catalog);
    const dry = await succeeds(...migrate, ...place, '--to', 'ClusterExtension', '--dry-run');
    expect(dry).toContain('the Pods stay');
    expect(dry).toContain('ClusterExtension tide-gauge takes over BundleDeployment tide-gauge');
    await isSubscribed();
    expect(await succeeds(...migrate, ...place, '--to', 'ClusterExtension', '--yes')).toContain(
      'tide-gauge.v0.1.0 is ClusterExtension tide-gauge from now on',
    );
    await isExtension(namespace);
    expect((await world.kube.list({ apiVersion: olm, kind: 'Subscription', namespace })).items).toEqual([]);
    expect((await world.kube.list({ apiVersion: olm, kind: 'ClusterServiceVersion', namespace })).items).toEqual([]);
    expect(await standing(namespace)).toEqual(before);
    // Repeated, it finds nothing left to do.
    await succeeds(...migrate, ...place, '--to', 'ClusterExtension', '--yes');
    await isExtension(namespace);
  });

  test('and a BundleDeployment of its own again', async () => {
    expect(await succeeds(...migrate, '--to', 'BundleDeployment', '--yes')).toContain('on its own from now on');
    expect(await exists({ ...extensionKind, name: package_ })).toBe(false);
    const { metadata } = await world.kube.get({ ...deploymentKind, name: package_ });
    expect(metadata.ownerReferences ?? []).toEqual([]);
    await world.deploymentWith(package_, { type: 'Healthy', status: 'True' });
    expect(await standing(namespace)).toEqual(before);
  });
});

describe('an operator of a PlatformOperator', { shuffle: false }, () => {
  let namespace = '';
  let before: unknown;
  beforeAll(async () => {
    await serve('shop', images.catalog);
    const spec = { package: { name: package_ } };
    await world.kube.create({ ...platformKind, metadata: { name: package_ }, spec }, user);
    const deployment = await world.deploymentWith(package_, { type: 'Healthy', status: 'True' });
    const { record } = statusOf(deployment) as { record: { namespaces: readonly string[] } };
    [namespace = ''] = record.namespaces;
    await createGauge(namespace);
    before = await standing(namespace);
  }, 180_000);
  afterAll(() => removeAll(namespace), 180_000);

  test('is left alone where the bundle of the catalog that is named has no image', async () => {
    await serve('manifests', images.manifests);
    const refused = await longshore(...migrate, '--to', 'ClusterExtension', '--catalog', 'manifests', '--yes');
    expect(refused.stderr).toContain('bundle "tide-gauge.v0.1.0" of ClusterCatalog "manifests" has no image');
    expect(await exists({ ...platformKind, name: package_ })).toBe(true);
    expect(await exists({ ...extensionKind, name: package_ })).toBe(false);
    await world.kube.delete({ ...catalogKind, name: 'manifests' });
  });

  test('becomes a ClusterExtension: Deployment, Pod, definition and custom resource stay', async () => {
    await succeeds(...migrate, '--to', 'ClusterExtension', '--catalog', 'shop', '--yes');
    await isExtension(namespace);
    expect(await exists({ ...platformKind, name: package_ })).toBe(false);
    expect(await standing(namespace)).toEqual(before);
  });

  test('and a PlatformOperator again', async () => {
    expect(await succeeds(...migrate, '--to', 'PlatformOperator', '--yes')).toContain(
      'tide-gauge.v0.1.0 is PlatformOperator tide-gauge from now on',
    );
    expect(await exists({ ...extensionKind, name: package_ })).toBe(false);
    const operator = await world.kube.get({ ...platformKind, name: package_ });
    expect(statusOf(operator)).toMatchObject({ activeBundleDeployment: { name: package_ } });
    await world.deploymentWith(package_, { type: 'Healthy', status: 'True' });
    expect(await standing(namespace)).toEqual(before);
  });
});

describe('a BundleDeployment that merely has the name of the package', () => {
  beforeEach(async () => {
    await serve('shop', images.catalog);
    const digest = registry.putImage('nothing:v1', [
      {
        files: {
          'manifests/settings.yaml': JSON.stringify({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'settings', namespace: 'default' },
          }),
        },
      },
    ]);
    const source = { type: 'image', image: { ref: `${registry.host}/nothing@${digest}` } };
    const spec = {
      provisionerClassName: 'core-rukpak-io-plain',
      template: { spec: { provisionerClassName: 'core-rukpak-io-plain', source } },
    };
    await world.kube.create({ ...deploymentKind, metadata: { name: package_ }, spec }, user);
    await world.deploymentWith(package_, { type: 'Installed', status: 'True' });
  });

  test('is not replaced by it', async () => {
    const refused = await longshore(...migrate, '--to', 'ClusterExtension', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('nothing was changed');
    expect(await exists({ ...extensionKind, name: package_ })).toBe(false);
    const { metadata } = await world.kube.get({ ...deploymentKind, name: package_ });
    expect(metadata.ownerReferences ?? []).toEqual([]);
  });
});
