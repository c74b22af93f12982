import { isJsonObject, type JsonValue } from '../../base/index.ts';
import type { Meta } from '../meta.ts';

function sorted(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => sorted(item) ?? null);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

/** One line with sorted keys and no white space; `<`, `>` and `&` stay. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(sorted(value)).replace(/[\u2028\u2029]/g, (character) =>
    character === '\u2028' ? '\\u2028' : '\\u2029',
  );
}

/** The document in the form in which a catalog is held, compared and served: see `canonicalJson`. Without a line feed. */
export function canonicalMeta(meta: Meta): string {
  return canonicalJson(meta.value);
}
