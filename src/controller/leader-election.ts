import { type Clock, errorMessage, type Logger, TransientError, withDeadline } from '../base/index.ts';
import {
  findObject,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
} from '../kube/index.ts';
import {
  hasOtherNote,
  holderOf,
  isReleased,
  type LeaseName,
  type LeaseNote,
  leaseFor,
  namedLease,
  recordOf,
  releasedLease,
} from './lease.ts';

/** The longest duration of a lease; longer ones of others count as this long. */
const maxLeaseMs = 600_000;
/** A leader that could not renew for so much of the lease's duration stops: long before another candidate may start. */
const renewShare = 2 / 3;
const retryShare = 1 / 6;

export interface LeaderElectionOptions {
  /** Its own client: writes of the work must not hold up renewals. */
  readonly kube: Pick<KubeClient, 'get' | 'create' | 'update'>;
  readonly lease: LeaseName;
  /** An annotation that the leader sets on the lease. If the previous leader set another value, no one leads before the lease's duration has passed:
   *  those who go by it have seen it by then. */
  readonly note?: LeaseNote | undefined;
  /** Unique to this process, never used again. */
  readonly identity: string;
  /** No other candidate leads before this has passed since the leader's last renewal. */
  readonly durationMs: number;
  /** For the times that are written. */
  readonly clock: Clock;
  /** Never jumps: what counts is how much time has passed here, not what the clocks of others show. */
  readonly steady: Clock;
  readonly log: Logger;
}

/** One candidate for a Lease. Disposing it releases the lease, so that the next one leads at once: end all work before. */
export interface LeaderElection extends AsyncDisposable {
  /** Resolves when this process leads. */
  readonly whenLeading: Promise<void>;
  /** Resolves when this process has led and must not any more. */
  readonly whenLost: Promise<void>;
  isLeading(): boolean;
  /** @throws TransientError NotLeading when another process may lead by now */
  assertLeading(): void;
  /** Who leads, as far as is known; empty when no one does. */
  leader(): string;
}

function nameOf({ namespace, name }: LeaseName): string {
  return `${namespace}/${name}`;
}

interface Seen {
  readonly record: string;
  readonly atMs: number;
}

class Candidate implements LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #log: Logger;
  readonly #leading = Promise.withResolvers<void>();
  readonly #lost = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  /** The lease as it was read or written last, while it is ours. */
  #own: KubeObject | undefined;
  /** When the record of another holder came to be, by our clock. */
  #seen: Seen = { record: '', atMs: 0 };
  #leader = '';
  /** The leader that the log last named. */
  #loggedLeader = '';
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  #restUntilMs = Number.NEGATIVE_INFINITY;
  #loggedFailure = '';

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#log = options.log.child({ lease: nameOf(options.lease) });
    this.#ended = this.#run();
  }

  get whenLeading(): Promise<void> {
    return this.#leading.promise;
  }

  get whenLost(): Promise<void> {
    return this.#lost.promise;
  }

  isLeading(): boolean {
    return this.#options.steady.now() < this.#heldUntilMs;
  }

  assertLeading(): void {
    if (this.isLeading()) return;
    const text = `Lease ${nameOf(this.#options.lease)}: held by ${this.#leader || 'no one'}, not renewed in time by this process: it must not write`;
    throw new TransientError('NotLeading', text);
  }

  leader(): string {
    return this.#leader;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    if (!this.isLeading()) return;
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    try {
      await this.#release(AbortSignal.timeout(this.#tryMs));
      this.#log.info('leadership released');
    } catch (thrown) {
      this.#log.warn({ message: errorMessage(thrown) }, 'leadership not released: it ends with the lease');
    }
  }

  /** A renewal may have been in flight, or another client may have written: the state of the server counts. */
  async #release(signal: AbortSignal): Promise<void> {
    const { identity, clock } = this.#options;
    for (let tries = 0; tries < 3; tries += 1) {
      const lease = this.#own ?? (await this.#read(signal));
      if (lease === undefined || holderOf(lease) !== identity) return;
      if ((await this.#write(releasedLease(lease, clock.now()), signal)) !== undefined) return;
    }
    throw new TransientError('NotReleased', 'other clients write it at the same time');
  }

  get #tryMs(): number {
    return (this.#options.durationMs * renewShare) / 2;
  }

  async #run(): Promise<void> {
    const { steady } = this.#options;
    const { signal } = this.#stop;
    let hasLed = false;
    while (!signal.aborted) {
      await this.#tryOnce(signal);
      if (signal.aborted) return;
      if (this.isLeading() && !hasLed && steady.now() >= this.#restUntilMs) {
        hasLed = true;
        this.#log.info({ identity: this.#options.identity }, 'leading');
        this.#leading.resolve();
      }
      if (hasLed && !this.isLeading()) {
        const hint = 'this process exits and should be restarted; the holder of the lease continues';
        this.#log.error({ leader: this.#leader, hint }, 'leadership lost');
        this.#lost.resolve();
        return;
      }
      await steady.sleep(this.#pauseMs(), { signal }).catch(() => undefined);
    }
  }

  /** Until the next renewal, or until the lease of another holder expires. */
  #pauseMs(): number {
    const { durationMs, steady } = this.#options;
    const retryMs = durationMs * retryShare;
    if (this.#heldUntilMs > Number.NEGATIVE_INFINITY)
      return Math.max(0, Math.min(retryMs, this.#heldUntilMs - steady.now()));
    return retryMs * (0.8 + Math.random() / 5);
  }

  async #tryOnce(signal: AbortSignal): Promise<void> {
    const { lease, steady } = this.#options;
    const what = `Lease ${nameOf(lease)}`;
    const startedMs = steady.now();
    const leftMs = this.#heldUntilMs - startedMs;
    const deadlineMs = Math.ceil(leftMs > 0 ? Math.min(this.#tryMs, leftMs) : this.#tryMs);
    try {
      await withDeadline(what, { deadlineMs, signal }, async (ending) => {
        // Another client wrote meanwhile: read what it wrote.
        if (!(await this.#takeOrRenew(startedMs, ending))) await this.#takeOrRenew(startedMs, ending);
      });
      this.#loggedFailure = '';
    } catch (thrown) {
      if (signal.aborted) return;
      // Our own write may have come through though its answer did not: look before the next one.
      this.#own = undefined;
      const message = errorMessage(thrown);
      if (message !== this.#loggedFailure) this.#log.warn({ message }, 'lease not renewed');
      this.#loggedFailure = message;
    }
  }

  /** False when another client wrote between our read and our write. */
  async #takeOrRenew(startedMs: number, signal: AbortSignal): Promise<boolean> {
    const { identity, durationMs, steady, clock } = this.#options;
    const lease = this.#own ?? (await this.#read(signal));
    if (!this.#mayTake(lease)) return true;
    const { note } = this.#options;
    const isChanged = note !== undefined && lease !== undefined && hasOtherNote(lease, note);
    const times = { durationMs, nowMs: clock.now() };
    const desired = leaseFor(lease ?? namedLease(this.#options.lease), { identity, note, ...times });
    const written = await this.#write(desired, signal);
    if (written === undefined) return false;
    if (isChanged) this.#restUntilMs = steady.now() + durationMs;
    this.#own = written;
    this.#leader = identity;
    this.#heldUntilMs = startedMs + durationMs * renewShare;
    return true;
  }

  /** A lease that was deleted, or lost its holder, is first acquired by its last holder. */
  #mayTake(lease: KubeObject | undefined): boolean {
    const holder = (lease === undefined ? '' : holderOf(lease)) || this.#leader;
    const isNew = lease === undefined && holder === '';
    if (holder === this.#options.identity || isNew) return true;
    if (lease !== undefined && holder !== this.#loggedLeader) this.#log.info({ leader: holder }, 'standing by');
    this.#loggedLeader = holder;
    if (lease !== undefined) this.#leader = holderOf(lease);
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    return this.#isOver(lease, this.#options.steady.now());
  }

  /** Whether the lease was released, or its holder has not renewed it for its whole duration, measured here. The holder of a lease that was deleted, or
   *  lost its holder by hand, may not know yet: that counts as not renewed. */
  #isOver(lease: KubeObject | undefined, nowMs: number): boolean {
    const record = lease === undefined ? { text: 'deleted', durationMs: 0 } : recordOf(lease);
    if (record.text !== this.#seen.record) this.#seen = { record: record.text, atMs: nowMs };
    if (lease !== undefined && isReleased(lease)) return true;
    // Its holder counts with its own duration, whatever the lease contains: a duration shorter than ours is ignored.
    const durationMs = Math.max(record.durationMs, this.#options.durationMs);
    return nowMs >= this.#seen.atMs + Math.min(durationMs, maxLeaseMs);
  }

  async #read(signal: AbortSignal): Promise<KubeObject | undefined> {
    const { kube, lease } = this.#options;
    const { apiVersion, kind } = namedLease(lease);
    return await findObject(kube, { apiVersion, kind, ...lease }, { signal });
  }

  /** Undefined when another client wrote meanwhile. */
  async #write(lease: KubeObject, signal: AbortSignal): Promise<KubeObject | undefined> {
    const { kube } = this.#options;
    const options = { fieldManager: 'longshore', signal };
    try {
      const isNew = lease.metadata.resourceVersion === undefined;
      return isNew ? await kube.create(lease, options) : await kube.update(lease, options);
    } catch (thrown) {
      if (!isConflict(thrown) && !isAlreadyExists(thrown) && !isNotFound(thrown)) throw thrown;
      this.#own = undefined;
      return undefined;
    }
  }
}

/** Becomes a candidate for the Lease: at most one leads at a time, whatever the clocks of their machines show. A leader that cannot renew
 *  the lease has lost it after two thirds of its duration, and another one acquires it after the whole. */
export function startLeaderElection(options: LeaderElectionOptions): LeaderElection {
  return new Candidate(options);
}
