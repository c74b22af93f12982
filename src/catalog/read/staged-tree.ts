import path from 'node:path';
import { TerminalError } from '../../base/index.ts';
import type { FileNode, Staging } from '../../content/index.ts';
import type { CatalogTree, Segments } from './tree.ts';

const maxLinks = 16;

function refuse(text: string): never {
  throw new TerminalError('NotAFile', text);
}

/** The file at a path, behind links that stay within what is staged. */
function fileAt({ tree }: Staging, segments: Segments): FileNode {
  let at = segments;
  for (let count = 0; count <= maxLinks; count += 1) {
    const node = tree.get(at);
    if (node === undefined) return refuse('is a link to nothing');
    if (node.kind === 'file') return node;
    if (node.kind === 'directory') return refuse(`read ${segments.join('/')}: is a directory`);
    if (node.target.startsWith('/')) {
      return refuse(`is a symbolic link to ${node.target}: only links relative to the file are followed`);
    }
    at = path.posix
      .join(...at.slice(0, -1), node.target)
      .split('/')
      .filter((segment) => segment !== '' && segment !== '.');
  }
  return refuse(`passes through more than ${maxLinks} links`);
}

/** The staged files as those of a catalog. */
export function stagedTree(staging: Staging): CatalogTree {
  return {
    list(folder) {
      const node = staging.tree.get(folder);
      const children = node?.kind === 'directory' ? Array.from(node.children) : [];
      return Promise.resolve(children.map(([name, { kind }]) => ({ name, isFolder: kind === 'directory' })));
    },
    async *read(file) {
      yield* staging.streamFile(fileAt(staging, file));
    },
  };
}
