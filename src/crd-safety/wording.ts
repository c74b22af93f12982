import { goQuote, isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import { type Schema } from '../schema/index.ts';

/** Keywords of a schema that do not constrain values. */
export const wordsOnly: readonly string[] = ['description', 'title', 'example', 'externalDocs'];

/** Keywords whose members are named by the author, and those whose value is data. */
const namedSchemas = new Set(['properties', 'patternProperties', 'definitions']);
const data = new Set(['default', 'enum']);

function withoutNames(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutWords(schema)]));
}

function memberWithoutWords(keyword: string, value: JsonValue | undefined): JsonValue | undefined {
  if (data.has(keyword)) return value;
  return namedSchemas.has(keyword) && isJsonObject(value) ? withoutNames(value) : withoutWords(value);
}

function withoutWords(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item) ?? null);
  if (!isJsonObject(value)) return value;
  const members = Object.keys(value)
    .filter((keyword) => !wordsOnly.includes(keyword))
    .toSorted()
    .map((keyword) => [keyword, memberWithoutWords(keyword, value[keyword])]);
  return Object.fromEntries(members) as JsonObject;
}

/** A schema as text, its descriptions left out. */
export function canonicalText(schema: Schema): string {
  return JSON.stringify(withoutWords(schema as unknown as JsonObject));
}

/** Whether two schemas, or two values of one keyword, demand the same. */
export function isSameDemand(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  return isJsonEqual(withoutWords(before), withoutWords(after));
}

/** The name of a keyword's field in Go: `x-kubernetes-list-type` is `XListType`. */
export function goFieldName(keyword: string): string {
  const words = keyword
    .replace(/^x-kubernetes-/, 'x-')
    .replace(/^\$/, '')
    .split('-');
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

function shownValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '<empty>';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) {
    return value.some((item) => typeof item === 'object') ? '<complex value>' : `[${value.map(shownValue).join(' ')}]`;
  }
  return typeof value === 'object' ? '<complex value>' : String(value);
}

function orEmptyText(value: JsonValue | undefined, other: JsonValue | undefined): JsonValue | undefined {
  return value === undefined && typeof other === 'string' ? '' : value;
}

/** A keyword's two values as messages show them: `"" -> "email"`, `<empty> -> true`. A text that is not there is an empty one. */
export function shownChange(before: JsonValue | undefined, after: JsonValue | undefined): string {
  const [old, now] = [shownValue(orEmptyText(before, after)), shownValue(orEmptyText(after, before))];
  return `${old} -> ${now}${old === now ? ' (changed)' : ''}`;
}

/** The original's prefix of messages about stored versions and existing objects. */
export function aboutExistingObjects(crdName: string, text: string): string {
  return `error validating existing CRs against new CRD's schema for "${crdName}": ${text}`;
}
