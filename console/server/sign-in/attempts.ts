import type { FastifyRequest } from 'fastify';
import { type Clock, peerOf, RecentCounts } from '../../../src/base/index.ts';
import { ConsoleProblem } from '../problem.ts';

const windowMs = 60_000;
/** Failed attempts of one client within the window. */
const maxOfClient = 20;
/** Sign-ins that one client begins at the provider within the window; those that it began before are not dropped for them. */
const maxStartsOfClient = 60;
/** Attempts under way: each is a request to the API server or to the provider. */
const maxRunning = 16;
const maxRunningOfClient = 4;

function refused(message: string): ConsoleProblem {
  return new ConsoleProblem(429, 'TooManyFailures', { message });
}

function assertFew(counts: RecentCounts, client: string): void {
  if (counts.isFull(client)) throw refused('too many attempts to sign in: try again in a minute');
}

/** Limits attempts to sign in: failed ones by the address of the client, so that one does not lock others out, and those under way by their number, whose
 *  cost is bounded that way. Sessions and one-time links do not pass through it. */
export class SignInAttempts {
  readonly #failed: RecentCounts;
  readonly #started: RecentCounts;
  /** Under way, by client. */
  readonly #running = new Map<string, number>();
  #allRunning = 0;

  constructor(clock: Clock) {
    this.#failed = new RecentCounts(clock, { limit: maxOfClient, windowMs });
    this.#started = new RecentCounts(clock, { limit: maxStartsOfClient, windowMs });
  }

  /** Runs an attempt, and counts it where it fails because of what the client sent.
   *  @throws ConsoleProblem 429 */
  async run<T>(request: FastifyRequest, attempt: () => Promise<T>): Promise<T> {
    const client = peerOf(request.ip);
    assertFew(this.#failed, client);
    return await this.#turn(client, attempt);
  }

  /** Begins a sign-in at the provider.
   *  @throws ConsoleProblem 429 */
  async begin<T>(request: FastifyRequest, start: () => Promise<T>): Promise<T> {
    const client = peerOf(request.ip);
    assertFew(this.#started, client);
    this.#started.add(client);
    return await this.#turn(client, start);
  }

  async #turn<T>(client: string, attempt: () => Promise<T>): Promise<T> {
    const running = this.#running.get(client) ?? 0;
    if (running >= maxRunningOfClient || this.#allRunning >= maxRunning) {
      throw refused('too many attempts at a time: try again in a moment');
    }
    this.#count(client, 1);
    try {
      return await attempt();
    } catch (thrown) {
      if (thrown instanceof ConsoleProblem && thrown.status < 500) this.#failed.add(client);
      throw thrown;
    } finally {
      this.#count(client, -1);
    }
  }

  #count(client: string, more: 1 | -1): void {
    const running = (this.#running.get(client) ?? 0) + more;
    this.#allRunning += more;
    if (running === 0) this.#running.delete(client);
    else this.#running.set(client, running);
  }
}
