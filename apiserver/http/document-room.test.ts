import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DocumentRoom } from './document-room.ts';

const kibibyte = 1024;
const never = new AbortController().signal;

/** Who has room, in the order in which they came in. */
function requests(room: DocumentRoom): {
  readonly inside: string[];
  ask: (sharer: string, kibibytes: number, signal?: AbortSignal) => Promise<Disposable>;
} {
  const inside: string[] = [];
  return {
    inside,
    ask: async (sharer, kibibytes, signal = never) => {
      const held = await room.enter({ sharer, bytes: kibibytes * kibibyte, signal });
      inside.push(sharer);
      return held;
    },
  };
}

test('a user has a few large documents in work at a time, and others do not wait for the rest', async () => {
  const { inside, ask } = requests(new DocumentRoom(100_000 * kibibyte));
  const all = Array.from({ length: 6 }, () => ask('many', 100));
  await nextTurn();
  expect(inside).toEqual(['many', 'many', 'many', 'many']);
  await ask('other', 100);
  expect(inside.at(-1)).toBe('other');
  (await all[0])?.[Symbol.dispose]();
  await nextTurn();
  expect(inside).toHaveLength(6);
});

test('half of the room is for users who have nothing in it, and the one with the least comes next', async () => {
  const { inside, ask } = requests(new DocumentRoom(1000 * kibibyte));
  const first = await ask('a', 400);
  void ask('a', 200);
  void ask('a', 200);
  await nextTurn();
  expect(inside).toEqual(['a']);
  await ask('b', 500);
  void ask('c', 300);
  await nextTurn();
  expect(inside).toEqual(['a', 'b']);
  first[Symbol.dispose]();
  await nextTurn();
  expect(inside.slice(0, 3)).toEqual(['a', 'b', 'a']);
  expect(inside).toContain('c');
});

test('a document that is larger than the room has it alone', async () => {
  const { inside, ask } = requests(new DocumentRoom(100 * kibibyte));
  const large = await ask('a', 3000);
  void ask('b', 50);
  await nextTurn();
  expect(inside).toEqual(['a']);
  large[Symbol.dispose]();
  await nextTurn();
  expect(inside).toEqual(['a', 'b']);
});

test('small documents do not wait, and a request that ends leaves', async () => {
  const { inside, ask } = requests(new DocumentRoom(100 * kibibyte));
  await ask('a', 90);
  const leaving = new AbortController();
  const late = ask('b', 90, leaving.signal);
  void ask('c', 10);
  await nextTurn();
  expect(inside).toEqual(['a', 'c']);
  leaving.abort();
  await expect(late).rejects.toThrow('other large requests are being answered');
  await expect(ask('d', 90, leaving.signal)).rejects.toThrow('did not complete');
});
