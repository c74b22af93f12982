import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '../core/kube-object.ts';
import { openSqliteJournal, StaleChangeError, Store, type StoredEntry } from './index.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  folders.push(folder);
  return folder;
}

function thing(name: string, value = 0): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name }, value };
}

async function put(
  store: Store,
  name: string,
  options: { value?: number; replaces?: StoredEntry } = {},
): Promise<StoredEntry> {
  const { value = 0, replaces } = options;
  const { entry, durable } = store.commit({
    storageKey: 'things',
    key: `/${name}`,
    replaces,
    object: thing(name, value),
  });
  await durable;
  return entry;
}

const names = (entries: readonly StoredEntry[] | undefined): string[] | undefined => entries?.map((entry) => entry.key);

/** The keys of all events after a revision, one after the other. */
function namesAfter(store: Store, revision: number): string[] {
  const event = store.eventAfter('things', revision);
  return event === undefined ? [] : [event.entry.key, ...namesAfter(store, event.revision)];
}

test('gives the events of one type after a revision, one after the other', async () => {
  const store = new Store();
  const a = await put(store, 'a');
  store.commit({ storageKey: 'others', key: '/x', replaces: undefined, object: thing('x') });
  await put(store, 'b');
  await put(store, 'c');
  expect(namesAfter(store, a.revision)).toEqual(['/b', '/c']);
  expect(namesAfter(store, a.revision + 1)).toEqual(['/b', '/c']);
  expect(namesAfter(store, store.revision)).toEqual([]);
});

test('lists what was there at an older revision', async () => {
  const store = new Store();
  const a = await put(store, 'a');
  const b = await put(store, 'b');
  await put(store, 'a', { value: 1, replaces: a });
  await store.commit({ storageKey: 'things', key: '/b', replaces: b, object: undefined }).durable;
  await put(store, 'c');
  expect(names(store.list('things'))).toEqual(['/a', '/c']);
  const before = store.listAt('things', b.revision);
  expect(names(before)).toEqual(['/a', '/b']);
  expect(before?.[0]?.object['value']).toBe(0);
});

test('refuses a change made from an expired state, at once', async () => {
  const store = new Store();
  const first = await put(store, 'a');
  await put(store, 'a', { value: 1, replaces: first });
  const change = { storageKey: 'things', key: '/a', replaces: first, object: thing('a', 2) };
  expect(() => store.commit(change)).toThrow(StaleChangeError);
});

test('forgets the oldest events when there are too many, and reports it', async () => {
  const store = new Store({ historyLimits: { entries: 2, bytes: 1e6 } });
  const first = await put(store, 'a');
  await put(store, 'b');
  await put(store, 'c');
  await put(store, 'd');
  expect(store.oldestRevision('things')).toBeGreaterThan(first.revision);
  expect(store.listAt('things', first.revision)).toBeUndefined();
  expect(namesAfter(store, store.oldestRevision('things'))).toEqual(['/c', '/d']);
});

test('remembers no large objects that many small ones replaced', async () => {
  const store = new Store({ historyLimits: { entries: 1000, bytes: 5000 } });
  const large = { storageKey: 'things', replaces: undefined, object: { ...thing('a'), filling: 'x'.repeat(4000) } };
  const first = store.commit({ ...large, key: '/a' }).entry;
  const second = store.commit({ ...large, key: '/b' }).entry;
  const { revision } = await put(store, 'a', { replaces: first });
  await put(store, 'b', { replaces: second });
  expect(namesAfter(store, revision)).toEqual(['/b']);
  expect(store.oldestRevision('things')).toBe(revision);
});

test('refuses what is too large for its memory together, but no deletion and nothing that makes room', async () => {
  const folder = await newFolder();
  const first = new Store({ journal: await openSqliteJournal(folder), maxCharacters: 1000 });
  const object = { ...thing('a'), filling: 'x'.repeat(700) };
  const { entry, durable } = first.commit({ storageKey: 'things', key: '/a', replaces: undefined, object });
  await durable;
  await first.close();

  const store = new Store({ journal: await openSqliteJournal(folder), maxCharacters: 1000 });
  const full = { storageKey: 'things', key: '/b', replaces: undefined, object: { ...object, metadata: { name: 'b' } } };
  expect(() => store.commit(full)).toThrow('database space exceeded');
  const replaces = store.get('things', '/a');
  const grown = { ...object, filling: 'x'.repeat(1000) };
  expect(() => store.commit({ storageKey: 'things', key: '/a', replaces, object: grown })).toThrow('space exceeded');
  const less = store.commit({ storageKey: 'things', key: '/a', replaces, object: thing('a') });
  await less.durable;
  const other = store.commit(full);
  await other.durable;
  expect(() => store.commit({ ...full, key: '/c' })).toThrow('space exceeded');
  await store.commit({ ...full, replaces: other.entry, object: undefined }).durable;
  await store.commit({ ...full, key: '/c' }).durable;
  expect(names(store.list('things'))).toEqual(['/a', '/c']);
  expect(entry.text.length).toBeGreaterThan(700);
  await store.close();
});

test('publishes events in the order of their revisions, when they are durable', async () => {
  const store = new Store({ journal: await openSqliteJournal(await newFolder()) });
  const seen: number[] = [];
  using _listener = store.subscribe('things', (event) => seen.push(event.revision));
  const writes = ['a', 'b', 'c'].map((name) => put(store, name));
  expect(seen).toEqual([]);
  expect(store.settled()).toBeInstanceOf(Promise);
  const entries = await Promise.all(writes);
  expect(seen).toEqual(entries.map((entry) => entry.revision));
  await store.close();
});

test('goes on after a restart where it was', async () => {
  const folder = await newFolder();
  const first = new Store({ journal: await openSqliteJournal(folder) });
  const a = await put(first, 'a', { value: 7 });
  const b = await put(first, 'b');
  await first.commit({ storageKey: 'things', key: '/b', replaces: b, object: undefined }).durable;
  const { revision } = first;
  await first.close();
  const second = new Store({ journal: await openSqliteJournal(folder) });
  expect(second.revision).toBe(revision);
  expect(names(second.list('things'))).toEqual(['/a']);
  expect(second.get('things', '/a')?.text).toBe(a.text);
  expect(second.oldestRevision('things')).toBeGreaterThan(a.revision);
  await second.close();
});

test('opens a data folder once', async () => {
  const folder = await newFolder();
  const journal = await openSqliteJournal(folder);
  const holder = `: another process has it open: process ${process.pid} on .+ since 2.+Z; stop it, or start with another`;
  await expect(openSqliteJournal(folder)).rejects.toMatchObject({
    reason: 'DataFolderInUse',
    message: expect.stringMatching(new RegExp(holder)) as string,
  });
  journal.close();
  (await openSqliteJournal(folder)).close();
});

/** Writes as fast as it can and prints each acknowledged name. */
const writer = `
import { openSqliteJournal, Store } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
const store = new Store({ journal: await openSqliteJournal(process.argv[1]) });
let next = store.count('things');
const lane = async () => {
  for (;;) {
    const name = 'n' + String(next++).padStart(6, '0');
    const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name }, padding: 'x'.repeat(500) };
    await store.commit({ storageKey: 'things', key: '/' + name, replaces: undefined, object }).durable;
    process.stdout.write(name + '\\n');
  }
};
await Promise.all([lane(), lane(), lane(), lane()]);
`;

async function killWhileWriting(folder: string, afterLines: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', writer, folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === afterLines) child.kill('SIGKILL');
  }
  await exited;
  return acknowledged;
}

test('keeps every acknowledged write when the process is killed, time and again', async () => {
  const folder = await newFolder();
  const acknowledged: string[] = [];
  for (const lines of [1, 7, 50, 120]) acknowledged.push(...(await killWhileWriting(folder, lines)));
  const store = new Store({ journal: await openSqliteJournal(folder) });
  const stored = new Set(store.list('things').map((entry) => entry.object.metadata.name));
  expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  const revisions = store.list('things').map((entry) => entry.revision);
  expect(Math.max(...revisions)).toBeLessThanOrEqual(store.revision);
  expect(new Set(revisions).size).toBe(revisions.length);
  await store.close();
});

const large = 3 * 1024 * 1024;

function sized(name: string, length: number, metadata: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name, ...metadata }, value: 'x'.repeat(length) };
}

test('an object does not grow above a limit by many small changes, and a large one can be changed and deleted', () => {
  const store = new Store();
  const place = { storageKey: 'things', key: '/large' };
  const first = store.commit({ ...place, replaces: undefined, object: sized('large', large - 200) }).entry;
  expect(() => store.commit({ ...place, replaces: first, object: sized('large', large) })).toThrow('too large');
  expect(store.get('things', '/large')).toBe(first);
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const last = sized('large', large - 200, { deletionTimestamp, finalizers: ['example.com/f'.repeat(20)] });
  const marked = store.commit({ ...place, replaces: first, object: last }).entry;
  store.commit({ ...place, replaces: marked, object: undefined });
  expect(store.get('things', '/large')).toBeUndefined();
});
