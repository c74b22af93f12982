import type { FieldError } from '../http/status-error.ts';
import { goQuote } from './go-syntax.ts';

/** A list of texts of a named Go type: `[]core.IPFamily{"IPv4"}`; an empty one is Go's nil. */
export function goTexts(texts: readonly string[], type = 'string'): string {
  return texts.length === 0 ? `[]${type}(nil)` : `[]${type}{${texts.map(goQuote).join(', ')}}`;
}

/** `Invalid value` of a value already in Go's notation. */
export function invalidPrinted(field: string, printed: string, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${printed}: ${detail}` };
}
