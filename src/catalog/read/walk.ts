import type { Dirent } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage, TerminalError } from '../../base/index.ts';
import type { CatalogFault } from './faults.ts';
import { type IgnoreRule, isIgnored, parseIgnoreRules } from './ignore.ts';

/** Holds the rules about what belongs to a catalog. */
const ignoreFile = '.indexignore';

const maxIgnoreFileBytes = 1024 * 1024;

/** A file of a catalog. */
export interface CatalogFile {
  /** Relative to the root, with `/`. */
  readonly name: string;
  readonly path: string;
}

interface Walk {
  /** Without symbolic links. */
  readonly realRoot: string;
  readonly root: string;
  readonly onFault: (fault: CatalogFault) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What is wrong with a file that is no plain one; undefined: nothing, it can be read. */
async function faultOf(entry: Dirent, name: string, { realRoot, root }: Walk): Promise<string | undefined> {
  if (entry.isFile()) return undefined;
  if (!entry.isSymbolicLink()) return 'neither a file nor a folder: take it out, or name it in .indexignore';
  const target = await realpath(path.join(root, name));
  const below = path.relative(realRoot, target);
  if (below === '..' || below.startsWith(`..${path.sep}`) || path.isAbsolute(below)) {
    return `is a symbolic link to ${target}, outside of the catalog: copy the file into it`;
  }
  const info = await stat(target);
  if (info.isDirectory()) return `read ${name}: is a directory`;
  return info.isFile() ? undefined : 'is a symbolic link to something that is no file';
}

async function ignoreRulesOf(
  entries: readonly Dirent[],
  segments: readonly string[],
  walk: Walk,
): Promise<readonly IgnoreRule[]> {
  const entry = entries.find(({ name }) => name === ignoreFile);
  if (entry === undefined || entry.isDirectory()) return [];
  const name = [...segments, ignoreFile].join('/');
  const refuse = (message: string): readonly IgnoreRule[] => {
    walk.onFault({ file: name, message });
    return [];
  };
  const fault = await faultOf(entry, name, walk);
  if (fault !== undefined) return refuse(fault);
  const content = await readFile(path.join(walk.root, name));
  if (content.length > maxIgnoreFileBytes) return refuse(`larger than ${maxIgnoreFileBytes} bytes`);
  return parseIgnoreRules(content.toString(), segments);
}

async function* walkFolder(
  segments: readonly string[],
  outerRules: readonly IgnoreRule[],
  walk: Walk,
): AsyncGenerator<CatalogFile> {
  walk.signal?.throwIfAborted();
  const folder = path.join(walk.root, ...segments);
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const rules = [...outerRules, ...(await ignoreRulesOf(entries, segments, walk))];
  for (const entry of entries) {
    const below = [...segments, entry.name];
    if (entry.isDirectory()) yield* walkFolder(below, rules, walk);
    else if (entry.name !== ignoreFile && !isIgnored(rules, below)) {
      const name = below.join('/');
      const fault = await faultOf(entry, name, walk).catch(errorMessage);
      if (fault === undefined) yield { name, path: path.join(walk.root, name) };
      else walk.onFault({ file: name, message: fault });
    }
  }
}

/** The files of a catalog's folder in lexical order, without those that `.indexignore` names. Symbolic links to files within the folder
 *  are followed; those that leave it are faults.
 *  @throws TerminalError NoCatalog when there is no such folder */
export async function* walkCatalog(
  root: string,
  options: Pick<Walk, 'onFault' | 'signal'>,
): AsyncGenerator<CatalogFile> {
  if (root === '') throw new TerminalError('NoCatalog', 'no declarative config filesystem provided');
  const info = await stat(root).catch((thrown: NodeJS.ErrnoException) => {
    const why = thrown.code === 'ENOENT' ? 'no such file or directory' : errorMessage(thrown);
    throw new TerminalError('NoCatalog', `stat ${root}: ${why}`, { cause: thrown });
  });
  if (!info.isDirectory()) throw new TerminalError('NoCatalog', `${JSON.stringify(root)} is not a directory`);
  yield* walkFolder([], [], { ...options, root, realRoot: await realpath(root) });
}
