import { expect, test } from 'vitest';
import { varint } from '../../../test/support/git-pack.ts';
import { turnTaker } from '../../base/index.ts';
import { applyDelta } from './delta.ts';

const { signal } = new AbortController();

function singleCopies(count: number): Buffer {
  const copy = Buffer.from([0x90, 1]);
  return Buffer.concat([Buffer.from([...varint(1), ...varint(count)]), Buffer.alloc(count * copy.length, copy)]);
}

test('a delta that copies single bytes lets other work have its turns, and ends when it is aborted', async () => {
  const delta = singleCopies(8_000_000);
  const base = Buffer.from('x');
  let hadTurn = false;
  setImmediate(() => {
    hadTurn = true;
  });
  const result = await applyDelta(base, delta, { maxBytes: 1e8, turns: turnTaker(signal) });
  expect(hadTurn).toBe(true);
  expect(result.equals(Buffer.alloc(8_000_000, 'x'))).toBe(true);
  const stop = new AbortController();
  setImmediate(() => stop.abort(new Error('no longer needed')));
  const stopped = applyDelta(base, delta, { maxBytes: 1e8, turns: turnTaker(stop.signal) });
  await expect(stopped).rejects.toThrow('no longer needed');
});

test('pieces of any length are copied', async () => {
  const base = Buffer.from(Array.from({ length: 200 }, (_, index) => index));
  const delta = Buffer.from([...varint(200), ...varint(143), 0x91, 5, 100, 0x91, 190, 10, 3, 7, 8, 9, 0x90, 30]);
  const expected = [base.subarray(5, 105), base.subarray(190, 200), Buffer.from([7, 8, 9]), base.subarray(0, 30)];
  const result = await applyDelta(base, delta, { maxBytes: 1000, turns: turnTaker(signal) });
  expect(result.equals(Buffer.concat(expected))).toBe(true);
});
