import type { Installation, PackageRow } from '../../../../server/wire.ts';
import { ApiError, request } from '../../../lib/api.ts';
import { type DescribedApi, defaultHead, type Head, readFromCatalog } from '../manifest.ts';

/** A kind, and the head of the package that describes it. */
export interface Described {
  readonly api: DescribedApi;
  readonly head: Head;
}

interface Csvs {
  readonly items: readonly {
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
    readonly spec?: Head;
  }[];
}

function ownedIn(head: Head, { name, version }: DescribedApi): DescribedApi | undefined {
  return head.customresourcedefinitions?.owned?.find((one) => one.name === name && one.version === version);
}

/** As the installed ClusterServiceVersion describes it; undefined where there is none, or the viewer may not read it. */
async function readInstalled(
  api: DescribedApi,
  namespace: string,
  signal: AbortSignal,
): Promise<Described | undefined> {
  try {
    const path = `/k8s/apis/operators.coreos.com/v1alpha1/namespaces/${namespace}/clusterserviceversions`;
    const { items } = await request<Csvs>(path, { signal });
    for (const { metadata, spec = {} } of items) {
      const found = ownedIn(spec, api);
      if (found !== undefined) return { api: found, head: { ...spec, annotations: metadata.annotations ?? {} } };
    }
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
  }
  return undefined;
}

/** Reads the descriptors of a kind, which PackageManifests leave out: of what is installed, or else from the catalog. */
export async function readDescribed(
  { row, api, head, own }: Described & { readonly row: PackageRow; readonly own: readonly Installation[] },
  signal: AbortSignal,
): Promise<Described> {
  if (row.catalogNamespace === '') return { api, head };
  for (const { namespace } of own) {
    const found = await readInstalled(api, namespace, signal);
    if (found !== undefined) return found;
  }
  const inCatalog = defaultHead(await readFromCatalog(row, signal));
  return { api: ownedIn(inCatalog, api) ?? api, head: inCatalog };
}
