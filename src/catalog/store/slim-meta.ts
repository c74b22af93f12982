import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../../base/index.ts';

/** Properties with manifests, and with what only user interfaces need: most of a catalog's bytes. */
const bulkyProperties: ReadonlySet<string> = new Set(['olm.bundle.object', 'olm.csv.metadata']);

const keptKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['olm.package', ['schema', 'name', 'defaultChannel']],
  ['olm.channel', ['schema', 'package', 'name', 'entries']],
  ['olm.bundle', ['schema', 'package', 'name', 'image', 'properties']],
  ['olm.deprecations', ['schema', 'package', 'entries']],
]);

/** Whether a property says something of the bundle that a choice may depend on. */
function isSlimProperty(property: JsonValue): boolean {
  return !(isJsonObject(property) && bulkyProperties.has(textAt(property, 'type')));
}

/** What choosing bundles needs of a document of a catalog; undefined for a schema that says nothing of that. */
export function slimDocument(schema: string, value: JsonObject): JsonObject | undefined {
  const kept = keptKeys.get(schema);
  if (kept === undefined) return undefined;
  const slim: JsonObject = Object.fromEntries(kept.map((key) => [key, value[key]]));
  const { properties } = slim;
  if (Array.isArray(properties)) slim['properties'] = properties.filter(isSlimProperty);
  return slim;
}
