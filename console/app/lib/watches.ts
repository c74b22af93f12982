import { useEffect, useState } from 'preact/hooks';
import type { WatchedObject, WatchMessage, WatchState } from '../../server/wire.ts';
import { createStore, type Store } from './store.ts';

/** What is known of a watch. */
export interface Watched<T> {
  readonly state: WatchState;
  readonly message: string;
  readonly rows: ReadonlyMap<string, T>;
}

/** How the stream is. */
export interface Connection {
  readonly isOpen: boolean;
  /** When the last message came, in milliseconds. */
  readonly lastMs: number;
}

interface Entry {
  readonly store: Store<Watched<unknown>>;
  users: number;
  /** What is shown is from before; the next rows replace it. */
  isReading: boolean;
}

const entries = new Map<string, Entry>();
const checkMs = 2_000;
/** The server is heard each second. */
const silentMs = 6_000;
/** A stream that looks open, and is silent for so long, is opened again: the other end can vanish without a notice. */
const stuckMs = 15_000;
/** Browsers open six connections to a server: a page that is not in view gives its own back. */
const hiddenMs = 15_000;
let source: EventSource | undefined;
let opened = '';
let opening: ReturnType<typeof setTimeout> | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;
let openedMs = 0;
/** Since when something is expected to come. */
let expectedMs = Date.now();

/** How the stream is, for the bar that reports a lost connection. */
export const connection: Store<Connection> = createStore<Connection>({ isOpen: true, lastMs: Date.now() });

function entryOf(watch: string): Entry {
  const known = entries.get(watch);
  if (known !== undefined) return known;
  const store = createStore<Watched<unknown>>({ state: 'loading', message: '', rows: new Map() });
  const entry = { store, users: 0, isReading: false };
  entries.set(watch, entry);
  return entry;
}

function take({ watch, state, message, put, removed, isWhole }: WatchMessage): void {
  const entry = entryOf(watch);
  const { store } = entry;
  const rows = new Map(isWhole || entry.isReading ? [] : store.get().rows);
  for (const key of removed) rows.delete(key);
  for (const [key, row] of Object.entries(put)) rows.set(key, row);
  // What was there stays while the same is read again.
  entry.isReading = state === 'loading' && rows.size === 0;
  store.set({ state, message, rows: entry.isReading ? store.get().rows : rows });
}

/** How often the connection has come back. What is not watched is read again then. */
export const returns: Store<number> = createStore(0);

function heard(): void {
  if (!connection.get().isOpen) returns.set(returns.get() + 1);
  connection.set({ isOpen: true, lastMs: Date.now() });
}

function disconnect(): void {
  source?.close();
  source = undefined;
  opened = '';
}

function connect(): void {
  opening = undefined;
  const watches = [...entries].filter(([, { users }]) => users > 0).map(([watch]) => watch);
  const desired = watches.toSorted().join('\n');
  if (desired === opened && source?.readyState !== EventSource.CLOSED) return;
  if (document.hidden && source === undefined) return;
  if (source === undefined) expectedMs = Date.now();
  disconnect();
  if (watches.length === 0) return;
  opened = desired;
  openedMs = Date.now();
  const query = watches.map((watch) => `watch=${encodeURIComponent(watch)}`).join('&');
  source = new EventSource(`/api/stream?${query}`);
  source.addEventListener('message', (event: MessageEvent<string>) => {
    heard();
    take(JSON.parse(event.data) as WatchMessage);
  });
  source.addEventListener('beat', heard);
}

function connectSoon(): void {
  opening ??= setTimeout(connect, 0);
}

/** Calls back where the session has ended. A server that does not answer is asked again. */
async function askSession(onEnded: () => void): Promise<void> {
  try {
    const { status } = await fetch('/api/session');
    if (status === 401) onEnded();
  } catch {
    // The next check asks again.
  }
}

function check(onEnded: () => void): void {
  if (source === undefined) return;
  const nowMs = Date.now();
  const { lastMs, isOpen } = connection.get();
  const isSilent = nowMs - Math.max(lastMs, expectedMs) >= silentMs;
  if (isSilent && isOpen) connection.set({ isOpen: false, lastMs });
  const isStuck = isSilent && nowMs - openedMs >= stuckMs;
  if (source.readyState !== EventSource.CLOSED && !isStuck) return;
  disconnect();
  connect();
  void askSession(onEnded);
}

function followVisibility(): void {
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(disconnect, hiddenMs);
    else connectSoon();
  });
}

/** Notices that nothing comes any more, and tries again. */
export function watchConnection(onEnded: () => void): void {
  setInterval(() => check(onEnded), checkMs);
  followVisibility();
}

/** Follows a watch while the view is shown; without a watch nothing. */
export function useWatch<T>(watch: string | undefined): Watched<T> {
  const entry = watch === undefined ? undefined : entryOf(watch);
  const [value, setValue] = useState<Watched<unknown> | undefined>(entry?.store.get());
  useEffect(() => {
    if (entry === undefined) return undefined;
    entry.users += 1;
    connectSoon();
    setValue(entry.store.get());
    const leave = entry.store.subscribe(() => setValue(entry.store.get()));
    return () => {
      leave();
      entry.users -= 1;
      connectSoon();
    };
  }, [entry]);
  return (
    (entry === undefined ? undefined : ((value ?? entry.store.get()) as Watched<T> | undefined)) ?? {
      state: 'absent',
      message: '',
      rows: new Map<string, T>(),
    }
  );
}

/** Follows objects of a kind: all, those of a namespace, or one. */
export function useObjects<T>(watch: string | undefined): readonly WatchedObject<T>[] {
  return [...useWatch<WatchedObject<T>>(watch).rows.values()];
}
