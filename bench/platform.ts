import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../src/base/index.ts';
import {
  createKubeClient,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../src/kube/index.ts';
import { findControlPlane, startControlPlane } from '../test/control-plane/index.ts';
import { eventually, type Registry } from '../test/support/index.ts';
import { startChild } from './child.ts';
import { compileFiles } from './compiled.ts';
import type { Measurement } from './table.ts';

/** What a platform has used since its start. */
export interface PlatformFacts {
  /** Verb and resource → how many requests to the API server. */
  readonly requests: Readonly<Record<string, number>>;
  readonly peakBytes: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Of all worker threads together. */
  readonly threadHeapBytes: number;
  readonly cpuMs: number;
}

/** A platform in a separate process, on an API server in another. */
export interface MeasuredPlatform extends AsyncDisposable {
  /** From the start of the process to its readiness. */
  readonly readyMs: number;
  readonly pid: number;
  facts(): Promise<PlatformFacts>;
  /** The same, after its garbage has been collected. */
  collectedFacts(): Promise<PlatformFacts>;
}

/** A cluster to measure on. */
export interface BenchCluster {
  readonly kube: KubeClient;
  readonly kubeconfigPath: string;
  /** For files of what runs on it. */
  readonly folder: string;
  /** All platforms of a cluster have one data folder. `args` are options of `longshore up`. */
  startPlatform(args?: readonly string[], environment?: Readonly<Record<string, string>>): Promise<MeasuredPlatform>;
}

const apiVersion = 'core.rukpak.io/v1alpha1';
const plainClass = 'core-rukpak-io-plain';

/** Compiled, as users run it. */
export const platformProgram = 'bench/platform-child.ts';

type Work<T> = (cluster: BenchCluster) => Promise<T>;
type Measure = Work<Measurement[]>;

async function startPlatform(...started: Parameters<typeof startChild>): Promise<MeasuredPlatform> {
  const child = startChild(...started);
  const { readyMs } = await child.next<{ readyMs: number }>();
  const ask = async (line: string): Promise<PlatformFacts> => {
    child.send(line);
    return await child.next<PlatformFacts>();
  };
  return {
    readyMs,
    pid: child.pid,
    facts: () => ask('facts'),
    collectedFacts: () => ask('collect'),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** What `measure` finds on the cluster of a kubeconfig; `program` is the compiled `platformProgram`. */
export async function measureOn<T>(program: string, kubeconfig: string, measure: Work<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  const access = await loadClusterAccess({ path: kubeconfigPath });
  const kube = createKubeClient({ access, clock: systemClock });
  try {
    const place = ['--cluster', kubeconfigPath, '--data-dir', join(folder, 'data')];
    return await measure({
      kube,
      kubeconfigPath,
      folder,
      startPlatform: (args = [], environment = {}) => startPlatform(program, [...place, ...args], environment),
    });
  } finally {
    kube.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function onEmbedded<T>(program: string, measure: Work<T>): Promise<T> {
  await using child = startChild('api-server-child.ts');
  const { kubeconfig } = await child.next<{ kubeconfig: string }>();
  return await measureOn(program, kubeconfig, measure);
}

async function onReal(program: string, measure: Measure): Promise<Measurement[]> {
  const binaries = await findControlPlane({ mayBuild: false, report: () => undefined });
  if ('missing' in binaries) return [{ what: 'not measured', value: binaries.missing }];
  await using plane = await startControlPlane(binaries);
  return await measureOn(program, plane.kubeconfig, measure);
}

/** What `work` finds on a fresh embedded API server. */
export async function onEmbeddedCluster<T>(work: (cluster: BenchCluster) => Promise<T>): Promise<T> {
  await using compiled = await compileFiles([platformProgram]);
  return await onEmbedded(compiled.pathOf(platformProgram), work);
}

/** The measurements of a fresh embedded API server, then those of a real kube-apiserver if available. Every line names the server. */
export async function onEachCluster(
  measure: Measure,
  { hasReal = true }: { readonly hasReal?: boolean } = {},
): Promise<Measurement[]> {
  await using compiled = await compileFiles([platformProgram]);
  const program = compiled.pathOf(platformProgram);
  const named = (name: string, measurements: readonly Measurement[]): Measurement[] =>
    measurements.map((measurement) => ({ ...measurement, what: `${name}: ${measurement.what}` }));
  return [
    ...named('embedded', await onEmbedded(program, measure)),
    ...(hasReal ? named('kube-apiserver', await onReal(program, measure)) : []),
  ];
}

/** YAML documents. */
export function configMapDocuments(objects: readonly { readonly name: string; readonly value: string }[]): string {
  const documents = objects.map(
    (object) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${object.name}, namespace: default}\ndata: {value: "${object.value}"}\n`,
  );
  return documents.join('---\n');
}

/** A source of type image: an image of ConfigMaps. */
export function imageOfConfigMaps(
  registry: Registry,
  name: string,
  objects: Parameters<typeof configMapDocuments>[0],
): Readonly<Record<string, unknown>> {
  registry.putImage(name, [{ files: { 'manifests/all.yaml': configMapDocuments(objects) } }]);
  return { type: 'image', image: { ref: `${registry.host}/${name}` } };
}

/** A Bundle, or a BundleDeployment with a template of it. */
export function contentObject(
  kind: 'Bundle' | 'BundleDeployment',
  name: string,
  source: Readonly<Record<string, unknown>>,
): KubeObject {
  const bundle = { provisionerClassName: plainClass, source };
  const spec = kind === 'Bundle' ? bundle : { provisionerClassName: plainClass, template: { spec: bundle } };
  return { apiVersion, kind, metadata: { name }, spec } as unknown as KubeObject;
}

function statusOf(object: KubeObject): {
  readonly observedGeneration?: number;
  readonly phase?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly observedGeneration?: number;
  }[];
} {
  return (object['status'] ?? {}) as ReturnType<typeof statusOf>;
}

function isDone(object: KubeObject): boolean {
  const { observedGeneration, phase, conditions = [] } = statusOf(object);
  const { generation } = object.metadata;
  if (phase !== undefined) return phase === 'Unpacked' && observedGeneration === generation;
  // RukPak has it of the whole status alone.
  return conditions.some((one) => {
    const observed = one.observedGeneration ?? observedGeneration;
    return one.type === 'Installed' && one.status === 'True' && observed === generation;
  });
}

/** Waits until `count` objects of the kind are unpacked, or installed, for their present spec. */
export async function whenAllDone(kube: KubeClient, kind: 'Bundle' | 'BundleDeployment', count: number): Promise<void> {
  await eventually(
    async () => {
      const { items } = await kube.list({ apiVersion, kind });
      const done = items.filter(isDone).length;
      if (done < count) throw new Error(`${done} of ${count} are done`);
    },
    // To list many takes time from what is measured.
    { timeoutMs: 1_800_000, intervalMs: Math.max(500, count / 5) },
  );
}

/** Waits until the object is deleted. */
export async function whenDeleted(kube: KubeClient, ref: Parameters<KubeClient['get']>[0]): Promise<void> {
  await eventually(
    async () => {
      const found = await kube.get(ref).catch((thrown: unknown) => {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      });
      if (found !== undefined) throw new Error(`${ref.name} is still there`);
    },
    { timeoutMs: 1_800_000, intervalMs: 100 },
  );
}

const quietMs = 3000;

/** Waits until the platform has sent no request but watches for three seconds; returns what it has used until then. */
export async function whenQuiet(platform: MeasuredPlatform): Promise<PlatformFacts> {
  for (let before = await platform.facts(); ; ) {
    await pause(quietMs);
    const after = await platform.facts();
    const { requests } = usedBetween(before, after);
    if ([...requests.keys()].every((kind) => kind.startsWith('watch '))) return after;
    before = after;
  }
}

/** What was used between two measurements. */
export function usedBetween(
  before: PlatformFacts,
  after: PlatformFacts,
): { requests: Map<string, number>; cpuMs: number } {
  const requests = new Map<string, number>();
  for (const [kind, count] of Object.entries(after.requests)) {
    const more = count - (before.requests[kind] ?? 0);
    if (more > 0) requests.set(kind, more);
  }
  return { requests, cpuMs: after.cpuMs - before.cpuMs };
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

/** Seconds that `work` takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1000;
}
