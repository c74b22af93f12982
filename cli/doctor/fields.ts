import { isJsonObject, type JsonObject } from '../../src/base/index.ts';

function valueAt(value: unknown, path: readonly string[]): unknown {
  let here = value;
  for (const key of path) here = isJsonObject(here) ? here[key] : undefined;
  return here;
}

/** The text at a path of any object; empty where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : '';
}

/** The number at a path; undefined where there is none. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === 'number' ? found : undefined;
}

/** The objects of the list at a path; none where there is no list. */
export function objectsAt(value: unknown, ...path: readonly string[]): readonly JsonObject[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}
