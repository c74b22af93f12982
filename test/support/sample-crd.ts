import type { JsonObject } from '../../src/base/index.ts';

/** A version of a CRD; served, and the first one is stored. */
export interface SampleVersion {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isServed?: boolean;
}

/** A CRD of the kind `Sample` in `samples.example.com`, as a cluster has it: established, its first version stored. */
export function sampleCrd(
  versions: readonly SampleVersion[],
  options: {
    readonly storedVersions?: string[];
    readonly scope?: string;
    readonly metadata?: JsonObject;
    readonly conversion?: JsonObject;
  } = {},
): JsonObject {
  const { storedVersions = versions.slice(0, 1).map(({ name }) => name), scope = 'Namespaced', conversion } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'samples.samples.example.com', ...options.metadata },
    spec: {
      group: 'samples.example.com',
      scope,
      names: { kind: 'Sample', plural: 'samples', singular: 'sample', listKind: 'SampleList' },
      ...(conversion === undefined ? {} : { conversion }),
      versions: versions.map(({ name, schema, isServed = true }, index) => ({
        name,
        served: isServed,
        storage: index === 0,
        schema: { openAPIV3Schema: schema },
      })),
    },
    status: { storedVersions, conditions: [{ type: 'Established', status: 'True' }] },
  };
}
