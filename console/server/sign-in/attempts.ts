import type { FastifyRequest } from 'fastify';
import { type Clock, peerOf } from '../../../src/base/index.ts';
import { ConsoleProblem } from '../problem.ts';

const windowMs = 60_000;
/** Failed attempts of one client within the window. */
const maxOfClient = 20;
/** Sign-ins that one client begins at the provider within the window; those that it began before are not dropped for them. */
const maxStartsOfClient = 60;
const maxClients = 4_096;
/** Attempts under way: each is a request to the API server or to the provider. */
const maxRunning = 16;
const maxRunningOfClient = 4;

interface Client {
  readonly failedAtMs: number[];
  readonly startedAtMs: number[];
  running: number;
}

function refused(message: string): ConsoleProblem {
  return new ConsoleProblem(429, 'TooManyFailures', { message });
}

/** Limits attempts to sign in: failed ones by the address of the client, so that one does not lock others out, and those under way by their number, whose
 *  cost is bounded that way. Sessions and one-time links do not pass through it. */
export class SignInAttempts {
  readonly #clock: Clock;
  readonly #clients = new Map<string, Client>();
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs an attempt, and counts it where it fails because of what the client sent.
   *  @throws ConsoleProblem 429 */
  async run<T>(request: FastifyRequest, attempt: () => Promise<T>): Promise<T> {
    const client = this.#clientOf(request);
    this.#assertFew(client.failedAtMs, maxOfClient);
    return await this.#turn(client, attempt);
  }

  /** Begins a sign-in at the provider.
   *  @throws ConsoleProblem 429 */
  async begin<T>(request: FastifyRequest, start: () => Promise<T>): Promise<T> {
    const client = this.#clientOf(request);
    this.#assertFew(client.startedAtMs, maxStartsOfClient);
    client.startedAtMs.push(this.#clock.now());
    return await this.#turn(client, start);
  }

  async #turn<T>(client: Client, attempt: () => Promise<T>): Promise<T> {
    if (client.running >= maxRunningOfClient || this.#running >= maxRunning) {
      throw refused('too many attempts at a time: try again in a moment');
    }
    client.running += 1;
    this.#running += 1;
    try {
      return await attempt();
    } catch (thrown) {
      if (thrown instanceof ConsoleProblem && thrown.status < 500) client.failedAtMs.push(this.#clock.now());
      throw thrown;
    } finally {
      client.running -= 1;
      this.#running -= 1;
    }
  }

  #assertFew(times: number[], limit: number): void {
    const nowMs = this.#clock.now();
    while (times.length > 0 && nowMs - (times[0] ?? 0) > windowMs) times.shift();
    if (times.length >= limit) throw refused('too many attempts to sign in: try again in a minute');
  }

  #clientOf({ ip }: FastifyRequest): Client {
    const peer = peerOf(ip);
    const client = this.#clients.get(peer) ?? { failedAtMs: [], startedAtMs: [], running: 0 };
    // The latest is the last: of too many the one that was seen longest ago is forgotten.
    this.#clients.delete(peer);
    this.#clients.set(peer, client);
    if (this.#clients.size > maxClients) {
      const [oldest = ''] = this.#clients.keys();
      this.#clients.delete(oldest);
    }
    return client;
  }
}
