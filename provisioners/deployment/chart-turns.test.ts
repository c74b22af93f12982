import { expect, test } from 'vitest';
import { WaitingError } from '../../src/base/index.ts';
import { ChartTurns } from './chart-turns.ts';

test('charts that wait for a turn occupy no worker, and are requested when one ends', () => {
  const requested: string[] = [];
  const turns = new ChartTurns({ workers: 4, request: (name) => requested.push(name) });
  const [first, second] = [turns.begin('a'), turns.begin('b')];
  for (const name of ['c', 'd', 'e', 'c']) expect(() => turns.begin(name)).toThrow(WaitingError);
  turns.forget('d');
  first[Symbol.dispose]();
  expect(requested).toEqual(['c']);
  const third = turns.begin('c');
  expect(() => turns.begin('f')).toThrow('waiting until other charts are rendered: 2 at a time');
  second[Symbol.dispose]();
  third[Symbol.dispose]();
  expect(requested).toEqual(['c', 'e', 'f']);
});

test.each([
  { workers: 1, atATime: 1 },
  { workers: 2, atATime: 1 },
  { workers: 16, atATime: 2 },
])('of $workers workers $atATime render charts', ({ workers, atATime }) => {
  const turns = new ChartTurns({ workers, request: () => undefined });
  for (let count = 0; count < atATime; count += 1) turns.begin(`${count}`);
  expect(() => turns.begin('one more')).toThrow(WaitingError);
});
