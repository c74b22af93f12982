import { type JsonObject, mapLimit } from '../src/base/index.ts';
import { startRegistry } from '../test/support/index.ts';
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
  whenGone,
  whenQuiet,
} from './platform.ts';
import type { Measurement } from './table.ts';

const wideCount = 5000;
const bundleCount = 10_000;
const apiVersion = 'core.rukpak.io/v1alpha1';

const seconds = (value: number): string => `${value.toFixed(1)} s`;

type Source = Readonly<Record<string, unknown>>;

async function measureWide(cluster: BenchCluster, versions: readonly [Source, Source]): Promise<Measurement[]> {
  const { kube } = cluster;
  await using platform = await cluster.startPlatform();
  const ref = { apiVersion, kind: 'BundleDeployment', name: 'wide' };
  const start = await platform.facts();
  const install = await secondsOf(async () => {
    await kube.create(contentObject('BundleDeployment', 'wide', versions[0]), { fieldManager: 'bench' });
    await whenAllDone(kube, 'BundleDeployment', 1);
  });
  const installed = await whenQuiet(platform);
  const upgrade = await secondsOf(async () => {
    const spec = { template: { spec: { source: versions[1] } } } as unknown as JsonObject;
    await kube.patch(ref, { spec }, { fieldManager: 'bench' });
    await whenAllDone(kube, 'BundleDeployment', 1);
  });
  const upgraded = await whenQuiet(platform);
  const removal = await secondsOf(async () => {
    await kube.delete(ref);
    await whenGone(kube, ref);
  });
  const removed = await platform.facts();
  const requests = (before: typeof start, after: typeof start): string =>
    String(sum(usedBetween(before, after).requests.values()));
  return [
    { what: 'install', value: seconds(install) },
    { what: 'install: requests', value: requests(start, installed) },
    { what: 'upgrade that changes one object', value: seconds(upgrade) },
    { what: 'upgrade: requests', value: requests(installed, upgraded) },
    { what: 'removal', value: seconds(removal) },
    { what: 'removal: requests', value: requests(upgraded, removed) },
    { what: 'peak memory of the platform', value: mebibytes(removed.peakBytes) },
  ];
}

/** One bundle of 5,000 objects: installed, changed in one of them, removed. */
export async function measureWideBundle(): Promise<Measurement[]> {
  await using registry = await startRegistry();
  const names = Array.from({ length: wideCount }, (_, index) => `wide-${index}`);
  const image = (version: string): Source => {
    const objects = names.map((name, index) => ({ name, value: index === 0 ? version : 'same' }));
    return imageOfConfigMaps(registry, `wide:${version}`, objects);
  };
  const versions = [image('v1'), image('v2')] as const;
  return await onEachCluster((cluster) => measureWide(cluster, versions));
}

async function measureMany(cluster: BenchCluster, source: Source): Promise<Measurement[]> {
  const indexes = Array.from({ length: bundleCount }, (_, index) => index);
  const first = await cluster.startPlatform();
  const unpack = await secondsOf(async () => {
    await mapLimit(indexes, 16, (index) =>
      cluster.kube.create(contentObject('Bundle', `many-${index}`, source), { fieldManager: 'bench' }),
    );
    await whenAllDone(cluster.kube, 'Bundle', bundleCount);
  });
  const unpacked = await first.facts();
  await first[Symbol.asyncDispose]();
  await using second = await cluster.startPlatform();
  const quiet = await whenQuiet(second);
  return [
    { what: 'created to all Unpacked', value: seconds(unpack) },
    { what: 'peak memory of the platform', value: mebibytes(unpacked.peakBytes) },
    { what: 'restart: ready after', value: seconds(second.readyMs / 1000) },
    { what: 'restart: processor time until idle', value: seconds(quiet.cpuMs / 1000) },
    { what: 'restart: requests', value: String(sum(Object.values(quiet.requests))) },
    { what: 'restart: peak memory', value: mebibytes(quiet.peakBytes) },
  ];
}

/** 10,000 Bundles of one image, and a platform that finds them at its start. */
export async function measureManyBundles(): Promise<Measurement[]> {
  await using registry = await startRegistry();
  const source = imageOfConfigMaps(registry, 'many:v1', [{ name: 'many', value: 'same' }]);
  return await onEachCluster((cluster) => measureMany(cluster, source));
}
