import { expect, test } from 'vitest';
import { eventually } from '../../../test/support/index.ts';
import { systemClock } from '../../base/index.ts';
import { RuleResults } from './rule-results.ts';

const dayMs = 24 * 60 * 60_000;

test('rules are evaluated, and again, when the clock was set back', async () => {
  let nowMs = Date.now();
  const asked: string[] = [];
  using results = new RuleResults({
    evaluate: async (query) => await Promise.resolve(asked.push(query) > 0),
    clock: { ...systemClock, now: () => nowMs },
    onChange: () => undefined,
  });
  results.resultOf('one');
  results.resultOf('two');
  expect(results.advance()).toBe(1000);
  await eventually(() => expect(results.resultOf('one')).toEqual({ isMatch: true }));
  nowMs -= dayMs;
  results.advance();
  await eventually(() => expect(results.resultOf('two')).toEqual({ isMatch: true }));
  nowMs += 1000;
  results.advance();
  await eventually(() => expect(asked).toEqual(['one', 'two', 'one']));
});
