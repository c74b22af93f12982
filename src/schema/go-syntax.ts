import { goQuote, isJsonObject, type JsonValue } from '../base/index.ts';

/** A number as Go's `%v` prints a float64: with an exponent of two digits where it is far from one. */
export function goFloat(value: number): string {
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** A number of JSON as Go's `%v` prints it: whole ones are int64. */
export function goNumber(value: number | bigint): string {
  if (typeof value === 'bigint') return value.toString();
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : goFloat(value);
}

/** JSON as Go's `%#v` prints it when it was decoded without a type: `map[string]interface {}{"a":[]interface {}{1}}`. */
export function goUntyped(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goUntyped).join(', ')}}`;
  return isJsonObject(value) ? `map[string]interface {}{${goMembers(value, goUntyped)}}` : String(value);
}

function goMembers(
  object: Readonly<Record<string, JsonValue | undefined>>,
  print: (value: JsonValue) => string,
): string {
  const keys = Object.keys(object).sort((a, b) => (a < b ? -1 : 1));
  return keys.map((key) => `${goQuote(key)}:${print(object[key] ?? null)}`).join(', ');
}

/** The same of a value that has a type in Go, as far as it is known: lists and maps of texts. */
export function goTyped(value: JsonValue): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return `[]string{${value.map(goQuote).join(', ')}}`;
  }
  if (isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string')) {
    return `map[string]string{${goMembers(value, goUntyped)}}`;
  }
  return goUntyped(value);
}
