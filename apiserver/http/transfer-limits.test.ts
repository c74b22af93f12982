import { expect, test } from 'vitest';
import { TransferLimits } from './transfer-limits.ts';

const bounds = { maxBytes: 100, maxResponseMs: 1000 };

test('where all together hold too much, the oldest end', () => {
  const limits = new TransferLimits(bounds);
  const cut: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => limits.begin(() => cut.push(name)));
  first?.grow(40);
  second?.grow(40);
  third?.grow(20);
  expect(cut).toEqual([]);
  third?.grow(30);
  expect(cut).toEqual(['first']);
  first?.grow(1000);
  second?.[Symbol.dispose]();
  third?.grow(50);
  expect(cut).toEqual(['first']);
});

test('one alone may be as large as it is', () => {
  const limits = new TransferLimits(bounds);
  using large = limits.begin(() => expect.unreachable());
  large.grow(500);
  large.grow(500);
});

test('what cannot be ended keeps others from starting, until it has ended', () => {
  const limits = new TransferLimits(bounds);
  const fixed = limits.begin();
  fixed.grow(90);
  const refused = expect.objectContaining({ failure: expect.objectContaining({ code: 429 }) as unknown }) as Error;
  expect(() => limits.begin(() => undefined).grow(20)).toThrow(refused);
  fixed[Symbol.dispose]();
  limits.begin(() => undefined).grow(20);
});
