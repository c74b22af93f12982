import type { Hash } from 'node:crypto';
import { Parser, type ReadEntry } from 'tar';
import { TerminalError } from '../base/index.ts';
import type { DirectoryEntry } from './directory.ts';

/** Gets the entries of directories, in the order of names. */
export type DirectoryVisitor = (directory: string, entry: DirectoryEntry) => void;

/** Reads directories out of a canonical tar that streams by, hashing all of it; `visit` gets their entries in order. Returns which
 *  of the directories there are.
 *  @throws TerminalError FileTooLarge, and whatever `visit` throws */
export async function readTarDirectories(
  chunks: AsyncIterable<Buffer>,
  options: { readonly names: readonly string[]; readonly maxFileBytes: number; readonly hash: Hash },
  visit: DirectoryVisitor,
): Promise<ReadonlySet<string>> {
  const failures: unknown[] = [];
  const present = new Set<string>();
  const take = (entry: ReadEntry): void => {
    const path = entry.path.replace(/\/$/, '');
    if (options.names.includes(path)) present.add(path);
    const [directory = '', name = '', ...deeper] = path.split('/');
    if (name === '' || deeper.length > 0 || !options.names.includes(directory)) return;
    if (entry.type === 'Directory') visit(directory, { kind: 'directory', name });
    else takeFile(entry, directory, name);
  };
  const takeFile = (entry: ReadEntry, directory: string, name: string): void => {
    if (entry.size > options.maxFileBytes) {
      const text = `${entry.path}: ${entry.size} bytes, more than the limit of ${options.maxFileBytes} bytes`;
      throw new TerminalError('FileTooLarge', text);
    }
    const pieces: Buffer[] = [];
    entry.on('data', (piece: Buffer) => pieces.push(piece));
    entry.on('end', () =>
      attempt(failures, () => visit(directory, { kind: 'file', name, content: Buffer.concat(pieces) })),
    );
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
  return present;
}

function attempt(failures: unknown[], work: () => void): void {
  if (failures.length > 0) return;
  try {
    work();
  } catch (thrown) {
    failures.push(thrown);
  }
}
