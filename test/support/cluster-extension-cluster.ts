import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Clock, type JsonObject, parseYaml, silentLogger, systemClock } from '../../src/base/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import { type Condition, conditionsOf, findObject, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { answerExtension } from '../../src/olm/cluster-extension/answer.ts';
import { addClusterExtensions } from '../../src/olm/cluster-extension/controller.ts';
import type { CatalogView } from '../../src/resolver/index.ts';
import { drawnCatalog, drawnPackage } from './drawn-package.ts';
import { type BareCluster, eventually, openBareCluster } from './index.ts';

export const user = { fieldManager: 'test' };
/** The API version of RukPak. */
export const rukpak = { apiVersion: 'core.rukpak.io/v1alpha1' };
export const deploymentRef = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: 'tide' };
export const bundleKind = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle' };
export const extensionKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' };
export const extensionRef = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', name: 'tide' };
const definitions = [
  'core.rukpak.io_bundledeployments',
  'core.rukpak.io_bundles',
  'olm.operatorframework.io_clustercatalogs',
  'olm.operatorframework.io_clusterextensions',
];
export const minuteMs = 60_000;

/** Set by the hooks below, as are the others that change: the test files of a worker run one after the other. */
export let cluster: BareCluster;
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

export let clock: MovedClock;

/** Starts the controller. */
export async function launch(kube: KubeClient = cluster.kube): Promise<void> {
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

/** Stops it. */
export async function halt(): Promise<void> {
  stop.abort();
  await started?.whenStopped();
}

/** Has one catalog with the package. */
export function offer(drawing: string): void {
  catalogs = [drawnCatalog([drawnPackage({ stable: drawing }, [], { name: 'tide' })], { name: 'shop' })];
  for (const listener of listeners) listener();
}

/** Has these catalogs, of which the controller is not notified. */
export function setCatalogs(views: readonly CatalogView[]): void {
  catalogs = [...views];
}

/** An object as it is, or undefined. */
export async function find(ref: Parameters<KubeClient['get']>[0]): Promise<KubeObject | undefined> {
  return await findObject(cluster.kube, ref);
}

/** Creates the ClusterExtension. */
export async function ask(spec: JsonObject = {}, catalog: JsonObject = {}): Promise<KubeObject> {
  const source = { sourceType: 'Catalog', catalog: { packageName: 'tide', ...catalog } };
  const object = { ...extensionKind, metadata: { name: 'tide' }, spec: { namespace: 'office', source, ...spec } };
  return await cluster.kube.create(object, user);
}

/** Whether the ClusterExtension makes progress. */
export async function progressing(): Promise<Condition | undefined> {
  const found = await cluster.kube.get(extensionRef);
  return conditionsOf(found).find(({ type }) => type === 'Progressing');
}

interface Template {
  readonly metadata?: { readonly annotations?: Record<string, string> };
  readonly spec: JsonObject;
}

/** Stands in for the provisioners: what the BundleDeployment asks for is installed. */
export async function provision(isHealthy = true): Promise<void> {
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

/** Waits until a version is installed. */
export async function untilInstalled(version: string): Promise<void> {
  await eventually(async () => {
    await provision();
    const { status } = await cluster.kube.get(extensionRef);
    expect(status).toMatchObject({ install: { bundle: { name: `tide.v${version}`, version } } });
    expect(await progressing()).toMatchObject({ status: 'True', reason: 'Succeeded' });
  });
}

/** Opens a cluster for the tests of a file, which start the controller themselves, and deletes what each leaves. */
export function openExtensionCluster(): void {
  beforeAll(async () => {
    cluster = await openBareCluster();
    for (const name of definitions) {
      const file = `crds/${name}.yaml`;
      await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
    }
    for (const kind of [deploymentRef, bundleKind, extensionKind]) await eventually(() => cluster.kube.list(kind));
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

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
}
