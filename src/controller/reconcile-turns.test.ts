import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WaitingError } from '../base/index.ts';
import { ReconcileTurns } from './reconcile-turns.ts';

let requested: string[];
let turns: ReconcileTurns;

beforeEach(() => {
  vi.useFakeTimers();
  requested = [];
  const request = (name: string): void => void requested.push(name);
  turns = new ReconcileTurns({ atATime: 1, reason: 'OthersFirst', others: 'others are done', request });
});

afterEach(() => vi.useRealTimers());

function requestFirst(): void {
  const running = turns.begin('a');
  for (const name of ['b', 'c', 'd']) expect(() => turns.begin(name)).toThrow(WaitingError);
  running[Symbol.dispose]();
}

test('a turn that is not taken is passed on', () => {
  requestFirst();
  expect(requested).toEqual(['b']);
  vi.advanceTimersByTime(1_000);
  expect(requested).toEqual(['b', 'd']);
  turns.begin('d');
  vi.advanceTimersByTime(1_000);
  expect(requested).toEqual(['b', 'd']);
});

test('so is that of an object that was deleted', () => {
  requestFirst();
  turns.forget('b');
  expect(requested).toEqual(['b', 'd']);
});
