import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalQuantity, compareQuantities, isWhole, wholeUnits } from './quantity.ts';

test.each([
  ['0.5', '500m'],
  ['1000m', '1'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['1000', '1k'],
  ['1023Ki', '1023Ki'],
  ['0.1Gi', '107374182400m'],
  ['512', '512'],
  ['0.5Ki', '512'],
  ['2e3', '2e3'],
  ['2000e0', '2e3'],
  ['1E3', '1e3'],
  ['1E', '1E'],
  ['-1500m', '-1500m'],
  ['+1', '1'],
  ['0Gi', '0'],
  ['.5', '500m'],
  ['1.', '1'],
  ['1n', '1n'],
  ['0.1n', '1n'],
  ['9223372036854775808', '9223372036854775807'],
])('writes %s as %s', (text, canonical) => expect(canonicalQuantity(text)).toBe(canonical));

test('quantities of any notation compare by amount', () => {
  expect(compareQuantities('1Gi', '1G')).toBeGreaterThan(0);
  expect(compareQuantities('1', '1000m')).toBe(0);
  expect(compareQuantities('-1', '1')).toBeLessThan(0);
});

test('fractions are distinguished from whole units, and rounded away from zero', () => {
  expect([isWhole('1500m'), isWhole('2'), isWhole('1Ki')]).toEqual([false, true, true]);
  expect([wholeUnits('1500m'), wholeUnits('-1500m'), wholeUnits('1Ki')]).toEqual([2n, -2n, 1024n]);
});

test('writing is idempotent and keeps the amount', () => {
  const suffix = fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'e3', 'E-2');
  const quantity = fc.tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), suffix).map(([n, s]) => `${n}${s}`);
  fc.assert(
    fc.property(quantity, (text) => {
      const canonical = canonicalQuantity(text);
      return canonicalQuantity(canonical) === canonical && compareQuantities(text, canonical) === 0;
    }),
  );
});

test('what is no quantity, however long, counts as nothing', () => {
  expect(canonicalQuantity('x')).toBe('0');
  expect(canonicalQuantity('1'.repeat(1_000_000))).toBe('0');
});
