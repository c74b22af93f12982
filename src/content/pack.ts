import { createWriteStream, type Stats } from 'node:fs';
import { lstat, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ContentLimits, TerminalError, verifyStream } from '../base/index.ts';
import { canonicalTar } from './canonical-tar.ts';
import { flushBytes } from './file-writer.ts';
import { gzipMembers } from './gzip-members.ts';
import { type LayerWriter, Staging } from './staging.ts';

interface PackOptions {
  readonly limits: ContentLimits;
  readonly signal: AbortSignal;
}

interface Walk extends PackOptions {
  readonly root: string;
  /** The root without links on the way to it. */
  readonly realRoot: string;
  readonly layer: LayerWriter;
  readonly followsLinks: boolean;
}

/** Large files are read in pieces. */
async function addFile(walk: Walk, path: string, { size, mode }: Stats): Promise<void> {
  const file = { sizeBytes: size, isExecutable: (mode & 0o111) !== 0 };
  if (size <= flushBytes) {
    const content = await readFile(join(walk.root, path), { signal: walk.signal });
    walk.layer.addFile(path, { ...file, sizeBytes: content.length })(content);
    await walk.layer.relieve();
    return;
  }
  await using handle = await open(join(walk.root, path));
  const push = walk.layer.addFile(path, file);
  for (let left = size; left > 0; ) {
    walk.signal.throwIfAborted();
    // What waits, or is being written, must not change.
    const piece = Buffer.allocUnsafe(Math.min(left, flushBytes));
    const { bytesRead } = await handle.read(piece, 0, piece.length);
    if (bytesRead === 0) throw new TerminalError('ChangedFile', `${path}: became shorter while it was read; try again`);
    push(piece.subarray(0, bytesRead));
    await walk.layer.relieve();
    left -= bytesRead;
  }
}

/** The author of a folder does not decide which other files of the machine are read, and sent to others with it. */
async function followLink(walk: Walk, path: string): Promise<Stats> {
  const target = await realpath(join(walk.root, path));
  const below = relative(walk.realRoot, target);
  if (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)) return await stat(target);
  const text = `${path}: is a symbolic link to ${target}, outside of ${walk.root}: copy the file into the folder`;
  throw new TerminalError('UnsupportedEntry', text);
}

async function addEntry(walk: Walk, path: string): Promise<void> {
  const own = await lstat(join(walk.root, path));
  const facts = own.isSymbolicLink() && walk.followsLinks ? await followLink(walk, path) : own;
  if (facts.isDirectory()) {
    walk.layer.addDirectory(path);
    await addDirectory(walk, path);
  } else if (facts.isFile()) {
    if (facts.size > walk.limits.unpackedBytes) {
      const text = `${path}: ${facts.size} bytes, more than the limit of ${walk.limits.unpackedBytes} bytes`;
      throw new TerminalError('UnpackedTooLarge', text);
    }
    await addFile(walk, path, facts);
  } else {
    throw new TerminalError('UnsupportedEntry', `${path}: expected a file or a folder`);
  }
}

async function addDirectory(walk: Walk, path: string): Promise<void> {
  for (const name of (await readdir(join(walk.root, path))).sort()) {
    walk.signal.throwIfAborted();
    await addEntry(walk, path === '' ? name : `${path}/${name}`);
  }
}

/** Puts the files of a folder into the staging area, by name; links within it are followed unless `followsLinks` is false, others and special files are
 *  refused.
 *  @throws TerminalError UnpackedTooLarge, TooManyEntries, PathTooLong, UnsupportedEntry · Node.js' own errors for what cannot be read */
export async function stageFolder(
  folder: string,
  staging: Staging,
  options: { readonly signal: AbortSignal; readonly followsLinks?: boolean },
): Promise<void> {
  const layer = staging.beginLayer(folder);
  const { signal, followsLinks = true } = options;
  const realRoot = await realpath(folder);
  await addDirectory({ limits: staging.limits, signal, followsLinks, root: folder, realRoot, layer }, '');
}

/** Packs what is staged into a gzip tar at `target`, a file that does not exist yet. The same names, contents and executable bits give the same
 *  bytes. Returns their digest, `sha256:<hex>`.
 *  @throws Node.js' own errors for what cannot be written */
export async function packStaged(
  staging: Staging,
  target: string,
  { what, signal }: { readonly what: string; readonly signal: AbortSignal },
): Promise<string> {
  let digest = '';
  const onDigest = (got: string): void => {
    digest = got;
  };
  const check = verifyStream({ what, maxBytes: Number.POSITIVE_INFINITY, onDigest });
  const output = createWriteStream(target, { flags: 'wx', mode: 0o600 });
  await pipeline(gzipMembers(canonicalTar(staging)), check, output, { signal });
  return digest;
}

/** Packs a folder as `packStaged` does; links within it are followed, others refused. `<target>.spool` exists meanwhile.
 *  @throws TerminalError UnpackedTooLarge, TooManyEntries, PathTooLong, UnsupportedEntry · Node.js' own errors for what cannot be read */
export async function packDirectory(folder: string, target: string, options: PackOptions): Promise<string> {
  await using staging = await Staging.create(`${target}.spool`, options.limits);
  await stageFolder(folder, staging, options);
  return await packStaged(staging, target, { what: folder, signal: options.signal });
}
