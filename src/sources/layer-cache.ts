import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { verifyStream } from '../base/index.ts';
import type { KeyedLocks } from '../content/index.ts';
import type { Descriptor } from './image-manifest.ts';

export interface LayerCacheOptions {
  readonly dir: string;
  /** Where layers are while they are fetched; on the same file system, and swept by its owner after a kill. */
  readonly temporaryDir: string;
  readonly maxBytes: number;
  /** Shared by all that use `dir`, so that a layer is fetched once at a time. */
  readonly locks: KeyedLocks;
}

/** Compressed layers on disk by digest. Bounded: what was not used for longest goes first. */
export class LayerCache {
  readonly #options: LayerCacheOptions;

  constructor(options: LayerCacheOptions) {
    this.#options = options;
  }

  #path(digest: string): string {
    return `${this.#options.dir}/${digest.slice('sha256:'.length)}`;
  }

  /** The file of a layer; `fetch` is asked for its verified bytes when it is not there. */
  async obtain(
    layer: Descriptor,
    options: { readonly signal: AbortSignal },
    fetch: (path: string) => Promise<void>,
  ): Promise<string> {
    const path = this.#path(layer.digest);
    await using _ = await this.#options.locks.acquire(`layer ${layer.digest}`, options);
    if (await this.#isWhole(path, layer, options.signal)) {
      const now = new Date();
      await utimes(path, now, now);
      return path;
    }
    await mkdir(this.#options.dir, { recursive: true, mode: 0o700 });
    const temporaryPath = `${this.#options.temporaryDir}/${randomUUID()}`;
    try {
      await fetch(temporaryPath);
      await rename(temporaryPath, path);
    } finally {
      await rm(temporaryPath, { force: true });
    }
    await this.#evict(path);
    return path;
  }

  /** A power cut can damage a cached file, so it is verified before each use. */
  async #isWhole(path: string, layer: Descriptor, signal: AbortSignal): Promise<boolean> {
    try {
      const check = verifyStream({ what: path, maxBytes: layer.sizeBytes, ...layer });
      check.resume();
      await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), check, { signal });
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  async #evict(keptPath: string): Promise<void> {
    const files = await Promise.all(
      (await readdir(this.#options.dir)).map(async (name) => {
        const path = `${this.#options.dir}/${name}`;
        const facts = await stat(path).catch(() => undefined);
        return { path, sizeBytes: facts?.size ?? 0, usedMs: facts?.mtimeMs ?? 0 };
      }),
    );
    let totalBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
    for (const file of files.sort((a, b) => a.usedMs - b.usedMs)) {
      if (totalBytes <= this.#options.maxBytes) return;
      if (file.path === keptPath) continue;
      await rm(file.path, { force: true });
      totalBytes -= file.sizeBytes;
    }
  }
}

/** Writes a stream to a new file, verified on the way. */
export async function saveVerified(
  source: NodeJS.ReadableStream,
  path: string,
  options: {
    readonly what: string;
    readonly layer: Descriptor;
    readonly maxBytes: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const check = verifyStream({
    what: options.what,
    maxBytes: options.maxBytes,
    digest: options.layer.digest,
    sizeBytes: options.layer.sizeBytes,
  });
  await pipeline(source, check, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: options.signal });
}
