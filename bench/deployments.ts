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
} from './platform.ts';
import type { Figure } from './table.ts';

const deploymentCount = 1000;
const objectCount = 5;
/** Beside one for each object. */
const aimedRequests = 6;

function sourceOf(registry: Registry, index: number): Readonly<Record<string, unknown>> {
  const names = Array.from({ length: objectCount }, (_, at) => `bench-${index}-${at}`);
  const objects = names.map((name) => ({ name, value: String(index) }));
  return imageOfConfigMaps(registry, `bench-${index}:v1`, objects);
}

function requestFigures(requests: ReadonlyMap<string, number>): Figure[] {
  const total = sum(requests.values()) / deploymentCount;
  const lines = [...requests]
    .filter(([, count]) => count >= deploymentCount / 20)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => ({ what: `  ${kind}`, value: (count / deploymentCount).toFixed(2) }));
  const goal = `at most ${objectCount + aimedRequests}`;
  return [{ what: 'requests to the API server per deployment', value: total.toFixed(1), goal }, ...lines];
}

async function measure(
  cluster: BenchCluster,
  sources: readonly Readonly<Record<string, unknown>>[],
): Promise<Figure[]> {
  await using platform = await cluster.startPlatform();
  const before = await platform.facts();
  const seconds = await secondsOf(async () => {
    await mapLimit(sources, 16, (source, index) =>
      cluster.kube.create(contentObject('BundleDeployment', `bench-${index}`, source), { fieldManager: 'bench' }),
    );
    await whenAllDone(cluster.kube, 'BundleDeployment', deploymentCount);
  });
  const after = await platform.facts();
  const { requests, cpuMs } = usedBetween(before, after);
  return [
    { what: 'created to all Installed', value: `${seconds.toFixed(1)} s` },
    { what: 'processor time of the platform', value: `${(cpuMs / 1000).toFixed(1)} s` },
    { what: 'peak memory of the platform', value: mebibytes(after.peakBytes), goal: 'under 400 MB' },
    ...requestFigures(requests),
  ];
}

/** Many deployments at once: time until all are installed, requests of the platform, and its memory. */
export async function measureDeployments(): Promise<Figure[]> {
  await using registry = await startRegistry();
  const sources = Array.from({ length: deploymentCount }, (_, index) => sourceOf(registry, index));
  return await onEachCluster((cluster) => measure(cluster, sources));
}
