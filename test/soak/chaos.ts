import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../conformance/random.ts';
import type { SoakCluster } from './cluster.ts';
import type { Replica } from './replica.ts';

interface ChaosOptions {
  readonly cluster: SoakCluster;
  readonly replicas: readonly Replica[];
  readonly random: SeededRandom;
  readonly report: (line: string) => void;
}

const shortestMs = 4_000;
const longestMs = 15_000;
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  name: 'core.rukpak.io',
  namespace: 'rukpak-system',
};

/** Disturbs, one thing after another, until it is stopped. */
export class Chaos {
  readonly counts: Map<string, number> = new Map<string, number>();
  readonly #options: ChaosOptions;
  #isResting = false;
  #underWay: Promise<void> = Promise.resolve();

  readonly #acts: readonly (readonly [string, () => Promise<void>])[] = [
    ['leader killed', async () => (await this.#leader()).signal('SIGKILL')],
    ['leader stopped', async () => (await this.#leader()).signal('SIGTERM')],
    ['leader stands still', () => this.#freeze()],
    ['standby killed', async () => (await this.#standby()).signal('SIGKILL')],
    ['webhook killed', () => Promise.resolve(this.#webhook().signal('SIGKILL'))],
    ['webhook stopped', () => Promise.resolve(this.#webhook().signal('SIGTERM'))],
    ['API server restarted', () => this.#options.cluster.restart(this.#options.random.next() * 5_000)],
    ['API server fails now and then', () => this.#options.cluster.stumble(this.#options.random, longestMs)],
    ['disk of the leader full', () => this.#fill()],
    ['clock jumped', () => this.#jump()],
  ];

  constructor(options: ChaosOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { random } = this.#options;
    while (!signal.aborted) {
      await pause(shortestMs + random.next() * (longestMs - shortestMs), undefined, { signal }).catch(() => undefined);
      if (signal.aborted || this.#isResting) continue;
      const [name, act] = this.#acts[random.below(this.#acts.length)] ?? ['nothing', () => Promise.resolve()];
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
      this.#options.report(name);
      this.#underWay = act();
      await this.#underWay;
    }
  }

  /** Ends what is under way, sets clocks right, and does nothing until the answer is disposed. */
  async rest(): Promise<AsyncDisposable> {
    this.#isResting = true;
    await this.#underWay;
    await Promise.all(this.#options.replicas.map((replica) => replica.setClock(0)));
    return {
      [Symbol.asyncDispose]: () => {
        this.#isResting = false;
        return Promise.resolve();
      },
    };
  }

  /** Who holds the lease; the first one while no process does. */
  async #leader(): Promise<Replica> {
    const controllers = this.#options.replicas.filter(({ name }) => name.startsWith('core-'));
    const found = (await this.#options.cluster.client.find(lease)) as
      | { spec?: { holderIdentity?: string } }
      | undefined;
    const holder = found?.spec?.holderIdentity?.split('_', 1)[0];
    const [first] = controllers;
    if (first === undefined) throw new Error('there are no controllers');
    return controllers.find(({ name }) => name === holder) ?? first;
  }

  async #standby(): Promise<Replica> {
    const leader = await this.#leader();
    const other = this.#options.replicas.find(({ name }) => name.startsWith('core-') && name !== leader.name);
    return other ?? leader;
  }

  #webhook(): Replica {
    const [first, second] = this.#options.replicas.filter(({ name }) => name.startsWith('webhook-'));
    if (first === undefined || second === undefined) throw new Error('there are no webhooks');
    return this.#options.random.happens(0.5) ? first : second;
  }

  /** Longer than the lease lasts: another one leads when it goes on. */
  async #freeze(): Promise<void> {
    const leader = await this.#leader();
    leader.signal('SIGSTOP');
    await pause(longestMs);
    leader.signal('SIGCONT');
  }

  async #fill(): Promise<void> {
    const free = await (await this.#leader()).fillDisk();
    await pause(longestMs);
    await free();
  }

  async #jump(): Promise<void> {
    const { random, replicas } = this.#options;
    const replica = replicas[random.below(replicas.length)];
    await replica?.setClock(Math.round((random.next() - 0.5) * 2 * 3_600_000));
  }
}
