import type { Clock, Logger } from '../src/base/index.ts';
import { createKindCache, type KubeClient, type ObjectRef, refKey } from '../src/kube/index.ts';

interface Options {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Must only enqueue. */
  readonly onDeployment: (name: string) => void;
}

interface Watched {
  readonly deployments: Set<string>;
  /** Whose account reads it; empty: none. */
  readonly tenant: string;
  readonly stop: AbortController;
}

interface Joining {
  readonly ref: ObjectRef;
  readonly kube: KubeClient;
  readonly deployment: string;
  readonly tenant: string;
}

/** Whose objects are watched, and as whom. */
export interface ValuesWatch {
  readonly deployment: string;
  readonly refs: readonly ObjectRef[];
  readonly kube: KubeClient;
  /** Names whom `kube` acts as. */
  readonly actor: string;
}

/** Each watch is a connection to the API server, of which anyone who may write BundleDeployments would have as many opened as they like: all together,
 *  and for the accounts of one namespace. */
const maxWatches = { all: 512, ofTenant: 128 };
/** After it the values of a deployment are read again that are not all watched. */
const pollMs = 5 * 60_000;

/** Watches the ConfigMaps and Secrets with values for charts, each by itself and only while a deployment refers to it. Deployments with more than can be
 *  watched read theirs again from time to time. */
export class ValuesWatches {
  readonly #options: Options;
  readonly #watched = new Map<string, Watched>();
  readonly #perTenant = new Map<string, number>();
  readonly #keys = new Map<string, readonly string[]>();
  readonly #polls = new Map<string, AbortController>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** The deployment refers to these objects from now on, and to no others. */
  follow({ deployment, refs, kube, actor }: ValuesWatch): void {
    const desired = new Map(refs.map((ref) => [`${actor} ${refKey(ref)}`, ref]));
    for (const key of this.#keys.get(deployment) ?? []) if (!desired.has(key)) this.#leave(key, deployment);
    const tenant = actor.slice(0, actor.indexOf('/'));
    const unwatched = [...desired].filter(([key, ref]) => !this.#join(key, { ref, kube, deployment, tenant }));
    if (desired.size > 0) this.#keys.set(deployment, [...desired.keys()]);
    else this.#keys.delete(deployment);
    if (unwatched.length > 0) this.#startPoll(deployment);
    else this.#endPoll(deployment);
  }

  forget(deployment: string): void {
    for (const key of this.#keys.get(deployment) ?? []) this.#leave(key, deployment);
    this.#keys.delete(deployment);
    this.#endPoll(deployment);
  }

  /** Whether there was room to watch it. */
  #join(key: string, { ref, kube, deployment, tenant }: Joining): boolean {
    const before = this.#watched.get(key);
    if (before !== undefined) {
      before.deployments.add(deployment);
      return true;
    }
    const count = this.#perTenant.get(tenant) ?? 0;
    if (this.#watched.size >= maxWatches.all || count >= maxWatches.ofTenant) return false;
    const watched: Watched = { deployments: new Set([deployment]), tenant, stop: new AbortController() };
    this.#watched.set(key, watched);
    this.#perTenant.set(tenant, count + 1);
    void this.#watch(watched, ref, kube);
    return true;
  }

  #leave(key: string, deployment: string): void {
    const watched = this.#watched.get(key);
    watched?.deployments.delete(deployment);
    if (watched === undefined || watched.deployments.size > 0) return;
    watched.stop.abort();
    this.#watched.delete(key);
    const left = (this.#perTenant.get(watched.tenant) ?? 1) - 1;
    if (left > 0) this.#perTenant.set(watched.tenant, left);
    else this.#perTenant.delete(watched.tenant);
  }

  #startPoll(deployment: string): void {
    if (this.#polls.has(deployment)) return;
    const stop = new AbortController();
    this.#polls.set(deployment, stop);
    void this.#poll(deployment, AbortSignal.any([this.#options.signal, stop.signal]));
  }

  #endPoll(deployment: string): void {
    this.#polls.get(deployment)?.abort();
    this.#polls.delete(deployment);
  }

  async #poll(deployment: string, signal: AbortSignal): Promise<void> {
    const { clock, onDeployment } = this.#options;
    try {
      for (;;) {
        await clock.sleep(pollMs, { signal });
        onDeployment(deployment);
      }
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }

  async #watch({ deployments, stop }: Watched, ref: ObjectRef, kube: KubeClient): Promise<void> {
    const { clock, log, onDeployment } = this.#options;
    const signal = AbortSignal.any([this.#options.signal, stop.signal]);
    const { apiVersion, kind, namespace, name } = ref;
    const fieldSelector = `metadata.name=${name}`;
    const target = { apiVersion, kind, namespace, fieldSelector, isMetadataOnly: true };
    const cache = createKindCache({ kube, target, clock, log, signal });
    const requeue = (): void => {
      for (const deployment of deployments) onDeployment(deployment);
    };
    try {
      await cache.whenSynced;
    } catch (err) {
      if (!signal.aborted) log.warn({ err, watchedKind: kind }, 'values are not watched');
      return;
    }
    // It may have changed since it was read.
    requeue();
    cache.subscribe(({ before, after }) => {
      if (before?.metadata.resourceVersion !== after?.metadata.resourceVersion) requeue();
    });
  }
}
