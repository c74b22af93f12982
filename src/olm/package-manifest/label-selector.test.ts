import { expect, test } from 'vitest';
import { parseLabelSelector } from './label-selector.ts';

const labels = { catalog: 'acme', 'operatorframework.io/os.linux': 'supported', empty: '' };

test.each([
  ['', true],
  ['catalog=acme', true],
  ['catalog==other', false],
  ['catalog!=other', true],
  ['absent!=other', true],
  ['catalog in (other, acme)', true],
  ['catalog notin (acme)', false],
  ['absent notin (acme)', true],
  ['operatorframework.io/os.linux', true],
  ['!catalog', false],
  ['empty=', true],
  ['catalog=acme,!absent,empty', true],
  ['catalog=acme,absent', false],
])('%j selects: %s', (text, expected) => {
  expect(parseLabelSelector(text)?.(labels)).toBe(expected);
});

test.each(['(', 'a in b', 'a=b=c', '=b', ',', 'a in (b', `a=${'b'.repeat(20_000)}`])('%j cannot be read', (text) => {
  expect(parseLabelSelector(text)).toBeUndefined();
});
