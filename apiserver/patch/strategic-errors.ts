import { isJsonObject, type JsonValue } from '../../src/base/index.ts';
import { StatusError } from '../core/index.ts';

/** A failure without a reason, as the Go server words its own errors. */
export function patchFailure(message: string): StatusError {
  return new StatusError({ code: 500, message });
}

/** How Go's `%v` prints decoded JSON: `map[a:1 b:[x y]]`. */
export function formatGoValue(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((key) => `${key}:${formatGoValue(value[key])}`).join(' ')}]`;
}

/** How Go's `%s` prints decoded JSON: what is no text shows its type. */
export function formatAsText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (typeof value === 'object') return formatGoValue(value);
  return `%!s(${goTypeOf(value)}=${String(value)})`;
}

/** The Go type of decoded JSON. */
export function goTypeOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(value) ? 'int64' : 'float64';
}

export function expectedList(value: JsonValue | undefined): StatusError {
  return patchFailure(`expected a []interface {}, but received a ${goTypeOf(value)}`);
}

export function expectedMap(value: JsonValue | undefined): StatusError {
  return patchFailure(`expected a map[string]interface {}, but received a ${goTypeOf(value)}`);
}

export function missingMergeKey(item: JsonValue, mergeKey: string): StatusError {
  return patchFailure(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
}
