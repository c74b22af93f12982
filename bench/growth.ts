import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mapLimit, systemClock } from '../src/base/index.ts';
import { configsLabel } from '../src/catalog/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../src/kube/index.ts';
import { runMeasured } from '../test/faults/memory-child.ts';
import { largeCatalog } from '../test/faults/olm/large-catalog.ts';
import { eventually, type Registry, startRegistry } from '../test/support/index.ts';
import { measureCommand } from './catalog-programs.ts';
import { startChild } from './child.ts';
import { contentObject, imageOfConfigMaps, mebibytes, onEmbeddedCluster, secondsOf, whenAllDone } from './platform.ts';
import type { Measurement } from './table.ts';

const lanes = 16;
/** More takes longer than anyone waits for: what one of them costs is in the sections with 10,000. */
const deploymentCounts = [100, 300, 1000];
const bundleCounts = [100, 300, 1000];
const namespaceCounts = [100, 1000, 10_000];
const objectCounts = [100, 1000, 10_000, 100_000];
const packageCounts = [100, 1000, 10_000, 100_000];
const offeredCounts = [1000, 10_000, 100_000];
/** Of Subscriptions in the namespace that is resolved. */
const subscriptionCount = 20;
const limitMebibytes = 1024;

interface Cost {
  readonly seconds: number;
  readonly bytes: number;
}

async function residentBytes(pid: number): Promise<number> {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1024;
}

/** One measurement for each count, with its point of the plot. */
async function seriesOf(
  series: string,
  counts: readonly number[],
  measure: (count: number) => Promise<Cost>,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const count of counts) {
    const { seconds, bytes } = await measure(count);
    const each = `${((seconds * 1000) / count).toFixed(2)} ms each`;
    measurements.push({
      what: `${count.toLocaleString('en')} ${series}`,
      value: `${seconds.toFixed(2)} s, ${each}; ${mebibytes(bytes)}`,
      point: { series, count, seconds, bytes },
    });
  }
  return measurements;
}

/** Time until `work` is done on a fresh embedded API server, and its memory then. */
async function onApiServer(work: (kube: KubeClient) => Promise<void>): Promise<Cost> {
  await using child = startChild('api-server-child.ts');
  const { kubeconfig } = await child.next<{ kubeconfig: string }>();
  const kube = createKubeClient({ access: await loadClusterAccess({ text: kubeconfig }), clock: systemClock });
  try {
    const seconds = await secondsOf(() => work(kube));
    return { seconds, bytes: await residentBytes(child.pid) };
  } finally {
    kube.close();
  }
}

async function createAll(kube: KubeClient, count: number, objectAt: (index: number) => KubeObject): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  await mapLimit(indexes, lanes, (index) => kube.create(objectAt(index), { fieldManager: 'bench' }));
}

function configMap(index: number): KubeObject {
  const metadata = { name: `growth-${index}`, namespace: 'default' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: 'x'.repeat(1000) } };
}

/** Namespaces are there once each has its ServiceAccount. */
async function createNamespaces(kube: KubeClient, count: number): Promise<void> {
  const start = (await kube.list({ apiVersion: 'v1', kind: 'ServiceAccount', isMetadataOnly: true })).items.length;
  const objectAt = (index: number): KubeObject => {
    return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `growth-${index}` } };
  };
  await createAll(kube, count, objectAt);
  await eventually(
    async () => {
      const { items } = await kube.list({ apiVersion: 'v1', kind: 'ServiceAccount', isMetadataOnly: true });
      if (items.length < start + count) throw new Error(`${items.length - start} of ${count} have a ServiceAccount`);
    },
    { timeoutMs: 600_000, intervalMs: 200 },
  );
}

/** A package of one channel with one bundle, as lines of JSON. */
function packageLines(index: number): string {
  const name = `operator-${index}`;
  const bundle = `${name}.v1.0.0`;
  const properties = [{ type: 'olm.package', value: { packageName: name, version: '1.0.0' } }];
  const documents = [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', name: 'stable', package: name, entries: [{ name: bundle }] },
    { schema: 'olm.bundle', name: bundle, package: name, image: `registry.example.com/${name}:v1`, properties },
  ];
  return documents.map((document) => `${JSON.stringify(document)}\n`).join('');
}

/** What it takes to index a catalog for the first time. */
async function indexCatalog(count: number): Promise<Cost> {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-growth-'));
  try {
    const catalog = join(dir, 'catalog');
    await mkdir(catalog);
    {
      await using file = await open(join(catalog, 'catalog.json'), 'w');
      for (let index = 0; index < count; index += 1) await file.write(packageLines(index));
    }
    const args = ['--cache-dir', join(dir, 'cache'), '--cache-only'];
    const { seconds, peakBytes } = await measureCommand('serve', catalog, ...args);
    return { seconds, bytes: peakBytes };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The image of a CatalogSource read, and a namespace resolved that subscribes to its packages; the peak memory of that process. */
async function readAndResolve(registry: Registry, count: number): Promise<Cost> {
  const { files, packageNames } = largeCatalog(count);
  registry.putImage(`catalogs/growth:${count}`, [{ files }], { [configsLabel]: '/configs' });
  const task = {
    ref: `${registry.host}/catalogs/growth:${count}`,
    packageNames: packageNames.slice(-subscriptionCount),
  };
  let bytes = 0;
  const seconds = await secondsOf(async () => {
    const { outcomes, peakMebibytes } = await runMeasured('olm/large-catalog-child.ts', task, limitMebibytes);
    if (outcomes[0] !== 'resolution: selected') throw new Error(outcomes.join('\n'));
    bytes = peakMebibytes * 2 ** 20;
  });
  return { seconds, bytes };
}

/** How reading a CatalogSource, and resolving from it, grows with its bundles. */
async function measureCatalogSources(): Promise<Measurement[]> {
  await using registry = await startRegistry();
  return await seriesOf('bundles of a CatalogSource read, and a namespace resolved', offeredCounts, (count) =>
    readAndResolve(registry, count),
  );
}

/** Time until all are done, and the peak memory of the platform. */
async function unpackOrInstall(registry: Registry, kind: 'Bundle' | 'BundleDeployment', count: number): Promise<Cost> {
  const sourceOf = (index: number): Readonly<Record<string, unknown>> => {
    const names = Array.from({ length: 5 }, (_, at) => `growth-${index}-${at}`);
    return imageOfConfigMaps(
      registry,
      `growth-${index}:v1`,
      names.map((name) => ({ name, value: 'same' })),
    );
  };
  const sources = Array.from({ length: count }, (_, index) => sourceOf(index));
  return await onEmbeddedCluster(async (cluster) => {
    await using platform = await cluster.startPlatform();
    const seconds = await secondsOf(async () => {
      await createAll(cluster.kube, count, (index) => contentObject(kind, `growth-${index}`, sources[index] ?? {}));
      await whenAllDone(cluster.kube, kind, count);
    });
    const { peakBytes } = await platform.facts();
    return { seconds, bytes: peakBytes };
  });
}

/** Whether cost stays in proportion: time and memory of the same work, ten times as much at a time. */
export async function measureGrowth(): Promise<Measurement[]> {
  await using registry = await startRegistry();
  const objects = (count: number): Promise<Cost> => onApiServer((kube) => createAll(kube, count, configMap));
  const namespaces = (count: number): Promise<Cost> => onApiServer((kube) => createNamespaces(kube, count));
  return [
    ...(await seriesOf('objects created on the embedded API server', objectCounts, objects)),
    ...(await seriesOf('namespaces created on the embedded API server', namespaceCounts, namespaces)),
    ...(await seriesOf('packages of a catalog indexed', packageCounts, indexCatalog)),
    ...(await measureCatalogSources()),
    ...(await seriesOf('Bundles unpacked', bundleCounts, (count) => unpackOrInstall(registry, 'Bundle', count))),
    ...(await seriesOf('BundleDeployments installed', deploymentCounts, (count) =>
      unpackOrInstall(registry, 'BundleDeployment', count),
    )),
  ];
}
