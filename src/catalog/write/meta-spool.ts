import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decodeJson, isJsonObject, type JsonObject } from '../../base/index.ts';
import type { Meta } from '../meta.ts';
import { canonicalMeta } from './canonical.ts';

const flushBytes = 1024 * 1024;

/** Where a document stands in the order of a catalog. */
interface Spooled extends MetaNames {
  readonly rank: number;
  /** Orders what has one rank. */
  readonly key: string;
  readonly offset: number;
  readonly sizeBytes: number;
}

/** What a document is about. */
interface MetaNames {
  readonly schema: string;
  /** '' for what has none; that of an `olm.package` is its name. */
  readonly package: string;
  readonly name: string;
}

/** A document on its way out. */
export interface OrderedMeta extends MetaNames {
  /** Keys are sorted. */
  readonly value: JsonObject;
}

/** @see docs/spec/catalogs.md#writing */
function positionOf({ schema, name }: Meta): Pick<Spooled, 'rank' | 'key'> {
  if (schema === 'olm.package') return { rank: 0, key: '' };
  if (schema === 'olm.channel') return { rank: 1, key: name };
  if (schema === 'olm.bundle') return { rank: 2, key: name };
  if (schema === 'olm.deprecations') return { rank: 4, key: '' };
  return { rank: 3, key: schema };
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** What has no package comes last; what is the same in every respect stays in the order in which it came. */
function compare(a: Spooled, b: Spooled): number {
  if (a.package !== b.package) {
    if (a.package === '' || b.package === '') return a.package === '' ? 1 : -1;
    return compareTexts(a.package, b.package);
  }
  return a.rank - b.rank || compareTexts(a.key, b.key);
}

/** Puts the documents of a catalog in order without holding them in memory: they wait in a temporary file. */
export class MetaSpool implements AsyncDisposable {
  readonly #dir: string;
  readonly #file: FileHandle;
  readonly #spooled: Spooled[] = [];
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #endOffset = 0;

  private constructor(dir: string, file: FileHandle) {
    this.#dir = dir;
    this.#file = file;
  }

  static async create(): Promise<MetaSpool> {
    const dir = await mkdtemp(path.join(tmpdir(), 'longshore-catalog-'));
    return new MetaSpool(dir, await open(path.join(dir, 'documents'), 'wx+', 0o600));
  }

  async add(meta: Meta): Promise<void> {
    const bytes = Buffer.from(canonicalMeta(meta));
    const { schema, name } = meta;
    const names = { schema, name, package: schema === 'olm.package' ? name : meta.package };
    this.#spooled.push({ ...names, ...positionOf(meta), offset: this.#endOffset, sizeBytes: bytes.length });
    this.#endOffset += bytes.length;
    this.#pieces.push(bytes);
    this.#pieceBytes += bytes.length;
    if (this.#pieceBytes >= flushBytes) await this.#flush();
  }

  /** All that was added, in the order of a catalog. */
  async *inOrder(): AsyncGenerator<OrderedMeta> {
    await this.#flush();
    for (const { schema, package: packageName, name, offset, sizeBytes } of this.#spooled.toSorted(compare)) {
      const buffer = Buffer.allocUnsafe(sizeBytes);
      await this.#readFully(buffer, offset);
      const value = decodeJson(buffer.toString());
      if (isJsonObject(value)) yield { schema, package: packageName, name, value };
    }
  }

  async #readFully(buffer: Buffer, offset: number): Promise<void> {
    for (let done = 0; done < buffer.length; ) {
      const { bytesRead } = await this.#file.read(buffer, done, buffer.length - done, offset + done);
      if (bytesRead === 0) throw new Error('the temporary file of a catalog is shorter than what was written to it');
      done += bytesRead;
    }
  }

  async #flush(): Promise<void> {
    if (this.#pieces.length > 0) await this.#file.appendFile(Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#pieceBytes = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
    await rm(this.#dir, { recursive: true, force: true });
  }
}
