import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';

type Source = object | JsonValue | undefined;

/** The value at a path of member names; undefined where anything on the way is missing or no object. */
export function at(source: Source, ...path: readonly string[]): JsonValue | undefined {
  let value = source as JsonValue | undefined;
  for (const name of path) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** A string (or a number as text) at a path; empty when there is none. */
export function textAt(source: Source, ...path: readonly string[]): string {
  const value = at(source, ...path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A number at a path; 0 when there is none. */
export function numberAt(source: Source, ...path: readonly string[]): number {
  const value = at(source, ...path);
  return typeof value === 'number' ? value : 0;
}

/** A list at a path; empty when there is none. */
export function listAt(source: Source, ...path: readonly string[]): JsonValue[] {
  const value = at(source, ...path);
  return Array.isArray(value) ? value : [];
}

/** An object at a path; empty when there is none. */
export function objectAt(source: Source, ...path: readonly string[]): JsonObject {
  const value = at(source, ...path);
  return isJsonObject(value) ? value : {};
}

/** `a,b,c + 2 more...`, `<none>` when empty. */
export function firstThree(items: readonly string[]): string {
  if (items.length === 0) return '<none>';
  const more = items.length > 3 ? ` + ${items.length - 3} more...` : '';
  return `${items.slice(0, 3).join(',')}${more}`;
}

/** `k=v,k2=v2` sorted, `<none>` when empty. */
export function labelsText(labels: JsonObject): string {
  const names = Object.keys(labels).sort();
  return names.map((name) => `${name}=${textAt(labels, name)}`).join(',') || '<none>';
}

function expressionText(expression: JsonValue): string {
  const [key, operator] = [textAt(expression, 'key'), textAt(expression, 'operator')];
  const values = listAt(expression, 'values').map(String).sort().join(',');
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values})`;
}

/** A LabelSelector in the text form of selectors: `a=b,c in (d,e)`; absent `<none>`, empty the same. */
export function selectorText(selector: JsonValue | undefined): string {
  const pairs = Object.keys(objectAt(selector, 'matchLabels')).map(
    (key) => `${key}=${textAt(selector, 'matchLabels', key)}`,
  );
  const all = [...pairs.sort(), ...listAt(selector, 'matchExpressions').map(expressionText)];
  return all.join(',') || '<none>';
}

/** The condition of a type in `status.conditions`. */
export function conditionOf(object: Source, type: string): JsonValue | undefined {
  return listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);
}
