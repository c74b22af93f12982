import { isJsonObject, type JsonObject, TerminalError } from '../base/index.ts';
import type { KubeObject } from './kube-object.ts';
import type { Sendable } from './sender.ts';

/** How a page is asked for. */
interface PageRequest {
  readonly limit: number;
  /** Where the page before has ended. */
  readonly next: string | undefined;
  /** Of the answer; empty for the largest one that is read at all. */
  readonly limits: Pick<Sendable, 'maxBodyBytes' | 'maxBodyValues'>;
}

/** Of a page: it is in memory as text and as objects, and is parsed at once. A single object may be as large as any answer. */
const pageLimits = { maxBodyBytes: 8 * 1024 * 1024, maxBodyValues: 500_000 };
const tooLarge: ReadonlySet<string> = new Set(['BodyTooLarge', 'TooManyValues']);
/** How many times fewer objects a page has after one that was too large. */
const smallerPages = 8;

/** Asks for fewer objects where they are too large together. */
async function askFewer(
  ask: (page: PageRequest) => Promise<JsonObject>,
  { pageSize, next }: { readonly pageSize: number; readonly next: string | undefined },
): Promise<{ readonly body: JsonObject; readonly limit: number }> {
  for (let limit = pageSize; ; limit = Math.max(1, Math.floor(limit / smallerPages))) {
    try {
      return { body: await ask({ limit, next, limits: limit === 1 ? {} : pageLimits }), limit };
    } catch (thrown) {
      const isTooLarge = thrown instanceof TerminalError && tooLarge.has(thrown.reason);
      if (!isTooLarge || limit === 1) throw thrown;
    }
  }
}

/** The pages of a list, one in memory at a time: at most `pageSize` objects, and fewer where they are large. */
export async function* readPages(
  pageSize: number,
  ask: (page: PageRequest) => Promise<JsonObject>,
): AsyncGenerator<{ readonly resourceVersion: string; readonly items: readonly KubeObject[] }> {
  let limit = pageSize;
  let next: string | undefined;
  do {
    const page = await askFewer(ask, { pageSize: limit, next });
    // A few large objects do not make many pages of all that follow.
    limit = Math.min(pageSize, page.limit * 2);
    const { body } = page;
    const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
    const { resourceVersion, continue: rest } = metadata as { resourceVersion?: string; continue?: string };
    yield { resourceVersion: resourceVersion ?? '', items: (body['items'] ?? []) as unknown as KubeObject[] };
    next = rest === '' ? undefined : rest;
  } while (next !== undefined);
}
