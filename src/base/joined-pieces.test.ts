import { expect, test, vi } from 'vitest';
import { JoinedPieces } from './joined-pieces.ts';

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
