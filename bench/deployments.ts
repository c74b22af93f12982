import { setTimeout as pause } from 'node:timers/promises';
import { mapLimit } from '../src/base/index.ts';
import { type Registry, startRegistry } from '../test/support/index.ts';
import {
  type BenchCluster,
  contentObject,
  imageOfConfigMaps,
  mebibytes,
  onEachCluster,
  secondsOf,
  sum,
  usedBetween,
  whenAllDone,
  whenQuiet,
} from './platform.ts';
import type { Figure } from './table.ts';

const deploymentCount = 1000;
const objectCount = 5;
/** Beside one for each object. */
const aimedRequests = 6;

/** All objects come up once in it. */
const resyncMs = 61_000;

type Source = Readonly<Record<string, unknown>>;

function sourceOf(registry: Registry, index: number): Source {
  const names = Array.from({ length: objectCount }, (_, at) => `bench-${index}-${at}`);
  const objects = names.map((name) => ({ name, value: String(index) }));
  return imageOfConfigMaps(registry, `bench-${index}:v1`, objects);
}

function requestLines(requests: ReadonlyMap<string, number>): Figure[] {
  return [...requests]
    .filter(([, count]) => count >= deploymentCount / 20)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => ({ what: `  ${kind}`, value: (count / deploymentCount).toFixed(2) }));
}

const perDeployment = (requests: ReadonlyMap<string, number>): string =>
  (sum(requests.values()) / deploymentCount).toFixed(1);

async function measureInstall(cluster: BenchCluster, sources: readonly Source[]): Promise<Figure[]> {
  await using platform = await cluster.startPlatform();
  const before = await platform.facts();
  const seconds = await secondsOf(async () => {
    await mapLimit(sources, 16, (source, index) =>
      cluster.kube.create(contentObject('BundleDeployment', `bench-${index}`, source), { fieldManager: 'bench' }),
    );
    await whenAllDone(cluster.kube, 'BundleDeployment', deploymentCount);
  });
  const after = await whenQuiet(platform);
  const { requests, cpuMs } = usedBetween(before, after);
  const goal = `at most ${objectCount + aimedRequests}`;
  return [
    { what: 'created to all Installed', value: `${seconds.toFixed(1)} s` },
    { what: 'processor time of the platform', value: `${(cpuMs / 1000).toFixed(1)} s` },
    { what: 'peak memory of the platform', value: mebibytes(after.peakBytes), goal: 'under 400 MB' },
    { what: 'requests to the API server per deployment', value: perDeployment(requests), goal },
    ...requestLines(requests),
  ];
}

/** A restart, and then as many resyncs as the default makes in ten hours, in a minute. */
async function measureRest(cluster: BenchCluster): Promise<Figure[]> {
  await using platform = await cluster.startPlatform(['--resync', '1']);
  const restarted = await whenQuiet(platform);
  const started = new Map(Object.entries(restarted.requests));
  await pause(resyncMs);
  const after = await platform.facts();
  const { requests, cpuMs } = usedBetween(restarted, after);
  const writes = [...requests].filter(([kind]) => !/^(get|list|watch) /.test(kind) && kind !== 'discovery');
  return [
    { what: 'restart: ready after', value: `${(platform.readyMs / 1000).toFixed(1)} s` },
    { what: 'restart: requests per deployment', value: perDeployment(started) },
    ...requestLines(started),
    { what: 'restart: peak memory of the platform', value: mebibytes(restarted.peakBytes) },
    { what: 'ten hours of resyncs: writes', value: String(sum(writes.map(([, count]) => count))), goal: '0' },
    { what: 'ten hours of resyncs: requests', value: String(sum(requests.values())) },
    { what: 'ten hours of resyncs: processor time', value: `${(cpuMs / 1000).toFixed(1)} s` },
  ];
}

/** Many deployments at once: time until all are installed, requests of the platform, and its memory. */
export async function measureDeployments(): Promise<Figure[]> {
  await using registry = await startRegistry();
  const sources = Array.from({ length: deploymentCount }, (_, index) => sourceOf(registry, index));
  return await onEachCluster(async (cluster) => [
    ...(await measureInstall(cluster, sources)),
    ...(await measureRest(cluster)),
  ]);
}
