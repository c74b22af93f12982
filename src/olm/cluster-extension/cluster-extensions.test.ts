import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { drawnCatalog, drawnPackage } from '../../../test/support/drawn-package.ts';
import { holdWatch } from '../../../test/support/held-watch.ts';
import { type BareCluster, cutOff, eventually, openBareCluster } from '../../../test/support/index.ts';
import { type Clock, type JsonObject, objectAt, parseYaml, silentLogger, systemClock } from '../../base/index.ts';
import { createManager, type Manager } from '../../controller/index.ts';
import { type Condition, conditionsOf, findObject, type KubeClient, type KubeObject } from '../../kube/index.ts';
import type { CatalogView } from '../../resolver/index.ts';
import { answerExtension } from './answer.ts';
import { addClusterExtensions } from './controller.ts';

const user = { fieldManager: 'test' };
const rukpak = { apiVersion: 'core.rukpak.io/v1alpha1' };
const deploymentRef = { ...rukpak, kind: 'BundleDeployment', name: 'tide' };
const bundleKind = { ...rukpak, kind: 'Bundle' };
const extensionKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' };
const extensionRef = { ...extensionKind, name: 'tide' };
const definitions = [
  'core.rukpak.io_bundledeployments',
  'core.rukpak.io_bundles',
  'olm.operatorframework.io_clustercatalogs',
  'olm.operatorframework.io_clusterextensions',
];
const minuteMs = 60_000;

let cluster: BareCluster;
let stop: AbortController;
let started: Manager | undefined;
let catalogs: CatalogView[] = [];
const listeners = new Set<() => void>();

/** Time passes, and is moved ahead; sleeps of half a minute and more end when it is moved. */
class MovedClock implements Clock {
  #aheadMs = 0;
  #moved = Promise.withResolvers<void>();

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  async sleep(ms: number, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (ms < minuteMs / 2) return await systemClock.sleep(ms, options);
    await Promise.race([this.#moved.promise, systemClock.sleep(ms, options)]);
  }

  move(ms: number): void {
    this.#aheadMs += ms;
    this.#moved.resolve();
    this.#moved = Promise.withResolvers();
  }
}

let clock: MovedClock;

beforeAll(async () => {
  cluster = await openBareCluster();
  for (const name of definitions) {
    const file = `crds/${name}.yaml`;
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
  }
  for (const kind of [deploymentRef, bundleKind, extensionKind]) await eventually(() => cluster.kube.list(kind));
});
afterAll(() => cluster[Symbol.asyncDispose]());

async function launch(kube: KubeClient = cluster.kube): Promise<void> {
  stop = new AbortController();
  started = createManager({ kube, clock, log: silentLogger(), signal: stop.signal });
  addClusterExtensions(started, {
    isAccountRequired: false,
    views: {
      hold: () => ({ catalogs, places: [], imageOf: () => 'shop', [Symbol.dispose]: () => undefined }),
      subscribe: (listener) => {
        listeners.add(listener);
        return { [Symbol.dispose]: () => listeners.delete(listener) };
      },
    },
    resolver: { extension: async (question) => await Promise.resolve(answerExtension(question, catalogs)) },
  });
  await started.start();
}

async function halt(): Promise<void> {
  stop.abort();
  await started?.whenStopped();
}

/** Has one catalog with the package. */
function offer(drawing: string): void {
  catalogs = [drawnCatalog([drawnPackage({ stable: drawing }, [], { name: 'tide' })], { name: 'shop' })];
  for (const listener of listeners) listener();
}

async function find(ref: Parameters<KubeClient['get']>[0]): Promise<KubeObject | undefined> {
  return await findObject(cluster.kube, ref);
}

async function ask(spec: JsonObject = {}, catalog: JsonObject = {}): Promise<KubeObject> {
  const source = { sourceType: 'Catalog', catalog: { packageName: 'tide', ...catalog } };
  const object = { ...extensionKind, metadata: { name: 'tide' }, spec: { namespace: 'office', source, ...spec } };
  return await cluster.kube.create(object, user);
}

async function progressing(): Promise<Condition | undefined> {
  const found = await cluster.kube.get(extensionRef);
  return conditionsOf(found).find(({ type }) => type === 'Progressing');
}

interface Template {
  readonly metadata?: { readonly annotations?: Record<string, string> };
  readonly spec: JsonObject;
}

/** Stands in for the provisioners: what the BundleDeployment asks for is installed. */
async function provision(isHealthy = true): Promise<void> {
  const live = await find(deploymentRef);
  if (live === undefined) return;
  const { generation = 0, uid = '' } = live.metadata;
  const { template } = live['spec'] as unknown as { readonly template: Template };
  const name = `tide-${generation}`;
  const ownerReferences = [{ ...rukpak, kind: 'BundleDeployment', name: 'tide', uid, controller: true }];
  const annotations = template.metadata?.annotations ?? {};
  const bundle =
    (await find({ ...bundleKind, name })) ??
    (await cluster.kube.create(
      { ...bundleKind, metadata: { name, annotations, ownerReferences }, spec: template.spec },
      user,
    ));
  const bundles = [{ name, uid: bundle.metadata.uid ?? '', specHash: '' }];
  const record = { uid, bundles, installation: 'Done', groupKinds: [], namespaces: [] };
  const conditions = ['HasValidBundle', 'Installed', 'Healthy'].map((type) => ({
    type,
    status: type === 'Healthy' && !isHealthy ? 'False' : 'True',
    reason: 'Done',
    message: type === 'Healthy' && !isHealthy ? 'Deployment "tide" has no pod' : '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: generation,
  }));
  const status = { activeBundle: name, observedGeneration: generation, record, conditions };
  await cluster.kube.patch(deploymentRef, { status }, { ...user, subresource: 'status' });
}

async function untilInstalled(version: string): Promise<void> {
  await eventually(async () => {
    await provision();
    const { status } = await cluster.kube.get(extensionRef);
    expect(status).toMatchObject({ install: { bundle: { name: `tide.v${version}`, version } } });
    expect(await progressing()).toMatchObject({ status: 'True', reason: 'Succeeded' });
  });
}

beforeEach(() => {
  clock = new MovedClock();
});

afterEach(async () => {
  await halt();
  listeners.clear();
  await launch();
  if ((await find(extensionRef)) !== undefined) await cluster.kube.delete(extensionRef);
  await eventually(async () => expect(await find(extensionRef)).toBeUndefined());
  const { items } = await cluster.kube.list(bundleKind);
  for (const { metadata } of items) await cluster.kube.delete({ ...bundleKind, name: metadata.name ?? '' });
  await halt();
});

test('what was written when a bundle was chosen is not written again once it is installed', async () => {
  offer('1.0.0');
  await launch();
  await ask();
  const made = await eventually(() => cluster.kube.get(deploymentRef));
  await untilInstalled('1.0.0');
  const { annotations, generation } = (await cluster.kube.get(deploymentRef)).metadata;
  expect([annotations, generation]).toEqual([made.metadata.annotations, made.metadata.generation]);
  expect(annotations?.['olm.operatorframework.io/choice']).toContain('"channel":"stable"');
});

test('an update that its user withdraws is not installed later, though no catalog has what is installed', async () => {
  offer('1.0.0');
  await launch();
  await ask({}, { version: '1.0.0' });
  await untilInstalled('1.0.0');
  const request = async (version: string): Promise<void> => {
    const spec = { source: { catalog: { version, upgradeConstraintPolicy: 'SelfCertified' } } };
    await cluster.kube.patch(extensionRef, { spec }, user);
  };
  const imageOf = async (): Promise<JsonObject | undefined> =>
    objectAt((await cluster.kube.get(deploymentRef)) as JsonObject, 'spec', 'template', 'spec', 'source', 'image');
  const before = await imageOf();
  offer('2.0.0');
  await request('2.0.0');
  await eventually(async () => expect(await imageOf()).not.toEqual(before));
  const update = await imageOf();
  await request('>=2.0.0, <2.0.1');
  await eventually(async () => expect(await progressing()).toMatchObject({ observedGeneration: 3 }));
  expect(await imageOf()).toEqual(update);
  await request('1.0.0');
  await eventually(async () => expect(await imageOf()).toEqual(before));
  await untilInstalled('1.0.0');
});

test('deleted with --cascade=orphan it leaves its BundleDeployment, whichever of the two the controller sees last', async () => {
  offer('1.0.0');
  await launch();
  await ask();
  await untilInstalled('1.0.0');
  const { uid } = (await cluster.kube.get(deploymentRef)).metadata;
  await halt();
  using extensions = holdWatch(cluster.kube, 'ClusterExtension');
  using deployments = holdWatch(extensions.kube, 'BundleDeployment');
  const attempt = Promise.withResolvers<void>();
  await launch({
    ...deployments.kube,
    delete: (ref, options) => deployments.kube.delete(ref, options).finally(attempt.resolve),
  });
  await cluster.kube.delete(extensionRef, { propagationPolicy: 'Orphan' });
  await eventually(async () => {
    expect((await cluster.kube.get(extensionRef)).metadata.finalizers).not.toContain('orphan');
  });
  extensions[Symbol.dispose]();
  await attempt.promise;
  deployments[Symbol.dispose]();
  await eventually(async () => expect(await find(extensionRef)).toBeUndefined());
  const { metadata } = await cluster.kube.get(deploymentRef);
  expect(metadata).toMatchObject({ uid });
  expect([metadata.ownerReferences, metadata.deletionTimestamp]).toEqual([undefined, undefined]);
  await cluster.kube.delete(deploymentRef);
});

/** A BundleDeployment with the Bundle that it has installed, whose properties are noted. */
async function standing(name: string, properties: readonly JsonObject[], owner?: KubeObject): Promise<void> {
  const extensions = { ...extensionKind, name: 'tide', uid: owner?.metadata.uid ?? '', controller: true };
  const template = { spec: { provisionerClassName: 'x', source: { type: 'image', image: { ref: 'x' } } } };
  const spec = { provisionerClassName: 'x', template };
  const ownerReferences = owner === undefined ? [] : [extensions];
  const made = await cluster.kube.create(
    { ...rukpak, kind: 'BundleDeployment', metadata: { name, ownerReferences }, spec } as unknown as KubeObject,
    user,
  );
  const annotations = { 'core.rukpak.io/bundle-properties': JSON.stringify(properties) };
  const bundle = await cluster.kube.create(
    { ...bundleKind, metadata: { name: `${name}-1`, annotations }, spec: template.spec } as unknown as KubeObject,
    user,
  );
  const { uid } = made.metadata;
  const bundles = [{ name: `${name}-1`, uid: bundle.metadata.uid ?? '', specHash: '' }];
  const record = { uid, bundles, installation: 'Done', groupKinds: [], namespaces: [] };
  const status = { activeBundle: `${name}-1`, record } as unknown as JsonObject;
  await cluster.kube.patch({ ...deploymentRef, name }, { status }, { ...user, subresource: 'status' });
}

test('with it go the dependencies that were made for it, but not those that others need', async () => {
  offer('1.0.0');
  await launch();
  const extension = await ask();
  await untilInstalled('1.0.0');
  await halt();
  const provides = (packageName: string) => ({ type: 'olm.package', value: { packageName, version: '1.0.0' } });
  const needs = { type: 'olm.package.required', value: { packageName: 'base', versionRange: '>=1.0.0' } };
  await standing('tide-base', [provides('base')], extension);
  await standing('tide-alone', [provides('alone')], extension);
  await standing('wave', [provides('wave'), needs]);
  await launch();
  await cluster.kube.delete(extensionRef);
  await eventually(async () => expect(await find(extensionRef)).toBeUndefined());
  const { items } = await cluster.kube.list(deploymentRef);
  expect(items.map(({ metadata }) => [metadata.name, metadata.ownerReferences ?? []])).toEqual([
    ['tide-base', []],
    ['wave', []],
  ]);
  const events = await eventually(async () => {
    const list = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
    const kept = list.items.filter(({ reason }) => reason === 'DependencyKept');
    expect(kept).toHaveLength(1);
    return kept;
  });
  expect(events[0]?.['message']).toContain('BundleDeployment tide-base stays without an owner: it is needed by wave');
  for (const { metadata } of items) await cluster.kube.delete({ ...deploymentRef, name: metadata.name ?? '' });
});

const installOf = (extension: KubeObject) => objectAt(extension as unknown as JsonObject, 'status', 'install');

// The status shows no name with build metadata.
test.each(['1.0.0', '1.0.0+build.7'])(
  'where users delete the Bundle of %s, no version follows that no update leads to',
  async (version) => {
    offer(version);
    await launch();
    await ask();
    await eventually(async () => {
      await provision();
      expect(await progressing()).toMatchObject({ status: 'True', reason: 'Succeeded' });
    });
    const before = await cluster.kube.get(extensionRef);
    const { spec: installed } = await cluster.kube.get(deploymentRef);
    const packages = [drawnPackage({ stable: '3.0.0', former: version }, [], { name: 'tide' })];
    catalogs = [drawnCatalog(packages, { name: 'shop' })];
    const { items } = await cluster.kube.list(bundleKind);
    for (const { metadata } of items) await cluster.kube.delete({ ...bundleKind, name: metadata.name ?? '' });
    for (const progressDeadlineMinutes of [30, 40]) {
      const { metadata } = await cluster.kube.patch(extensionRef, { spec: { progressDeadlineMinutes } }, user);
      await eventually(async () => {
        const found = await cluster.kube.get(extensionRef);
        const observed = conditionsOf(found).find(({ type }) => type === 'Progressing')?.observedGeneration;
        expect(observed).toBe(metadata.generation);
      });
    }
    expect((await cluster.kube.get(deploymentRef))['spec']).toEqual(installed);
    const found = await cluster.kube.get(extensionRef);
    expect(installOf(found)).toEqual(installOf(before));
    expect(conditionsOf(found).find(({ type }) => type === 'Installed')).toMatchObject({ status: 'True' });
  },
);

describe('a progress deadline', () => {
  test('is reported when it has passed, and forgotten once the version is installed', async () => {
    offer('1.0.0');
    await launch();
    await ask({ progressDeadlineMinutes: 10 });
    await eventually(async () => expect(await progressing()).toMatchObject({ reason: 'RollingOut' }));
    clock.move(9 * minuteMs);
    await provision(false);
    await eventually(async () =>
      expect(await progressing()).toMatchObject({ reason: 'RollingOut', message: 'Deployment "tide" has no pod' }),
    );
    clock.move(2 * minuteMs);
    await eventually(async () => {
      // The sleep may have begun behind the move.
      clock.move(0);
      expect(await progressing()).toMatchObject({
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: 'Revision has not rolled out for 10 minute(s). Last status: Deployment "tide" has no pod',
      });
    });
    await untilInstalled('1.0.0');
    // What happens to an installed version later is no matter of the deadline.
    await provision(false);
    clock.move(60 * minuteMs);
    await cluster.kube.patch(extensionRef, { spec: { progressDeadlineMinutes: 11 } }, user);
    await eventually(async () =>
      expect(await progressing()).toMatchObject({ reason: 'Succeeded', observedGeneration: 2 }),
    );
  });

  test('counts from the choice, over a restart', async () => {
    offer('1.0.0');
    await launch();
    await ask({ progressDeadlineMinutes: 10 });
    await eventually(async () => expect(await progressing()).toMatchObject({ reason: 'RollingOut' }));
    await halt();
    clock.move(11 * minuteMs);
    await launch();
    await eventually(async () =>
      expect(await progressing()).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' }),
    );
  });
});

/** Runs until the client is cut off, or all is done. */
async function interrupted(count: number, begin: () => Promise<unknown>, version: string): Promise<void> {
  const cut = Promise.withResolvers<void>();
  let isCut = false;
  await launch(
    cutOff(cluster.kube, count, () => {
      isCut = true;
      cut.resolve();
    }),
  );
  await begin();
  const done = untilInstalled(version).catch((thrown: unknown) => {
    if (!isCut) throw thrown;
  });
  await Promise.race([cut.promise, done]);
  await halt();
}

async function madeFor(object: KubeObject): Promise<readonly KubeObject[]> {
  const { items } = await cluster.kube.list(deploymentRef);
  return items.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid));
}

test('annotations that a user has written with another account do not apply to the account of the ClusterExtension', async () => {
  offer('1.0.0');
  const serviceAccount = { name: 'installer' };
  const { uid = '' } = (await ask({ serviceAccount })).metadata;
  const hers = { namespace: 'team', name: 'hers' };
  const ownerReferences = [{ ...extensionKind, name: 'tide', uid, controller: true }];
  const annotations = { 'core.rukpak.io/adopt': 'true', mine: 'yes' };
  const source = { type: 'image', image: { ref: 'registry.example/hers:v1' } };
  const provisionerClassName = 'core-rukpak-io-plain';
  const spec = {
    provisionerClassName,
    config: { serviceAccount: hers },
    template: { spec: { provisionerClassName, source } },
  };
  const metadata = { name: 'tide', annotations, ownerReferences };
  await cluster.kube.create({ ...deploymentRef, metadata, spec }, user);
  await launch();
  await eventually(async () => {
    const found = await cluster.kube.get(deploymentRef);
    const account = { namespace: 'office', name: 'installer' };
    expect(found['spec']).toMatchObject({ config: { serviceAccount: account } });
    expect(found.metadata.annotations).toMatchObject({ mine: 'yes' });
    expect(found.metadata.annotations).not.toHaveProperty(['core.rukpak.io/adopt']);
  });
});

describe('a controller that is killed', () => {
  test.each([0, 1, 2, 3, 4, 5])('behind write %i of an installation is continued by the next one', async (count) => {
    offer('1.0.0');
    await interrupted(count, ask, '1.0.0');
    const before = await find(deploymentRef);
    await launch();
    await untilInstalled('1.0.0');
    const made = await madeFor(await cluster.kube.get(extensionRef));
    expect(made.map(({ metadata }) => [metadata.name, metadata.generation])).toEqual([['tide', 1]]);
    if (before !== undefined) expect(made[0]?.metadata.uid).toBe(before.metadata.uid);
  });

  test.each([0, 1, 2, 3, 4])('behind write %i of an upgrade is continued by the next one', async (count) => {
    offer('1.0.0');
    await launch();
    const object = await ask();
    await untilInstalled('1.0.0');
    const before = await cluster.kube.get(deploymentRef);
    await halt();
    offer('1.0.0; 1.1.0 <1.0.0');
    await interrupted(count, () => Promise.resolve(), '1.1.0');
    await launch();
    await untilInstalled('1.1.0');
    const made = await madeFor(object);
    expect(made.map(({ metadata }) => [metadata.uid, metadata.generation])).toEqual([[before.metadata.uid, 2]]);
  });
});

describe('what asks for much', () => {
  const message = async (): Promise<string> => (await progressing())?.message ?? '';

  test('more channels than the field takes are refused, and as many as it takes are answered in a bounded message', async () => {
    offer('1.0.0');
    await launch();
    const channels = Array.from({ length: 257 }, (_, index) => `${'c'.repeat(240)}-${index}`);
    await expect(ask({}, { channels })).rejects.toThrow(/channels/);
    await ask({}, { channels: channels.slice(0, 256) });
    await eventually(async () => expect(await progressing()).toMatchObject({ reason: 'Retrying' }));
    expect((await message()).length).toBeLessThanOrEqual(32_768);
    expect(await find(deploymentRef)).toBeUndefined();
  });

  test('a selector of thousands of requirements selects nothing, which a bounded message reports', async () => {
    offer('1.0.0');
    await launch();
    const values = Array.from({ length: 4000 }, (_, index) => `value-${index}`);
    const matchExpressions = Array.from({ length: 20 }, (_, index) => ({
      key: `key-${index}`,
      operator: 'In',
      values,
    }));
    await ask({}, { selector: { matchExpressions } });
    await eventually(async () => expect(await progressing()).toMatchObject({ reason: 'Retrying' }));
    expect((await message()).length).toBeLessThanOrEqual(32_768);
    expect(await find(deploymentRef)).toBeUndefined();
  });

  test('a configuration of a megabyte is taken or refused, and other extensions are not held up', async () => {
    offer('1.0.0');
    await launch();
    const inline = {
      env: Array.from({ length: 1000 }, (_, index) => ({ name: `E${index}`, value: 'x'.repeat(1000) })),
    };
    await ask({ config: { configType: 'Inline', inline } });
    await eventually(async () =>
      expect((await progressing())?.reason).toMatch(/^(RollingOut|Retrying|InvalidConfiguration)$/),
    );
    expect((await message()).length).toBeLessThanOrEqual(32_768);
    const source = { sourceType: 'Catalog', catalog: { packageName: 'tide' } };
    const other = { ...extensionKind, name: 'other' };
    await cluster.kube.create(
      { ...extensionKind, metadata: { name: 'other' }, spec: { namespace: 'office', source } },
      user,
    );
    await eventually(async () => expect(await find({ ...deploymentRef, name: 'other' })).toBeDefined());
    await cluster.kube.delete(other);
    await eventually(async () => expect(await find(other)).toBeUndefined());
  });
});
