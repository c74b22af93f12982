import { formatAge, isJsonObject, type JsonObject, textAt } from '../../base/index.ts';
import type { FoundPackage } from './packages.ts';

/** What the rows of a table include of the objects. */
export type IncludedObject = 'Metadata' | 'None' | 'Object';

const columns: readonly JsonObject[] = [
  { name: 'Name', type: 'string', format: 'name', description: 'Name of the package', priority: 0 },
  { name: 'Catalog', type: 'string', format: '', description: 'Name of the catalog for people', priority: 0 },
  { name: 'Age', type: 'string', format: '', description: 'Age of the CatalogSource', priority: 0 },
];

/** A table without its rows. */
export const tableHead: JsonObject = {
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata: {},
  columnDefinitions: [...columns],
};

/** The metadata of an object, as an object. */
export function partialObject(metadata: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

/** A row of the table that kubectl prints.
 *  @see docs/spec/olm-v0.md#packagemanifest */
export function tableRow(
  { source, metadata, manifest }: FoundPackage,
  included: IncludedObject,
  nowMs: number,
): JsonObject {
  const spec = isJsonObject(source['spec']) ? source['spec'] : {};
  const cells = [
    textAt(metadata, 'name'),
    textAt(spec, 'displayName'),
    formatAge(source.metadata.creationTimestamp, nowMs),
  ];
  if (included === 'None') return { cells };
  return { cells, object: included === 'Metadata' ? partialObject(metadata) : (manifest() ?? null) };
}
