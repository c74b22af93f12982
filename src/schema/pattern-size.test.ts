import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { patternSize } from './pattern-size.ts';

const dnsName = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

test.each([
  '',
  '^$',
  dnsName,
  `^(${dnsName}){1,63}$`,
  'a{0,1000}',
  '(a{0,30}){0,30}',
  '((a|bc|[d-f]){2,7}){3,}?',
  '(?i:abc){5}(?P<name>x*)*',
  String.raw`\Qa{9}\E{9}[\Q\E]`,
  String.raw`[]a]{3}[^]\]]{3}[[:alpha:]\]]{3}`,
  String.raw`\x{41}{20}\101{20}\{{20}`,
  'a{,3}a{x}{{2}',
  String.raw`^[\p{L}\p{S}-]{0,62}\pN{3}$`,
  '(?:){10}(){10}(^){10}($|)*',
  '()|(a|)|||b**',
])('is at least the size of the program: %s', (source) => {
  let found = 0;
  try {
    found = RE2JS.compile(source).programSize();
  } catch {
    // What is no expression may have any size.
  }
  // Each program has two instructions of its own.
  expect(patternSize(source) + 2).toBeGreaterThanOrEqual(found);
});

const pieces = [
  'a',
  'bc',
  '.',
  '[a-c]',
  '[^x]',
  '(',
  '(?:',
  ')',
  '|',
  '*',
  '+?',
  '?',
  '{3}',
  '{0,9}',
  '{2,}',
  '^',
  '$',
  '\\d',
  '\\pL',
  '\\b',
];

test('is at least the size of the program, for expressions of all kinds of parts', () => {
  let seed = 1;
  const next = (max: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % max;
  };
  let compiled = 0;
  for (let round = 0; round < 5000; round += 1) {
    const source = Array.from({ length: 1 + next(12) }, () => pieces[next(pieces.length)]).join('');
    let program: RE2JS;
    try {
      program = RE2JS.compile(source);
    } catch {
      continue;
    }
    compiled += 1;
    expect(patternSize(source) + 2, source).toBeGreaterThanOrEqual(program.programSize());
  }
  expect(compiled).toBeGreaterThan(500);
});

test.each([
  ['what is repeated counts each time', 'a{0,1000}'.repeat(300), 600_000],
  ['repetitions multiply', '((a{30}){30}){30}', 27_000],
  ['classes of Unicode count by their ranges', String.raw`\pL`.repeat(1000), 64_000],
  ['classes of Unicode inside a class do as well', String.raw`[\pL]{1000}`, 64_000],
  ['ranges without case are read rune by rune', `(?i)${'[B-\\x{1e942}]'.repeat(50)}`, 150_000],
  ['a class that has no end is searched again and again', '[[:'.repeat(30_000), 1_000_000],
])('%s', (_, source, atLeast) => {
  expect(patternSize(source)).toBeGreaterThanOrEqual(atLeast);
});

test.each([
  ['', 1],
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 20],
  ['^[a-z][0-9a-z_-]{0,62}$', 260],
  ['(?i)^[a-zäöü]{1,63}$', 260],
])('ordinary expressions are small: %s', (source, atMost) => {
  expect(patternSize(source)).toBeLessThanOrEqual(atMost);
});
