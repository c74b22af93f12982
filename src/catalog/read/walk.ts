import { errorMessage, isMachineShortage } from '../../base/index.ts';
import type { CatalogFault } from './faults.ts';
import { type IgnoreRule, isIgnored, parseIgnoreRules } from './ignore.ts';
import type { CatalogTree, Segments, TreeEntry } from './tree.ts';

/** Holds the rules about what belongs to a catalog. */
const ignoreFile = '.indexignore';

const maxIgnoreFileBytes = 1024 * 1024;

interface Walk {
  readonly tree: CatalogTree;
  readonly onFault: (fault: CatalogFault) => void;
  readonly signal?: AbortSignal | undefined;
}

async function readText(tree: CatalogTree, file: Segments): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of tree.read(file)) {
    size += piece.length;
    if (size > maxIgnoreFileBytes) throw new Error(`larger than ${maxIgnoreFileBytes} bytes`);
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces).toString();
}

async function ignoreRulesOf(
  entries: readonly TreeEntry[],
  folder: Segments,
  { tree, onFault }: Walk,
): Promise<readonly IgnoreRule[]> {
  if (!entries.some(({ name, isFolder }) => name === ignoreFile && !isFolder)) return [];
  const file = [...folder, ignoreFile];
  try {
    return parseIgnoreRules(await readText(tree, file), folder);
  } catch (thrown) {
    if (isMachineShortage(thrown)) throw thrown;
    onFault({ file: file.join('/'), message: errorMessage(thrown) });
    return [];
  }
}

async function* walkFolder(folder: Segments, outerRules: readonly IgnoreRule[], walk: Walk): AsyncGenerator<Segments> {
  walk.signal?.throwIfAborted();
  const entries = (await walk.tree.list(folder)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rules = [...outerRules, ...(await ignoreRulesOf(entries, folder, walk))];
  for (const { name, isFolder } of entries) {
    const below = [...folder, name];
    if (isFolder) yield* walkFolder(below, rules, walk);
    else if (name !== ignoreFile && !isIgnored(rules, below)) yield below;
  }
}

/** The files of a catalog in lexical order, without those that `.indexignore` names.
 *  @see docs/spec/catalogs.md#walking-a-catalog-root, docs/spec/catalogs.md#indexignore */
export function walkCatalog(walk: Walk): AsyncGenerator<Segments> {
  return walkFolder([], [], walk);
}
