import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../../base/index.ts';
import type { CatalogPackage } from '../../resolver/index.ts';
import type { Meta } from '../meta.ts';
import { PackageBuilder } from '../read/packages.ts';

/** Properties with manifests, and with what only user interfaces need: most of a catalog's bytes. */
const bulkyProperties: ReadonlySet<string> = new Set(['olm.bundle.object', 'olm.csv.metadata']);

const retainedKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['olm.package', ['defaultChannel']],
  ['olm.channel', ['entries']],
  ['olm.bundle', ['image', 'properties']],
  ['olm.deprecations', ['entries']],
]);

/** Whether a choice of bundles may depend on a property. */
function isSlimProperty(property: JsonValue): boolean {
  return !(isJsonObject(property) && bulkyProperties.has(textAt(property, 'type')));
}

/** What choosing bundles needs of a document of a catalog, as JSON; undefined for a schema that is irrelevant to that. */
export function slimText({ schema, package: packageName, name, value }: Meta): string | undefined {
  const kept = retainedKeys.get(schema);
  if (kept === undefined) return undefined;
  const slim: JsonObject = { schema, package: packageName, name };
  for (const key of kept) if (Object.hasOwn(value, key)) slim[key] = value[key];
  const { properties } = slim;
  if (Array.isArray(properties)) slim['properties'] = properties.filter(isSlimProperty);
  return JSON.stringify(slim);
}

/** The package that such documents make, given as a list in JSON; undefined where it cannot be used at all. */
export function readSlimPackage(record: string): CatalogPackage | undefined {
  const builder = new PackageBuilder();
  for (const value of JSON.parse(record) as JsonObject[]) {
    const [schema, packageName, name] = [textAt(value, 'schema'), textAt(value, 'package'), textAt(value, 'name')];
    builder.add({ schema, package: packageName, name, value, place: { file: '', line: 1 } });
  }
  const [found] = builder.build().values();
  return found;
}
