import { Parser, type ReadEntry } from 'tar';
import { TerminalError } from '../base/index.ts';
import { decompress, PlainTarCheck } from './decompress.ts';

/** One entry of an archive. */
export interface ArchiveEntry {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  /** Permission bits. */
  readonly mode: number;
}

/** What an archive (tar; gzip, zstd or plain) holds, in its order, without keeping any content.
 *  @throws TerminalError InvalidArchive */
export async function listArchive(source: AsyncIterable<Buffer>, maxEntries: number): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  const failures: Error[] = [];
  const parser = new Parser({ strict: true, zstd: false, brotli: false });
  parser.on('error', (thrown: Error) => failures.push(thrown));
  parser.on('entry', (entry: ReadEntry) => {
    const kind = entry.type === 'File' ? 'file' : entry.type === 'Directory' ? 'directory' : 'other';
    entries.push({ path: entry.path, kind, sizeBytes: entry.size, mode: (entry.mode ?? 0) & 0o777 });
    entry.resume();
  });
  const read = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    const plain = new PlainTarCheck();
    for await (const chunk of chunks) {
      plain.see('archive', chunk);
      parser.write(chunk);
      if (entries.length > maxEntries) throw new TerminalError('TooManyEntries', `more than ${maxEntries} entries`);
      const [failure] = failures;
      if (failure !== undefined) throw new TerminalError('InvalidArchive', failure.message, { cause: failure });
    }
  };
  await decompress(source, read);
  parser.end();
  return entries;
}
