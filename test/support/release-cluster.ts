import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerOptions, startApiServer } from '../../apiserver/index.ts';
import { type ClusterVersion, clusterVersionResource, parseClusterVersion } from '../../src/api/index.ts';
import {
  type Clock,
  formatTimestamp,
  type JsonObject,
  objectAt,
  objectsAt,
  parseYaml,
  silentLogger,
  systemClock,
  textAt,
} from '../../src/base/index.ts';
import { addClusterVersion, type ClusterVersionOptions, localSource } from '../../src/cluster-version/index.ts';
import { createManager } from '../../src/controller/index.ts';
import {
  createKindCache,
  createKubeClient,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../../src/kube/index.ts';
import type { Metrics } from '../../src/metrics/index.ts';
import { eventually } from './eventually.ts';
import { isRealCluster, openRealCluster } from './real-cluster.ts';

const user = { fieldManager: 'test' };
const configVersion = 'config.openshift.io/v1';

/** An embedded API server with the kinds of cluster updates, and its administrator's client. */
export interface ReleaseCluster extends AsyncDisposable {
  readonly kube: KubeClient;
  /** Of its administrator. */
  readonly kubeconfig: string;
  /** For files of a test. */
  readonly folder: string;
}

async function definition(plural: string): Promise<JsonObject> {
  const path = new URL(`../../crds/cluster-version/config.openshift.io_${plural}.yaml`, import.meta.url);
  return parseYaml(plural, await readFile(path, 'utf8')) as JsonObject;
}

async function openEmbeddedCluster(options: ApiServerOptions): Promise<Omit<ReleaseCluster, 'folder'>> {
  const server = await startApiServer({ simulation: false, ...options });
  const { kubeconfig } = server;
  const kube = createKubeClient({ access: await loadClusterAccess({ text: kubeconfig }), clock: systemClock });
  return {
    kube,
    kubeconfig,
    [Symbol.asyncDispose]: async () => {
      kube.close();
      await server.stop();
    },
  };
}

/** Starts one, in memory; it simulates no workloads unless asked to. With LONGSHORE_TEST_CLUSTER=kube, a real control plane where nothing is simulated. */
export async function openReleaseCluster(options: ApiServerOptions = {}): Promise<ReleaseCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-release-'));
  const isReal = isRealCluster() && options.simulation !== true;
  const cluster = isReal ? await openRealCluster() : await openEmbeddedCluster(options);
  for (const plural of ['clusteroperators', 'clusterversions']) {
    await cluster.kube.apply((await definition(plural)) as unknown as KubeObject, user);
  }
  for (const kind of ['ClusterOperator', 'ClusterVersion']) {
    await eventually(() => cluster.kube.list({ apiVersion: configVersion, kind }));
  }
  return {
    ...cluster,
    folder,
    [Symbol.asyncDispose]: async () => {
      await cluster[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Pull spec of a release of tests: the same version always has the same digest. */
export function releaseImage(version: string): string {
  return `registry.example/release@sha256:${Buffer.from(version).toString('hex').padEnd(64, '0')}`;
}

/** What an engine of a test is started with. */
export interface EngineOptions extends Partial<ClusterVersionOptions> {
  /** Folders of releases by version. */
  readonly releases: Readonly<Record<string, string>>;
  /** The version that the cluster is installed with. */
  readonly first?: string;
  /** `none`: a task is tried three times at once. */
  readonly tryPauses?: 'none' | 'usual';
  readonly clock?: Clock;
  readonly metrics?: Metrics;
}

/** The waits of the reference, a thousandth of them. */
const quick = { minimumMs: 2_000, random: () => 0 };

const hurried = { count: 3, firstMs: 1, factor: 1 };
const hurriedTries = { installing: hurried, usual: hurried };

/** An update engine that runs until it is disposed of. */
export async function runEngine(
  { kube, folder }: ReleaseCluster,
  { releases, first, clock = systemClock, tryPauses, metrics, ...options }: EngineOptions,
): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const manager = createManager({ kube, clock, log: silentLogger(), metrics, signal: stop.signal });
  const folders = new Map(Object.entries(releases).map(([version, path]) => [releaseImage(version), path]));
  addClusterVersion(manager, {
    initial: first === undefined ? undefined : { version: first, image: releaseImage(first) },
    sources: [localSource(folders)],
    workDir: join(folder, 'work'),
    intervals: tryPauses === 'none' ? { ...quick, tries: hurriedTries } : quick,
    ...options,
  });
  await manager.start();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await manager.whenStopped();
    },
  };
}

/** Creates the ClusterVersion. */
export async function createClusterVersion(kube: KubeClient, spec: JsonObject = {}): Promise<void> {
  const clusterID = '4f1c2b36-7a0b-4d0e-9c3a-2f6f0f0d8a11';
  const object = { ...clusterVersionResource, metadata: { name: 'version' }, spec: { clusterID, ...spec } };
  const { plural: _plural, ...version } = object;
  await kube.create(version, user);
}

/** The ClusterVersion as it is. */
export async function clusterVersion(kube: KubeClient): Promise<ClusterVersion> {
  return parseClusterVersion(await kube.get({ ...clusterVersionResource, name: 'version' }));
}

/** `status reason message` of a condition; undefined when it is absent. */
export function conditionText({ status }: ClusterVersion, type: string): string | undefined {
  const found = (status?.conditions ?? []).find((condition) => condition.type === type);
  return found && [found.status, found.reason, found.message].filter((part) => part !== undefined).join(' ');
}

/** Changes the spec. */
export async function patchSpec(kube: KubeClient, spec: JsonObject): Promise<void> {
  await kube.patch({ ...clusterVersionResource, name: 'version' }, { spec }, user);
}

/** The ClusterOperator of a manifest of a release. */
export function operatorManifest(name: string, version: string, rest: JsonObject = {}): JsonObject {
  const status = { versions: [{ name: 'operator', version }], ...rest };
  return { apiVersion: configVersion, kind: 'ClusterOperator', metadata: { name }, spec: {}, status };
}

/** What an operator reports. */
export interface OperatorReport {
  readonly version?: string;
  readonly isAvailable?: boolean;
  readonly isDegraded?: boolean;
  readonly isUpgradeable?: boolean;
}

/** Reports as an operator does. */
export async function reportOperator(kube: KubeClient, name: string, report: OperatorReport): Promise<void> {
  const { version, isAvailable = true, isDegraded = false, isUpgradeable } = report;
  const text = (value: boolean): string => (value ? 'True' : 'False');
  const lastTransitionTime = formatTimestamp(Date.now());
  const facts = [
    { type: 'Available', value: isAvailable },
    { type: 'Degraded', value: isDegraded },
    ...(isUpgradeable === undefined ? [] : [{ type: 'Upgradeable', value: isUpgradeable }]),
  ];
  const conditions = facts.map(({ type, value }) => ({ type, status: text(value), lastTransitionTime }));
  const status = { conditions, ...(version === undefined ? {} : { versions: [{ name: 'operator', version }] }) };
  const ref = { apiVersion: configVersion, kind: 'ClusterOperator', name };
  await kube.patch(ref, { status }, { ...user, subresource: 'status' });
}

/** Operators that report the versions of a release for each ClusterOperator as soon as it exists, until they are disposed of. */
export async function runOperators(kube: KubeClient, manifests: readonly JsonObject[]): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const target = { apiVersion: configVersion, kind: 'ClusterOperator' };
  const cache = createKindCache({ kube, clock: systemClock, log: silentLogger(), signal: stop.signal, target });
  const desired = new Map(
    manifests
      .filter((object) => object['kind'] === 'ClusterOperator')
      .map((object) => [
        textAt(objectAt(object, 'metadata'), 'name'),
        objectsAt(objectAt(object, 'status'), 'versions'),
      ]),
  );
  const pending = new Set<Promise<void>>();
  const report = async ({ metadata: { name = '' } }: KubeObject): Promise<void> => {
    const versions = desired.get(name);
    if (versions === undefined) return;
    const lastTransitionTime = formatTimestamp(Date.now());
    const all = { Available: 'True', Progressing: 'False', Degraded: 'False' };
    const conditions = Object.entries(all).map(([type, status]) => ({ type, status, lastTransitionTime }));
    const ref = { apiVersion: configVersion, kind: 'ClusterOperator', name };
    await eventually(async () => {
      try {
        await kube.patch(ref, { status: { conditions, versions } }, { ...user, subresource: 'status' });
      } catch (thrown) {
        if (!isNotFound(thrown) && !isConflict(thrown) && !stop.signal.aborted) throw thrown;
      }
    });
  };
  cache.subscribe(({ before, after }) => {
    if (before !== undefined || after === undefined) return;
    const work = report(after);
    pending.add(work);
    void work.finally(() => pending.delete(work));
  });
  await cache.whenSynced;
  for (const object of cache.values()) await report(object);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.allSettled(pending);
    },
  };
}
