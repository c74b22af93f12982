import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '../core/kube-object.ts';
import { type Journal, openSqliteJournal, StorageError, Store } from './index.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  folders.push(folder);
  return folder;
}

const thing = (name: string, value = 'x'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name },
  value,
});

async function write(store: Store, name: string, value?: string): Promise<void> {
  const key = `/${name}`;
  const replaces = store.get('things', key);
  await store.commit({ storageKey: 'things', key, replaces, object: thing(name, value) }).durable;
}

/** A folder with a store of some pages, closed. */
async function filledFolder(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = await newFolder();
  const store = new Store({ journal: await openSqliteJournal(folder) });
  for (let index = 0; index < 50; index += 1) await write(store, `thing-${index}`, `value-${index}-`.repeat(100));
  await store.close();
  return { folder, file: join(folder, 'objects.sqlite') };
}

/** Who opened it last is noted beside the database. */
async function contentOf(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith('.holder')).sort();
  const texts = names.map(async (name): Promise<[string, string]> => {
    return [
      name,
      createHash('sha256')
        .update(await readFile(join(folder, name)))
        .digest('hex'),
    ];
  });
  return new Map(await Promise.all(texts));
}

async function openAll(folder: string): Promise<void> {
  const journal = await openSqliteJournal(folder);
  try {
    new Store({ journal });
  } finally {
    journal.close();
  }
}

/** Opening fails with a text that names the file, and leaves every byte where it was. */
async function expectRefusal(folder: string, text: RegExp): Promise<void> {
  const before = await contentOf(folder);
  await expect(openAll(folder)).rejects.toMatchObject({
    reason: 'DataFolderUnreadable',
    message: expect.stringMatching(text) as string,
  });
  await expect(openAll(folder)).rejects.toThrow(join(folder, 'objects.sqlite'));
  expect(await contentOf(folder)).toEqual(before);
}

test('refuses a file that is no database, and leaves it', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'objects.sqlite'), 'my shopping list\n'.repeat(400), { mode: 0o644 });
  await expectRefusal(folder, /no database of this server/);
  expect((await stat(join(folder, 'objects.sqlite'))).mode & 0o777).toBe(0o644);
});

test.each([
  ['with an owner in its header', 'PRAGMA application_id = 7; CREATE TABLE songs (name TEXT);'],
  ['by its tables', 'CREATE TABLE songs (name TEXT);'],
])('refuses a database of another program, known %s', async (_how, statements) => {
  const folder = await newFolder();
  const database = new DatabaseSync(join(folder, 'objects.sqlite'));
  database.exec(statements);
  database.close();
  await expectRefusal(folder, /database of another program/);
});

test.each([
  ['within its first page', 50, /truncated/],
  ['in the middle of a page', 4096 * 3 + 1000, /malformed: it has 13288 of \d+ bytes: it has been truncated/],
  ['between pages', 4096 * 5, /malformed: it has 20480 of \d+ bytes: it has been truncated/],
])('refuses a file that was truncated %s', async (_where, size, text) => {
  const { folder, file } = await filledFolder();
  await truncate(file, size);
  await expectRefusal(folder, text);
});

/** The files of a store that is open: the database and its log. */
async function copyOpen(folder: string): Promise<string> {
  const copy = await newFolder();
  for (const name of ['objects.sqlite', 'objects.sqlite-wal']) await copyFile(join(folder, name), join(copy, name));
  return copy;
}

test('opens a database whose checkpoint was interrupted, wherever that was, with everything that was acknowledged', async () => {
  const folder = await newFolder();
  const store = new Store({ journal: await openSqliteJournal(folder) });
  for (let index = 0; index < 20; index += 1) await write(store, `thing-${index}`, `${index}-`.repeat(2000));
  const interrupted = await copyOpen(folder);
  const log = await readFile(join(interrupted, 'objects.sqlite-wal'));
  await store.close();
  const whole = await readFile(join(folder, 'objects.sqlite'));
  for (let bytes = 4096; bytes < whole.length; bytes += 4096 + 512) {
    await writeFile(join(interrupted, 'objects.sqlite'), whole.subarray(0, bytes));
    await writeFile(join(interrupted, 'objects.sqlite-wal'), log);
    const opened = new Store({ journal: await openSqliteJournal(interrupted) });
    expect([bytes, opened.count('things'), opened.revision]).toEqual([bytes, 20, store.revision]);
    await opened.close();
    expect(await readFile(join(interrupted, 'objects.sqlite'))).toHaveLength(whole.length);
  }
});

test('refuses a file that was truncated though a log of later writes is beside it, and leaves both', async () => {
  const { folder } = await filledFolder();
  const store = new Store({ journal: await openSqliteJournal(folder) });
  await write(store, 'thing-7', 'later');
  const copy = await copyOpen(folder);
  await store.close();
  const file = join(copy, 'objects.sqlite');
  for (const bytes of [4096 * 12, 4096 * 11 + 77, 4096 * 3, 4096, 2000]) {
    await truncate(file, bytes);
    await expectRefusal(copy, /damaged|malformed/);
  }
});

test('refuses a damaged text though a log is beside it, and leaves both', async () => {
  const { folder } = await filledFolder();
  const store = new Store({ journal: await openSqliteJournal(folder) });
  await write(store, 'thing-7', 'later');
  const copy = await copyOpen(folder);
  await store.close();
  const file = join(copy, 'objects.sqlite');
  const bytes = await readFile(file);
  bytes[bytes.indexOf('value-33-')] = 'V'.charCodeAt(0);
  await writeFile(file, bytes);
  await expectRefusal(copy, /things \/thing-33 is damaged/);
});

test('refuses a log whose header is damaged, and does not start without what was committed in it', async () => {
  const folder = await newFolder();
  const store = new Store({ journal: await openSqliteJournal(folder) });
  await write(store, 'thing-1', 'acknowledged');
  const copy = await copyOpen(folder);
  await store.close();
  const path = join(copy, 'objects.sqlite-wal');
  const log = await readFile(path);
  for (const [from, to] of [
    [0, 4],
    [16, 17],
    [0, log.length],
  ] as const) {
    await writeFile(path, Buffer.from(log).fill(0xff, from, to));
    await expectRefusal(copy, /its log \(objects\.sqlite-wal\) is damaged/);
  }
  await writeFile(path, log);
  const opened = new Store({ journal: await openSqliteJournal(copy) });
  expect(opened.count('things')).toBe(1);
  await opened.close();
});

test('refuses a database that had a log with everything in it, and does not start as an empty one', async () => {
  const folder = await newFolder();
  const store = new Store({ journal: await openSqliteJournal(folder) });
  await write(store, 'thing-1', 'acknowledged');
  const copy = await copyOpen(folder);
  await copyFile(join(folder, 'objects.sqlite.holder'), join(copy, 'objects.sqlite.holder'));
  await store.close();
  await rm(join(copy, 'objects.sqlite-wal'));
  await expectRefusal(copy, /nothing is in it: its log \(objects\.sqlite-wal\) has been removed/);
  await rm(join(copy, 'objects.sqlite'));
  const fresh = new Store({ journal: await openSqliteJournal(copy) });
  expect(fresh.count('things')).toBe(0);
  await fresh.close();
});

test('refuses an empty file beside a log that is not', async () => {
  const { folder, file } = await filledFolder();
  await truncate(file, 0);
  await writeFile(`${file}-wal`, 'log');
  await expectRefusal(folder, /it is empty, but its log is not/);
});

test('refuses a file that was truncated to nothing, and does not start as an empty one', async () => {
  const { folder, file } = await filledFolder();
  await truncate(file, 0);
  await expectRefusal(folder, /it is empty: it has been truncated/);
  await rm(file);
  const fresh = new Store({ journal: await openSqliteJournal(folder) });
  expect(fresh.count('things')).toBe(0);
  await fresh.close();
});

test('refuses a file whose last page with objects is torn', async () => {
  const { folder, file } = await filledFolder();
  const bytes = await readFile(file);
  const last = bytes.lastIndexOf('value-');
  bytes.fill(0, last, Math.ceil(last / 4096) * 4096);
  await writeFile(file, bytes);
  await expectRefusal(folder, /malformed|damaged/);
});

test('finds a single changed byte in what is stored', async () => {
  const { folder, file } = await filledFolder();
  const bytes = await readFile(file);
  const at = bytes.indexOf('value-33-');
  bytes[at] = 'V'.charCodeAt(0);
  await writeFile(file, bytes);
  await expectRefusal(folder, /things \/thing-33 is damaged/);
});

test('reads a log that lost its end, up to the last whole write', async () => {
  const folder = await newFolder();
  const store = new Store({ journal: await openSqliteJournal(folder) });
  for (let index = 0; index < 20; index += 1) await write(store, `thing-${index}`);
  const copy = await copyOpen(folder);
  await store.close();
  const log = join(copy, 'objects.sqlite-wal');
  await truncate(log, (await stat(log)).size - 100);
  const torn = new Store({ journal: await openSqliteJournal(copy) });
  expect(torn.count('things')).toBe(19);
  expect(torn.list('things').every(({ object }) => object['value'] === 'x')).toBe(true);
  await torn.close();
});

test('takes over a file from before there were checksums', async () => {
  const folder = await newFolder();
  const database = new DatabaseSync(join(folder, 'objects.sqlite'));
  database.exec(`
    CREATE TABLE objects (storage_key TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, text TEXT NOT NULL,
      PRIMARY KEY (storage_key, key)) STRICT, WITHOUT ROWID;
    CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO facts VALUES ('revision', 7);`);
  const text = JSON.stringify(thing('old'));
  database.prepare('INSERT INTO objects VALUES (?, ?, ?, ?)').run('things', '/old', 7, text);
  database.close();
  const store = new Store({ journal: await openSqliteJournal(folder) });
  expect(store.revision).toBe(7);
  expect(store.get('things', '/old')?.text).toBe(text);
  await write(store, 'new');
  await store.close();
  await openAll(folder);
});

/** A journal whose disk can be filled. */
class FillableJournal implements Journal {
  isFull = false;
  appended = 0;

  load(): { readonly revision: number; readonly records: readonly never[] } {
    return { revision: 0, records: [] };
  }

  append(records: readonly unknown[]): void {
    if (this.isFull) throw new StorageError('StorageFull', 'full', { cause: undefined });
    this.appended += records.length;
  }

  room = 0;

  appendFreeing(records: readonly unknown[]): number {
    return Math.min(this.room, records.length);
  }

  close(): void {}
}

test('undoes what the disk does not take, as if it had never been, and goes on when there is room', async () => {
  const journal = new FillableJournal();
  const store = new Store({ journal });
  await write(store, 'a', 'one');
  await write(store, 'gone', 'one');
  const { revision } = store;
  const seen: number[] = [];
  using _listener = store.subscribe('things', (event) => seen.push(event.revision));
  journal.isFull = true;
  const before = store.get('things', '/a');
  const gone = store.get('things', '/gone');
  const refused = await Promise.allSettled([
    write(store, 'a', 'two'),
    write(store, 'a', 'three'),
    write(store, 'b', 'one'),
    store.commit({ storageKey: 'things', key: '/gone', replaces: gone, object: undefined }).durable,
  ]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
  expect(store.settled()).toBeUndefined();
  expect([store.get('things', '/a'), store.get('things', '/b')]).toEqual([before, undefined]);
  expect(store.get('things', '/gone')).toBe(gone);
  expect([store.revision, seen]).toEqual([revision, []]);
  journal.isFull = false;
  await write(store, 'a', 'four');
  expect([store.revision, seen]).toEqual([revision + 1, [revision + 1]]);
  await store.close();
});

test('writes what makes room though the disk is full, in its order, and undoes the rest', async () => {
  const journal = new FillableJournal();
  const store = new Store({ journal });
  for (const name of ['a', 'b', 'c', 'd']) await write(store, name, 'long');
  const seen: string[] = [];
  using _listener = store.subscribe('things', ({ type, entry }) => seen.push(`${type} ${entry.key}`));
  journal.isFull = true;
  journal.room = 2;
  const remove = (name: string): Promise<void> => {
    const replaces = store.get('things', `/${name}`);
    return store.commit({ storageKey: 'things', key: `/${name}`, replaces, object: undefined }).durable;
  };
  const results = await Promise.allSettled([
    write(store, 'new', 'one'),
    remove('new'),
    remove('a'),
    write(store, 'b', 'longer'),
    write(store, 'b', ''),
    write(store, 'c', 'less'),
    remove('d'),
  ]);
  const statuses = results.map(({ status }) => (status === 'fulfilled' ? 1 : 0));
  expect(statuses).toEqual([0, 0, 1, 0, 0, 1, 0]);
  expect(seen).toEqual(['DELETED /a', 'MODIFIED /c']);
  expect(store.list('things').map(({ key, object }) => `${key} ${JSON.stringify(object['value'])}`)).toEqual([
    '/b "long"',
    '/c "less"',
    '/d "long"',
  ]);
  const { revision } = store;
  journal.isFull = false;
  await write(store, 'e', 'one');
  expect([store.revision, store.get('things', '/c')?.revision]).toEqual([revision + 1, revision]);
  await store.close();
});

/** What another process is answered that wants to write to a database. */
function refusalOfOthers(file: string): string {
  const script = `import { DatabaseSync } from 'node:sqlite';
    try { new DatabaseSync(process.argv[1]).exec('BEGIN IMMEDIATE'); } catch (thrown) { console.log(thrown.message); }`;
  const options = ['--no-warnings', '--input-type=module', '--eval', script, file];
  return execFileSync(process.execPath, options, { encoding: 'utf8' }).trim();
}

test('a second attempt to open a folder in the process that has it open does not let another process write to it', async () => {
  const { folder, file } = await filledFolder();
  const journal = await openSqliteJournal(folder);
  try {
    await expect(openSqliteJournal(folder)).rejects.toMatchObject({ reason: 'DataFolderInUse' });
    expect(refusalOfOthers(file)).toBe('database is locked');
  } finally {
    journal.close();
  }
  expect(refusalOfOthers(file)).toBe('');
});
