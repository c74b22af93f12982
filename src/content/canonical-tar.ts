import { Header, Pax } from 'tar';
import { TerminalError, turnTaker } from '../base/index.ts';
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

/** Fields of a header for the beginning and the rest of a path, together the longest that needs no record. */
const prefixBytes = 155;
const nameBytes = 100;
const inHeaderBytes = prefixBytes + 1 + nameBytes;
/** More than fits into a name. */
const keptCharacters = 2 * nameBytes;

/** A path of which the same stands in a header as of a longer one, the whole of which is in a record: the library would try each of its slashes, and take the
 *  square of its length. Cut behind the last slash that the prefix has room for, where it has one. */
function shortened(path: string): string {
  const bytes = Buffer.from(path);
  if (bytes.length <= inHeaderBytes) return path;
  const at = bytes.subarray(0, prefixBytes + 1).lastIndexOf('/');
  if (at <= 0) return path.includes('/') ? `${path.slice(0, keptCharacters)}/_` : path;
  const start = bytes.toString('utf8', 0, at + 1);
  return `${path.slice(0, start.length + keptCharacters)}_`;
}

/** What stands before an entry, which is a directory if it is no file.
 *  @throws TerminalError UnsafePath */
export function header(path: string, file?: Pick<FileNode, 'sizeBytes' | 'isExecutable'>): Buffer {
  const fields = {
    path: shortened(path),
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
 *  owners, files and directories only. Other work has turns.
 *  @throws TerminalError UnsafePath */
export async function* canonicalTar(staging: Staging): AsyncGenerator<Buffer> {
  const takeTurn = turnTaker();
  yield header('.');
  for (const { path, node } of staging.tree.entries()) {
    await takeTurn();
    yield header(path, node.kind === 'file' ? node : undefined);
    if (node.kind !== 'file') continue;
    yield* staging.streamFile(node);
    yield padding(node.sizeBytes);
  }
  yield endOfArchive;
}
