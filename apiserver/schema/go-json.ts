import { isJsonObject, type JsonValue } from '../../src/base/index.ts';

function sorted(_key: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** JSON as Go writes it: keys sorted, what has a meaning in HTML escaped. */
export function goJson(value: JsonValue): string {
  return JSON.stringify(value, sorted).replaceAll(/[<>&\u2028\u2029]/g, escape);
}
