import { expect, test } from 'vitest';
import { type DeploymentRun, lookAgain } from './run.ts';

test.each([
  { name: 'the only one', asked: [20], expected: 20 },
  { name: 'the first of several', asked: [20, 10, 30], expected: 10 },
  { name: 'an overdue one at once', asked: [-13], expected: 0 },
  { name: 'an overdue one at once, whatever was asked before', asked: [20, -13, 10], expected: 0 },
])('takes $name', ({ asked, expected }) => {
  const run = {} as DeploymentRun;
  for (const afterMs of asked) lookAgain(run, afterMs);
  expect(run.againAfterMs).toBe(expected);
});
