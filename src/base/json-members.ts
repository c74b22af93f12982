import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** The object at the end of `path`, undefined when any step is absent or of another type. */
export function objectAt(parent: JsonObject | undefined, ...path: readonly string[]): JsonObject | undefined {
  let current = parent;
  for (const key of path) {
    const next = valueAt(current, key);
    if (!isJsonObject(next)) return undefined;
    current = next;
  }
  return current;
}

/** The objects of a list; other values become empty objects, so that indexes stay correct. */
export function objectsAt(parent: JsonObject | undefined, key: string): JsonObject[] {
  return listAt(parent, key).map((item) => (isJsonObject(item) ? item : {}));
}

/** Empty when absent or no list. */
export function listAt(parent: JsonObject | undefined, key: string): JsonValue[] {
  const value = valueAt(parent, key);
  return Array.isArray(value) ? value : [];
}

/** The texts of a list; other values count as empty texts. */
export function listOfTexts(parent: JsonObject | undefined, key: string): string[] {
  return listAt(parent, key).map((item) => (typeof item === 'string' ? item : ''));
}

/** An own member of any type; undefined if absent. */
export function valueAt(parent: JsonObject | undefined, key: string): JsonValue | undefined {
  return parent !== undefined && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

/** Empty when absent or no text, as Go reads it. */
export function textAt(parent: JsonObject | undefined, key: string): string {
  const value = valueAt(parent, key);
  return typeof value === 'string' ? value : '';
}

/** A scalar as Go's YAML reader puts it into a field of type string: numbers and booleans are text, null is empty; undefined for lists and mappings. */
export function scalarText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  return value !== null && typeof value === 'object' ? undefined : String(value ?? '');
}

/** False when absent or of another type. */
export function isTrueAt(parent: JsonObject | undefined, key: string): boolean {
  return valueAt(parent, key) === true;
}
