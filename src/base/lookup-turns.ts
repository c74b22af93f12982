import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Of one thread of the process at a time; two unpack bundles, and some more read catalogs. All threads share a pool, half of whose 16 threads look names up;
 *  nothing ends a lookup that was begun there. */
const maxRunning = 3;
/** Of these, of names that were slow lately. */
const maxSlow = 2;
const slowMs = 1_000;
const keptDomains = 4_096;

type LookUp = (host: string, options: LookupAllOptions) => Promise<LookupAddress[]>;
type Pace = 'quick' | 'unknown' | 'slow';

interface Waiting {
  readonly domain: string;
  readonly begin: () => void;
}

/** The domain that an owner of names has, as far as its form shows: `example.com`, `example.co.uk`. */
function domainOf(host: string): string {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  const [second = '', top = ''] = labels.slice(-2);
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.');
}

function keepLast<Value>(map: Map<string, Value>, domain: string, value: Value): void {
  map.delete(domain);
  map.set(domain, value);
  const [oldest] = map.keys();
  if (map.size > keptDomains && oldest !== undefined) map.delete(oldest);
}

/** Looks host names up, a few at a time: others choose which, and servers of names that never answer take ten seconds and more for each. The domains that were
 *  quick lately have their turn first, and those that were slow share a part of the turns; of equal
 *  ones, that with the fewest that run. Every other turn is of the one that came last, of the domain that had its turn longest ago, whether it is known to be quick
 *  or not known: however many wait, one that is new goes on. */
export class LookupTurns {
  readonly #lookUp: LookUp;
  readonly #waiting = new Set<Waiting>();
  readonly #running = new Map<string, number>();
  /** Domains by their last turn; the last one is last. */
  readonly #turns = new Map<string, number>();
  #turnCount = 0;
  /** Whether names of a domain were slow; what was used last is last. */
  readonly #slow = new Map<string, boolean>();
  #isForNewest = false;

  constructor(lookUp: LookUp = lookup) {
    this.#lookUp = lookUp;
  }

  /** All addresses of a host.
   *  @throws as `lookup` of Node.js · the signal's reason, while it waits for its turn */
  async lookup(host: string, options: LookupAllOptions, signal: AbortSignal): Promise<LookupAddress[]> {
    if (isIP(host) !== 0) return await this.#lookUp(host, options);
    signal.throwIfAborted();
    const domain = domainOf(host);
    await this.#turn(domain, signal);
    const begunMs = performance.now();
    try {
      return await this.#lookUp(host, options);
    } finally {
      this.#note(domain, performance.now() - begunMs > slowMs);
      this.#end(domain);
    }
  }

  async #turn(domain: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { domain, begin: resolve };
    const leave = (): void => {
      if (this.#waiting.delete(waiting)) reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.add(waiting);
    this.#beginOthers();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #paceOf(domain: string): Pace {
    const isSlow = this.#slow.get(domain);
    if (isSlow === undefined) return 'unknown';
    return isSlow ? 'slow' : 'quick';
  }

  #note(domain: string, isSlow: boolean): void {
    keepLast(this.#slow, domain, isSlow);
  }

  #end(domain: string): void {
    const count = (this.#running.get(domain) ?? 1) - 1;
    if (count === 0) this.#running.delete(domain);
    else this.#running.set(domain, count);
    this.#beginOthers();
  }

  #countRunning(isCounted: (domain: string) => boolean = () => true): number {
    return [...this.#running].reduce((sum, [domain, count]) => (isCounted(domain) ? sum + count : sum), 0);
  }

  #beginOthers(): void {
    while (this.#countRunning() < maxRunning) {
      const next = this.#next();
      if (next === undefined) return;
      this.#waiting.delete(next);
      this.#turnCount += 1;
      keepLast(this.#turns, next.domain, this.#turnCount);
      this.#running.set(next.domain, (this.#running.get(next.domain) ?? 0) + 1);
      next.begin();
    }
  }

  #inOrder(): Waiting[] {
    this.#isForNewest = !this.#isForNewest;
    return this.#isForNewest ? [...this.#waiting].reverse() : [...this.#waiting];
  }

  #next(): Waiting | undefined {
    const hasRoomForSlow = this.#countRunning((domain) => this.#paceOf(domain) === 'slow') < maxSlow;
    let best: { readonly waiting: Waiting; readonly rank: number } | undefined;
    for (const waiting of this.#inOrder()) {
      if (!hasRoomForSlow && this.#paceOf(waiting.domain) === 'slow') continue;
      const rank = this.#rankOf(waiting.domain);
      if (best === undefined || rank < best.rank) best = { waiting, rank };
    }
    return best?.waiting;
  }

  /** The lowest is next. */
  #rankOf(domain: string): number {
    const pace = ['quick', 'unknown', 'slow'].indexOf(this.#paceOf(domain));
    const runningCount = this.#running.get(domain) ?? 0;
    if (!this.#isForNewest) return pace * maxRunning + runningCount;
    const sinceTurn = (this.#turns.get(domain) ?? 0) / (this.#turnCount + 1);
    return (pace < 2 ? 0 : maxRunning) + runningCount + sinceTurn;
  }
}

const turns = new LookupTurns();

/** All addresses of a host that others have chosen, when it has its turn.
 *  @throws as `LookupTurns` */
export async function lookupInTurn(
  host: string,
  signal: AbortSignal,
  options: Omit<LookupAllOptions, 'all'> = {},
): Promise<LookupAddress[]> {
  return await turns.lookup(host, { ...options, all: true }, signal);
}
