import { expect, test } from 'vitest';
import { type Journal, StorageError, Store } from '../storage/index.ts';
import type { ResourceCall } from './api-parts.ts';
import { readDurable } from './read-handlers.ts';

const noJournal: Journal = {
  load: () => ({ revision: 1, records: [] }),
  append: () => {},
  appendFreeing: () => 0,
  close: () => {},
};

function callOn(store: Store): ResourceCall {
  return { exchange: { beginTurn: () => new Promise(setImmediate) }, parts: { store } } as unknown as ResourceCall;
}

function write(store: Store, name: string): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name } };
  return store.commit({ storageKey: 'things', key: `/${name}`, replaces: undefined, object }).durable;
}

test('a read does not wait for writes that come after it, of which there is no end', async () => {
  const store = new Store({ journal: noJournal });
  let [count, isDone] = [0, false];
  // Whenever a write becomes durable the next one is on its way.
  using _next = store.subscribe('things', () => {
    count += 1;
    if (!isDone && count < 100) void write(store, `later-${count}`);
  });
  void write(store, 'first');
  const found = await readDurable(callOn(store), () => store.list('things').map(({ key }) => key));
  isDone = true;
  expect(found).toEqual(['/first']);
  expect(count).toBeLessThan(100);
});

test('a write that is undone while a read waits for it is not shown', async () => {
  let isFull = true;
  const append = (): void => {
    if (isFull) throw new StorageError('StorageFull', 'the disk is full');
  };
  const store = new Store({ journal: { ...noJournal, append } });
  const refused = write(store, 'refused');
  const found = readDurable(callOn(store), () => store.list('things').map(({ key }) => key));
  await expect(refused).rejects.toThrow('the disk is full');
  isFull = false;
  void write(store, 'kept');
  expect(await found).toEqual(['/kept']);
});
