import { readdir, stat, utimes } from 'node:fs/promises';
import { isJsonObject, mapLimit, TransientError } from '../base/index.ts';
import { fileSizeBytes, removeFile } from './disk.ts';
import type { ParsedObjects } from './parsed-objects.ts';
import type { ContentRecord, Records } from './records.ts';

/** What was used more recently than this is still needed. */
const defaultRestMs = 10 * 60_000;
/** File systems round times. */
const maxClockErrorMs = 60_000;
/** How old a count of what is on disk may be: other threads add to it. */
const countLifetimeMs = 5_000;
/** Counting many contents takes long: where there is much room, it is to be this small a part of the time. */
const maxCountingShare = 1 / 50;
/** So much of the budget is much room. */
const roomyShare = 1 / 4;
const countedAtATime = 16;
/** Their content can be fetched again by the pin of the record. */
const refetchableTypes: ReadonlySet<string> = new Set(['image', 'git', 'http']);

export interface BudgetOptions {
  /** Of the store. */
  readonly dir: string;
  /** Of contents and uploads together. */
  readonly maxBytes: number;
  /** What was used within this time is never evicted. Default 10 minutes. */
  readonly restMs?: number | undefined;
  readonly onEvicted?: ((evicted: { readonly sizeBytes: number }) => void) | undefined;
}

/** What a store has on disk. */
export interface StoreUsage {
  readonly contentCount: number;
  readonly contentBytes: number;
  readonly uploadCount: number;
  readonly uploadBytes: number;
}

interface StoredFiles {
  readonly records: Records;
  readonly parsed: ParsedObjects;
}

interface Candidate {
  readonly digest: string;
  readonly records: readonly ContentRecord[];
  readonly usedMs: number;
}

function isRefetchable({ facts, storedAt }: ContentRecord): boolean {
  if (storedAt !== undefined) return true;
  const source = facts['resolvedSource'];
  return isJsonObject(source) && typeof source['type'] === 'string' && refetchableTypes.has(source['type']);
}

async function folderSize(folder: string): Promise<{ count: number; bytes: number }> {
  const names = await readdir(folder).catch(() => []);
  let bytes = 0;
  await mapLimit(names, countedAtATime, async (name) => {
    const sizeBytes = await fileSizeBytes(`${folder}/${name}`);
    bytes += sizeBytes ?? 0;
  });
  return { count: names.length, bytes };
}

/** Keeps contents and uploads within a number of bytes: evicts the least recently used first, and only what can be fetched again
 *  and is not needed now. Contents that are being read stay readable to the end. */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #records: Records;
  readonly #parsed: ParsedObjects;
  #counted = { totalBytes: 0, untilMs: Number.NEGATIVE_INFINITY };

  constructor(options: BudgetOptions, { records, parsed }: StoredFiles) {
    this.#options = options;
    this.#records = records;
    this.#parsed = parsed;
  }

  /** Counted on the disk. */
  async usage(): Promise<StoreUsage> {
    const [contents, parsed, uploads] = await Promise.all([
      folderSize(`${this.#options.dir}/blobs/sha256`),
      folderSize(`${this.#options.dir}/parsed`),
      folderSize(`${this.#options.dir}/uploads`),
    ]);
    return {
      contentCount: contents.count,
      contentBytes: contents.bytes + parsed.bytes,
      uploadCount: uploads.count,
      uploadBytes: uploads.bytes,
    };
  }

  /** The content of a Bundle is used now. */
  async touch(name: string): Promise<void> {
    const now = new Date();
    await utimes(`${this.#options.dir}/records/${name}.json`, now, now).catch(() => undefined);
  }

  /** Evicts until `sizeBytes` more fit. Only while the store is locked.
   *  @throws TransientError StoreFull */
  async makeRoom(sizeBytes: number): Promise<void> {
    const { maxBytes } = this.#options;
    if ((await this.#total()) + sizeBytes > maxBytes) {
      await this.#count();
      await this.#evict(this.#counted.totalBytes + sizeBytes - maxBytes);
    }
    if (this.#counted.totalBytes + sizeBytes > maxBytes) {
      const text = `the content store is full: ${this.#counted.totalBytes} of its ${maxBytes} bytes are in use or cannot be fetched again, and ${sizeBytes} more are needed; delete Bundles or increase --content-store-size`;
      throw new TransientError('StoreFull', text);
    }
    this.#counted = { ...this.#counted, totalBytes: this.#counted.totalBytes + sizeBytes };
  }

  /** Adds what can be left out as well: evicts nothing for it. Only while the store is locked. */
  async addIfRoom(sizeBytes: number): Promise<boolean> {
    const totalBytes = (await this.#total()) + sizeBytes;
    if (totalBytes > this.#options.maxBytes) return false;
    this.#counted = { ...this.#counted, totalBytes };
    return true;
  }

  async #total(): Promise<number> {
    if (performance.now() > this.#counted.untilMs) await this.#count();
    return this.#counted.totalBytes;
  }

  async #count(): Promise<void> {
    const { maxBytes } = this.#options;
    const startedMs = performance.now();
    const { contentBytes, uploadBytes } = await this.usage();
    const totalBytes = contentBytes + uploadBytes;
    const nowMs = performance.now();
    const isRoomy = maxBytes - totalBytes > maxBytes * roomyShare;
    const lifetimeMs = isRoomy ? (nowMs - startedMs) / maxCountingShare : 0;
    this.#counted = { totalBytes, untilMs: nowMs + Math.max(countLifetimeMs, lifetimeMs) };
  }

  async #evict(neededBytes: number): Promise<void> {
    let left = neededBytes;
    for (const candidate of await this.#candidates()) {
      if (left <= 0) return;
      left -= await this.#evictOne(candidate);
    }
  }

  async #candidates(): Promise<Candidate[]> {
    const nowMs = Date.now();
    const oldestNeededMs = nowMs - (this.#options.restMs ?? defaultRestMs);
    const found: Candidate[] = [];
    for (const [digest, records] of Map.groupBy(await this.#records.all(), (record) => record.digest)) {
      if (!records.every(isRefetchable) || records.every(({ isEvicted }) => isEvicted === true)) continue;
      const usedMs = Math.max(...(await Promise.all(records.map(({ name }) => this.#usedMs(name)))));
      // What was used in the future was used before the clock was set back.
      const isFuture = usedMs > nowMs + maxClockErrorMs;
      if (usedMs <= oldestNeededMs || isFuture) found.push({ digest, records, usedMs });
    }
    return found.sort((a, b) => a.usedMs - b.usedMs);
  }

  async #usedMs(name: string): Promise<number> {
    return await stat(`${this.#options.dir}/records/${name}.json`).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  }

  /** Updates the records first, then removes the files: a kill in between leaves an unused blob for the sweep. */
  async #evictOne({ digest, records }: Candidate): Promise<number> {
    const { dir, onEvicted } = this.#options;
    const blobPath = `${dir}/blobs/sha256/${digest.slice('sha256:'.length)}.tgz`;
    const sizeBytes = ((await fileSizeBytes(blobPath)) ?? 0) + (await this.#parsed.sizeBytes(digest));
    for (const record of records) {
      await this.#records.write({ ...record, isEvicted: true });
      await removeFile(`${dir}/${record.name}.tgz`);
    }
    await removeFile(blobPath);
    await this.#parsed.remove(digest);
    this.#counted = { ...this.#counted, totalBytes: this.#counted.totalBytes - sizeBytes };
    onEvicted?.({ sizeBytes });
    return sizeBytes;
  }
}
