import { type Clock, formatTimestamp } from '../../base/index.ts';
import { type ManifestKey, manifestKeyText } from '../../release/index.ts';

/** An object whose deletion was requested. */
export interface PendingDeletion extends ManifestKey {
  readonly since: string;
}

/** Objects whose deletion was requested and that still exist. */
export class PendingDeletions {
  readonly #pending = new Map<string, PendingDeletion>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Continues with those of an earlier process. */
  restore(pending: readonly PendingDeletion[]): void {
    for (const one of pending) this.#pending.set(manifestKeyText(one), one);
  }

  requested(key: ManifestKey): void {
    const text = manifestKeyText(key);
    if (!this.#pending.has(text)) this.#pending.set(text, { ...key, since: formatTimestamp(this.#clock.now()) });
  }

  completed(key: ManifestKey): void {
    this.#pending.delete(manifestKeyText(key));
  }

  list(): readonly PendingDeletion[] {
    return [...this.#pending.values()];
  }
}
