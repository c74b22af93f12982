import { open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage, goQuote, TerminalError } from '../../base/index.ts';

/** A path below the root. */
export type Segments = readonly string[];

/** Something in a folder of a catalog. */
export interface TreeEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** The files of a catalog, wherever they are. */
export interface CatalogTree {
  /** What a folder holds, in any order. */
  list(folder: Segments): Promise<readonly TreeEntry[]>;
  /** The bytes of what is no folder; each piece is valid until the next.
   *  @throws TerminalError when it is no file */
  read(file: Segments): AsyncIterable<Uint8Array>;
}

const chunkBytes = 1024 * 1024;

/** What can be read stands in the catalog; a link is read as what it leads to, as long as that is within.
 *  @throws TerminalError NotAFile */
async function assertReadable(root: string, name: string): Promise<void> {
  const refuse = (text: string): never => {
    throw new TerminalError('NotAFile', text);
  };
  const target = await realpath(path.join(root, name));
  const below = path.relative(root, target);
  if (below === '..' || below.startsWith(`..${path.sep}`) || path.isAbsolute(below)) {
    refuse(`is a symbolic link to ${target}, outside of the catalog: copy the file into it`);
  }
  const info = await stat(target);
  if (info.isDirectory()) refuse(`read ${name}: is a directory`);
  if (!info.isFile()) refuse('is neither a file nor a folder: take it out, or name it in .indexignore');
}

/** Opens the folder of a catalog.
 *  @throws TerminalError NoCatalog when there is no such folder */
export async function openFolderTree(root: string): Promise<CatalogTree> {
  if (root === '') throw new TerminalError('NoCatalog', 'no declarative config filesystem provided');
  const info = await stat(root).catch((thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === 'ENOENT' ? 'no such file or directory' : errorMessage(thrown);
    throw new TerminalError('NoCatalog', `stat ${root}: ${why}`, { cause: thrown });
  });
  if (!info.isDirectory()) throw new TerminalError('NoCatalog', `${goQuote(root)} is not a directory`);
  const realRoot = await realpath(root);
  return {
    async list(folder) {
      const entries = await readdir(path.join(realRoot, ...folder), { withFileTypes: true });
      return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
    },
    async *read(segments) {
      await assertReadable(realRoot, segments.join('/'));
      await using file = await open(path.join(realRoot, ...segments), 'r');
      const buffer = Buffer.allocUnsafe(chunkBytes);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, chunkBytes);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    },
  };
}
