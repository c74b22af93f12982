import { ApiError, request } from '../../../lib/api.ts';
import { isValues, type Schema } from '../../../ui/schema/schema.ts';
import type { DescribedApi } from '../manifest.ts';

/** What the cluster knows of a kind; `unknown` where the viewer may not read its definition. */
export type Definition =
  | { readonly state: 'present'; readonly isNamespaced: boolean; readonly spec: Schema | undefined }
  | { readonly state: 'absent' | 'unknown' };

interface Definitions {
  readonly spec: {
    readonly scope: string;
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: { readonly properties?: Readonly<Record<string, Schema>> } };
    }[];
  };
}

/** Reads the definition of a kind from the cluster. */
export async function readDefinition({ name, version }: DescribedApi, signal: AbortSignal): Promise<Definition> {
  try {
    const path = `/k8s/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${encodeURIComponent(name)}`;
    const { spec } = await request<Definitions>(path, { signal });
    const served = spec.versions.find((one) => one.name === version && one.served);
    if (served === undefined) return { state: 'absent' };
    const schema = served.schema?.openAPIV3Schema?.properties?.['spec'];
    return { state: 'present', isNamespaced: spec.scope === 'Namespaced', spec: isValues(schema) ? schema : undefined };
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || signal.aborted) throw thrown;
    return { state: thrown.status === 404 ? 'absent' : 'unknown' };
  }
}
