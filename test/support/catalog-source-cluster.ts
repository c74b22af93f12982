import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { defaultContentLimits, type JsonObject, parseYaml, silentLogger } from '../../src/base/index.ts';
import { createManager } from '../../src/controller/index.ts';
import type { KubeObject, ObjectRef } from '../../src/kube/index.ts';
import { createMetrics, type Metrics } from '../../src/metrics/index.ts';
import { indexConfigMap } from '../../src/olm/catalog-content/index-config-map.ts';
import { indexRegistry } from '../../src/olm/catalog-content/index-registry.ts';
import { unpackCatalog } from '../../src/olm/catalog-content/unpack-catalog.ts';
import { addCatalogSources, type CatalogSources } from '../../src/olm/catalog-source/controller.ts';
import { type BareCluster, eventually, openBareCluster, type Registry, SteppedClock, startRegistry } from './index.ts';

export const apiVersion = 'operators.coreos.com/v1alpha1';
/** Refers to a CatalogSource. */
export const ref = (name: string, namespace = 'team'): ObjectRef => ({
  apiVersion,
  kind: 'CatalogSource',
  namespace,
  name,
});
export const user = { fieldManager: 'test' };
export const label = 'operators.operatorframework.io.index.configs.v1';
const settings = {
  limits: defaultContentLimits,
  insecureRegistries: [],
  registryCaPem: [],
  answerDeadlineMs: 10_000,
  platform: 'linux/amd64',
  deadlineMs: 60_000,
};
const readers = { image: unpackCatalog, address: indexRegistry, configMap: indexConfigMap };

/** Set by the hooks below, as are the others that change: the test files of a worker run one after the other. */
export let cluster: BareCluster;
export let registry: Registry;
/** The store of the controller. */
export let dir: string;
/** Stops the controller. */
export let halt: () => Promise<void>;
export let sources: CatalogSources;
export let clock: SteppedClock;
export let metrics: Metrics;

async function start(
  isLeading: boolean = true,
  storeDir: string = dir,
  maxStoreBytes?: number,
): Promise<{ sources: CatalogSources; halt: () => Promise<void> }> {
  const stopper = new AbortController();
  const standby = { election: { isLeading: () => false, whenLeading: new Promise<boolean>(() => undefined) } };
  const manager = createManager({
    kube: cluster.kube,
    ...(isLeading ? {} : standby),
    clock,
    log: silentLogger(),
    metrics,
    signal: stopper.signal,
  });
  const added = await addCatalogSources(manager, {
    storeDir,
    globalNamespace: 'olm',
    ...(maxStoreBytes === undefined ? {} : { maxStoreBytes }),
    settings,
    readTerms: () => Promise.resolve({ mirrors: undefined, policy: undefined }),
    readers,
    grpc: { externalName: 'catalogs.test.example', port: 50_051 },
  });
  await manager.start();
  const stop = async (): Promise<void> => {
    stopper.abort();
    await manager.whenStopped();
  };
  return { sources: added, halt: stop };
}

/** Starts the controller; the one before was stopped. */
export async function restart(...options: Parameters<typeof start>): Promise<void> {
  ({ sources, halt } = await start(...options));
}

/** A catalog of one package with one bundle. */
export function catalogFile(packageName: string, more = ''): string {
  return `schema: olm.package
name: ${packageName}
defaultChannel: stable
---
{schema: olm.channel, package: ${packageName}, name: stable, entries: [{name: ${packageName}.v1}]}
---
schema: olm.bundle
package: ${packageName}
name: ${packageName}.v1
image: registry.example/x:v1
properties: [{type: olm.package, value: {packageName: ${packageName}, version: 1.0.0}}]
${more}`;
}

/** Pushes a catalog to the registry, and returns its reference by digest. */
export function push(
  tag: string,
  text: string,
  labels: Readonly<Record<string, string>> = { [label]: '/configs' },
): string {
  const files = { 'configs/catalog.yaml': text, 'bin/opm': 'binary' };
  return `${registry.host}/cat@${registry.putImage(`cat:${tag}`, [{ files }], labels)}`;
}

/** Creates a CatalogSource, by default of an image. */
export async function create(name: string, spec: JsonObject, more: JsonObject = {}): Promise<void> {
  const { namespace = 'team', annotations = {} } = more as { namespace?: string; annotations?: Record<string, string> };
  const metadata = { name, namespace, annotations };
  const body = { apiVersion, kind: 'CatalogSource', metadata, spec: { sourceType: 'grpc', ...spec } };
  await cluster.kube.create(body as unknown as KubeObject, user);
}

/** The status of a CatalogSource. */
interface Seen {
  readonly message?: string;
  readonly reason?: string;
  readonly connectionState?: { readonly lastObservedState: string; readonly address?: string };
  readonly registryService?: JsonObject;
  readonly configMapReference?: JsonObject;
  readonly latestImageRegistryPoll?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
}

/** The status of a CatalogSource as it is. */
export async function statusOf(name: string, namespace = 'team'): Promise<Seen> {
  return ((await cluster.kube.get(ref(name, namespace)))['status'] ?? {}) as Seen;
}

/** Waits until the connection of a CatalogSource is in this state. */
export async function untilState(name: string, state: string, namespace = 'team'): Promise<Seen> {
  return await eventually(async () => {
    const status = await statusOf(name, namespace);
    expect(status.connectionState?.lastObservedState).toBe(state);
    return status;
  });
}

/** The catalogs that a namespace sees, with their packages. */
export function packagesIn(namespace: string): readonly string[] {
  using held = sources.hold(namespace);
  return held.catalogs.map((view) => `${view.namespace}/${view.name}: ${view.packageNames().join(' ')}`);
}

/** Runs the controller on one cluster for the tests of a file, beside a registry, and starts it for each with an empty store. */
export function runCatalogSourcesForEachTest(): void {
  beforeAll(async () => {
    cluster = await openBareCluster();
    registry = await startRegistry();
    const file = 'crds/olm/operators.coreos.com_catalogsources.yaml';
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
    await eventually(() => cluster.kube.list({ apiVersion, kind: 'CatalogSource' }));
    for (const name of ['team', 'other', 'olm']) {
      await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
    }
  });

  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'longshore-catalog-sources-'));
    clock = new SteppedClock(Date.now());
    metrics = createMetrics();
    await restart();
  });

  afterEach(async () => {
    const { items } = await cluster.kube.list({ apiVersion, kind: 'CatalogSource' });
    for (const { metadata } of items) {
      await cluster.kube.delete(ref(metadata.name ?? '', metadata.namespace)).catch(() => undefined);
    }
    await halt();
    await rm(dir, { recursive: true, force: true });
  });
}
