import { expect, test } from 'vitest';
import { patternWork } from './pattern-work.ts';
import { compilePattern, maxPatternWork } from './patterns.ts';

test.each([
  ['[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'],
  ['(https?|s3)://[^/?#]+(/.*)?'],
  ['([0-9]{1,3}\\.){3}[0-9]{1,3}'],
  ['a{0,1000}'],
  ['(a{10}b{10}){10}'],
  ['[[:alpha:]]{300}'],
  ['[]a{900}]{2}'],
  ['\\Q{1000}\\E{9}'],
  ['(?:x{2,}){30}'],
  ['(?P<name>\\x{1F600}{5}|\\pL{3}|\\p{Greek}{7})'],
])('the work of %s is that of its program, within bounds', (source) => {
  const compiled = compilePattern(source);
  const size = 'pattern' in compiled ? compiled.pattern.programSize() : 0;
  expect(size).toBeGreaterThan(0);
  expect(patternWork(source)).toBeGreaterThanOrEqual(size / 2);
  expect(patternWork(source)).toBeLessThan(size * 12 + 100);
});

test.each([
  ['repetitions', 'a{0,1000}'.repeat(300)],
  ['repetitions that follow what looks like a class', `\\[${'a{0,1000}'.repeat(300)}`],
  ['repetitions that follow a bracket in a class', `[[]${'a{0,1000}'.repeat(300)}`],
  ['repetitions that follow a quotation', `\\Qa\\E${'a{0,1000}'.repeat(300)}`],
  ['nested repetitions', '(((a{10}){10}){10})'.repeat(300)],
  ['an unfinished class of classes', '[[:'.repeat(30_000)],
  ['classes with every case', `(?i)${'[B-\\x{1e942}]'.repeat(1000)}`],
  ['a large class that is repeated', `^[${'αγ'.repeat(3000)}]{0,490}$`],
])('%s are not compiled', (_name, source) => {
  expect(patternWork(source)).toBeGreaterThan(maxPatternWork);
  expect(compilePattern(source)).toEqual({ problem: 'error parsing regexp: expression too large' });
});
