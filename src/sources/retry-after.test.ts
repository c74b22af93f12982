import { expect, test } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const nowMs = Date.parse('2026-11-21T09:00:00Z');

test.each([
  { name: 'seconds', header: '120', wantMs: 120_000 },
  { name: 'no time at all', header: '0', wantMs: 0 },
  { name: 'a date', header: 'Sat, 21 Nov 2026 09:01:30 GMT', wantMs: 90_000 },
  { name: 'a date of the old form', header: 'Saturday, 21-Nov-26 09:01:30 GMT', wantMs: 90_000 },
  { name: 'a date that is past', header: 'Sat, 21 Nov 2026 08:00:00 GMT', wantMs: 0 },
  { name: 'a day, which is bounded', header: '86400', wantMs: 3_600_000 },
  { name: 'a date in another century, which is bounded', header: 'Tue, 21 Nov 2126 09:00:00 GMT', wantMs: 3_600_000 },
  { name: 'more digits than a number holds', header: '9'.repeat(400), wantMs: 3_600_000 },
  { name: 'a word', header: 'soon', wantMs: undefined },
  { name: 'a negative number', header: '-5', wantMs: undefined },
  { name: 'a number with a unit', header: '5 s', wantMs: undefined },
  { name: 'nothing', header: undefined, wantMs: undefined },
])('Retry-After may be $name', ({ header, wantMs }) => {
  expect(parseRetryAfter(header, nowMs)).toBe(wantMs);
});
