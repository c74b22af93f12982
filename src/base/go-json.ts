import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from './json.ts';

/** JSON as Go writes it: no white space, members in the order given, `<`, `>`, `&` and two line separators escaped. */
export function goJson(value: JsonValue): string {
  const escape = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escape);
}

/** An object with its members in this order, without the values that Go leaves out (`omitempty`): undefined, empty texts, false. */
export function goMembers(members: readonly (readonly [name: string, value: unknown])[]): JsonObject {
  const present = members.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return Object.fromEntries(present) as JsonObject;
}

/** Base 36 of the SHA-224 of `value` in Go's JSON and a line feed; at most 44 characters. */
export function goJsonHash(value: JsonValue): string {
  const hex = createHash('sha224')
    .update(`${goJson(value)}\n`)
    .digest('hex');
  return BigInt(`0x${hex}`).toString(36);
}
