import { isJsonObject, type JsonValue } from '../../base/index.ts';
import type { Meta } from '../meta.ts';

/** Whether all keys are in order, as those of most catalogs are. */
function isSorted(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.every(isSorted);
  if (!isJsonObject(value)) return true;
  let last = '';
  for (const key of Object.keys(value)) {
    if (key < last || !isSorted(value[key])) return false;
    last = key;
  }
  return true;
}

function sorted(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => sorted(item) ?? null);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

/** One line with sorted keys and no white space; `<`, `>` and `&` stay. */
export function canonicalJson(value: JsonValue): string {
  const text = JSON.stringify(isSorted(value) ? value : sorted(value));
  if (!/[\u2028\u2029]/.test(text)) return text;
  return text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** The document in the form in which a catalog is held, compared and served: see `canonicalJson`. Without a line feed. */
export function canonicalMeta(meta: Meta): string {
  return canonicalJson(meta.value);
}
