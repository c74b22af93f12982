import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { ConnectionTurns, type WaitingConnection } from './connection-turns.ts';

afterEach(() => vi.restoreAllMocks());

test('a connection that passes on its bytes in pieces leaves turns between those that take long', async () => {
  const turns = new ConnectionTurns();
  let passed = 0;
  const large: WaitingConnection = {
    rank: 1,
    lastMs: 0,
    pass: () => {
      const begunMs = performance.now();
      while (performance.now() - begunMs < 11);
      passed += 1;
      if (passed < 5) turns.addRest(large);
    },
  };
  turns.add(large);
  for (let before = 0; passed < 5; await nextTurn()) {
    expect(passed - before).toBeLessThanOrEqual(1);
    before = passed;
  }
});

test('a connection has turns, however many others of a lower rank always have more to pass on', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const turns = new ConnectionTurns();
  let passed = 0;
  let turnCount = 0;
  const large: WaitingConnection = {
    rank: 5,
    lastMs: 5,
    pass: () => {
      nowMs += 5;
      passed += 1;
      if (passed < 10) setImmediate(() => turns.add(large));
    },
  };
  const addSmall = (): void => {
    const small: WaitingConnection = {
      rank: 1,
      lastMs: 1,
      pass: () => {
        nowMs += 1;
        if (passed < 10) setImmediate(() => turns.add(small));
      },
    };
    turns.add(small);
  };
  for (let index = 0; index < 30; index += 1) addSmall();
  turns.add(large);
  for (; passed < 10 && turnCount < 1_000; turnCount += 1) await nextTurn();
  expect(passed).toBe(10);
});
