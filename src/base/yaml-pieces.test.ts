import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from './json.ts';
import { formatYaml } from './yaml.ts';
import { formatYamlPieces } from './yaml-pieces.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(fc.constantFrom('a', ' ', '\n', '\n\n', ' b', 'yes', ': ', '- ', '#', 'é'), { maxLength: 12 })
    .map((all) => all.join('')),
);
const value = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    text,
    fc.constantFrom(null, true, 7, 1.5, [], {}),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      tie('any'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).any;

test('pieces of any size add up to the text that is written at once', () => {
  fc.assert(
    fc.property(value, fc.nat(60), (any, room) => {
      expect([...formatYamlPieces(any, room)].join('')).toBe(formatYaml(any));
    }),
    { numRuns: 3000 },
  );
});

test('a long text is written line by line', () => {
  const long = { a: [{ text: ' a line\n\n  and another\n'.repeat(20_000) }, `${'b\n'.repeat(100_000)}\n\n`] };
  const pieces = [...formatYamlPieces(long)];
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.join('') === formatYaml(long)).toBe(true);
});
