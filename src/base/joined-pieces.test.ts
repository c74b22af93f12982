import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { inFewPieces, JoinedPieces } from './joined-pieces.ts';

test('bytes that arrive one by one are not held one by one', () => {
  const bytes = Buffer.alloc(10_000).map((_, index) => index);
  const pieces = new JoinedPieces();
  const join = vi.spyOn(Buffer, 'concat');
  for (const byte of bytes) pieces.add(Buffer.of(byte));
  expect(pieces.sizeBytes).toBe(10_000);
  expect(pieces.join().equals(bytes)).toBe(true);
  expect(Math.max(...join.mock.calls.map(([list]) => list.length))).toBeLessThanOrEqual(1024);
  join.mockRestore();
});

test('a stream of single bytes has few pieces for its reader', async () => {
  const bytes = Buffer.alloc(10_000).map((_, index) => index);
  const source = Readable.from(Array.from(bytes, (byte) => Buffer.of(byte)));
  const pieces = await inFewPieces(source).toArray();
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  expect(pieces.length).toBeLessThanOrEqual(10);
});

test('a stream that fails, or has nothing, does so in few pieces', async () => {
  expect(await inFewPieces(Readable.from([])).toArray()).toEqual([]);
  const failing = new Readable({ read: (): void => void failing.destroy(new Error('the client left')) });
  await expect(inFewPieces(failing).toArray()).rejects.toThrow('the client left');
});
