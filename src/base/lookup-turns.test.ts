import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LookupTurns } from './lookup-turns.ts';

const options = { all: true } as const;
const { signal } = new AbortController();

interface SilentServers {
  readonly turns: LookupTurns;
  readonly asked: string[];
  /** Names that are being looked up answer. */
  readonly answer: () => Promise<void>;
}

/** Names that contain `slow` have no answer until asked for here; others have one at once. */
function silentServers(): SilentServers {
  const asked: string[] = [];
  let pending: (() => void)[] = [];
  const turns = new LookupTurns(async (host) => {
    asked.push(host);
    if (host.includes('slow')) await new Promise<void>((resolve) => pending.push(resolve));
    return [{ address: '192.0.2.1', family: 4 }];
  });
  const answer = async (): Promise<void> => {
    await setImmediate();
    const before = pending;
    pending = [];
    for (const resolve of before) resolve();
    await setImmediate();
  };
  return { turns, asked, answer };
}

test('names whose servers never answer leave threads of the pool for others', async () => {
  const { turns, asked } = silentServers();
  for (let index = 0; index < 1_000; index += 1) void turns.lookup(`a.slow${index}.test`, options, signal);
  await setImmediate();
  expect(asked.length).toBeLessThanOrEqual(3);
});

test('a name has its turn soon, however many slow ones of however many domains wait', async () => {
  const { turns, asked, answer } = silentServers();
  for (let index = 0; index < 1_000; index += 1) void turns.lookup(`a.slow${index}.test`, options, signal);
  const found = turns.lookup('registry.example.com', options, signal);
  await answer();
  await answer();
  expect(await found).toEqual([{ address: '192.0.2.1', family: 4 }]);
  expect(asked.length).toBeLessThan(50);
});

test('a name of a domain that was quick goes before those of unknown domains', async () => {
  const { turns, asked, answer } = silentServers();
  await turns.lookup('a.example.com', options, signal);
  void turns.lookup('first.slow.test', options, signal);
  for (let index = 0; index < 100; index += 1) void turns.lookup(`a.slow${index}.test`, options, signal);
  const found = turns.lookup('b.example.com', options, signal);
  for (let index = 0; index < 100; index += 1) void turns.lookup(`b.slow${index}.test`, options, signal);
  await answer();
  await found;
  expect(asked.length).toBeLessThan(50);
});

test('a name of an unknown domain has its turn soon, however many of those that were quick arrive without end', async () => {
  const { turns, asked, answer } = silentServers();
  const askAgain = (): void => {
    for (let index = 0; index < 5; index += 1) void turns.lookup(`a.slow${index}.test`, options, signal);
  };
  askAgain();
  await answer();
  await answer();
  for (let round = 0; round < 20; round += 1) askAgain();
  const found = turns.lookup('registry.example.com', options, signal);
  for (let round = 0; round < 5; round += 1) {
    askAgain();
    await answer();
  }
  expect(asked).toContain('registry.example.com');
  expect(await found).toHaveLength(1);
});

test('what waits for its turn ends with its signal, and is not looked up', async () => {
  const { turns, asked, answer } = silentServers();
  for (let index = 0; index < 50; index += 1) void turns.lookup(`a.slow${index}.test`, options, signal);
  const stop = new AbortController();
  const found = turns.lookup('registry.example.com', options, stop.signal);
  stop.abort(new Error('too late'));
  await expect(found).rejects.toThrow('too late');
  for (let round = 0; round < 50; round += 1) await answer();
  expect(asked).toHaveLength(50);
  expect(asked).not.toContain('registry.example.com');
});
