import { gunzipSync } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { defaultContentLimits, errorMessage, TerminalError } from '../base/index.ts';
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

function uncompressed(bytes: Buffer, { bytes: maxOutputLength }: PackedLimits): Buffer {
  return isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength }) : bytes;
}

/** Collects files until something is wrong. */
class Collector {
  readonly files: PackedFile[] = [];
  fault: Error | undefined;
  #left: number;

  constructor(entries: number) {
    this.#left = entries;
  }

  take(entry: ReadEntry): void {
    this.#left -= 1;
    if (this.#left < 0) this.fault ??= new Error('more entries than the limit');
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
 *  @throws TerminalError InvalidArchive */
export function readPackedFiles(what: string, bytes: Buffer, limits: PackedLimits): readonly PackedFile[] {
  const collector = new Collector(limits.entries);
  try {
    const parser = new Parser({ strict: true, zstd: false, brotli: false });
    parser.on('error', (thrown: Error) => {
      collector.fault ??= thrown;
    });
    parser.on('entry', (entry: ReadEntry) => collector.take(entry));
    const tar = uncompressed(bytes, limits);
    new PlainTarCheck().see('its content', tar);
    parser.end(tar);
    if (collector.fault !== undefined) throw collector.fault;
    return collector.files;
  } catch (thrown) {
    throw new TerminalError('InvalidArchive', `${what}: is no archive that can be read: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
}
