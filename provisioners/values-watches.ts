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
  readonly stop: AbortController;
}

/** Whose objects are watched, and as whom. */
export interface ValuesWatch {
  readonly deployment: string;
  readonly refs: readonly ObjectRef[];
  readonly kube: KubeClient;
  /** Names whom `kube` acts as. */
  readonly actor: string;
}

/** Watches the ConfigMaps and Secrets with values for charts, each by itself and only while a deployment refers to it. */
export class ValuesWatches {
  readonly #options: Options;
  readonly #watched = new Map<string, Watched>();
  readonly #keys = new Map<string, readonly string[]>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** The deployment refers to these objects from now on, and to no others. */
  follow({ deployment, refs, kube, actor }: ValuesWatch): void {
    const desired = new Map(refs.map((ref) => [`${actor} ${refKey(ref)}`, ref]));
    for (const key of this.#keys.get(deployment) ?? []) if (!desired.has(key)) this.#leave(key, deployment);
    for (const [key, ref] of desired) this.#join(key, { ref, kube, deployment });
    if (desired.size > 0) this.#keys.set(deployment, [...desired.keys()]);
    else this.#keys.delete(deployment);
  }

  forget(deployment: string): void {
    for (const key of this.#keys.get(deployment) ?? []) this.#leave(key, deployment);
    this.#keys.delete(deployment);
  }

  #join(key: string, { ref, kube, deployment }: { ref: ObjectRef; kube: KubeClient; deployment: string }): void {
    const before = this.#watched.get(key);
    if (before !== undefined) {
      before.deployments.add(deployment);
      return;
    }
    const watched: Watched = { deployments: new Set([deployment]), stop: new AbortController() };
    this.#watched.set(key, watched);
    void this.#watch(watched, ref, kube);
  }

  #leave(key: string, deployment: string): void {
    const watched = this.#watched.get(key);
    watched?.deployments.delete(deployment);
    if (watched === undefined || watched.deployments.size > 0) return;
    watched.stop.abort();
    this.#watched.delete(key);
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
