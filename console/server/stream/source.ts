import { hash } from 'node:crypto';
import type { WatchState } from '../wire.ts';

/** How a source is. */
export interface SourceState {
  readonly state: WatchState;
  readonly message: string;
}

/** A row of a page. */
export interface Row {
  readonly key: string;
  readonly json: string;
  /** Of the JSON: streams compare it, so that they do not hold what they have sent. */
  readonly digest: string;
}

/** A row with a value as JSON. */
export function rowOf(key: string, value: unknown): Row {
  const json = JSON.stringify(value);
  return { key, json, digest: hash('sha1', json, 'base64url') };
}

/** Rows that are kept up to date. */
export interface Source extends Disposable {
  state(): SourceState;
  /** The present rows, each with a key of its own. */
  rows(): readonly Row[];
  /** Called after a change; must not work. */
  subscribe(listener: () => void): Disposable;
}

/** Listeners that are called one after the other. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  add(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  call(): void {
    for (const listener of this.#listeners) listener();
  }
}
