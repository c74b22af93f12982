import { type Clock, WaitingError } from '../src/base/index.ts';
import type { CacheChange, KindCache, KubeObject } from '../src/kube/index.ts';
import type { Shards } from './shards.ts';

interface HandOverOptions {
  readonly shards: Pick<Shards, 'isWhole' | 'hasDeployment'>;
  readonly deployments: Pick<KindCache, 'subscribe' | 'values'>;
  /** For how long a process that does not notice may still write: the duration of its Lease. */
  readonly handOverMs: number;
  /** For how long after its end a process's writes may be executed. */
  readonly executedWithinMs: number;
  readonly steady: Pick<Clock, 'now'>;
}

/** BundleDeployments of another process before: of one that has ended, or of the shard from which users have moved them. The shard that one leaves ends its
 *  reconcile, and the other one waits until a process that did not notice, because it was suspended, has lost its Lease: what the former was about to delete
 *  may be installed again by then. */
export class HandOvers {
  readonly #options: HandOverOptions;
  /** Name of a deployment → when it came from another shard. */
  readonly #cameMs = new Map<string, number>();
  /** Name of a deployment → ends its reconcile. */
  readonly #ends = new Map<string, AbortController>();
  /** Uid of a deployment → until when writes that another process has sent for it may be executed. */
  readonly #formerUntilMs = new Map<string, number>();

  constructor(options: HandOverOptions) {
    this.#options = options;
    if (!options.shards.isWhole) options.deployments.subscribe((change) => this.#observe(change));
  }

  /** This process begins to work, and no other one that did writes any more: it may have ended without an answer to its last writes. */
  start(): void {
    const { deployments, executedWithinMs, steady } = this.#options;
    const untilMs = steady.now() + executedWithinMs;
    for (const { metadata } of deployments.values()) this.#formerUntilMs.set(metadata.uid ?? '', untilMs);
  }

  #observe({ before, after }: CacheChange<KubeObject>): void {
    const { shards, steady, handOverMs, executedWithinMs } = this.#options;
    const name = (after ?? before)?.metadata.name ?? '';
    if (after === undefined || !shards.hasDeployment(after)) {
      this.#cameMs.delete(name);
      if (after !== undefined) this.#end(name);
    } else if (before !== undefined && !shards.hasDeployment(before)) {
      this.#cameMs.set(name, steady.now());
      this.#formerUntilMs.set(after.metadata.uid ?? '', steady.now() + handOverMs + executedWithinMs);
    }
  }

  #end(name: string): void {
    const text = `BundleDeployment "${name}" is in another shard now`;
    this.#ends.get(name)?.abort(new WaitingError('Moved', text, { afterMs: 0 }));
    this.#ends.delete(name);
  }

  /** Begins a reconcile of a deployment of this shard: the signal ends it when the deployment leaves. Undefined without shards.
   *  @throws WaitingError HandOver while the former shard may still write */
  begin(name: string): AbortSignal | undefined {
    const { shards, steady, handOverMs } = this.#options;
    if (shards.isWhole) return undefined;
    const leftMs = (this.#cameMs.get(name) ?? Number.NEGATIVE_INFINITY) + handOverMs - steady.now();
    if (leftMs > 0) {
      const text = `BundleDeployment "${name}" was in another shard, whose process may still write for it`;
      throw new WaitingError('HandOver', text, { afterMs: leftMs });
    }
    this.#cameMs.delete(name);
    const end = new AbortController();
    this.#ends.set(name, end);
    return end.signal;
  }

  /** What was released for a deployment is its own again by a write of a former process that is executed later, and would be deleted with it then.
   *  @throws WaitingError Removing while such a write may be executed */
  assertAllExecuted({ metadata: { uid = '' } }: KubeObject): void {
    const leftMs = (this.#formerUntilMs.get(uid) ?? Number.NEGATIVE_INFINITY) - this.#options.steady.now();
    if (leftMs <= 0) {
      this.#formerUntilMs.delete(uid);
      return;
    }
    const text =
      'waiting for a minute: the API server may still execute writes of another process, which installed objects before this one';
    throw new WaitingError('Removing', text, { afterMs: leftMs });
  }

  /** The deployment is not for this process, or does not exist. */
  forget(name: string): void {
    this.#ends.delete(name);
  }
}
