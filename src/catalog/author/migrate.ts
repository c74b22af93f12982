import { isJsonObject, type JsonObject, parseJson, TerminalError, textAt } from '../../base/index.ts';
import { bundleObjectType, csvMetadataType, propertiesOf, sortProperties } from './properties.ts';

/** Migrations in the order in which they are done; a level means all up to and including the named one. */
const levels = ['none', 'bundle-object-to-csv-metadata', 'all'] as const;

/** How far documents are migrated. */
export type MigrateLevel = (typeof levels)[number];

/** @throws TerminalError InvalidOption for a level that is not known */
export function readMigrateLevel(text: string): MigrateLevel {
  const found = levels.find((level) => level === text);
  if (found !== undefined) return found;
  const text_ = `unknown migration level "${text}": expected one of ${levels.join(', ')}`;
  throw new TerminalError('InvalidOption', text_);
}

/** The first ClusterServiceVersion among the manifests that a bundle carries. */
export function carriedCsv(bundle: JsonObject): JsonObject | undefined {
  for (const { type, value } of propertiesOf(bundle)) {
    if (type !== bundleObjectType || !isJsonObject(value)) continue;
    const text = Buffer.from(textAt(value, 'data'), 'base64').toString('utf8');
    const object = parseJson(`bundle "${textAt(bundle, 'name')}": property "${bundleObjectType}"`, text);
    if (isJsonObject(object) && object['kind'] === 'ClusterServiceVersion') return object;
  }
  return undefined;
}

/** Gives a bundle that has an image one property with what user interfaces need, for all of the manifests that it carries. Other documents, bundles
 *  without image or ClusterServiceVersion, and those that are migrated already stay as they are.
 *  @throws TerminalError InvalidBundle, InvalidJson
 *  @see docs/spec/catalogs.md#bundle-object-migration */
export async function migrateDocument(document: JsonObject, level: MigrateLevel): Promise<JsonObject> {
  if (level === 'none' || document['schema'] !== 'olm.bundle' || textAt(document, 'image') === '') return document;
  const properties = propertiesOf(document);
  if (properties.some(({ type }) => type === csvMetadataType)) return document;
  const csv = carriedCsv(document);
  if (csv === undefined) return document;
  // The reader of ClusterServiceVersions takes 10 MiB: commands that migrate nothing never load it.
  const { csvMetadata } = await import('./csv-metadata.ts');
  const kept = properties.filter(({ type }) => type !== bundleObjectType);
  const migrated = sortProperties([...kept, { type: csvMetadataType, value: csvMetadata(csv) }]);
  return { ...document, properties: migrated.map(({ type, value }) => ({ type, value })) };
}
