import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('long work gives others a turn, and several scans take theirs one after another', async () => {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  const seen: string[] = [];
  const scan = async (name: string): Promise<void> => {
    for (let step = 1; step <= 3; step += 1) {
      await turns.take();
      seen.push(`${name}${step}`);
      nowMs += 10;
    }
  };
  let isDone = false;
  const both = Promise.all([scan('a'), scan('b')]).then(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise(setImmediate);
    seen.push('other');
  }
  await both;
  expect(seen.join(' ')).toBe('a1 b1 a2 other b2 other a3 other b3 other');
});

test('short work does not wait', () => {
  const turns = new Turns(() => 0);
  expect([turns.take(), turns.take(), turns.take()]).toEqual([undefined, undefined, undefined]);
});
