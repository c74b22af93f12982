import { expect, test } from 'vitest';
import { compilePattern, instructionsToCompile, PatternBudget, patternProblem } from './patterns.ts';

const large = 'a{0,1000}'.repeat(300);

test('a pattern that is too large is not compiled, and the error has its size', () => {
  expect(compilePattern(large)).toBeUndefined();
  expect(patternProblem(large)).toBe(
    'error parsing regexp: expression too large: about 600601 instructions, at most 40000 are allowed for all expressions of an object together',
  );
});

test('patterns of one object count together, each once', () => {
  const budget = new PatternBudget();
  const half = 'a{1000}'.repeat(30);
  expect(budget.problemOf(half)).toBeUndefined();
  expect(budget.problemOf(half)).toBeUndefined();
  expect(budget.problemOf(`${half}b`)).toContain('expression too large');
  expect(budget.problemOf('a+')).toBeUndefined();
});

test('the patterns that were used last stay compiled, those before them are dropped', { tags: 'long' }, () => {
  const sourceOf = (index: number): string => `${'a{1000}'.repeat(10)}${index}`;
  for (let index = 0; index < 100; index += 1) compilePattern(sourceOf(index));
  expect(instructionsToCompile(sourceOf(99))).toBe(0);
  expect(instructionsToCompile(sourceOf(0))).toBeGreaterThan(10_000);
});

test('what matching adds to a pattern counts for what stays compiled', { tags: 'long' }, () => {
  // Random, so that each character leads to a state that was not there before.
  let seed = 1;
  const text = Array.from({ length: 20_000 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 2 === 0 ? 'a' : 'b';
  }).join('');
  const sourceOf = (index: number): string => `${index}|(a|b)*a(a|b){14}[cd]`;
  for (let index = 0; index < 16; index += 1) compilePattern(sourceOf(index))?.test(text);
  expect(instructionsToCompile(sourceOf(15))).toBe(0);
  expect(instructionsToCompile(sourceOf(0))).toBeGreaterThan(0);
});
