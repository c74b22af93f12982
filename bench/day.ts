import { type JsonObject, mapLimit } from '../src/base/index.ts';
import { type Registry, startRegistry } from '../test/support/index.ts';
import {
  type BenchCluster,
  contentObject,
  imageOfConfigMaps,
  type MeasuredPlatform,
  mebibytes,
  onEachCluster,
  type PlatformFacts,
  secondsOf,
  sum,
  usedBetween,
  whenAllDone,
  whenGone,
} from './platform.ts';
import type { Measurement } from './table.ts';

const hours = 24;
const deploymentCount = 60;
/** Of an hour. */
const counts = { pivots: 60, drifts: 30, replaced: 10 };
const objectCount = 5;
const apiVersion = 'core.rukpak.io/v1alpha1';

const nameOf = (index: number): string => `day-${index % deploymentCount}`;

function sourceOf(registry: Registry, index: number, hour: number): Readonly<Record<string, unknown>> {
  const name = nameOf(index);
  const objects = Array.from({ length: objectCount }, (_, at) => ({ name: `${name}-${at}`, value: `hour ${hour}` }));
  return imageOfConfigMaps(registry, `${name}:hour-${hour}`, objects);
}

/** Every deployment gets another version, objects are changed by hand, some deployments go and come again. */
async function workAnHour(cluster: BenchCluster, registry: Registry, hour: number): Promise<void> {
  const { kube } = cluster;
  const indexes = (count: number): number[] => Array.from({ length: count }, (_, at) => at + hour * 7);
  await mapLimit(indexes(counts.pivots), 8, async (index) => {
    const spec = { template: { spec: { source: sourceOf(registry, index, hour) } } } as unknown as JsonObject;
    await kube.patch(
      { apiVersion, kind: 'BundleDeployment', name: nameOf(index) },
      { spec },
      { fieldManager: 'bench' },
    );
  });
  await whenAllDone(kube, 'BundleDeployment', deploymentCount);
  await mapLimit(indexes(counts.drifts), 8, async (index) => {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: `${nameOf(index)}-0` };
    await kube.patch(ref, { data: { value: 'by hand' } }, { fieldManager: 'someone-else' });
  });
  await mapLimit(indexes(counts.replaced), 4, async (index) => {
    const ref = { apiVersion, kind: 'BundleDeployment', name: nameOf(index) };
    await kube.delete(ref);
    await whenGone(kube, ref);
    await kube.create(contentObject('BundleDeployment', ref.name, sourceOf(registry, index, hour)), {
      fieldManager: 'bench',
    });
  });
  await whenAllDone(kube, 'BundleDeployment', deploymentCount);
}

function growth(facts: readonly PlatformFacts[], of: (one: PlatformFacts) => number): string {
  const [from, to] = [facts[hours / 2 - 1], facts[hours - 1]];
  if (from === undefined || to === undefined) return 'not measured';
  const mebi = (of(to) - of(from)) / 2 ** 20;
  return `${mebi < 0 ? '' : '+'}${mebi.toFixed(1)} MiB`;
}

async function measureDay(
  cluster: BenchCluster,
  registry: Registry,
  platform: MeasuredPlatform,
): Promise<Measurement[]> {
  const { kube } = cluster;
  const all = Array.from({ length: deploymentCount }, (_, index) => index);
  await mapLimit(all, 8, (index) =>
    kube.create(contentObject('BundleDeployment', nameOf(index), sourceOf(registry, index, 0)), {
      fieldManager: 'bench',
    }),
  );
  await whenAllDone(kube, 'BundleDeployment', deploymentCount);
  const before = await platform.collectedFacts();
  const facts: PlatformFacts[] = [];
  const seconds = await secondsOf(async () => {
    for (let hour = 1; hour <= hours; hour += 1) {
      await workAnHour(cluster, registry, hour);
      facts.push(await platform.collectedFacts());
    }
  });
  const { requests, cpuMs } = usedBetween(before, facts.at(-1) ?? before);
  const at = (hour: number): PlatformFacts => facts[hour - 1] ?? before;
  const shown = [1, hours / 4, hours / 2, (3 * hours) / 4, hours];
  const done = [counts.pivots, counts.drifts, counts.replaced].map((count) => count * hours).join(', ');
  return [
    { what: `${done} pivots, repairs, deployments replaced: took`, value: `${seconds.toFixed(0)} s` },
    { what: 'requests, processor time', value: `${sum(requests.values())}, ${(cpuMs / 1000).toFixed(0)} s` },
    ...shown.map((hour) => ({
      what: `after hour ${hour}: heap, heaps of threads, resident memory`,
      value: [at(hour).heapBytes, at(hour).threadHeapBytes, at(hour).residentBytes].map(mebibytes).join(', '),
    })),
    {
      what: 'growth of the heap in the second half of the day',
      value: growth(facts, (one) => one.heapBytes),
      goal: 'flat',
    },
    { what: 'growth of the heaps of threads', value: growth(facts, (one) => one.threadHeapBytes), goal: 'flat' },
    { what: 'growth of resident memory', value: growth(facts, (one) => one.residentBytes), goal: 'flat' },
  ];
}

/** What 60 deployments do on a busy day, in a row: versions, drift, deployments that go and come. Memory is to be flat. */
export async function measureADay(): Promise<Measurement[]> {
  await using registry = await startRegistry();
  return await onEachCluster(async (cluster) => {
    await using platform = await cluster.startPlatform();
    return await measureDay(cluster, registry, platform);
  });
}
