import { TerminalError } from '../base/index.ts';
import { quoteEntry } from './quote-entry.ts';

/** Of all paths and targets of links together: they are in memory. */
const maxTextBytes = 32 * 1024 * 1024;

/** About what a node takes in memory beside its path. */
const nodeBytes = 400;

/** A file's bytes are a range of the staging area's spool. */
export interface FileNode {
  readonly kind: 'file';
  readonly layer: number;
  readonly offset: number;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
}

/** Recorded so that paths through it are refused; never followed, never stored. */
export interface LinkNode {
  readonly kind: 'link';
  readonly layer: number;
  readonly target: string;
}

export interface DirectoryNode {
  readonly kind: 'directory';
  layer: number;
  /** The last layer of which a whiteout was here, or on the way to it: all that is left is of that layer, so that the next one has nothing to do. */
  clearedLayer: number;
  readonly children: Map<string, TreeNode>;
}

export type TreeNode = FileNode | LinkNode | DirectoryNode;

/** Splits a checked path; the root is `[]`. */
export type PathSegments = readonly string[];

/** The files of a bundle in memory: names and ranges, no content. Later layers replace and hide what earlier ones brought.
 *  Bounded: every node ever made counts, so that neither entries nor invented parents can fill memory. */
export class FileTree {
  readonly root: DirectoryNode = { kind: 'directory', layer: 0, clearedLayer: 0, children: new Map() };
  readonly #maxNodes: number;
  readonly #onBytes: (sizeBytes: number) => void;
  #nodeCount = 0;
  #textBytes = 0;

  /** `onBytes` is called before a node takes so many bytes in memory; what it throws refuses the node. */
  constructor(maxNodes: number, onBytes: (sizeBytes: number) => void = () => undefined) {
    this.#maxNodes = maxNodes;
    this.#onBytes = onBytes;
  }

  #count(textBytes: number): void {
    this.#nodeCount += 1;
    this.#textBytes += textBytes;
    if (this.#nodeCount > this.#maxNodes) {
      throw new TerminalError('TooManyEntries', `more than the limit of ${this.#maxNodes} entries`);
    }
    if (this.#textBytes > maxTextBytes) {
      throw new TerminalError('TooManyEntries', `paths of more than the limit of ${maxTextBytes} bytes together`);
    }
    this.#onBytes(nodeBytes + textBytes);
  }

  /** The node at a path, undefined when there is none; links on the way are not followed. */
  get(path: PathSegments): TreeNode | undefined {
    let node: TreeNode | undefined = this.root;
    for (const segment of path) {
      if (node?.kind !== 'directory') return undefined;
      node = node.children.get(segment);
    }
    return node;
  }

  /** The directory at a path, made together with its parents where missing; replaces a file of that name.
   *  @throws TerminalError PathThroughLink, TooManyEntries */
  makeDirectory(path: PathSegments, layer: number): DirectoryNode {
    let directory = this.root;
    let pathBytes = 0;
    for (const [index, segment] of path.entries()) {
      pathBytes += Buffer.byteLength(segment) + 1;
      const next = directory.children.get(segment);
      if (next?.kind === 'link' && index < path.length - 1) {
        const link = path.slice(0, index + 1).join('/');
        const names = `${quoteEntry(link)} to ${quoteEntry(next.target)}`;
        throw new TerminalError('PathThroughLink', `passes through the link ${names}`);
      }
      directory = next?.kind === 'directory' ? next : this.#insertDirectory(directory, segment, { layer, pathBytes });
      directory.layer = layer;
    }
    return directory;
  }

  #insertDirectory(
    parent: DirectoryNode,
    name: string,
    { layer, pathBytes }: { readonly layer: number; readonly pathBytes: number },
  ): DirectoryNode {
    this.#count(pathBytes);
    const made: DirectoryNode = { kind: 'directory', layer, clearedLayer: layer, children: new Map() };
    parent.children.set(name, made);
    return made;
  }

  /** Puts a file or link at a path, replacing any existing entry.
   *  @throws TerminalError PathThroughLink, TooManyEntries */
  put(path: PathSegments, node: FileNode | LinkNode): void {
    const parentPath = path.slice(0, -1);
    const parent = this.get(parentPath);
    if (parent?.kind === 'link') {
      const names = `${quoteEntry(parentPath.join('/'))} to ${quoteEntry(parent.target)}`;
      throw new TerminalError('PathThroughLink', `passes through the link ${names}`);
    }
    const directory = this.makeDirectory(parentPath, node.layer);
    const targetBytes = node.kind === 'link' ? Buffer.byteLength(node.target) : 0;
    this.#count(Buffer.byteLength(path.join('/')) + targetBytes);
    directory.children.set(path.at(-1) ?? '', node);
  }

  /** Removes what layers before `layer` put at a path. */
  hide(path: PathSegments, layer: number): void {
    const parent = this.get(path.slice(0, -1));
    if (parent?.kind !== 'directory') return;
    const name = path.at(-1) ?? '';
    const node = parent.children.get(name);
    if (node !== undefined && isEmptyAfterHiding(node, layer)) parent.children.delete(name);
  }

  /** Removes what layers before `layer` put into a directory. */
  hideChildren(path: PathSegments, layer: number): void {
    const directory = this.get(path);
    if (directory?.kind === 'directory') clear(directory, layer);
  }

  /** Files and directories, each directory before its content, sorted by the bytes of the whole path; links are left out. */
  entries(): { path: string; node: FileNode | DirectoryNode }[] {
    const found: { path: string; node: FileNode | DirectoryNode }[] = [];
    const pending: { path: string; node: DirectoryNode }[] = [{ path: '', node: this.root }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const [name, node] of next.node.children) {
        const path = next.path === '' ? name : `${next.path}/${name}`;
        if (node.kind === 'link') continue;
        found.push({ path, node });
        if (node.kind === 'directory') pending.push({ path, node });
      }
    }
    return sortedByBytes(found, ({ path }) => path);
  }

  /** Every link that is left, with its path. */
  links(): { path: string; target: string }[] {
    const found: { path: string; target: string }[] = [];
    const pending: { path: string; node: DirectoryNode }[] = [{ path: '', node: this.root }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const [name, node] of next.node.children) {
        const path = next.path === '' ? name : `${next.path}/${name}`;
        if (node.kind === 'link') found.push({ path, target: node.target });
        if (node.kind === 'directory') pending.push({ path, node });
      }
    }
    return found;
  }
}

/** Sorted by the bytes of a text of each. */
export function sortedByBytes<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const encoded = items.map((item) => ({ item, bytes: Buffer.from(textOf(item)) }));
  return encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ item }) => item);
}

/** Removes what layers before `layer` put into a directory; the children of each are looked at once for a layer, however many whiteouts it has. Depth
 *  is bounded by the path limit (a name and a slash are two bytes), so recursion is safe. */
function clear(directory: DirectoryNode, layer: number): void {
  if (directory.clearedLayer === layer) return;
  directory.clearedLayer = layer;
  for (const [name, child] of directory.children) {
    if (isEmptyAfterHiding(child, layer)) directory.children.delete(name);
  }
}

function isEmptyAfterHiding(node: TreeNode, layer: number): boolean {
  if (node.kind !== 'directory') return node.layer < layer;
  clear(node, layer);
  return node.layer < layer && node.children.size === 0;
}
