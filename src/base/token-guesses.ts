import { createHash } from 'node:crypto';
import type { Clock } from './clock.ts';
import { RecentCounts } from './recent-counts.ts';

const windowMs = 60_000;
/** Tokens of one peer within the window that turn out to be worth nothing. */
const maxOfPeer = 20;
const maxProven = 4_096;

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64');

/** Limits the tokens of a peer that the API server is asked about in vain: each costs it a TokenReview. Tokens that were valid before are always asked about,
 *  so that a client which shares its address with such a peer goes on. */
export class TokenGuesses {
  readonly #failures: RecentCounts;
  readonly #proven = new Set<string>();

  constructor(clock: Clock) {
    this.#failures = new RecentCounts(clock, { limit: maxOfPeer, windowMs });
  }

  /** Whether the token is not to be asked about now. */
  refuses(peer: string, token: string): boolean {
    return this.#failures.isFull(peer) && !this.#proven.has(digestOf(token));
  }

  /** What the API server has answered. */
  answered(peer: string, token: string, isValid: boolean): void {
    const digest = digestOf(token);
    this.#proven.delete(digest);
    if (!isValid) return this.#failures.add(peer);
    this.#proven.add(digest);
    const [oldest] = this.#proven;
    if (this.#proven.size > maxProven && oldest !== undefined) this.#proven.delete(oldest);
  }
}
