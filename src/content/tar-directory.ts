import type { Hash } from 'node:crypto';
import { Parser, type ReadEntry } from 'tar';
import { TerminalError } from '../base/index.ts';
import type { DirectoryEntry } from './directory.ts';

/** Gets the entries of directories, in the order of names. */
export type DirectoryVisitor = (directory: string, entry: DirectoryEntry) => void;

/** Directories by name; `all`: every file by its path, in the directory ''. */
export type DirectoryNames = readonly string[] | 'all';

/** The directory and the name in it by which an entry is asked for. */
function placeIn(names: DirectoryNames, path: string): readonly [directory: string, name: string] | undefined {
  if (names === 'all') return ['', path];
  const [directory = '', name = '', ...deeper] = path.split('/');
  return name === '' || deeper.length > 0 || !names.includes(directory) ? undefined : [directory, name];
}

/** Reads directories out of a canonical tar that streams by, hashing all of it; `visit` gets their entries in order. Returns which
 *  of the directories there are.
 *  @throws TerminalError FileTooLarge, and whatever `visit` throws */
export async function readTarDirectories(
  chunks: AsyncIterable<Buffer>,
  options: { readonly names: DirectoryNames; readonly maxFileBytes: number; readonly hash: Hash },
  visit: DirectoryVisitor,
): Promise<ReadonlySet<string>> {
  const failures: unknown[] = [];
  const present = new Set<string>();
  const take = (entry: ReadEntry): void => {
    const path = entry.path.replace(/\/$/, '');
    if (options.names !== 'all' && options.names.includes(path)) present.add(path);
    const place = placeIn(options.names, path);
    if (place === undefined) return;
    if (entry.type !== 'Directory') takeFile(entry, ...place);
    else if (options.names !== 'all') visit(place[0], { kind: 'directory', name: place[1] });
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
