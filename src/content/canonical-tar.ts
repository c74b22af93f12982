import { Header, Pax } from 'tar';
import type { FileNode } from './file-tree.ts';
import type { Staging } from './staging.ts';

const blockBytes = 512;
const endOfArchive = Buffer.alloc(2 * blockBytes);

function padding(sizeBytes: number): Buffer {
  return Buffer.alloc((blockBytes - (sizeBytes % blockBytes)) % blockBytes);
}

function header(path: string, node: { readonly kind: string } | FileNode): Buffer {
  const isFile = node.kind === 'file';
  const fields = {
    path,
    type: isFile ? ('File' as const) : ('Directory' as const),
    mode: isFile && !(node as FileNode).isExecutable ? 0o644 : 0o755,
    size: isFile ? (node as FileNode).sizeBytes : 0,
    uid: 0,
    gid: 0,
  };
  const tarHeader = new Header(fields);
  const block = Buffer.alloc(blockBytes);
  const needsPax = tarHeader.encode(block);
  return needsPax ? Buffer.concat([new Pax({ path, size: fields.size }).encode(), block]) : block;
}

/** The staged files as a tar whose bytes depend on nothing but names, contents and executable bits: sorted, without times and
 *  owners, files and directories only. */
export async function* canonicalTar(staging: Staging): AsyncGenerator<Buffer> {
  yield header('.', { kind: 'directory' });
  for (const { path, node } of staging.tree.entries()) {
    yield header(path, node);
    if (node.kind !== 'file') continue;
    yield* staging.streamFile(node);
    yield padding(node.sizeBytes);
  }
  yield endOfArchive;
}
