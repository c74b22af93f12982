import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import type { FieldError } from '../http/status-error.ts';
import { goQuote } from './go-syntax.ts';

/** A list of texts of a named Go type: `[]core.IPFamily{"IPv4"}`; an empty one is Go's nil. */
export function goTexts(texts: readonly string[], type = 'string'): string {
  return texts.length === 0 ? `[]${type}(nil)` : `[]${type}{${texts.map(goQuote).join(', ')}}`;
}

function goMember(value: JsonValue | undefined): string {
  if (typeof value === 'string') return goQuote(value);
  return value === null || value === undefined ? '<nil>' : JSON.stringify(value);
}

/** A struct of scalars, members in the order given: `core.Taint{Key:"a", TimeAdded:<nil>}`. */
export function goStruct(type: string, members: JsonObject): string {
  const list = Object.entries(members).map(([key, value]) => `${key}:${goMember(value)}`);
  return `${type}{${list.join(', ')}}`;
}

/** `Invalid value` of a value already in Go's notation. */
export function invalidPrinted(field: string, printed: string, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${printed}: ${detail}` };
}
