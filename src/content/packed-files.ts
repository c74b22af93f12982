import { gunzipSync, gzipSync } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { defaultContentLimits, errorMessage, TerminalError } from '../base/index.ts';
import { endOfArchive, header, padding } from './canonical-tar.ts';
import { isGzip, PlainTarCheck } from './decompress.ts';
import { parseEntryPath } from './entry-path.ts';
import { quoteEntry } from './quote-entry.ts';

/** A file of a small archive. */
export interface PackedFile {
  /** Below the root of the archive, without `.` and `..`. */
  readonly path: string;
  readonly content: Buffer;
}

/** What a small archive may hold. */
export interface PackedLimits {
  /** Of all files, uncompressed, with their headers. */
  readonly bytes: number;
  readonly entries: number;
}

/** What a small archive holds. */
export interface PackedFiles {
  readonly files: readonly PackedFile[];
  /** Uncompressed, with headers, what is left out, and what follows the end. */
  readonly sizeBytes: number;
  /** With what is left out. */
  readonly entryCount: number;
}

function uncompressed(what: string, bytes: Buffer, limits: PackedLimits): Buffer {
  const maxOutputLength = Math.max(1, limits.bytes);
  try {
    return isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength }) : bytes;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw thrown;
    const text = `${what}: unpacks to more than the limit of ${limits.bytes} bytes`;
    throw new TerminalError('UnpackedTooLarge', text, { cause: thrown });
  }
}

/** Collects files until something is wrong. */
class Collector {
  readonly files: PackedFile[] = [];
  fault: Error | undefined;
  entryCount = 0;
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  take(entry: ReadEntry): void {
    this.entryCount += 1;
    if (this.entryCount > this.#maxEntries) this.fault ??= new Error('more entries than the limit');
    const pieces: Buffer[] = [];
    const isFile = this.fault === undefined && (entry.type === 'File' || entry.type === 'OldFile');
    const path = isFile ? this.#pathOf(entry.path) : undefined;
    if (path !== undefined) entry.on('data', (piece: Buffer) => pieces.push(piece));
    if (path !== undefined) entry.on('end', () => this.files.push({ path, content: Buffer.concat(pieces) }));
    entry.resume();
  }

  /** Undefined for one that leads elsewhere. */
  #pathOf(name: string): string | undefined {
    try {
      return parseEntryPath(name, defaultContentLimits.pathBytes).join('/');
    } catch (thrown) {
      this.fault ??= new Error(`${quoteEntry(name)}: ${errorMessage(thrown)}`);
      return undefined;
    }
  }
}

/** The files of a gzip tar, or a tar, that is in memory; links and special files are left out, paths that lead out of it are refused. At once, so for small ones only.
 *  @throws TerminalError InvalidArchive, UnpackedTooLarge */
export function readPackedFiles(what: string, bytes: Buffer, limits: PackedLimits): PackedFiles {
  const collector = new Collector(limits.entries);
  try {
    const parser = new Parser({ strict: true, zstd: false, brotli: false });
    parser.on('error', (thrown: Error) => {
      collector.fault ??= thrown;
    });
    parser.on('entry', (entry: ReadEntry) => collector.take(entry));
    const tar = uncompressed(what, bytes, limits);
    new PlainTarCheck().see('its content', tar);
    parser.end(tar);
    if (collector.fault !== undefined) throw collector.fault;
    return { files: collector.files, sizeBytes: tar.length, entryCount: collector.entryCount };
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'UnpackedTooLarge') throw thrown;
    throw new TerminalError('InvalidArchive', `${what}: is no archive that can be read: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
}

/** Files as a gzip tar that every program reads alike. At once, so for small ones only; those that do not become smaller are stored, which takes a tenth of the time.
 *  @throws TerminalError UnsafePath */
export function packFiles(
  files: readonly Pick<PackedFile, 'path' | 'content'>[],
  { isCompressible }: { readonly isCompressible: boolean },
): Buffer {
  const pieces = files.flatMap(({ path, content }) => {
    const { length: sizeBytes } = content;
    return [header(path, { sizeBytes, isExecutable: false }), content, padding(sizeBytes)];
  });
  return gzipSync(Buffer.concat([...pieces, endOfArchive]), { level: isCompressible ? 1 : 0 });
}
