import { createHash } from 'node:crypto';
import type { JsonValue } from '../../src/base/index.ts';
import { inTurns, type Steps, Turns } from '../core/index.ts';
import type { Exchange, Reply } from '../http/index.ts';
import type { ApiGroup, GroupVersion } from './groups.ts';

/** SHA-512 in the upper-case hexadecimal that Kubernetes uses for tags. */
export function digestOf(text: string | Buffer): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}

/** An answer that clients may keep and ask for again by its tag. */
export function withTag(
  exchange: Exchange,
  body: string | Buffer,
  head: { contentType: string; headers?: Record<string, string> },
): Reply {
  const etag = `"${digestOf(body)}"`;
  const headers = { etag, vary: 'Accept', 'cache-control': 'public', ...head.headers };
  if (exchange.header('if-none-match') === etag) return { code: 304, headers };
  return { code: 200, contentType: head.contentType, body, headers };
}

const turns = new Turns();

/** The documents of one edition of the registry, created on first use. */
export class Edition {
  readonly number: number;
  readonly groups: readonly ApiGroup[];
  readonly sinceMs: number = Date.now();
  readonly #made = new Map<string, unknown>();

  constructor(number: number, groups: readonly ApiGroup[]) {
    this.number = number;
    this.groups = groups;
  }

  /** What `make` gives, made at the first call with this key. */
  once<T>(key: string, make: () => T): T {
    if (!this.#made.has(key)) this.#made.set(key, make());
    return this.#made.get(key) as T;
  }

  find<T>(key: string): T | undefined {
    return this.#made.get(key) as T | undefined;
  }

  /** What the steps give; others have their turn between them. */
  async work<T>(make: () => Steps<T>): Promise<T> {
    return await inTurns(make(), () => turns.take());
  }

  /** The same, done once for this key. Ask for one thing at a time. */
  async inTurns<T>(key: string, make: () => Steps<T>): Promise<T> {
    if (!this.#made.has(key)) this.#made.set(key, await this.work(make));
    return this.#made.get(key) as T;
  }

  text(key: string, make: () => JsonValue): string {
    return this.once(key, () => `${JSON.stringify(make())}\n`);
  }

  version(group: string, version: string): GroupVersion | undefined {
    return this.groups.find(({ name }) => name === group)?.versions.find((one) => one.version === version);
  }
}

/** What the answers are made from. */
export interface About {
  readonly exchange: Exchange;
  readonly edition: Edition;
  readonly kubernetesVersion: string;
}
