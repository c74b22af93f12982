import { expect, test } from 'vitest';
import type { KubeObject } from '../core/index.ts';
import { StorageError, Store } from './index.ts';

const deletionTimestamp = '2026-01-01T00:00:00Z';

function write(store: Store, metadata: KubeObject['metadata'], value: string): void {
  const key = `/${metadata.name}`;
  const object = { apiVersion: 'v1', kind: 'Thing', metadata, value };
  void store.commit({ storageKey: 'things', key, replaces: store.get('things', key), object });
}

test('objects that wait for their finalizers are deleted whatever the limit is, and do not grow beyond it', () => {
  const store = new Store({ maxCharacters: 10_000 });
  const names = Array.from({ length: 20 }, (_, index) => `held-${index}`);
  for (const name of names) write(store, { name }, 'x'.repeat(350));
  expect(() => write(store, { name: 'more' }, 'x'.repeat(2000))).toThrow(StorageError);
  for (const name of names) write(store, { name, deletionTimestamp }, 'x'.repeat(350));
  const grow = (): void => {
    for (const name of names) write(store, { name, deletionTimestamp }, 'x'.repeat(2000));
  };
  expect(grow).toThrow('database space exceeded');
  for (const name of names) write(store, { name, deletionTimestamp }, '');
});

test('an object that waits for its finalizers does not grow by what a deletion notes with each of many changes', () => {
  const store = new Store();
  const most = 3 * 1024 * 1024 - 200;
  write(store, { name: 'held' }, 'x'.repeat(most));
  write(store, { name: 'held', deletionTimestamp }, 'x'.repeat(most));
  expect(() => write(store, { name: 'held', deletionTimestamp }, 'x'.repeat(most + 500))).toThrow(
    'request is too large',
  );
});

test('what is read together has a limit in each namespace, which deletions and a full disk leave true', () => {
  const store = new Store({ readTogether: new Set(['roles']) });
  const put = (storageKey: string, key: string, size: number): void => {
    const object = { apiVersion: 'v1', kind: 'Role', metadata: { name: key }, value: 'x'.repeat(size) };
    void store.commit({ storageKey, key, replaces: store.get(storageKey, key), object });
  };
  put('roles', 'a/one', 1_200_000);
  expect(() => put('roles', 'a/two', 1_200_000)).toThrow(
    'all roles of the namespace "a" have 2 MiB of 2 MiB that a request in it may have to read: delete some',
  );
  put('roles', 'b/two', 1_200_000);
  put('others', 'a/two', 1_200_000);
  put('roles', 'a/one', 100);
  put('roles', 'a/two', 1_200_000);
  void store.commit({ storageKey: 'roles', key: 'a/two', replaces: store.get('roles', 'a/two'), object: undefined });
  put('roles', 'a/three', 2_000_000);
});
