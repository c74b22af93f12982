/** @module-tag long */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { configsLabel } from '../../src/catalog/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually, startRegistry } from '../support/index.ts';
import { type HostileCatalogs, startHostileCatalogs } from './hostile-catalogs.ts';
import { type PlatformProcess, startPlatformProcess } from './hostile-process.ts';
import { openMemoryCgroup } from './memory-cgroup.ts';

const mebibyte = 1024 * 1024;
/** Less than the manifests give the controllers, which have no API server in them. Fourteen threads, each with the largest window and heap, take more. */
const limitMebibytes = 1280;
const counts = { catalogs: 12, sources: 10, bundles: 8 };
const longTimeoutMs = 900_000;
const patience = { timeoutMs: 600_000, intervalMs: 500 };

const clusterCatalogs = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
const catalogSources = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };
const bundles = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle' };

function catalogOf(ref: string, name: string): KubeObject {
  return { ...clusterCatalogs, metadata: { name }, spec: { source: { type: 'Image', image: { ref } } } };
}

function sourceOf(place: object, index: number): readonly KubeObject[] {
  const namespace = `tenant-${index}`;
  const spec = { sourceType: 'grpc', displayName: 'Catalog', publisher: 'Tenant', ...place };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { ...catalogSources, metadata: { name: 'catalog', namespace }, spec },
  ];
}

function bundleOf(of: object, index: number): KubeObject {
  const source = of as JsonObject;
  return {
    ...bundles,
    metadata: { name: `b${index}` },
    spec: { provisionerClassName: 'core-rukpak-io-plain', source },
  };
}

/** Images that take their memory in the heap of a thread. */
const ofHeap = /\/(?:wide|numbers|bundles):/;

/** Catalogs that take memory in the heap, and many that take it outside of it, each in another image. */
function hostileObjects({ images, windowImage, registries }: HostileCatalogs): readonly KubeObject[] {
  let last = 0;
  const windows = (count: number): string[] => Array.from({ length: count }, () => windowImage(last++));
  const ofTenants = [
    ...windows(counts.sources).map((image) => ({ image })),
    ...Object.values(registries).map((address) => ({ address })),
  ];
  const ofCluster = [...windows(counts.catalogs), ...images.filter((ref) => ofHeap.test(ref))];
  return [
    ...ofCluster.map((ref, index) => catalogOf(ref, `hostile-${index}`)),
    ...ofTenants.flatMap(sourceOf),
    ...windows(counts.bundles).map((ref, index) => bundleOf({ type: 'image', image: { ref } }, index)),
  ];
}

function reasonsOf({ status }: KubeObject): readonly string[] {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { readonly reason: string }[] };
  return conditions.map(({ reason }) => reason);
}

/** Each has had its turn: it was read, refused, or left to be tried again. Not all registries that never end are waited for. */
async function assertTried({ kube, end }: PlatformProcess): Promise<void> {
  if (end() !== undefined) return;
  const { items: catalogs } = await kube.list(clusterCatalogs);
  const waiting = catalogs.filter((catalog) => !/Retrying|Succeeded|Blocked/.test(reasonsOf(catalog).join()));
  const { items: sources } = await kube.list(catalogSources);
  const unread = sources.filter(
    ({ spec, status }) => 'image' in (spec as object) && !/"message"|READY/.test(JSON.stringify(status ?? {})),
  );
  const { items: unpacked } = await kube.list(bundles);
  const pending = unpacked.filter((bundle) => !/UnpackFailed/.test(reasonsOf(bundle).join()));
  expect([...waiting, ...unread, ...pending].map(({ metadata }) => metadata.name)).toEqual([]);
}

test(
  'hostile bundles and catalogs of all kinds at once cost one process no more than its memory, and ordinary catalogs are read',
  async ({ skip }) => {
    await using group = await (async () => {
      const opened = await openMemoryCgroup(limitMebibytes * mebibyte);
      return 'missing' in opened ? skip(opened.missing) : opened;
    })();
    await using catalogs = await startHostileCatalogs();
    await using registry = await startRegistry();
    const files = {
      'configs/catalog.json': JSON.stringify({ schema: 'olm.package', name: 'good', defaultChannel: 'a' }),
    };
    registry.putImage('good:v1', [{ files }], { [configsLabel]: '/configs' });
    await using platform = await startPlatformProcess(group);
    const { kube } = platform;
    for (const object of hostileObjects(catalogs)) {
      await kube.create(object, { fieldManager: 'tenant' });
    }
    await kube.create(catalogOf(`${registry.host}/good:v1`, 'good'), { fieldManager: 'admin' });
    await eventually(() => assertTried(platform), patience);
    expect(platform.end()).toBeUndefined();
    expect(await group.read()).toMatchObject({ kills: 0 });
    expect(reasonsOf(await kube.get({ ...clusterCatalogs, name: 'good' }))).toContain('Succeeded');
  },
  longTimeoutMs,
);
