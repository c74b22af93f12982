import { expect, test } from 'vitest';
import { cancellationBy, isCancelled } from './cancellation.ts';

test('is set by a signal that is aborted before or later, where another thread sees it', () => {
  const stop = new AbortController();
  const later = cancellationBy(stop.signal);
  const other = structuredClone(later);
  expect(isCancelled(other)).toBe(false);
  stop.abort();
  expect([isCancelled(other), isCancelled(cancellationBy(stop.signal))]).toEqual([true, true]);
});
