import { createHash } from 'node:crypto';
import type { JsonValue } from '../../src/base/index.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import type { ApiGroup, GroupVersion } from './groups.ts';

/** SHA-512 in the upper-case hexadecimal that Kubernetes uses for tags. */
export function digestOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}

/** An answer that clients may keep and ask for again by its tag. */
export function withTag(
  exchange: Exchange,
  text: string,
  head: { contentType: string; headers?: Record<string, string> },
): Reply {
  const etag = `"${digestOf(text)}"`;
  const headers = { etag, vary: 'Accept', 'cache-control': 'public', ...head.headers };
  if (exchange.header('if-none-match') === etag) return { code: 304, headers };
  return { code: 200, contentType: head.contentType, body: text, headers };
}

/** Texts of one edition of the registry, made when they are first asked for. */
export class Edition {
  readonly number: number;
  readonly groups: readonly ApiGroup[];
  readonly #texts = new Map<string, string>();

  constructor(number: number, groups: readonly ApiGroup[]) {
    this.number = number;
    this.groups = groups;
  }

  text(key: string, make: () => JsonValue): string {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = `${JSON.stringify(make())}\n`;
    this.#texts.set(key, text);
    return text;
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
