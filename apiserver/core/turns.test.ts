import { expect, test } from 'vitest';
import { Turns, UserTurns } from './turns.ts';
import { completeUser, sharerOf } from './user-info.ts';

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

/** Work that takes time of a clock of its own, and whose work was done in which order. */
function workOfUsers(): {
  readonly done: string[];
  readonly work: (user: string, takesMs: number) => Promise<void>;
  readonly pass: (ms: number) => void;
} {
  let nowMs = 0;
  const turns = new UserTurns(() => nowMs);
  const done: string[] = [];
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const work = async (user: string, takesMs: number): Promise<void> => {
    await turns.take(user);
    done.push(user);
    pass(takesMs);
  };
  return { done, work, pass };
}

test('a user does not wait for all that another one has', async () => {
  const { done, work } = workOfUsers();
  // Finds no one.
  await work('long', 500);
  const all = [1, 2, 3].map(() => work('long', 500));
  for (let count = 0; count < 4; count += 1) all.push(work('short', 1));
  await Promise.all(all);
  // The second came before the others.
  expect(done.join(' ')).toBe('long long short short short short long long');
});

test('what others do in the same turn of the event loop does not count as what a user had', async () => {
  const { done, work, pass } = workOfUsers();
  let isDone = false;
  const controllers = (): void => {
    pass(500);
    if (!isDone) setImmediate(controllers);
  };
  controllers();
  await work('other', 20);
  await Promise.all(['short', 'short', 'short'].flatMap((user) => [work(user, 15), work('long', 100)]));
  isDone = true;
  expect(done.join(' ')).toBe('other short long short short long long');
});

test('work of users that is short does not wait, and after long work no one has to', async () => {
  let nowMs = 0;
  const turns = new UserTurns(() => nowMs);
  let isNextTurn = false;
  setImmediate(() => {
    isNextTurn = true;
  });
  await Promise.all(['a', 'b', 'a'].map(async (user) => await turns.take(user)));
  expect(isNextTurn).toBe(false);
  nowMs += 20;
  await turns.take('a');
  await new Promise(setImmediate);
  expect(turns.take('a')).toBeUndefined();
});

test.each([
  ['come', false],
  ['go on', true],
])('of very many who %s at the same time each begins before the next one is let in', async (_how, isWaiting) => {
  let nowMs = 0;
  let done = 0;
  const turns = new UserTurns(() => nowMs);
  const work = async (): Promise<void> => {
    await turns.take('a');
    for (let promise = 0; promise < 20; promise += 1) await Promise.resolve();
    nowMs += 10;
    done += 1;
  };
  if (isWaiting) await work();
  const [before, count] = [done, 5];
  const all = Promise.all(Array.from({ length: count }, work));
  let most = 0;
  for (let last = before; last < before + count; ) {
    await new Promise(setImmediate);
    most = Math.max(most, done - last);
    last = done;
  }
  await all;
  // What comes first does not wait for a turn.
  expect(most).toBeLessThanOrEqual(2);
});

test('the service accounts of a namespace share what is of one user', () => {
  const sharers = ['a:b', 'a:c', 'd:b'].map((account) =>
    sharerOf(completeUser(`system:serviceaccount:${account}`, [])),
  );
  expect(sharers[0]).toBe(sharers[1]);
  expect(sharers[2]).not.toBe(sharers[0]);
  expect(sharerOf(completeUser('a', []))).toBe('a');
});
