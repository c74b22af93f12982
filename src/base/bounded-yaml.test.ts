import { expect, test } from 'vitest';
import { formatBoundedYaml } from './bounded-yaml.ts';
import type { JsonValue } from './json.ts';
import { formatYaml, parseYaml } from './yaml.ts';

/** `value` so deep in objects. */
function nested(value: JsonValue, depth: number): JsonValue {
  let all = value;
  for (let level = 0; level < depth; level++) all = { a: all };
  return all;
}

test('a value is written as by formatYaml', () => {
  const value = { text: 'a\nb\n', list: [1, { b: true }] };
  expect(formatBoundedYaml(value)).toBe(formatYaml(value));
});

test.each([
  ['a text of many lines, deep in objects', nested('x\n'.repeat(50_000), 100)],
  [
    'many members, deep in objects',
    nested(
      Array.from({ length: 10_000 }, () => 'x'),
      100,
    ),
  ],
  [
    'a long text with characters that YAML does not take as they are',
    `\u007f\u0085\u2028\ufeff${'x\n'.repeat(300_000)}`,
  ],
])('%s is not much longer than its JSON', (_what, value) => {
  const text = formatBoundedYaml(value);
  expect(text.length).toBeLessThan(1.1 * JSON.stringify(value).length + 100);
  expect(parseYaml('text', text) === value || JSON.stringify(parseYaml('text', text)) === JSON.stringify(value)).toBe(
    true,
  );
});
