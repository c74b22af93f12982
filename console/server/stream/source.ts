import type { WatchState } from '../wire.ts';

/** How a source is. */
export interface SourceState {
  readonly state: WatchState;
  readonly message: string;
}

/** Rows that are kept up to date, each as JSON. */
export interface Source extends Disposable {
  state(): SourceState;
  /** The present rows by their keys. */
  rows(): ReadonlyMap<string, string>;
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
