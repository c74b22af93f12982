import { type JsonObject, objectAt, valueAt } from '../../base/index.ts';
import { readCsv } from '../../formats/index.ts';
import { renamedFields, sameNamedFields } from '../csv-metadata-fields.ts';

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** What user interfaces need of a ClusterServiceVersion: the value of the property `olm.csv.metadata`. Members of other types than they should have
 *  are refused, unknown ones left out.
 *  @throws TerminalError InvalidBundle
 *  @see docs/spec/catalogs.md#property-types */
export function csvMetadata(csv: JsonObject): JsonObject {
  const typed = readCsv(csv) as unknown as JsonObject;
  const spec = objectAt(typed, 'spec');
  const metadata = objectAt(typed, 'metadata');
  const value: JsonObject = {};
  for (const key of ['annotations', 'labels']) {
    const map = objectAt(metadata, key);
    if (map !== undefined && Object.keys(map).length > 0) value[key] = map;
  }
  // These are written even when nothing is in them.
  for (const [key, source] of Object.entries(renamedFields)) value[key] = objectAt(spec, source) ?? {};
  for (const key of sameNamedFields) {
    const member = valueAt(spec, key);
    if (!isEmpty(member)) value[key] = member;
  }
  return value;
}
