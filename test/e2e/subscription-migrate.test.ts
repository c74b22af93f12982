/** @module-tag long */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../../cli/examples/registry.ts';
import { findObject, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import {
  catalogKind,
  csvKind,
  definition,
  deploymentKind,
  extensionKind,
  gauge,
  package_,
  platformKind,
  sourceKind,
  subscriptionKind,
} from './migration.ts';
import { longshoreOn, type Printed } from './program.ts';
import { conditionOf, startWorld, statusOf, type World } from './world.ts';

const label = 'operators.operatorframework.io.index.configs.v1';
const user = { fieldManager: 'test' };
const patience = { timeoutMs: 120_000 };

const groupKind = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const csvName = `${package_}.v0.1.0`;
const back = ['operator', 'migrate', package_, '--to', 'Subscription'] as const;

let world: World;
let registry: Registry;
let dir: string;
let images: { readonly bundle: string; readonly catalog: string; readonly other: string };

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
    { schema: 'olm.channel', package: package_, name: 'stable', entries: [{ name: csvName }] },
  ];
  const content = [...head.map((document) => JSON.stringify(document)), rendered].join('\n');
  const digest = registry.putImage(`${name}:v1`, [{ files: { 'configs/catalog.json': content } }], {
    [label]: '/configs',
  });
  return `${registry.host}/${name}@${digest}`;
}

async function find(ref: Parameters<typeof world.kube.get>[0]): Promise<KubeObject | undefined> {
  return await findObject(world.kube, ref);
}

async function items(kind: { apiVersion: string; kind: string }, namespace: string): Promise<readonly KubeObject[]> {
  return (await world.kube.list({ ...kind, namespace })).items;
}

async function isReady(namespace: string, name: string): Promise<void> {
  await eventually(async () => {
    const found = await world.kube.get({ ...sourceKind, name, namespace });
    expect(statusOf(found)).toMatchObject({ connectionState: { lastObservedState: 'READY' } });
  }, patience);
}

/** Creates a CatalogSource; its packages are visible when the PackageManifests are. */
async function addSource(namespace: string, name: string, image: string): Promise<void> {
  await succeeds('operator', 'catalog', 'add', name, image, '-n', namespace);
  await isReady(namespace, name);
}

/** The same version with another description. */
async function changedBundle(folder: string, target: string): Promise<void> {
  await cp(folder, target, { recursive: true });
  const file = join(target, 'manifests', `${package_}.clusterserviceversion.yaml`);
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace(/^ {2}displayName: .*$/m, '  displayName: Another Gauge'),
  );
}

beforeAll(async () => {
  world = await startWorld(['--olm']);
  registry = await startRegistry({});
  const bundle = `${registry.host}/${package_}:v0.1.0`;
  const folder = 'examples/tide-gauge/v0.1.0';
  await succeeds('bundle', 'push', folder, bundle);
  const other = `${registry.host}/copy:v0.1.0`;
  dir = await mkdtemp(join(tmpdir(), 'longshore-migrate-'));
  const changed = join(dir, 'changed');
  await changedBundle(folder, changed);
  await succeeds('bundle', 'push', changed, other);
  const rendered = await succeeds('catalog', 'render', bundle, '-o', 'json');
  images = {
    bundle,
    catalog: putCatalog('catalog', rendered),
    other: putCatalog('other', await succeeds('catalog', 'render', other, '-o', 'json')),
  };
  const spec = { source: { type: 'Image', image: { ref: images.catalog } } };
  await world.kube.create({ ...catalogKind, metadata: { name: 'shop' }, spec }, user);
  await eventually(async () => {
    expect(conditionOf(await world.kube.get({ ...catalogKind, name: 'shop' }), 'Serving')?.status).toBe('True');
  }, patience);
}, 180_000);
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
  await registry[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

/** What must stay, by uid, with what would restart Pods. */
async function standing(namespace: string) {
  const [deployments, pods, gauges, accounts] = await Promise.all([
    items({ apiVersion: 'apps/v1', kind: 'Deployment' }, namespace),
    items({ apiVersion: 'v1', kind: 'Pod' }, namespace),
    items(gauge, namespace),
    items({ apiVersion: 'v1', kind: 'ServiceAccount' }, namespace),
  ]);
  const crd = await world.kube.get(definition);
  expect([deployments.length, gauges.length]).toEqual([1, 1]);
  const uidsOf = (objects: readonly KubeObject[]): readonly unknown[] => objects.map(({ metadata }) => metadata.uid);
  return {
    uids: [...uidsOf(deployments), ...uidsOf(gauges), crd.metadata.uid, ...uidsOf(accounts)],
    pods: uidsOf(pods),
    templates: deployments.map(({ spec }) => (spec as { template: unknown }).template),
  };
}

async function createGauge(namespace: string): Promise<void> {
  const object = { ...gauge, metadata: { namespace, name: 'pier' }, spec: { harbour: 'Old Pier' } };
  await eventually(() => world.kube.create(object as unknown as KubeObject, user), patience);
  await eventually(
    async () => expect(await items({ apiVersion: 'v1', kind: 'Pod' }, namespace)).toHaveLength(1),
    patience,
  );
}

/** As Operator Lifecycle Manager has it, and nothing else. */
async function isSubscribed(namespace: string): Promise<void> {
  const [subscription, ...others] = await items(subscriptionKind, namespace);
  expect(others).toEqual([]);
  expect(subscription?.['spec']).toMatchObject({ name: package_, channel: 'stable', installPlanApproval: 'Manual' });
  expect(statusOf(subscription as KubeObject)).toMatchObject({ installedCSV: csvName, state: 'AtLatestKnown' });
  expect(subscription?.metadata.annotations ?? {}).toEqual({});
  const csv = await world.kube.get({ ...csvKind, namespace, name: csvName });
  expect(statusOf(csv)).toMatchObject({ phase: 'Succeeded' });
  for (const kind of [extensionKind, platformKind, deploymentKind])
    expect((await world.kube.list(kind)).items).toEqual([]);
  const [deployment] = await items({ apiVersion: 'apps/v1', kind: 'Deployment' }, namespace);
  const owners = deployment?.metadata.ownerReferences ?? [];
  expect(owners.map(({ kind, uid }) => [kind, uid])).toEqual([['ClusterServiceVersion', csv.metadata.uid]]);
  for (const kind of ['ClusterRole', 'ClusterRoleBinding']) {
    const { items: all } = await world.kube.list({ apiVersion: 'rbac.authorization.k8s.io/v1', kind });
    const own = all.filter(({ metadata }) => metadata.name?.startsWith(csvName) === true);
    expect(own.every(({ metadata }) => metadata.labels?.['olm.owner'] === csvName)).toBe(true);
  }
}

async function removeAll(namespace: string): Promise<void> {
  for (const kind of [extensionKind, platformKind, deploymentKind]) {
    for (const { metadata } of (await world.kube.list(kind)).items) {
      await world.kube.delete({ ...kind, name: metadata.name ?? '' }).catch(() => undefined);
    }
    await eventually(async () => expect((await world.kube.list(kind)).items).toEqual([]), patience);
  }
  const place = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
  await world.kube.delete(place).catch(() => undefined);
  await world.kube.delete(definition).catch(() => undefined);
  await eventually(async () => {
    expect([await find(place), await find(definition)]).toEqual([undefined, undefined]);
  }, patience);
}

describe('an operator that came from a Subscription', { shuffle: false }, () => {
  const namespace = 'returned';
  let before: Awaited<ReturnType<typeof standing>>;
  beforeAll(async () => {
    await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
    await addSource(namespace, 'shop', images.catalog);
    await succeeds('operator', 'install', package_, '-n', namespace, '--catalog', 'shop', '--yes');
    await createGauge(namespace);
    before = await standing(namespace);
    await succeeds('operator', 'migrate', package_, '-n', namespace, '--to', 'ClusterExtension', '--yes');
  }, 180_000);
  afterAll(() => removeAll(namespace), 180_000);

  test('shows in a dry run that its Pods stay, and changes nothing', async () => {
    const dry = await succeeds(...back, '--dry-run');
    expect(dry).toContain(`Deployment.apps ${namespace}/tide-gauge-manager: the Pods stay`);
    expect(dry).toContain(
      `Subscription ${namespace}/tide-gauge of CatalogSource ${namespace}/shop takes over ${csvName}`,
    );
    expect(await items(subscriptionKind, namespace)).toEqual([]);
    expect(await find({ ...extensionKind, name: package_ })).toBeDefined();
  });

  test('is left alone without a confirmation', async () => {
    const unasked = await longshore(...back);
    expect(unasked.code).toBe(1);
    expect(unasked.stderr).toContain('confirm with --yes');
    expect(await items(subscriptionKind, namespace)).toEqual([]);
    expect(await standing(namespace)).toEqual(before);
  });

  test('becomes one again: Deployment, Pod, account, definition and custom resource stay', async () => {
    expect(await succeeds(...back, '--yes')).toContain(
      `tide-gauge is Subscription ${namespace}/tide-gauge from now on`,
    );
    await isSubscribed(namespace);
    expect(await standing(namespace)).toEqual(before);
  });

  test('and a ClusterExtension once more', async () => {
    await succeeds('operator', 'migrate', package_, '-n', namespace, '--to', 'ClusterExtension', '--yes');
    expect(await standing(namespace)).toEqual(before);
  });
});

describe('an operator of a PlatformOperator', { shuffle: false }, () => {
  let namespace = '';
  let before: Awaited<ReturnType<typeof standing>>;
  beforeAll(async () => {
    await world.kube.create(
      { ...platformKind, metadata: { name: package_ }, spec: { package: { name: package_ } } },
      user,
    );
    const deployment = await world.deploymentWith(package_, { type: 'Healthy', status: 'True' });
    const { record } = statusOf(deployment) as { record: { namespaces: readonly string[] } };
    [namespace = ''] = record.namespaces;
    await createGauge(namespace);
    before = await standing(namespace);
  }, 180_000);
  afterAll(() => removeAll(namespace), 180_000);

  async function isLeftAlone(): Promise<void> {
    expect(await items(subscriptionKind, namespace)).toEqual([]);
    expect(await find({ ...platformKind, name: package_ })).toBeDefined();
    expect(await standing(namespace)).toEqual(before);
  }

  test('is left alone where no CatalogSource has its bundle', async () => {
    const refused = await longshore(...back, '--yes');
    expect(refused.stderr).toContain(
      `no CatalogSource that is visible in namespace "${namespace}" has bundle "${csvName}"`,
    );
    expect(refused.stderr).toContain('nothing was changed');
    await isLeftAlone();
  });

  test('is left alone where the CatalogSource has it as another image', async () => {
    await addSource(namespace, 'other', images.other);
    const refused = await longshore(...back, '--yes');
    expect(refused.stderr).toContain(`CatalogSource ${namespace}/other has other manifests of bundle "${csvName}"`);
    expect(refused.stderr).toContain('nothing was changed');
    expect(await items(groupKind, namespace)).toEqual([]);
    await isLeftAlone();
    await world.kube.delete({ ...sourceKind, namespace, name: 'other' });
  });

  describe('with an OperatorGroup', () => {
    beforeEach(() => addSource(namespace, 'shop', images.catalog));
    afterEach(async () => {
      await world.kube.delete({ ...groupKind, namespace, name: 'group' });
      await world.kube.delete({ ...sourceKind, namespace, name: 'shop' });
    });

    test.each([
      {
        spec: { targetNamespaces: ['default'] },
        why: 'targets namespaces default, and the operator watches all namespaces',
      },
      {
        spec: { serviceAccountName: 'installer' },
        why: 'names service account "installer", and it is installed with no service account',
      },
    ])('is left alone where the group $why', async ({ spec, why }) => {
      await world.kube.create({ ...groupKind, metadata: { name: 'group', namespace }, spec }, user);
      await eventually(async () => {
        const found = await world.kube.get({ ...groupKind, namespace, name: 'group' });
        expect(statusOf(found)['namespaces']).toBeDefined();
      }, patience);
      const refused = await longshore(...back, '--yes');
      expect(refused.stderr).toContain(why);
      await isLeftAlone();
    });
  });

  test('becomes a Subscription: its Pods restart once, which is shown before, and all objects stay', async () => {
    await addSource(namespace, 'shop', images.catalog);
    expect(await succeeds(...back, '--dry-run')).toContain('THE PODS RESTART');
    await isLeftAlone();
    await succeeds(...back, '--yes');
    await isSubscribed(namespace);
    expect((await standing(namespace)).uids).toEqual(before.uids);
  });

  test('is removed with its Subscription, as one that was installed by it', async () => {
    await succeeds('operator', 'uninstall', package_, '-n', namespace, '--yes');
    await eventually(async () => {
      expect(await items({ apiVersion: 'apps/v1', kind: 'Deployment' }, namespace)).toEqual([]);
      const { items: roles } = await world.kube.list({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
      });
      expect(roles.filter(({ metadata }) => metadata.name?.startsWith(csvName) === true)).toEqual([]);
    }, patience);
  });
});
