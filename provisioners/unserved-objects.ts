import type { KubeObject } from '../src/kube/index.ts';

const quietMs = 30_000;

/** Bundles and BundleDeployments of a class that this process does not serve, and since when no other provisioner has touched them. */
export class Unserved {
  readonly #since = new Map<string, { readonly what: string; readonly ms: number }>();

  /** How long another provisioner still has to come; the first call for a generation starts its time. */
  remainingMs({ kind, metadata }: KubeObject, nowMs: number): number {
    const [key, what] = [`${kind}/${metadata.name}`, `${metadata.uid}/${metadata.generation}`];
    let since = this.#since.get(key);
    if (since?.what !== what) {
      since = { what, ms: nowMs };
      this.#since.set(key, since);
    }
    return Math.max(0, since.ms + quietMs - nowMs);
  }

  /** The object is served, or was deleted. */
  forget(kind: string, name: string): void {
    this.#since.delete(`${kind}/${name}`);
  }
}
