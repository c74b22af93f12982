import type { Hash } from 'node:crypto';
import { Parser, type ReadEntry } from 'tar';
import { TerminalError } from '../base/index.ts';
import type { DirectoryEntry } from './directory.ts';

/** Reads one directory out of a canonical tar that streams by, hashing all of it; `visit` gets its entries in order.
 *  False when the archive has no such directory.
 *  @throws TerminalError FileTooLarge, and whatever `visit` throws */
export async function readTarDirectory(
  chunks: AsyncIterable<Buffer>,
  options: { readonly name: string; readonly maxFileBytes: number; readonly hash: Hash },
  visit: (entry: DirectoryEntry) => void,
): Promise<boolean> {
  const failures: unknown[] = [];
  let hasDirectory = false;
  const take = (entry: ReadEntry): void => {
    const path = entry.path.replace(/\/$/, '');
    if (path === options.name) hasDirectory = true;
    const name = path.startsWith(`${options.name}/`) ? path.slice(options.name.length + 1) : '';
    if (name === '' || name.includes('/')) return;
    if (entry.type === 'Directory') visit({ kind: 'directory', name });
    else takeFile(entry, name);
  };
  const takeFile = (entry: ReadEntry, name: string): void => {
    if (entry.size > options.maxFileBytes) {
      const text = `${entry.path}: ${entry.size} bytes, more than the limit of ${options.maxFileBytes} bytes`;
      throw new TerminalError('FileTooLarge', text);
    }
    const pieces: Buffer[] = [];
    entry.on('data', (piece: Buffer) => pieces.push(piece));
    entry.on('end', () => attempt(failures, () => visit({ kind: 'file', name, content: Buffer.concat(pieces) })));
  };
  const parser = new Parser({ strict: true, zstd: false, brotli: false });
  parser.on('error', (thrown: Error) => failures.push(thrown));
  parser.on('entry', (entry: ReadEntry) => {
    attempt(failures, () => take(entry));
    entry.resume();
  });
  for await (const chunk of chunks) {
    options.hash.update(chunk);
    parser.write(chunk);
    if (failures.length > 0) throw failures[0] as Error;
  }
  parser.end();
  if (failures.length > 0) throw failures[0] as Error;
  return hasDirectory;
}

function attempt(failures: unknown[], work: () => void): void {
  if (failures.length > 0) return;
  try {
    work();
  } catch (thrown) {
    failures.push(thrown);
  }
}
