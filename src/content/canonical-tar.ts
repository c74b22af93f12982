import { Header, Pax } from 'tar';
import { TerminalError } from '../base/index.ts';
import type { FileNode } from './file-tree.ts';
import { quoteEntry } from './quote-entry.ts';
import type { Staging } from './staging.ts';

const blockBytes = 512;

/** What follows the last entry of an archive. */
export const endOfArchive: Buffer = Buffer.alloc(2 * blockBytes);

/** What follows a file of that size. */
export function padding(sizeBytes: number): Buffer {
  return Buffer.alloc((blockBytes - (sizeBytes % blockBytes)) % blockBytes);
}

/** What stands before an entry, which is a directory if it is no file.
 *  @throws TerminalError UnsafePath */
export function header(path: string, file?: Pick<FileNode, 'sizeBytes' | 'isExecutable'>): Buffer {
  const fields = {
    path,
    type: file === undefined ? ('Directory' as const) : ('File' as const),
    mode: file?.isExecutable === false ? 0o644 : 0o755,
    size: file?.sizeBytes ?? 0,
    uid: 0,
    gid: 0,
  };
  const tarHeader = new Header(fields);
  const block = Buffer.alloc(blockBytes);
  const needsPax = tarHeader.encode(block);
  return needsPax ? Buffer.concat([paxRecord(path, fields.size), block]) : block;
}

/** A long path is in a record of its own, of which the reader takes each line for another one: behind a line break, a file could name another path, under
 *  which its content was not checked.
 *  @throws TerminalError UnsafePath */
function paxRecord(path: string, size: number): Buffer {
  if (!path.includes('\n')) return new Pax({ path, size }).encode();
  throw new TerminalError('UnsafePath', `${quoteEntry(path)}: long paths with a line break are not accepted`);
}

/** The staged files as a tar whose bytes depend on nothing but names, contents and executable bits: sorted, without times and
 *  owners, files and directories only.
 *  @throws TerminalError UnsafePath */
export async function* canonicalTar(staging: Staging): AsyncGenerator<Buffer> {
  yield header('.');
  for (const { path, node } of staging.tree.entries()) {
    yield header(path, node.kind === 'file' ? node : undefined);
    if (node.kind !== 'file') continue;
    yield* staging.streamFile(node);
    yield padding(node.sizeBytes);
  }
  yield endOfArchive;
}
