import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { drawnCatalog, drawnPackage } from '../../../test/support/drawn-package.ts';
import { type BareCluster, eventually, openBareCluster } from '../../../test/support/index.ts';
import { type JsonObject, parseYaml, silentLogger, systemClock, TransientError } from '../../base/index.ts';
import type { Property } from '../../constraints/index.ts';
import { createManager, type Manager } from '../../controller/index.ts';
import { type Condition, isNotFound, type KubeObject } from '../../kube/index.ts';
import type { CatalogView } from '../../resolver/index.ts';
import { addPlatformOperators } from './controller.ts';
import { answerNeeds, answerNext } from './resolve-answers.ts';

const user = { fieldManager: 'test' };
const deploymentKind = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' };
const operatorKind = { apiVersion: 'platform.openshift.io/v1alpha1', kind: 'PlatformOperator' };
const definitions = [
  'core.rukpak.io_bundledeployments',
  'core.rukpak.io_bundles',
  'olm.operatorframework.io_clustercatalogs',
  'platform.openshift.io_platformoperators',
];
const needsBase: readonly Property[] = [
  { type: 'olm.package.required', value: { packageName: 'base', versionRange: '>=1.0.0' } },
];
const needsNewBase: readonly Property[] = [
  { type: 'olm.package.required', value: { packageName: 'base', versionRange: '>=2.0.0' } },
];
const base = drawnPackage({ stable: '1.0.0; 2.0.0 <1.0.0' }, [], {
  name: 'base',
  properties: { '1.0.0': [{ type: 'x', value: 1 }], '2.0.0': [{ type: 'x', value: 2 }] },
});
const oldBase = drawnPackage({ stable: '1.0.0' }, [], {
  name: 'base',
  properties: { '1.0.0': [{ type: 'x', value: 1 }] },
});

const digest = `sha256:${'a'.repeat(64)}`;

let cluster: BareCluster;
let stop: AbortController;
let started: Manager;
let catalogs: CatalogView[];
const listeners = new Set<() => void>();

beforeAll(async () => {
  cluster = await openBareCluster();
  for (const name of definitions) {
    const file = `crds/${name}.yaml`;
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
  }
  await eventually(() => cluster.kube.list(operatorKind));
  await eventually(() => cluster.kube.list(deploymentKind));
  await eventually(() => cluster.kube.list({ ...deploymentKind, kind: 'Bundle' }));
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function start(isAccountRequired = false): Promise<void> {
  stop = new AbortController();
  const { kube } = cluster;
  started = createManager({ kube, clock: systemClock, log: silentLogger(), signal: stop.signal });
  addPlatformOperators(started, {
    isAccountRequired,
    views: {
      hold: () => ({ catalogs, places: [], imageOf: () => `shop@${digest}`, [Symbol.dispose]: () => undefined }),
      subscribe: (listener) => {
        listeners.add(listener);
        return { [Symbol.dispose]: () => listeners.delete(listener) };
      },
    },
    resolver: {
      next: async (question) => {
        await Promise.resolve();
        if (catalogs.some(({ name }) => name === 'hard')) throw new TransientError('ResolutionCancelled', 'cancelled');
        return answerNext(question, catalogs);
      },
      needs: (question) => Promise.resolve(question).then((asked) => answerNeeds(asked, catalogs)),
    },
    systemNamespace: 'rukpak-system',
    version: '1.2.3',
  });
  await started.start();
}

beforeEach(async () => {
  catalogs = [];
  await start();
});

afterEach(async () => {
  for (const kind of [operatorKind, deploymentKind]) {
    const { items } = await cluster.kube.list(kind);
    for (const { metadata } of items) {
      await cluster.kube.delete({ ...kind, name: metadata.name ?? '' }).catch(() => undefined);
    }
    await eventually(async () => expect((await cluster.kube.list(kind)).items).toEqual([]));
  }
  stop.abort();
  await started.whenStopped();
});

function offer(...views: readonly CatalogView[]): void {
  catalogs = [...views];
  for (const listener of listeners) listener();
}

async function ask(name: string, packageName: string, upgradePolicy = 'None'): Promise<void> {
  const spec = { package: { name: packageName }, upgradePolicy };
  await cluster.kube.create({ ...operatorKind, metadata: { name }, spec }, user);
}

const deploymentNamed = (name: string): Promise<KubeObject> => cluster.kube.get({ ...deploymentKind, name });
const operatorNamed = (name: string): Promise<KubeObject> => cluster.kube.get({ ...operatorKind, name });

async function imageOf(name: string): Promise<unknown> {
  const { spec } = await deploymentNamed(name);
  return (spec as { template: { spec: { source: { image?: { ref: string } } } } }).template.spec.source.image?.ref;
}

function conditionOf(object: KubeObject, type: string): Condition | undefined {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: Condition[] };
  return conditions.find((condition) => condition.type === type);
}

/** Reports on a BundleDeployment like a provisioner; `activeBundle` is what it has installed. */
async function settle(
  name: string,
  changes: Readonly<Record<string, Partial<Condition>>> = {},
  activeBundle?: string,
): Promise<void> {
  const { metadata } = await deploymentNamed(name);
  const conditions = ['HasValidBundle', 'Installed', 'Healthy'].map((type) => ({
    type,
    status: 'True',
    reason: 'Done',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: metadata.generation ?? 0,
    ...changes[type],
  }));
  const status = { conditions, ...(activeBundle !== undefined && { activeBundle }) } as unknown as JsonObject;
  await cluster.kube.patch({ ...deploymentKind, name }, { status }, { ...user, subresource: 'status' });
}

async function expectCondition(name: string, type: string, expected: Partial<Condition>): Promise<void> {
  await eventually(async () => expect(conditionOf(await operatorNamed(name), type)).toMatchObject(expected));
}

async function has(name: string, image: string): Promise<void> {
  await eventually(async () => expect(await imageOf(name)).toBe(`registry.example/${image}`));
}

test('E-072 a package becomes a BundleDeployment of the same name, whose conditions are passed on', async () => {
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0', alpha: '1.2.0' })], { name: 'main' }));
  await ask('tide', 'p');
  await has('tide', 'p:v1.2.0');
  const deployment = await deploymentNamed('tide');
  expect(deployment.spec).toMatchObject({
    provisionerClassName: 'core-rukpak-io-plain',
    template: { spec: { provisionerClassName: 'core-rukpak-io-registry', source: { type: 'image' } } },
  });
  expect(deployment.metadata.ownerReferences).toMatchObject([
    { kind: 'PlatformOperator', name: 'tide', controller: true },
  ]);
  await expectCondition('tide', 'Installed', {
    status: 'False',
    reason: 'UnpackPending',
    message: 'Waiting for the bundle to be unpacked',
  });
  await settle('tide', { Installed: { status: 'Unknown' } });
  await expectCondition('tide', 'Installed', {
    status: 'False',
    reason: 'InstallPending',
    message: 'Waiting for the bundle to be installed',
  });
  await settle('tide', { HasValidBundle: { status: 'False', reason: 'UnpackFailed', message: 'no such image' } });
  await expectCondition('tide', 'Installed', { status: 'False', reason: 'UnpackFailed', message: 'no such image' });
  await settle('tide', { Installed: { status: 'False', reason: 'InstallFailed', message: 'no such kind' } });
  await expectCondition('tide', 'Installed', { status: 'False', reason: 'InstallFailed', message: 'no such kind' });
  await settle('tide');
  const message = 'Successfully applied the tide BundleDeployment resource';
  await expectCondition('tide', 'Installed', { status: 'True', reason: 'InstallSuccessful', message });
  const { status, metadata } = await operatorNamed('tide');
  expect(status).toMatchObject({
    activeBundleDeployment: { name: 'tide' },
    resolved: { bundle: 'p.v1.2.0', version: '1.2.0', channel: 'alpha', catalog: { name: 'main', digest } },
  });
  expect(metadata.managedFields).toContainEqual(
    expect.objectContaining({ manager: 'platformoperator', operation: 'Apply', subresource: 'status' }),
  );
});

test('where a service account is required nothing is installed or changed for PlatformOperators', async () => {
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' }, [], { name: 'tide' })], { name: 'main' }));
  await ask('tide', 'tide', 'Automatic');
  await eventually(() => deploymentNamed('tide'));
  // An administrator lets it go on with an account of its own.
  const config = { serviceAccount: { namespace: 'ops', name: 'tide' } };
  await cluster.kube.patch({ ...deploymentKind, name: 'tide' }, { spec: { config } }, user);
  await settle('tide');
  stop.abort();
  await started.whenStopped();
  await start(true);
  const before = (await deploymentNamed('tide')).metadata.generation;
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0' }, [], { name: 'tide' })], { name: 'main' }));
  await ask('other', 'other');
  for (const name of ['tide', 'other']) {
    await expectCondition(name, 'Installed', { status: 'False', reason: 'InstallFailed' });
    expect(conditionOf(await operatorNamed(name), 'Installed')?.message).toContain('--require-service-account');
  }
  expect((await deploymentNamed('tide')).metadata.generation).toBe(before);
  expect((await cluster.kube.list(deploymentKind)).items).toHaveLength(1);
});

test('E-072 an unknown package fails with the message of the original, and is found as soon as a catalog has it', async () => {
  await ask('tide', 'p');
  const text = 'failed to find candidate olm.bundles from the p package';
  await expectCondition('tide', 'Installed', {
    status: 'False',
    reason: 'SourceFailed',
    message: `${text}: no ClusterCatalog is served`,
  });
  offer(
    drawnCatalog([base], { name: 'shop' }),
    drawnCatalog([drawnPackage({ stable: '1.0.0' }, [], { name: 'pp' })], { name: 'more' }),
  );
  await expectCondition('tide', 'Installed', {
    status: 'False',
    reason: 'SourceFailed',
    message: `${text}: no catalog that is served (shop, more) has it; did you mean pp?`,
  });
  offer(drawnCatalog([base, drawnPackage({ stable: '1.0.0' })]));
  await has('tide', 'p:v1.0.0');
});

test('catalogs that are too hard to resolve are reported, before an installation and after', async () => {
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' })], { name: 'hard' }));
  await ask('tide', 'p');
  const message = expect.stringMatching(/^package p: cancelled: remove the ClusterCatalog that causes this/) as string;
  await expectCondition('tide', 'Installed', { status: 'False', reason: 'SourceFailed', message });
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' })]));
  await has('tide', 'p:v1.0.0');
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' })], { name: 'hard' }));
  await expectCondition('tide', 'UpToDate', { status: 'Unknown', reason: 'CatalogsUnknown', message });
});

test('updates are installed one at a time, each when the previous one is healthy, and only if requested', async () => {
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' })]));
  await ask('tide', 'p', 'Automatic');
  await has('tide', 'p:v1.0.0');
  await settle('tide');
  await expectCondition('tide', 'UpToDate', { status: 'True', reason: 'NothingNewer' });
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0; 1.2.0 <1.1.0' })]));
  await has('tide', 'p:v1.1.0');
  await expectCondition('tide', 'UpToDate', { status: 'False', reason: 'Updating' });
  await settle('tide', { Healthy: { status: 'False' } });
  await expectCondition('tide', 'Installed', { status: 'True' });
  expect(await imageOf('tide')).toBe('registry.example/p:v1.1.0');
  await settle('tide');
  await has('tide', 'p:v1.2.0');
  await cluster.kube.patch({ ...operatorKind, name: 'tide' }, { spec: { upgradePolicy: 'None' } }, user);
  await settle('tide');
  offer(drawnCatalog([drawnPackage({ stable: '1.2.0; 1.3.0 <1.2.0' })]));
  await expectCondition('tide', 'UpToDate', { status: 'False', reason: 'UpdateAvailable' });
  expect(await imageOf('tide')).toBe('registry.example/p:v1.2.0');
});

test('CR-C39 changes and deletions by others are corrected, even without any catalog', async () => {
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' })]));
  await ask('tide', 'p');
  await has('tide', 'p:v1.0.0');
  await settle('tide');
  await expectCondition('tide', 'Installed', { status: 'True' });
  offer();
  const prefix = 'p.v1.0.0 stays installed; updates of package p are unknown';
  await expectCondition('tide', 'UpToDate', {
    status: 'Unknown',
    reason: 'CatalogsUnknown',
    message: `${prefix}: no ClusterCatalog is served`,
  });
  const unknown = 'deprecation status unknown: catalog data unavailable';
  await expectCondition('tide', 'Deprecated', {
    status: 'Unknown',
    reason: 'DeprecationStatusUnknown',
    message: unknown,
  });
  offer(drawnCatalog([oldBase], { name: 'shop' }));
  await expectCondition('tide', 'UpToDate', {
    status: 'Unknown',
    message: `${prefix}: no catalog that is served (shop) has it`,
  });
  offer();
  const source = { type: 'http', http: { url: 'https://elsewhere.example' }, image: null };
  await cluster.kube.patch({ ...deploymentKind, name: 'tide' }, { spec: { template: { spec: { source } } } }, user);
  await has('tide', 'p:v1.0.0');
  expect((await deploymentNamed('tide')).spec).not.toMatchObject({ template: { spec: { source: { http: {} } } } });
  const { uid } = (await deploymentNamed('tide')).metadata;
  await cluster.kube.delete({ ...deploymentKind, name: 'tide' });
  await eventually(async () => expect((await deploymentNamed('tide')).metadata.uid).not.toBe(uid));
  await has('tide', 'p:v1.0.0');
  await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
    expect(items.filter(({ reason }) => reason === 'DriftRepaired').map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'BundleDeployment tide was changed by another client; corrected: spec.template.spec',
        'BundleDeployment tide was deleted; created again for p.v1.0.0',
      ]),
    );
  });
});

// docs/backup-and-restore.md
test('a BundleDeployment that is restored without its owner is taken over at its version, which no update leads from', async () => {
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' }, [], { name: 'tide' })], { name: 'main' }));
  await ask('tide', 'tide');
  await has('tide', 'tide:v1.0.0');
  const { spec, metadata } = await deploymentNamed('tide');
  stop.abort();
  await started.whenStopped();
  await cluster.kube.delete({ ...operatorKind, name: 'tide' });
  await eventually(() => expect(deploymentNamed('tide')).rejects.toSatisfy(isNotFound));
  const { labels = {}, annotations = {} } = metadata;
  await cluster.kube.create({ ...deploymentKind, metadata: { name: 'tide', labels, annotations }, spec }, user);
  offer(drawnCatalog([drawnPackage({ stable: '2.0.0' }, [], { name: 'tide' })], { name: 'main' }));
  await start();
  await ask('tide', 'tide');
  await eventually(async () => {
    expect((await operatorNamed('tide'))['status']).toMatchObject({ resolved: { bundle: 'tide.v1.0.0' } });
    expect((await deploymentNamed('tide')).metadata.ownerReferences).toMatchObject([
      { name: 'tide', controller: true },
    ]);
  });
  await has('tide', 'tide:v1.0.0');
});

test('dependencies of a package are installed with it, shared, updated with it, and removed with the last dependent', async () => {
  const first = drawnPackage({ stable: '1.0.0' }, [], { properties: { '1.0.0': needsBase } });
  const second = drawnPackage({ stable: '1.0.0' }, [], { name: 'q', properties: { '1.0.0': needsBase } });
  offer(drawnCatalog([oldBase, first, second]));
  await ask('tide', 'p', 'Automatic');
  await ask('wave', 'q');
  await has('tide', 'p:v1.0.0');
  await has('wave', 'q:v1.0.0');
  await has('base', 'base:v1.0.0');
  await eventually(async () => {
    const owners = (await deploymentNamed('base')).metadata.ownerReferences ?? [];
    expect(owners.map(({ name }) => name).toSorted()).toEqual(['tide', 'wave']);
  });
  for (const name of ['tide', 'wave', 'base']) await settle(name);
  const properties = { '1.0.0': needsBase, '1.1.0': needsNewBase };
  const newer = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0' }, [], { properties });
  offer(drawnCatalog([base, newer, second]));
  await has('base', 'base:v2.0.0');
  await has('tide', 'p:v1.1.0');
  await cluster.kube.delete({ ...operatorKind, name: 'tide' });
  await eventually(async () => await expect(deploymentNamed('tide')).rejects.toThrow('not found'));
  expect(await imageOf('base')).toBe('registry.example/base:v2.0.0');
  expect(await imageOf('wave')).toBe('registry.example/q:v1.0.0');
  await cluster.kube.delete({ ...operatorKind, name: 'wave' });
  await eventually(async () => await expect(deploymentNamed('base')).rejects.toThrow('not found'));
});

test('a version with unmet dependencies is not installed, an older one is, and an update waits for its dependencies', async () => {
  const properties = { '1.0.0': [{ type: 'x', value: 1 }], '1.1.0': needsBase };
  const needy = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0' }, [], { properties });
  const hopeless = drawnPackage({ stable: '1.0.0' }, [], { name: 'q', properties: { '1.0.0': needsBase } });
  offer(drawnCatalog([needy, hopeless]));
  await ask('tide', 'p', 'Automatic');
  await ask('wave', 'q');
  await has('tide', 'p:v1.0.0');
  await expectCondition('wave', 'Installed', { status: 'False', reason: 'SourceFailed' });
  expect(conditionOf(await operatorNamed('wave'), 'Installed')?.message).toMatch(
    /q\.v1\.0\.0 cannot be installed: .*base/,
  );
  await expect(deploymentNamed('wave')).rejects.toThrow('not found');
  await settle('tide');
  await expectCondition('tide', 'UpToDate', { status: 'False', reason: 'UpdateBlocked' });
  offer(drawnCatalog([needy, hopeless, base]));
  await has('tide', 'p:v1.1.0');
  await has('wave', 'q:v1.0.0');
});

test('E-072 a first installation that fails is replaced by a newer version, an installed one is not', async () => {
  const failed = { Installed: { status: 'False' as const, reason: 'InstallFailed', message: 'no such kind' } };
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' })]));
  await ask('tide', 'p');
  await has('tide', 'p:v1.0.0');
  await settle('tide', failed);
  await expectCondition('tide', 'UpToDate', { status: 'True', reason: 'NothingNewer' });
  await expectCondition('tide', 'Installed', { status: 'False', reason: 'InstallFailed', message: 'no such kind' });
  offer(drawnCatalog([{ ...drawnPackage({ stable: '0.9.0' }), deprecation: 'go away' }]));
  await expectCondition('tide', 'PackageDeprecated', { status: 'True', message: 'go away' });
  expect(await imageOf('tide')).toBe('registry.example/p:v1.0.0');
  // No edge leads there.
  offer(drawnCatalog([drawnPackage({ stable: '1.1.0' })]));
  await has('tide', 'p:v1.1.0');
  await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
    const messages = items.filter(({ reason }) => reason === 'Updating').map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringContaining('Installing p.v1.1.0, as p.v1.0.0 could not be installed'));
  });
  await settle('tide', {}, 'tide-1');
  await expectCondition('tide', 'Installed', { status: 'True' });
  await settle('tide', failed, 'tide-1');
  await expectCondition('tide', 'Installed', { status: 'False' });
  offer(drawnCatalog([drawnPackage({ stable: '1.1.0; 1.2.0 <1.1.0' })]));
  await expectCondition('tide', 'UpToDate', { status: 'False', reason: 'UpdateAvailable' });
  expect(await imageOf('tide')).toBe('registry.example/p:v1.1.0');
});

test('a dependency that cannot be installed is replaced, too', async () => {
  const first = drawnPackage({ stable: '1.0.0' }, [], { properties: { '1.0.0': needsBase } });
  offer(drawnCatalog([oldBase, first]));
  await ask('tide', 'p');
  await has('tide', 'p:v1.0.0');
  await has('base', 'base:v1.0.0');
  await settle('base', { HasValidBundle: { status: 'False', reason: 'UnpackFailed' } });
  await settle('tide', { Installed: { status: 'False', reason: 'DependenciesNotMet' } });
  await expectCondition('tide', 'Installed', { status: 'False', reason: 'DependenciesNotMet' });
  offer(drawnCatalog([base, first]));
  await has('base', 'base:v2.0.0');
  expect(await imageOf('tide')).toBe('registry.example/p:v1.0.0');
});

test('bundles that no object can hold are skipped, with the reason', async () => {
  const odd = drawnPackage({ stable: '1.0.0' }, [], {
    name: 'Odd_One',
    properties: { '1.0.0': [{ type: 'x', value: 1 }] },
  });
  const needsOdd: Property = {
    type: 'olm.package.required',
    value: { packageName: 'Odd_One', versionRange: '>=1.0.0' },
  };
  const properties = { '1.1.0': [needsOdd], '1.2.0': [{ type: 'x', value: 1 }] };
  const found = drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0; 1.2.0 <1.1.0' }, [], { properties });
  const bundles = new Map(found.bundles);
  const newest = bundles.get('p.v1.2.0');
  if (newest !== undefined) bundles.set(newest.name, { ...newest, image: `registry.example/${'x'.repeat(1000)}` });
  offer(drawnCatalog([{ ...found, bundles }, odd]));
  await ask('tide', 'p');
  await has('tide', 'p:v1.0.0');
  const { resolved } = (await operatorNamed('tide'))['status'] as { resolved: { reason: string } };
  expect(resolved.reason).toContain('its image has more than 1000 characters');
  expect(resolved.reason).toContain('it needs package "Odd_One", whose name no object can have');
});

test('what a user with an account of their own has written on a BundleDeployment is never installed without that account', async () => {
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' }), base]));
  const choice = { package: 'p', bundle: 'p.v9.0.0', version: '9.0.0', image: 'hostile/p', catalog: { name: 'main' } };
  const metadata = {
    name: 'hers',
    labels: { 'platform.openshift.io/package': 'p' },
    annotations: { 'platform.openshift.io/choice': JSON.stringify(choice) },
  };
  const spec = {
    provisionerClassName: 'x',
    config: { serviceAccount: { namespace: 'hers', name: 'hers' } },
    template: { spec: { provisionerClassName: 'x', source: { type: 'image', image: { ref: 'hostile/p' } } } },
  };
  const hers = { ...deploymentKind, metadata, spec };
  await cluster.kube.create(hers, user);
  await ask('p', 'p');
  await has('p', 'p:v1.0.0');
  await cluster.kube.create({ ...hers, metadata: { ...metadata, name: 'late' } }, user);
  await ask('late', 'base');
  await expectCondition('late', 'Installed', { status: 'False', reason: 'InstallFailed' });
  await cluster.kube.delete({ ...deploymentKind, name: 'late' });
  await has('late', 'base:v2.0.0');
  expect(await imageOf('hers')).toBe('hostile/p');
});

test('of two PlatformOperators for one package the older counts, and a name conflict is reported', async () => {
  offer(drawnCatalog([drawnPackage({ stable: '1.0.0' }), base]));
  await ask('a-tide', 'p');
  await has('a-tide', 'p:v1.0.0');
  await ask('b-tide', 'p');
  await expectCondition('b-tide', 'Installed', {
    status: 'False',
    reason: 'InstallFailed',
    message: 'package p is already installed by PlatformOperator "a-tide"',
  });
  const spec = {
    provisionerClassName: 'x',
    template: { spec: { provisionerClassName: 'x', source: { type: 'image', image: { ref: 'x/y' } } } },
  };
  await cluster.kube.create({ ...deploymentKind, metadata: { name: 'taken' }, spec }, user);
  await ask('taken', 'base');
  await expectCondition('taken', 'Installed', { status: 'False', reason: 'InstallFailed' });
  expect(await imageOf('taken')).toBe('x/y');
  await cluster.kube.delete({ ...deploymentKind, name: 'taken' });
  await has('taken', 'base:v2.0.0');
  await cluster.kube.delete({ ...operatorKind, name: 'a-tide' });
  await has('b-tide', 'p:v1.0.0');
});

test('CR-C35 deprecations are reported, and deprecated bundles are installed only without an alternative', async () => {
  offer(
    drawnCatalog([{ ...drawnPackage({ stable: '1.0.0; 1.1.0 <1.0.0' }, ['1.0.0', '1.1.0']), deprecation: 'go away' }]),
  );
  await ask('tide', 'p');
  await has('tide', 'p:v1.1.0');
  await expectCondition('tide', 'BundleDeprecated', {
    status: 'Unknown',
    reason: 'Absent',
    message: 'no bundle installed yet',
  });
  await settle('tide');
  await expectCondition('tide', 'BundleDeprecated', { status: 'True', reason: 'Deprecated', message: 'too old' });
  await expectCondition('tide', 'PackageDeprecated', { status: 'True', reason: 'Deprecated', message: 'go away' });
  await expectCondition('tide', 'ChannelDeprecated', {
    status: 'False',
    reason: 'NotDeprecated',
    message: 'channel not deprecated',
  });
  await expectCondition('tide', 'Deprecated', { status: 'True', reason: 'Deprecated', message: 'go away\ntoo old' });
});
