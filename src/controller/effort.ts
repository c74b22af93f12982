import type { KubeObject } from '../kube/index.ts';

/** Larger objects are not counted to their end. */
const maxValues = 100_000;
const counted = new WeakMap<KubeObject, number>();

function countValues(root: unknown): number {
  const pending: unknown[] = [root];
  let count = 0;
  for (let next = pending.pop(); next !== undefined && count < maxValues; next = pending.pop()) {
    for (const value of Object.values(next as object)) {
      count += 1;
      if (typeof value === 'object' && value !== null) pending.push(value);
    }
  }
  return count;
}

/** How many fields and items an object has: what a reconcile takes grows with them. 0 when there is none. Counted once for each state of an object. */
export function effortFor(object: KubeObject | undefined): number {
  if (object === undefined) return 0;
  const known = counted.get(object) ?? countValues(object);
  counted.set(object, known);
  return known;
}

/** In which half of what was spent is forgotten. */
const halfMs = 60_000;

interface Spent {
  readonly effort: number;
  readonly atMs: number;
}

/** How much effort was spent on each key lately. */
export class SpentEffort {
  readonly #spent = new Map<string, Spent>();

  of(key: string, nowMs: number): number {
    const { effort = 0, atMs = nowMs } = this.#spent.get(key) ?? {};
    return effort * 2 ** (-Math.max(0, nowMs - atMs) / halfMs);
  }

  add(key: string, effort: number, nowMs: number): void {
    this.#spent.set(key, { effort: this.of(key, nowMs) + effort, atMs: nowMs });
  }

  forget(key: string): void {
    this.#spent.delete(key);
  }
}
