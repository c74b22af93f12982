import { expect, test } from 'vitest';
import { SteppedClock } from '../../../test/support/stepped-clock.ts';
import { silentLogger, TransientError } from '../../base/index.ts';
import { Attempts } from './attempts.ts';

const day = 24 * 3_600_000;

test.each([
  { name: 'forward', jumpMs: 2 * day },
  { name: 'back', jumpMs: -2 * day },
])('what failed is tried again after the clock was set $name by days', async ({ jumpMs }) => {
  const clock = new SteppedClock(10 * day);
  const ended = Promise.withResolvers<void>();
  const stop = new AbortController();
  const options = { clock, log: silentLogger(), signal: stop.signal, limit: 1, isFinal: () => false };
  const attempts = new Attempts({ ...options, onEnd: () => ended.resolve() });
  attempts.start('catalog', 'key', () => Promise.reject(new TransientError('RegistryUnavailable', 'no answer')));
  await ended.promise;
  expect(attempts.stateOf('catalog', 'key')).toMatchObject({ kind: 'failed' });
  clock.jump(jumpMs);
  expect(attempts.stateOf('catalog', 'key')).toEqual({ kind: 'due' });
  stop.abort();
});
