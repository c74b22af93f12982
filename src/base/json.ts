import { TerminalError } from './errors.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
/** A JSON object. Keys come from outside: test with `Object.hasOwn`, never with `in`. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Deeper documents are refused, so that no recursive walk over accepted data can exhaust the stack. */
export const maxNestingDepth = 256;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** Checks decoded data that came from outside: depth at most `maxNestingDepth`, no key `__proto__`. Not recursive.
 *  @throws TerminalError TooDeeplyNested, ForbiddenKey; messages begin with `what` */
export function assertHarmless(what: string, root: unknown): void {
  const pending: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > maxNestingDepth) {
      throw new TerminalError('TooDeeplyNested', `${what}: nested deeper than ${maxNestingDepth} levels`);
    }
    if (isJsonObject(value) && Object.hasOwn(value, '__proto__')) {
      throw new TerminalError('ForbiddenKey', `${what}: the key "__proto__" is not accepted`);
    }
    for (const child of childrenOf(value)) pending.push({ value: child, depth: depth + 1 });
  }
}

/** Parses JSON that came from outside. `what` names it in messages.
 *  @throws TerminalError InvalidJson, TooDeeplyNested, ForbiddenKey */
export function parseJson(what: string, text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (thrown) {
    throw new TerminalError('InvalidJson', `${what}: ${(thrown as Error).message}`, { cause: thrown });
  }
  assertHarmless(what, value);
  return value;
}

/** Equality of JSON values: order of keys does not matter, order of items does; `undefined` members count as absent. */
export function isJsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isJsonEqual(item, b[index]));
  }
  return isJsonObject(a) && isJsonObject(b) && hasEqualMembers(a, b);
}

function hasEqualMembers(a: JsonObject, b: JsonObject): boolean {
  const present = (object: JsonObject): string[] => Object.keys(object).filter((key) => object[key] !== undefined);
  const keys = present(a);
  if (keys.length !== present(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isJsonEqual(a[key], b[key]));
}
