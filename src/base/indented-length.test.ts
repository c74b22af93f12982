import { expect, test } from 'vitest';
import { formatPrettyJson } from './indented-length.ts';
import type { JsonValue } from './json.ts';

test('what is very deep is not hundreds of times as long in pretty form', () => {
  let deep: JsonValue = Array.from({ length: 50_000 }, () => 1);
  for (let level = 0; level < 200; level++) deep = { a: deep };
  expect(formatPrettyJson(deep)).toBe(JSON.stringify(deep));
  expect(formatPrettyJson({ a: [1, 'b'] })).toBe('{\n  "a": [\n    1,\n    "b"\n  ]\n}');
});
