import { isJsonEqual, isJsonObject, type JsonValue } from '../base/index.ts';

/** Members whose presence alone means something: `upload: {}` is not the same as no upload. */
const meaningfulWhenEmpty = new Set(['image', 'git', 'upload', 'http']);

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function withoutEmpty(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value)
    .map(([key, member]): [string, JsonValue | undefined] => [
      key,
      member === undefined ? member : withoutEmpty(member),
    ])
    .filter(([key, member]) => !isEmpty(member) || (isJsonObject(member) && meaningfulWhenEmpty.has(key)));
  return Object.fromEntries(entries);
}

/** Whether two specs of Bundles mean the same, in any order of their members: absent, empty and zero are one. */
export function isSameSpec(a: JsonValue, b: JsonValue): boolean {
  return isJsonEqual(withoutEmpty(a), withoutEmpty(b));
}
