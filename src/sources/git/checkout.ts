import { normalizePath, redactUrl, TerminalError } from '../../base/index.ts';
import type { LayerWriter, Staging } from '../../content/index.ts';
import type { GitSourceSpec } from '../source.ts';
import type { ObjectFormat } from './object-format.ts';
import type { Pack } from './pack.ts';
import { readTree, type TreeEntry } from './tree.ts';

/** The folder that becomes the bundle's root, as segments; none is the repository's own root.
 *  @throws TerminalError InvalidSource */
export function directorySegments(spec: GitSourceSpec): readonly string[] {
  if (spec.directory === undefined || spec.directory === '') return [];
  const cleaned = normalizePath(spec.directory);
  if (cleaned === '..' || cleaned.startsWith('../') || cleaned.startsWith('/')) {
    throw directoryError(spec, "directory can not start with '../' or '/'");
  }
  return cleaned.split('/').filter((segment) => segment !== '' && segment !== '.');
}

function directoryError(spec: GitSourceSpec, text: string): TerminalError {
  const where = `get subdirectory "${spec.directory ?? ''}" for repository "${redactUrl(spec.repository)}"`;
  return new TerminalError('InvalidSource', `${where}: ${text}`);
}

interface Checkout {
  readonly pack: Pack;
  readonly format: ObjectFormat;
  readonly staging: Staging;
  readonly layer: LayerWriter;
  /** Of all trees that were read. */
  readonly entries: { count: number };
  readonly signal: AbortSignal;
}

function entriesOf(
  { pack, format, staging }: Omit<Checkout, 'layer' | 'entries'>,
  oid: string,
): Promise<readonly TreeEntry[]> {
  return readTree(pack, oid, { format, maxEntries: staging.limits.entries });
}

/** A commit, and its tree. */
interface RequestedCommit {
  readonly spec: GitSourceSpec;
  readonly oid: string;
  readonly tree: string;
}

async function findTree(checkout: Omit<Checkout, 'layer' | 'entries'>, requested: RequestedCommit): Promise<string> {
  let { tree } = requested;
  for (const segment of directorySegments(requested.spec)) {
    const entries = await entriesOf(checkout, tree);
    const next = entries.find(({ name, kind }) => name === segment && kind === 'tree');
    if (next === undefined) throw directoryError(requested.spec, 'directory does not exist');
    tree = next.oid;
  }
  return tree;
}

/** Counts what it takes to read the files of a commit, and puts none of them anywhere.
 *  @throws TerminalError UnpackedTooLarge, and as `checkOut` */
export async function planCheckout(
  checkout: Omit<Checkout, 'layer' | 'entries'>,
  requested: RequestedCommit,
): Promise<void> {
  const { pack, signal, staging } = checkout;
  const entries = { count: 0 };
  const trees = [await findTree(checkout, requested)];
  for (let tree = trees.pop(); tree !== undefined; tree = trees.pop()) {
    pack.plan(tree);
    const found = await entriesOf(checkout, tree);
    countEntries({ entries, staging }, found.length);
    for (const { kind, oid } of found) {
      signal.throwIfAborted();
      await pack.share();
      if (kind === 'tree') trees.push(oid);
      else if (kind === 'file' || kind === 'executable') pack.plan(oid);
    }
  }
  pack.allowPlanned();
}

/** Puts the files of a commit into the staging area: regular files only, links dropped, submodules ignored.
 *  @throws TerminalError InvalidSource when the requested directory does not exist, ObjectMissing, InvalidObject, and the staging area's limits */
export async function checkOut(
  checkout: Omit<Checkout, 'layer' | 'entries'>,
  requested: RequestedCommit,
): Promise<void> {
  const what = `${redactUrl(requested.spec.repository)} at ${requested.oid}`;
  const tree = await findTree(checkout, requested);
  await addTree({ ...checkout, layer: checkout.staging.beginLayer(what), entries: { count: 0 } }, '', tree);
}

/** Depth is bounded by the path limit, which is checked before anything below is read. */
async function addTree(checkout: Checkout, parent: string, tree: string): Promise<void> {
  const entries = await entriesOf(checkout, tree);
  countEntries(checkout, entries.length);
  for (const { kind, name, oid } of entries) {
    checkout.signal.throwIfAborted();
    await checkout.pack.share();
    const path = parent === '' ? name : `${parent}/${name}`;
    if (kind === 'tree') {
      checkout.layer.addDirectory(path);
      await addTree(checkout, path, oid);
    } else if (kind === 'file' || kind === 'executable') {
      await addBlob(checkout, path, { oid, isExecutable: kind === 'executable' });
    }
  }
}

/** Links and submodules as well: trees on the way to others are in memory. */
function countEntries({ entries, staging }: Pick<Checkout, 'entries' | 'staging'>, count: number): void {
  entries.count += count;
  if (entries.count <= staging.limits.entries) return;
  throw new TerminalError('TooManyEntries', `more than ${staging.limits.entries} entries`);
}

async function addBlob(
  { pack, layer }: Checkout,
  path: string,
  { oid, isExecutable }: { readonly oid: string; readonly isExecutable: boolean },
): Promise<void> {
  const { type, sizeBytes, content } = await pack.read(oid);
  if (type !== 'blob')
    throw new TerminalError('InvalidObject', `${path}: the object ${oid} is a ${type}, expected a blob`);
  const push = layer.addFile(path, { sizeBytes, isExecutable });
  for await (const piece of content) {
    push(piece);
    await layer.relieve();
  }
}
