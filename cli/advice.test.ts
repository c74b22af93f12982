import { expect, test } from 'vitest';
import { TerminalError } from '../src/base/index.ts';
import { KubeUnavailable } from '../src/kube/index.ts';
import { adviceFor } from './advice.ts';

test.each([
  { status: 0, advice: 'names the right one' },
  { status: 401, advice: 'have not expired' },
  { status: 403, advice: 'as somebody who may' },
])('an answer $status is followed by what to do, however it is wrapped', ({ status, advice }) => {
  const cause = new KubeUnavailable({ status, reason: 'X', message: 'x', causes: [], isStatus: true });
  expect(adviceFor(cause)).toContain(advice);
  expect(adviceFor(new TerminalError('ApplyFailed', 'x', { cause }))).toContain(advice);
});

test('nothing is advised about what the API server has not said', () => {
  expect(adviceFor(new Error('x'))).toBeUndefined();
  expect(adviceFor('x')).toBeUndefined();
});
