import { isJsonObject, type JsonValue } from '../../src/base/index.ts';

/** A deep copy of JSON data; members that are undefined are left out. */
export function copyJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copyJson(item)) as T;
  if (!isJsonObject(value)) return value;
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) copy[key] = copyJson(member);
  }
  return copy as T;
}
