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
}

const entries = new Map<string, Entry>();
const silentMs = 6_000;
let source: EventSource | undefined;
let opened = '';
let opening: ReturnType<typeof setTimeout> | undefined;

/** How the stream is, for the bar that reports a lost connection. */
export const connection: Store<Connection> = createStore<Connection>({ isOpen: true, lastMs: Date.now() });

function entryOf(watch: string): Entry {
  const known = entries.get(watch);
  if (known !== undefined) return known;
  const store = createStore<Watched<unknown>>({ state: 'loading', message: '', rows: new Map() });
  const entry = { store, users: 0 };
  entries.set(watch, entry);
  return entry;
}

function take({ watch, state, message, put, removed, isWhole }: WatchMessage): void {
  const { store } = entryOf(watch);
  const rows = new Map(isWhole ? [] : store.get().rows);
  for (const key of removed) rows.delete(key);
  for (const [key, row] of Object.entries(put)) rows.set(key, row);
  // What was there stays while the same is read again.
  const isReading = state === 'loading' && rows.size === 0;
  store.set({ state, message, rows: isReading ? store.get().rows : rows });
}

function heard(): void {
  connection.set({ isOpen: true, lastMs: Date.now() });
}

function connect(): void {
  opening = undefined;
  const watches = [...entries].filter(([, { users }]) => users > 0).map(([watch]) => watch);
  const desired = watches.toSorted().join('\n');
  if (desired === opened && source?.readyState !== EventSource.CLOSED) return;
  source?.close();
  source = undefined;
  opened = desired;
  if (watches.length === 0) return;
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

/** Notices that nothing comes any more, and tries again. */
export function watchConnection(onEnded: () => void): void {
  setInterval(() => {
    const { lastMs, isOpen } = connection.get();
    if (source === undefined || Date.now() - lastMs < silentMs) return;
    if (isOpen) connection.set({ isOpen: false, lastMs });
    if (source.readyState !== EventSource.CLOSED) return;
    opened = '';
    connectSoon();
    void fetch('/api/session').then(({ status }) => {
      if (status === 401) onEnded();
    });
  }, 2_000);
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
