import { expect, test } from 'vitest';
import { listProblems, type Problem } from './problems.ts';

const problem = (message: string): Problem => ({ message, isTransient: false });

test('a single problem stands alone, several in brackets, each once', () => {
  expect(listProblems([problem('a'), problem('a')])).toBe('a');
  expect(listProblems([problem('a'), problem('b'), problem('a')])).toBe('[a, b]');
});

test('of many problems the first are listed, and how many more there are', () => {
  const many = Array.from({ length: 60 }, (_, index) => problem(`p${index}`));
  expect(listProblems(many)).toMatch(/^\[p0, .*, p49, and 10 more\]$/);
});

test('the list fits into a condition regardless of server messages', () => {
  const long = Array.from({ length: 40 }, (_, index) => problem(`${index}${'x'.repeat(30_000)}`));
  const text = listProblems(long);
  expect(text.length).toBeLessThan(16_000);
  expect(text).toMatch(/…, and \d+ more\]$/);
});
