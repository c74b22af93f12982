import { Parser, type ReadEntry } from 'tar';
import { errorMessage, FairTurns, TerminalError, trimEnd } from '../base/index.ts';
import { decompress, isCodecError, PlainTarCheck } from './decompress.ts';
import { quoteEntry } from './quote-entry.ts';
import type { LayerWriter, Staging } from './staging.ts';

const whiteoutPrefix = '.wh.';
const fileTypes: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile']);
/** A record of PAX, before the entry that it is of, by which GNU tar marks a sparse file: what is stored of it is not its content. */
const sparseRecord = /^\d{1,9} GNU\.sparse\./m;
const opaqueWhiteout = '.wh..wh..opq';

export interface ArchiveOptions {
  /** Names the archive in messages, for instance `layer sha256:…`. */
  readonly what: string;
  /** Whether `.wh.` names hide what earlier layers brought, as in image layers. */
  readonly hasWhiteouts: boolean;
  /** Whether the entry of this path is taken, or what a whiteout hides; everything when absent. Other entries are skipped, of any kind. */
  readonly takes?: ((path: readonly string[]) => boolean) | undefined;
  readonly signal: AbortSignal;
}

/** Takes what lies in `directory`, and what stands on the way to it. */
export function takesDirectory(directory: readonly string[]): (path: readonly string[]) => boolean {
  return (path) => {
    // The part that adds it reports what is wrong with it.
    if (path.includes('..')) return true;
    const depth = Math.min(path.length, directory.length);
    return directory.slice(0, depth).every((segment, at) => segment === path[at]);
  };
}

/** Adds a tar archive (plain, gzip or zstd) to the staging area, streaming; limits hold while it streams.
 *  Errors of the source itself pass unchanged.
 *  @throws TerminalError InvalidArchive, UnsafePath, PathTooLong, PathThroughLink, LinkLeavesRoot, UnsupportedEntry, TooManyEntries,
 *  UnpackedTooLarge, naming archive and entry */
export async function extractArchive(
  source: AsyncIterable<Buffer>,
  staging: Staging,
  options: ArchiveOptions,
): Promise<void> {
  const extraction = new Extraction(staging, options);
  try {
    const { windowBytes } = staging.limits;
    await decompress(source, (chunks) => extraction.consume(chunks), { ...options, windowBytes });
  } catch (thrown) {
    options.signal.throwIfAborted();
    if (!isCodecError(thrown)) throw thrown;
    throw new TerminalError('InvalidArchive', `${options.what}: cannot be decompressed: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
}

/** Of an archive at a time: as many entries as fit take a few milliseconds. */
const stepBytes = 64 * 1024;

/** Of all archives that a thread reads. */
const turns = new FairTurns();

/** Of a tar: contents are padded to a multiple of it. */
const blockBytes = 512;

/** The parser works synchronously on each piece, so it is a plain function from pieces to entries; the first failure stops it. */
class Extraction {
  readonly #staging: Staging;
  readonly #options: ArchiveOptions;
  readonly #layer: LayerWriter;
  #failure: unknown;
  #entryCount = 0;
  #hasEnded = false;
  #sizeBytes = 0;
  #current: ReadEntry | undefined;
  #isSparse = false;

  constructor(staging: Staging, options: ArchiveOptions) {
    this.#staging = staging;
    this.#options = options;
    this.#layer = staging.beginLayer(options.what);
  }

  async consume(chunks: AsyncIterable<Buffer>): Promise<void> {
    const parser = this.#createParser();
    const plain = new PlainTarCheck();
    const inTurn = turns.begin();
    for await (const chunk of chunks) {
      plain.see(this.#options.what, chunk);
      this.#count(chunk.length);
      // What follows the end is padding; the parser would gather all of it in memory.
      for (let at = 0; at < chunk.length && !this.#hasEnded; at += stepBytes) {
        await inTurn(() => parser.write(chunk.subarray(at, at + stepBytes)));
        this.#throwFailure();
      }
      await this.#layer.relieve();
    }
    if (!this.#hasEnded) this.#pad(parser);
    parser.end();
    this.#throwFailure();
  }

  /** An archive may end with the last byte of its last file, as Go reads it: only then the rest of the block is filled, and an end added. */
  #pad(parser: Parser): void {
    const missingBytes = (blockBytes - (this.#sizeBytes % blockBytes)) % blockBytes;
    if (missingBytes === 0) return;
    const { blockRemain = 0, startBlockSize = 0, size = 0 } = this.#current ?? {};
    if (blockRemain === 0) throw this.#invalid('it ends in the middle of a header');
    const isLastBlock = blockRemain >= missingBytes && blockRemain < missingBytes + blockBytes;
    if (isLastBlock && missingBytes <= startBlockSize - size) parser.write(Buffer.alloc(missingBytes + 2 * blockBytes));
  }

  #count(sizeBytes: number): void {
    this.#sizeBytes += sizeBytes;
    try {
      this.#staging.countStreamed(sizeBytes);
    } catch (thrown) {
      throw this.#named(thrown);
    }
  }

  #countRecords(characters: number): void {
    try {
      this.#staging.countRecords(characters);
    } catch (thrown) {
      this.#fail(this.#named(thrown));
    }
  }

  #createParser(): Parser {
    const parser = new Parser({ strict: true, zstd: false, brotli: false });
    parser.on('eof', () => {
      this.#hasEnded = true;
    });
    parser.on('error', (thrown: Error) =>
      this.#fail(this.#invalid(errorMessage(thrown).replace(/^TAR_[A-Z_]+: /, ''))),
    );
    parser.on('ignoredEntry', (entry: ReadEntry) => {
      if (!this.#isTaken(entry.path)) return;
      this.#fail(this.#invalid(`${quoteEntry(entry.path)}: type ${entry.type} or size ${entry.size} is not accepted`));
    });
    parser.on('meta', (records: string) => {
      if (this.#failure !== undefined) return;
      this.#isSparse ||= sparseRecord.test(records);
      this.#countRecords(records.length);
    });
    parser.on('entry', (entry: ReadEntry) => {
      this.#current = entry;
      try {
        if (this.#failure === undefined) this.#take(entry);
      } catch (thrown) {
        this.#fail(thrown);
      }
      entry.resume();
    });
    return parser;
  }

  #fail(thrown: unknown): void {
    this.#failure ??= thrown;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  #invalid(text: string): TerminalError {
    return new TerminalError('InvalidArchive', `${this.#options.what}: not a valid tar archive: ${text}`);
  }

  #named(thrown: unknown): unknown {
    if (!(thrown instanceof TerminalError)) return thrown;
    return new TerminalError(thrown.reason, `${this.#options.what}: ${thrown.message}`, { cause: thrown });
  }

  #isTaken(path: string): boolean {
    const { takes, hasWhiteouts } = this.#options;
    if (takes === undefined) return true;
    const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
    const name = segments.at(-1) ?? '';
    if (!hasWhiteouts || !name.startsWith(whiteoutPrefix)) return takes(segments);
    const parent = segments.slice(0, -1);
    return takes(name === opaqueWhiteout ? parent : [...parent, name.slice(whiteoutPrefix.length)]);
  }

  #take(entry: ReadEntry): void {
    this.#countEntry();
    const isSparse = this.#isSparse;
    this.#isSparse = false;
    if (!this.#isTaken(entry.path)) return;
    if (this.#options.hasWhiteouts && this.#takeWhiteout(entry.path)) return;
    if (isSparse) throw this.#sparse(entry);
    this.#add(entry);
  }

  #add(entry: ReadEntry): void {
    if (fileTypes.has(entry.type)) this.#takeFile(entry);
    else if (entry.type === 'Directory') this.#layer.addDirectory(entry.path);
    else if (entry.type === 'SymbolicLink') this.#layer.addLink(entry.path, entry.linkpath ?? '');
    else if (entry.type === 'Link') this.#layer.addHardLink(entry.path, entry.linkpath ?? '');
    else throw this.#unsupported(entry);
  }

  #countEntry(): void {
    this.#entryCount += 1;
    if (this.#entryCount > this.#staging.limits.entries) {
      const text = `${this.#options.what}: more than the limit of ${this.#staging.limits.entries} entries`;
      throw new TerminalError('TooManyEntries', text);
    }
  }

  #unsupported(entry: ReadEntry): TerminalError {
    const text = `${this.#options.what}: ${quoteEntry(entry.path)}: entries of type ${entry.type} are not accepted`;
    return new TerminalError('UnsupportedEntry', text);
  }

  #sparse({ path }: ReadEntry): TerminalError {
    const text = `${this.#options.what}: ${quoteEntry(path)}: sparse files are not accepted: write the archive without --sparse`;
    return new TerminalError('UnsupportedEntry', text);
  }

  #takeFile(entry: ReadEntry): void {
    const isExecutable = ((entry.mode ?? 0) & 0o111) !== 0;
    const push = this.#layer.addFile(entry.path, { sizeBytes: entry.size, isExecutable });
    entry.on('data', push);
  }

  #takeWhiteout(path: string): boolean {
    const trimmed = trimEnd(path, '/');
    const name = trimmed.slice(trimmed.lastIndexOf('/') + 1);
    if (!name.startsWith(whiteoutPrefix)) return false;
    const parent = trimmed.slice(0, trimmed.length - name.length);
    if (name === opaqueWhiteout) this.#layer.hideChildren(parent);
    else if (!name.startsWith('.wh..wh.')) this.#layer.hide(`${parent}${this.#hiddenName(path, name)}`);
    return true;
  }

  #hiddenName(path: string, name: string): string {
    const hidden = name.slice(whiteoutPrefix.length);
    if (hidden !== '' && hidden !== '.') return hidden;
    throw new TerminalError('UnsafePath', `${this.#options.what}: ${quoteEntry(path)}: hides nothing`);
  }
}
