import { setTimeout as pause } from 'node:timers/promises';
import { type JsonObject, mapLimit } from '../src/base/index.ts';
import { type Registry, startRegistry } from '../test/support/index.ts';
import {
  type BenchCluster,
  contentObject,
  imageOfConfigMaps,
  type MeasuredPlatform,
  mebibytes,
  onEachCluster,
  secondsOf,
  sum,
  usedBetween,
  whenAllDone,
  whenQuiet,
} from './platform.ts';
import { type Measurement, median } from './table.ts';

const objectCount = 5;
/** Beside one for each object. */
const aimedRequests = 6;

/** All objects are reconciled once in it. */
const resyncMs = 61_000;
const steadyMs = 60_000;
/** Of one operation, such as a correction of drift or a pivot. */
const momentRuns = 5;
const pollMs = 10;

type Source = Readonly<Record<string, unknown>>;

function sourceOf(registry: Registry, index: number, { tag = 'v1', value = String(index) } = {}): Source {
  const names = Array.from({ length: objectCount }, (_, at) => `bench-${index}-${at}`);
  const objects = names.map((name) => ({ name, value }));
  return imageOfConfigMaps(registry, `bench-${index}:${tag}`, objects);
}

function requestLines(requests: ReadonlyMap<string, number>, deployments: number): Measurement[] {
  return [...requests]
    .filter(([, count]) => count >= deployments / 20)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => ({ what: `  ${kind}`, value: (count / deployments).toFixed(2) }));
}

const perDeployment = (requests: ReadonlyMap<string, number>, deployments: number): string =>
  (sum(requests.values()) / deployments).toFixed(1);

async function measureInstall(
  cluster: BenchCluster,
  platform: MeasuredPlatform,
  sources: readonly Source[],
): Promise<Measurement[]> {
  const before = await platform.facts();
  const seconds = await secondsOf(async () => {
    await mapLimit(sources, 16, (source, index) =>
      cluster.kube.create(contentObject('BundleDeployment', `bench-${index}`, source), { fieldManager: 'bench' }),
    );
    await whenAllDone(cluster.kube, 'BundleDeployment', sources.length);
  });
  const after = await whenQuiet(platform);
  const { requests, cpuMs } = usedBetween(before, after);
  const goal = `at most ${objectCount + aimedRequests}`;
  return [
    { what: 'created to all Installed', value: `${seconds.toFixed(1)} s` },
    { what: 'processor time of the platform', value: `${(cpuMs / 1000).toFixed(1)} s` },
    { what: 'peak memory of the platform', value: mebibytes(after.peakBytes), goal: 'under 400 MB' },
    { what: 'requests to the API server per deployment', value: perDeployment(requests, sources.length), goal },
    ...requestLines(requests, sources.length),
  ];
}

/** Measures an idle minute. */
async function measureSteadyState(platform: MeasuredPlatform): Promise<Measurement[]> {
  const before = await platform.facts();
  await pause(steadyMs);
  const after = await platform.facts();
  const { requests, cpuMs } = usedBetween(before, after);
  return [
    { what: 'an idle minute: requests', value: String(sum(requests.values())) },
    { what: 'an idle minute: processor time', value: `${cpuMs.toFixed(0)} ms` },
    { what: 'resident memory after the idle minute', value: mebibytes(after.residentBytes) },
  ];
}

async function whenValueIs({ kube }: BenchCluster, name: string, value: string): Promise<void> {
  for (;;) {
    const { data } = await kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name });
    if ((data as { value?: string } | undefined)?.value === value) return;
    await pause(pollMs);
  }
}

/** One object that another client changes, and one deployment that gets another version, among all the others. */
async function measureMoments(cluster: BenchCluster, registry: Registry): Promise<Measurement[]> {
  const { kube } = cluster;
  const repairs: number[] = [];
  const pivots: number[] = [];
  for (let run = 0; run < momentRuns; run += 1) {
    const drifted = `bench-${run}-0`;
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: drifted };
    await kube.patch(ref, { data: { value: 'changed by hand' } }, { fieldManager: 'someone-else' });
    repairs.push(await secondsOf(() => whenValueIs(cluster, drifted, String(run))));
    const index = momentRuns + run;
    const source = sourceOf(registry, index, { tag: 'v2', value: 'next' });
    const deployment = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name: `bench-${index}` };
    const spec = { template: { spec: { source } } } as unknown as JsonObject;
    pivots.push(
      await secondsOf(async () => {
        await kube.patch(deployment, { spec }, { fieldManager: 'bench' });
        await whenValueIs(cluster, `bench-${index}-${objectCount - 1}`, 'next');
      }),
    );
  }
  return [
    { what: 'one object that is changed by hand: corrected after', value: `${(median(repairs) * 1000).toFixed(0)} ms` },
    { what: 'one pivot: new version there after', value: `${(median(pivots) * 1000).toFixed(0)} ms` },
  ];
}

/** A restart, and then as many resyncs as the default makes in ten hours, in a minute. */
async function measureRest(cluster: BenchCluster, deployments: number): Promise<Measurement[]> {
  await using platform = await cluster.startPlatform(['--resync', '1']);
  const restarted = await whenQuiet(platform);
  const started = new Map(Object.entries(restarted.requests));
  await pause(resyncMs);
  const after = await platform.facts();
  const { requests, cpuMs } = usedBetween(restarted, after);
  const writes = [...requests].filter(([kind]) => !/^(get|list|watch) /.test(kind) && kind !== 'discovery');
  return [
    { what: 'restart: ready after', value: `${(platform.readyMs / 1000).toFixed(1)} s` },
    { what: 'restart: requests per deployment', value: perDeployment(started, deployments) },
    ...requestLines(started, deployments),
    { what: 'restart: peak memory of the platform', value: mebibytes(restarted.peakBytes) },
    { what: 'ten hours of resyncs: writes', value: String(sum(writes.map(([, count]) => count))), goal: '0' },
    { what: 'ten hours of resyncs: requests', value: String(sum(requests.values())) },
    { what: 'ten hours of resyncs: processor time', value: `${(cpuMs / 1000).toFixed(1)} s` },
  ];
}

/** On a real server, with a disk to wait for at each write, more take half an hour. */
const mostOnReal = 1_000;

/** Many deployments at once: time until all are installed, requests of the platform, and its memory; then what happens to a few of them, and a restart. */
export async function measureDeployments(count: number): Promise<Measurement[]> {
  await using registry = await startRegistry();
  const sources = Array.from({ length: count }, (_, index) => sourceOf(registry, index));
  const measure = async (cluster: BenchCluster): Promise<Measurement[]> => {
    const measurements: Measurement[] = [];
    {
      await using platform = await cluster.startPlatform();
      measurements.push(...(await measureInstall(cluster, platform, sources)));
      measurements.push(...(await measureSteadyState(platform)), ...(await measureMoments(cluster, registry)));
    }
    return [...measurements, ...(await measureRest(cluster, count))];
  };
  return await onEachCluster(measure, { hasReal: count <= mostOnReal });
}
