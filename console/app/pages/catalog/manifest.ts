import type { PackageRow } from '../../../server/wire.ts';
import { request } from '../../lib/api.ts';
import { pathTo } from '../../lib/router.ts';

/** What a field of a custom resource is for. */
export interface Descriptor {
  readonly path: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly 'x-descriptors'?: readonly string[];
}

/** A CustomResourceDefinition that an operator owns or needs. */
export interface DescribedApi {
  readonly name: string;
  readonly kind: string;
  readonly version: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly specDescriptors?: readonly Descriptor[];
}

/** The head of a channel, as a PackageManifest describes it. */
export interface Head {
  readonly displayName?: string;
  readonly description?: string;
  readonly version?: string;
  readonly maturity?: string;
  readonly installModes?: readonly { readonly type: string; readonly supported: boolean }[];
  readonly links?: readonly { readonly name?: string; readonly url?: string }[];
  readonly maintainers?: readonly { readonly name?: string; readonly email?: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly relatedImages?: readonly string[];
  readonly customresourcedefinitions?: {
    readonly owned?: readonly DescribedApi[];
    readonly required?: readonly DescribedApi[];
  };
}

/** A channel of a package. */
export interface Channel {
  readonly name: string;
  readonly currentCSV: string;
  readonly currentCSVDesc?: Head;
  readonly entries?: readonly { readonly name: string; readonly version?: string }[];
  readonly deprecation?: { readonly message?: string };
}

/** All of a package. */
export interface Manifest {
  readonly status: {
    readonly defaultChannel: string;
    readonly channels: readonly Channel[];
    readonly deprecation?: { readonly message?: string };
  };
}

/** Reads a package from its catalog, with what PackageManifests leave out: the descriptors of its definitions. */
export async function readFromCatalog(row: PackageRow, signal: AbortSignal): Promise<Manifest> {
  const namespace = row.catalogNamespace === '' ? '-' : row.catalogNamespace;
  return await request<Manifest>(pathTo('api', 'catalog-packages', namespace, row.catalog, row.name), { signal });
}

/** Reads a package as the package server has it, or from its ClusterCatalog. */
export async function readManifest(row: PackageRow, signal: AbortSignal): Promise<Manifest> {
  if (row.catalogNamespace === '') return await readFromCatalog(row, signal);
  const root = '/k8s/apis/packages.operators.coreos.com/v1';
  // Packages of several catalogs may have one name.
  const labels = `catalog=${row.catalog},catalog-namespace=${row.catalogNamespace}`;
  const path = `${root}/namespaces/${row.namespace}/packagemanifests?labelSelector=${encodeURIComponent(labels)}`;
  const { items } = await request<{
    readonly items: readonly (Manifest & { readonly metadata: { readonly name: string } })[];
  }>(path, { signal });
  const found = items.find(({ metadata }) => metadata.name === row.name);
  if (found === undefined) throw new Error(`catalog ${row.catalog} does not have the package ${row.name} any more`);
  return found;
}

/** The head of the default channel. */
export function defaultHead({ status: { channels, defaultChannel } }: Manifest): Head {
  return channels.find(({ name }) => name === defaultChannel)?.currentCSVDesc ?? channels[0]?.currentCSVDesc ?? {};
}
