import { goJson, isJsonObject, type JsonObject, type JsonValue, sortedKeys, textAt } from '../../base/index.ts';
import type { Property } from '../../constraints/index.ts';

/** Manifests of a bundle, each as a whole. */
export const bundleObjectType = 'olm.bundle.object';
/** What user interfaces need of a ClusterServiceVersion. */
export const csvMetadataType = 'olm.csv.metadata';

const lastTypes: ReadonlySet<string> = new Set([bundleObjectType, csvMetadataType]);

/** Each property once, by type and value; those that carry manifests, and what is made of them, come last. */
export function sortProperties(properties: readonly Property[]): readonly Property[] {
  const keyed = new Map(
    properties.map((property) => {
      const value = goJson(sortedKeys(property.value));
      return [`${lastTypes.has(property.type) ? 1 : 0}\n${property.type}\n${value}`, property] as const;
    }),
  );
  return [...keyed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, property]) => property);
}

/** The property that carries a manifest. */
export function bundleObject(object: JsonObject): Property {
  return { type: bundleObjectType, value: { data: Buffer.from(goJson(sortedKeys(object))).toString('base64') } };
}

/** The properties of a document as far as they are any: objects with a type. */
export function propertiesOf(document: JsonObject): readonly Property[] {
  const { properties } = document;
  return (Array.isArray(properties) ? properties : []).filter(isJsonObject).map((item) => ({
    type: textAt(item, 'type'),
    value: (item['value'] ?? null) as JsonValue,
  }));
}
