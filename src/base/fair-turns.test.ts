import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { FairTurns } from './fair-turns.ts';

afterEach(() => vi.restoreAllMocks());

/** Time that passes by steps alone. */
function steppedTime(): (ms: number) => void {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  return (ms) => {
    nowMs += ms;
  };
}

test('every other step is of the work that has taken the least time, the others are of what has waited longest', async () => {
  const pass = steppedTime();
  const turns = new FairTurns();
  const done: string[] = [];
  const work = async (name: string, steps: number, stepMs: number): Promise<void> => {
    const inTurn = turns.begin();
    for (let step = 0; step < steps; step += 1) {
      await inTurn(() => {
        pass(stepMs);
        done.push(name);
      });
    }
  };
  await Promise.all([work('long', 4, 10), work('large', 4, 10), work('small', 8, 3)]);
  expect(done.join(' ')).toBe(
    'long large small small long small large small long small large small long small large small',
  );
});

test('work that takes long ends, though small work arrives without end', async () => {
  const pass = steppedTime();
  const turns = new FairTurns();
  let hasEnded = false;
  let arrived = 0;
  const large = async (): Promise<void> => {
    const inTurn = turns.begin();
    for (let step = 0; step < 10; step += 1) await inTurn(() => pass(10));
    hasEnded = true;
  };
  const small = async (): Promise<void> => {
    while (!hasEnded && arrived < 1_000) {
      arrived += 1;
      await turns.begin()(() => pass(1));
    }
  };
  await Promise.all([large(), small(), small(), small()]);
  expect(arrived).toBeLessThan(100);
});

test('the thread does other work after each slice of steps', async () => {
  const pass = steppedTime();
  const inTurn = new FairTurns().begin();
  let otherTurns = 0;
  let hasEnded = false;
  const other = async (): Promise<void> => {
    while (!hasEnded) {
      await nextTurn();
      otherTurns += 1;
    }
  };
  const steps = async (): Promise<void> => {
    for (let step = 0; step < 20; step += 1) await inTurn(() => pass(1));
    hasEnded = true;
  };
  await Promise.all([other(), steps()]);
  expect(otherTurns).toBeGreaterThanOrEqual(9);
});

test('a step that fails lets others go on', async () => {
  const turns = new FairTurns();
  const failing = turns.begin()(() => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  let count = 0;
  await turns.begin()(() => {
    count += 1;
  });
  expect(count).toBe(1);
});
