import { isNotFound, type KubeClient, NoKindMatch, type ObjectRef, refKey } from '../kube/index.ts';
import { healthLine, healthOf } from './health/index.ts';

interface Judged {
  readonly resourceVersion: string;
  readonly line: string | undefined;
}

/** Reads the health of installed objects, each only when it is another version than the one that was judged. */
export class HealthReader {
  readonly #kube: KubeClient;
  readonly #judged = new Map<string, Judged>();

  constructor(kube: KubeClient) {
    this.#kube = kube;
  }

  forget(key: string): void {
    this.#judged.delete(key);
  }

  /** What is to be said of the object, undefined when it is healthy or gone (which is drift, put right and told on its own).
   *  `seenVersion` is the newest version that a watch has seen, undefined before it has seen the object. */
  async lineOf(ref: ObjectRef, seenVersion: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const key = refKey(ref);
    const before = this.#judged.get(key);
    if (before !== undefined && before.resourceVersion === seenVersion) return before.line;
    try {
      const object = await this.#kube.get(ref, { signal });
      const health = healthOf(object);
      const line = health.state === 'Current' ? undefined : healthLine(ref, health);
      this.#judged.set(key, { resourceVersion: object.metadata.resourceVersion ?? '', line });
      return line;
    } catch (thrown) {
      if (!isNotFound(thrown) && !(thrown instanceof NoKindMatch)) throw thrown;
      this.#judged.delete(key);
      return undefined;
    }
  }
}
