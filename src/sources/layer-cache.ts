import { readdir, rename, stat, utimes } from 'node:fs/promises';
import { fileRoom, makeFolder, mapLimit, sha256Digest, TransientError } from '../base/index.ts';
import { type KeyedLocks, removeFile } from '../content/index.ts';
import type { Descriptor } from './descriptor.ts';
import { PartialBlob, verifyFile } from './partial-blob.ts';

const partialSuffix = '.partial';
/** Age from which unused parts of layers are evicted. */
const maxPartialAgeMs = 24 * 60 * 60_000;
/** A part that has grown lately belongs to a transfer that is under way, or may be continued soon. */
const activeMs = 15 * 60_000;
/** Parts of very many transfers are evicted nevertheless, the oldest first, where all together are so many times the limit. */
const activeTimes = 2;

/** The folder may hold tens of thousands of layers: it is looked through again when this part of the free room may have been filled, by one of several
 *  that work on it. */
const lookedThroughShare = 1 / 8;
/** Or after this, for what is stale. */
const maxUnseenMs = 60 * 60_000;
const statsAtATime = 16;
/** When there is too much, so much of the limit stays: a full cache is not looked through for each layer. */
const retainedShare = 0.9;

export interface LayerCacheOptions {
  readonly dir: string;
  /** Where each file counts as `fileRoom` has it. */
  readonly maxBytes: number;
  /** Shared by all that use `dir`, so that a layer is fetched once at a time. */
  readonly locks: KeyedLocks;
  /** Called for every requested layer: whether it was cached. */
  readonly onUse?: (isHit: boolean) => void;
}

/** Who asks for a layer. */
export interface LayerAccess {
  /** The registry: each has layers of its own in the cache. */
  readonly origin: string;
  /** Whether the registry lets the caller read the layer now; asked before a layer is taken from the cache. */
  readonly mayRead: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

interface CachedFile {
  readonly path: string;
  readonly roomBytes: number;
  readonly usedMs: number;
}

/** Compressed layers on disk by registry and digest, served to clients that the registry authorizes, and partial layers of interrupted transfers. Bounded: the least recently used are evicted first. */
export class LayerCache {
  readonly #options: LayerCacheOptions;
  /** How much may come before the folder is looked through, and until when it need not be. */
  #unseen = { leftBytes: 0, untilMs: 0 };

  constructor(options: LayerCacheOptions) {
    this.#options = options;
  }

  #path(origin: string, digest: string): string {
    const folder = sha256Digest(origin).slice('sha256:'.length, 'sha256:'.length + 16);
    return `${this.#options.dir}/${folder}-${digest.slice('sha256:'.length)}`;
  }

  /** The file of a layer; `fetch` is asked to complete and verify it when it is not there, or the registry does not let the caller read it. */
  async obtain(layer: Descriptor, access: LayerAccess, fetch: (part: PartialBlob) => Promise<void>): Promise<string> {
    const path = this.#path(access.origin, layer.digest);
    await using _ = await this.#options.locks.acquire(`layer ${path}`, access);
    if ((await this.#isWhole(path, layer, access.signal)) && (await access.mayRead())) {
      const now = new Date();
      await utimes(path, now, now);
      this.#options.onUse?.(true);
      return path;
    }
    this.#options.onUse?.(false);
    makeFolder(this.#options.dir, 0o700);
    const part = new PartialBlob(`${path}${partialSuffix}`, layer);
    try {
      await fetch(part);
      await this.#keep(part, path);
    } finally {
      await this.#makeRoom(path, fileRoom(layer.sizeBytes));
    }
    return path;
  }

  /** @throws TransientError TransferBroken if the part was evicted */
  async #keep(part: PartialBlob, path: string): Promise<void> {
    try {
      await rename(part.path, path);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
      const text = `layer ${part.descriptor.digest}: it made room for others while it was fetched`;
      throw new TransientError('TransferBroken', text, { cause: thrown });
    }
  }

  /** A power cut can damage a cached file, so it is verified before each use. */
  async #isWhole(path: string, layer: Descriptor, signal: AbortSignal): Promise<boolean> {
    try {
      await verifyFile(path, { what: path, blob: layer, signal });
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  async #files(): Promise<CachedFile[]> {
    const names = await readdir(this.#options.dir);
    return await mapLimit(names, statsAtATime, async (name) => {
      const path = `${this.#options.dir}/${name}`;
      const facts = await stat(path).catch(() => undefined);
      return { path, roomBytes: fileRoom(facts?.size ?? 0), usedMs: facts?.mtimeMs ?? 0 };
    });
  }

  async #makeRoom(retainedPath: string, addedBytes: number): Promise<void> {
    const leftBytes = this.#unseen.leftBytes - addedBytes;
    this.#unseen = { ...this.#unseen, leftBytes };
    if (leftBytes > 0 && performance.now() < this.#unseen.untilMs) return;
    // Layers that arrive meanwhile do not look through it as well.
    this.#noteUnseen(this.#options.maxBytes);
    try {
      const totalBytes = await this.#evict(retainedPath);
      this.#noteUnseen(this.#options.maxBytes - totalBytes);
    } catch (thrown) {
      this.#noteUnseen(0);
      throw thrown;
    }
  }

  #noteUnseen(roomBytes: number): void {
    this.#unseen = { leftBytes: roomBytes * lookedThroughShare, untilMs: performance.now() + maxUnseenMs };
  }

  /** How much stays. */
  async #evict(retainedPath: string): Promise<number> {
    const { maxBytes } = this.#options;
    const files = await this.#files();
    let totalBytes = files.reduce((sum, file) => sum + file.roomBytes, 0);
    const allowedBytes = totalBytes > maxBytes ? maxBytes * retainedShare : maxBytes;
    for (const file of files.sort((a, b) => a.usedMs - b.usedMs)) {
      // Of a time in the future too, which stays behind where the clock was set back.
      const ageMs = Math.abs(Date.now() - file.usedMs);
      const isPartial = file.path.endsWith(partialSuffix);
      const isStale = isPartial && ageMs > maxPartialAgeMs;
      const isActive = isPartial && ageMs < activeMs && totalBytes <= activeTimes * maxBytes;
      const isTooMuch = totalBytes > allowedBytes && !isActive;
      if (file.path === retainedPath || (!isStale && !isTooMuch)) continue;
      await removeFile(file.path);
      totalBytes -= file.roomBytes;
    }
    return totalBytes;
  }
}
