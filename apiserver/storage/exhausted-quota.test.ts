import fs from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSqliteJournal, Store } from './index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quota-'));
});
afterEach(async () => {
  endQuota();
  await rm(folder, { recursive: true, force: true });
});

const sqliteError = (): Error => Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 778 });

/** From now on files may not become larger, as a quota has it that the file system shows in no other way; SQLite has the room of the reserve once that
 *  is given up. */
function exhaustQuota(): void {
  vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    const { EDQUOT } = constants.errno;
    throw Object.assign(new Error('UNKNOWN: unknown error, write'), { code: 'UNKNOWN', errno: -EDQUOT });
  });
  syncBuiltinESMExports();
  const exec = Reflect.get(DatabaseSync.prototype, 'exec') as (sql: string) => void;
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    if (sql === 'COMMIT' && fs.statSync(join(folder, 'objects.reserve')).size > 0) throw sqliteError();
    Reflect.apply(exec, this, [sql]);
  });
}

function endQuota(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

async function write(store: Store, name: string): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name } };
  await store.commit({ storageKey: 'things', key: `/${name}`, replaces: undefined, object }).durable;
}

test('an exhausted quota counts as a full disk: objects can still be deleted', async () => {
  const store = new Store({ journal: await openSqliteJournal(folder) });
  await write(store, 'a');
  const reserve = join(folder, 'objects.reserve');
  const { size } = await stat(reserve);
  exhaustQuota();
  await expect(write(store, 'b')).rejects.toThrow(/the disk is full: nothing was written/);
  const replaces = store.get('things', '/a');
  await store.commit({ storageKey: 'things', key: '/a', replaces, object: undefined }).durable;
  expect(store.count('things')).toBe(0);
  endQuota();
  await write(store, 'c');
  expect((await stat(reserve)).size).toBe(size);
  await store.close();
});

test('an error of the disk without an exhausted quota keeps its text, and the reserve', async () => {
  const store = new Store({ journal: await openSqliteJournal(folder) });
  await write(store, 'a');
  const { size } = await stat(join(folder, 'objects.reserve'));
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementationOnce(() => {
    throw sqliteError();
  });
  await expect(write(store, 'b')).rejects.toThrow(/disk I\/O error: nothing was written/);
  expect((await stat(join(folder, 'objects.reserve'))).size).toBe(size);
  await store.close();
});
