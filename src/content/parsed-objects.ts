import { createHash, createHmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { decodeJson, isJsonObject, type JsonObject } from '../base/index.ts';
import { fileSizeBytes, pieceBytesOf, removeFile } from './disk.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Characters of keys and texts, and a few for every other value. Larger bundles are parsed each time. */
const maxParsedCharacters = 32 * 1024 * 1024;
/** A character takes two bytes at most, a value a few. */
const maxParsedBytes = 4 * maxParsedCharacters;
const charactersPerValue = 8;

function childrenOf(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value as readonly unknown[];
  return value instanceof Map ? value.entries() : Object.entries(value);
}

/** What is left of `room` after `value` was written; negative as soon as that is too little. Values that aliases share count each time. */
function roomAfter(room: number, value: unknown): number {
  let left = room - charactersPerValue;
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left;
  for (const child of childrenOf(value)) {
    left = roomAfter(left, child);
    if (left < 0) break;
  }
  return left;
}

/** What a bundle was parsed into, packed for the disk. */
export interface PackedObjects {
  /** Name of the format that parsed it: another one parses it again. */
  readonly format: string;
  readonly bytes: Buffer;
}

/** Packs what a bundle was parsed into; undefined if that is too large to be stored, or nothing. */
export async function packObjects(format: string, parsed: unknown): Promise<PackedObjects | undefined> {
  if (parsed === undefined || roomAfter(maxParsedCharacters, parsed) < 0) return undefined;
  return { format, bytes: await compress(serialize(parsed), fast) };
}

/** The digest of the bytes of a file. */
async function fileDigest(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const highWaterMark = pieceBytesOf((await fileSizeBytes(path)) ?? 0);
  for await (const piece of createReadStream(path, { highWaterMark, signal })) hash.update(piece as Buffer);
  return `sha256:${hash.digest('hex')}`;
}

/** Where content is stored, and what must have parsed it. */
export interface ParsedQuery {
  /** Of the content. */
  readonly digest: string;
  readonly archivePath: string;
  readonly format: string;
  readonly signal: AbortSignal;
}

/** What contents were parsed into, a file for each content: a line of JSON with the format, the digest of the archive and a message authentication
 *  code, then the objects. Parsing costs much more than reading these files, and nothing else depends on them: one that is missing, changed or of
 *  another process means that the content is parsed again. */
export class ParsedObjects {
  readonly #dir: string;
  readonly #temporaryPath: () => string;
  readonly #key: Uint8Array;

  /** @param key of the process: only objects that this process has written are read */
  constructor(dir: string, temporaryPath: () => string, key: Uint8Array) {
    this.#dir = dir;
    this.#temporaryPath = temporaryPath;
    this.#key = key;
  }

  /** Authenticates the objects together with what they were parsed from and by. */
  #codeOf(digest: string, { format, archive, bytes }: { format: string; archive: string; bytes: Uint8Array }): string {
    const hmac = createHmac('sha256', this.#key);
    return hmac
      .update(JSON.stringify([format, archive, digest]))
      .update(bytes)
      .digest('hex');
  }

  #path(digest: string): string {
    return `${this.#dir}/${digest.slice('sha256:'.length)}`;
  }

  /** On disk; 0 where there is none. */
  async sizeBytes(digest: string): Promise<number> {
    return (await fileSizeBytes(this.#path(digest))) ?? 0;
  }

  /** What the content was parsed into; undefined unless this process parsed it by this format, and neither that nor the archive has changed since. */
  async read({ digest, archivePath, format, signal }: ParsedQuery): Promise<unknown> {
    try {
      const file = await readFile(this.#path(digest), { signal });
      const end = file.indexOf('\n');
      const header = decodeJson(file.toString('utf8', 0, end));
      const bytes = file.subarray(end + 1);
      if (!isJsonObject(header) || header['format'] !== format) return undefined;
      const archive = await fileDigest(archivePath, signal);
      if (header['archive'] !== archive || header['code'] !== this.#codeOf(digest, { format, archive, bytes })) {
        return undefined;
      }
      return deserialize(await decompress(bytes, { maxOutputLength: maxParsedBytes })) as unknown;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /** @param archiveDigest of the bytes of the stored archive */
  async write(digest: string, { format, bytes }: PackedObjects, archiveDigest: string): Promise<void> {
    const code = this.#codeOf(digest, { format, archive: archiveDigest, bytes });
    const header: JsonObject = { format, archive: archiveDigest, code };
    const file = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), bytes]);
    const temporaryPath = this.#temporaryPath();
    try {
      // Of no use to another process, it need not last through a power cut.
      await writeFile(temporaryPath, file, { mode: 0o600 });
      await rename(temporaryPath, this.#path(digest));
    } finally {
      await removeFile(temporaryPath);
    }
  }

  async remove(digest: string): Promise<void> {
    await removeFile(this.#path(digest));
  }
}
