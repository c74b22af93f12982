import { expect, test } from 'vitest';
import { WaitingError } from '../../src/base/index.ts';
import { eventually } from '../../test/support/index.ts';
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
  expect(requested).toEqual(['c', 'f', 'e']);
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

/** Two charts that are slow wait for their next turn, after others needed theirs. */
async function withSlowCharts(): Promise<{ readonly turns: ChartTurns; readonly requested: string[] }> {
  const requested: string[] = [];
  const turns = new ChartTurns({ workers: 4, request: (name) => requested.push(name), promptMs: 10 });
  for (const name of ['slow-a', 'slow-b']) {
    const [run, other] = [turns.begin(name), turns.begin('quick')];
    expect(() => turns.begin('new')).toThrow(WaitingError);
    await eventually(() => expect(run.signal.aborted).toBe(true));
    turns.forget('new');
    for (const turn of [run, other]) turn[Symbol.dispose]();
  }
  requested.length = 0;
  return { turns, requested };
}

test('a chart that takes long makes room for one that waits, and is requested again', async () => {
  const requested: string[] = [];
  const turns = new ChartTurns({ workers: 4, request: (name) => requested.push(name), promptMs: 10 });
  const slow = [turns.begin('slow-a'), turns.begin('slow-b')];
  expect(() => turns.begin('new')).toThrow(WaitingError);
  await eventually(() => expect(slow.filter(({ signal }) => signal.aborted)).toHaveLength(1));
  expect(slow[0]?.signal.reason).toBeInstanceOf(WaitingError);
  slow[0]?.[Symbol.dispose]();
  expect(requested).toEqual(['new']);
  turns.begin('new')[Symbol.dispose]();
  expect(requested).toEqual(['new', 'slow-a']);
});

test('charts that were slow before share one turn while others wait, and that one is not ended', async () => {
  const { turns } = await withSlowCharts();
  const first = turns.begin('slow-a');
  const second = turns.begin('slow-b');
  expect(() => turns.begin('new')).toThrow(WaitingError);
  expect(second.signal.aborted).toBe(true);
  second[Symbol.dispose]();
  const other = turns.begin('new');
  expect(() => turns.begin('slow-b')).toThrow(WaitingError);
  expect(() => turns.begin('newer')).toThrow(WaitingError);
  await eventually(() => expect(other.signal.aborted).toBe(true));
  expect(first.signal.aborted).toBe(false);
});

test('a chart that is new hardly waits, however many that are slow have waited for longer', () => {
  const requested: string[] = [];
  const turns = new ChartTurns({ workers: 4, request: (name) => requested.push(name) });
  const running = [turns.begin('a'), turns.begin('b')];
  for (let index = 0; index < 100; index += 1) expect(() => turns.begin(`slow-${index}`)).toThrow(WaitingError);
  expect(() => turns.begin('new')).toThrow(WaitingError);
  for (const turn of running) turn[Symbol.dispose]();
  expect(requested).toContain('new');
});
