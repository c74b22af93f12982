import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  allOf,
  breaksOff,
  failsTimes,
  type Intercept,
  ignoresRanges,
  liesAbout,
  liesAboutRanges,
  startRegistry,
  startWebServer,
} from '../../test/support/index.ts';
import { sha256Digest, systemClock } from '../base/index.ts';
import { createLocks } from '../content/index.ts';
import { fetchBlob } from './blob-transfer.ts';
import { createHttpClient } from './http-client.ts';
import { LayerCache } from './layer-cache.ts';
import { RateLimits } from './rate-limits.ts';
import { RegistryClient } from './registry-client.ts';

const content = randomBytes(300_000);
const layer = { digest: sha256Digest(content), sizeBytes: content.length };
/** As the cache names it: by registry and digest. */
const hex = `${sha256Digest('registry').slice(7, 23)}-${layer.digest.slice('sha256:'.length)}`;
const { signal } = new AbortController();

let dir: string;
beforeEach(() => {
  dir = `${tmpdir()}/blob-transfer-${randomUUID()}`;
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** The `range` headers of all requests for the blob. */
interface Fetch {
  readonly ranges: (string | undefined)[];
  readonly run: () => Promise<Buffer>;
}

async function withRegistry(
  intercept: Intercept,
  work: (fetch: Fetch) => Promise<void>,
  options: { readonly maxBytes?: number; readonly answerDeadlineMs?: number } = {},
): Promise<void> {
  const ranges: (string | undefined)[] = [];
  const watch: Intercept = (request) => {
    if (request.url?.includes('/blobs/') === true) ranges.push(request.headers.range);
    return false;
  };
  await using registry = await startRegistry({ intercept: allOf(watch, intercept) });
  registry.putBlob(content);
  using http = createHttpClient({ answerDeadlineMs: options.answerDeadlineMs ?? 30_000 });
  const client = new RegistryClient({
    http,
    clock: { ...systemClock, sleep: async () => undefined },
    registry: registry.host,
    repository: 'big',
    credentials: { credentials: undefined, note: 'there is none' },
    limits: new RateLimits(systemClock),
    insecureRegistries: [],
    signal,
  });
  const run = async (): Promise<Buffer> => {
    const cache = new LayerCache({ dir, maxBytes: options.maxBytes ?? 1e9, locks: createLocks() });
    return await readFile(
      await cache.obtain(layer, { origin: 'registry', mayRead: () => Promise.resolve(true), signal }, (part) =>
        fetchBlob(client, part, { what: 'the layer', signal }),
      ),
    );
  };
  await work({ ranges, run });
}

describe('a transfer that breaks off', () => {
  test('resumes', async () => {
    await withRegistry(breaksOff('/blobs/', { times: 2, sizeBytes: 100_000 }), async ({ ranges, run }) => {
      expect((await run()).equals(content)).toBe(true);
      expect(ranges).toEqual([undefined, 'bytes=100000-', 'bytes=200000-']);
      expect(await readdir(dir)).toEqual([hex]);
    });
  });

  test('resumes at the next fetch when the server stopped sending', async () => {
    const silent = breaksOff('/blobs/', { times: 1, sizeBytes: 100_000, isSilent: true });
    await withRegistry(
      silent,
      async ({ ranges, run }) => {
        await expect(run()).rejects.toMatchObject({ name: 'TransientError', reason: 'DeadlineExceeded' });
        expect(await readdir(dir)).toEqual([`${hex}.partial`]);
        expect((await run()).equals(content)).toBe(true);
        expect(ranges).toEqual([undefined, 'bytes=100000-']);
      },
      { answerDeadlineMs: 2_000 },
    );
  });

  test('restarts when the server serves only whole blobs', async () => {
    const intercept = allOf(breaksOff('/blobs/', { times: 1, sizeBytes: 100_000 }), ignoresRanges());
    await withRegistry(intercept, async ({ run }) => {
      expect((await run()).equals(content)).toBe(true);
    });
  });

  test.each(['bytes 0-99999/300000', 'bytes 100000-299999/400000', 'bytes 100000-200000/300000', 'lines 1-2/3'])(
    'restarts, in one piece, when the server sends %s',
    async (contentRange) => {
      const intercept = allOf(breaksOff('/blobs/', { times: 1, sizeBytes: 100_000 }), liesAboutRanges(contentRange));
      await withRegistry(intercept, async ({ ranges, run }) => {
        expect((await run()).equals(content)).toBe(true);
        expect(ranges).toEqual([undefined, 'bytes=100000-', undefined]);
      });
    },
  );

  test('restarts without ranges when the assembled blob has another digest', async () => {
    // The first answer is cut off, the second one, the rest, has other bytes.
    const intercept = allOf(breaksOff('/blobs/', { times: 1, sizeBytes: 100_000 }), (request, response) =>
      request.headers.range === undefined ? false : liesAbout('/blobs/', 1)(request, response),
    );
    await withRegistry(intercept, async ({ ranges, run }) => {
      expect((await run()).equals(content)).toBe(true);
      expect(ranges).toEqual([undefined, 'bytes=100000-', undefined]);
    });
  });

  test('is abandoned after some tries, and the received part stays', async () => {
    await withRegistry(breaksOff('/blobs/', { times: 99, sizeBytes: 10_000 }), async ({ ranges, run }) => {
      await expect(run()).rejects.toMatchObject({ name: 'TransientError', reason: 'TransferBroken' });
      expect(ranges).toEqual([undefined, 'bytes=10000-', 'bytes=20000-', 'bytes=30000-']);
      expect((await readFile(`${dir}/${hex}.partial`)).equals(content.subarray(0, 40_000))).toBe(true);
    });
  });
});

describe('what an earlier process left', () => {
  const left = async (bytes: Uint8Array): Promise<void> => {
    await mkdir(dir, { recursive: true });
    await writeFile(`${dir}/${hex}.partial`, bytes);
  };

  test('is completed', async () => {
    await left(content.subarray(0, 250_000));
    await withRegistry(failsTimes('/none/', 0, 500), async ({ ranges, run }) => {
      expect((await run()).equals(content)).toBe(true);
      expect(ranges).toEqual(['bytes=250000-']);
    });
  });

  test('is not fetched again when it is complete and the registry lets it be read', async () => {
    await left(content);
    const withoutGet: Intercept = ({ method }, response) => {
      if (method !== 'GET') return false;
      response.writeHead(500).end();
      return true;
    };
    await withRegistry(withoutGet, async ({ run }) => {
      expect((await run()).equals(content)).toBe(true);
    });
  });

  test.each([401, 403, 404])('is not used when it is complete and the registry answers %d', async (status) => {
    await left(content);
    const refuses: Intercept = ({ url }, response) => {
      if (url?.includes('/blobs/') !== true) return false;
      response.writeHead(status).end();
      return true;
    };
    await withRegistry(refuses, async ({ run }) => {
      await expect(run()).rejects.toThrow(`${status}`);
    });
  });

  const redirectsTo =
    (url: string): Intercept =>
    (request, response) => {
      if (request.url?.includes('/blobs/') !== true) return false;
      response.writeHead(302, { location: url }).end();
      return true;
    };

  test.each([
    { head: 200, get: 200 },
    { head: 401, get: 401 },
    { head: 404, get: 404 },
    { head: 403, get: 403 },
    { head: 405, get: 200 },
  ])('is not used when the registry redirects to a page that answers $head, and $get to GET', async ({ head, get }) => {
    await using pages = await startWebServer(({ method }, response) => {
      response.writeHead(method === 'HEAD' ? head : get).end('Please sign in');
    });
    await left(content);
    await withRegistry(redirectsTo(`${pages.url}/login`), async ({ run }) => {
      await expect(run()).rejects.toThrow();
    });
  });

  test('is not fetched again when the registry redirects to where it is stored, which refuses HEAD', async () => {
    const ranges: (string | undefined)[] = [];
    await using storage = await startWebServer(({ method, headers }, response) => {
      if (method === 'HEAD') return void response.writeHead(403).end();
      ranges.push(headers.range);
      const part = { 'content-range': `bytes 0-0/${content.length}`, 'content-length': 1 };
      response.writeHead(206, part).end(content.subarray(0, 1));
    });
    await left(content);
    await withRegistry(redirectsTo(`${storage.url}/signed`), async ({ run }) => {
      expect((await run()).equals(content)).toBe(true);
    });
    expect(ranges).toEqual(['bytes=0-0']);
  });

  test('is fetched again when it is complete and the registry does not support HEAD', async () => {
    await left(content);
    const withoutHead: Intercept = ({ method, url }, response) => {
      if (method !== 'HEAD' || url?.includes('/blobs/') !== true) return false;
      response.writeHead(405).end();
      return true;
    };
    await withRegistry(withoutHead, async ({ ranges, run }) => {
      expect((await run()).equals(content)).toBe(true);
      expect(ranges.at(-1)).toBeUndefined();
    });
  });

  test.each([
    { name: 'damaged', bytes: Buffer.alloc(250_000) },
    { name: 'damaged, though as long as the blob', bytes: Buffer.alloc(content.length) },
    { name: 'longer than the blob', bytes: Buffer.alloc(content.length + 1) },
  ])('is thrown away when it is $name', async ({ bytes }) => {
    await left(bytes);
    await withRegistry(failsTimes('/none/', 0, 500), async ({ ranges, run }) => {
      expect((await run()).equals(content)).toBe(true);
      expect(ranges.at(-1)).toBeUndefined();
    });
  });

  test('of other layers is evicted after a day', async () => {
    await left(content.subarray(0, 10));
    const old = `${dir}/${'0'.repeat(64)}.partial`;
    const young = `${dir}/${'1'.repeat(64)}.partial`;
    await writeFile(old, 'x');
    await writeFile(young, 'x');
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    await utimes(old, twoDaysAgo, twoDaysAgo);
    await withRegistry(failsTimes('/none/', 0, 500), async ({ run }) => {
      await run();
      expect((await readdir(dir)).sort()).toEqual([`${'1'.repeat(64)}.partial`, hex].sort());
    });
  });

  test('is evicted, oldest first, when it exceeds its budget', async () => {
    await left(content.subarray(0, 10));
    const hourAgo = new Date(Date.now() - 3_600_000);
    const part = `${dir}/${'2'.repeat(64)}.partial`;
    await writeFile(part, 'x'.repeat(1_000));
    await utimes(part, hourAgo, hourAgo);
    await withRegistry(
      failsTimes('/none/', 0, 500),
      async ({ run }) => {
        await run();
        expect(await readdir(dir)).toEqual([hex]);
      },
      { maxBytes: content.length + 500 },
    );
  });
});

describe('a server that lies', () => {
  test.each([
    {
      name: 'about the bytes',
      intercept: liesAbout('/blobs/', 99),
      message: `the layer: expected digest ${layer.digest}, got sha256:`,
    },
    {
      name: 'about the size, with a length',
      intercept: ((_, response) => {
        response.end(content.subarray(0, 1000));
        return true;
      }) satisfies Intercept,
      message: 'the layer: expected 300000 bytes, got 1000',
    },
    {
      name: 'about the size, without a length',
      intercept: ((_, response) => {
        response.write(content);
        response.end('more');
        return true;
      }) satisfies Intercept,
      message: 'the layer: expected 300000 bytes, got more',
    },
  ])('$name is believed nothing', async ({ intercept, message }) => {
    const blobsOnly: Intercept = (request, response) =>
      request.url?.includes('/blobs/') === true && intercept(request, response);
    await withRegistry(blobsOnly, async ({ run }) => {
      const thrown: unknown = await run().catch((error: unknown) => error);
      expect(thrown).toMatchObject({ name: 'TransientError' });
      expect((thrown as Error).message).toContain(message);
      expect(await readdir(dir)).toEqual([]);
    });
  });

  test('about the end, without a length, is asked for the rest', async () => {
    let count = 0;
    const intercept: Intercept = (request, response) => {
      if (request.url?.includes('/blobs/') !== true) return false;
      count += 1;
      if (count > 1) return false;
      response.write(content.subarray(0, 1000), () => response.end());
      return true;
    };
    await withRegistry(intercept, async ({ ranges, run }) => {
      expect((await run()).equals(content)).toBe(true);
      expect(ranges).toEqual([undefined, 'bytes=1000-']);
    });
  });
});
