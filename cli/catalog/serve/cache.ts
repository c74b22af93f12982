import { createHash, type Hash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { goQuote, TerminalError } from '../../../src/base/index.ts';
import { buildCatalogIndex, canonicalMeta, type Meta } from '../../../src/catalog/index.ts';
import type { CachePlan } from './options.ts';

const indexName = 'catalog.index';
const digestName = 'digest';
const chunkBytes = 1024 * 1024;

/** A catalog, as often as it must be read. */
export interface CatalogSource {
  /** As the user named it: folders, and other things. */
  readonly names: readonly string[];
  readonly read: (name: string) => AsyncIterable<Meta>;
  readonly onMeta: (count: number) => void;
  readonly signal: AbortSignal;
}

async function filesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

async function isFolder(name: string): Promise<boolean> {
  return (await stat(name).catch(() => undefined))?.isDirectory() === true;
}

/** Through one piece of memory: what is read is forgotten at once. */
async function addFile(hash: Hash, path: string, signal: AbortSignal): Promise<void> {
  await using file = await open(path, 'r');
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes);
    if (bytesRead === 0) return;
    hash.update(buffer.subarray(0, bytesRead));
  }
}

async function addFolder(hash: Hash, root: string, signal: AbortSignal): Promise<void> {
  for (const path of await filesIn(root)) {
    hash.update(`${relative(root, path)}\0${(await stat(path)).size}\0`);
    await addFile(hash, path, signal);
  }
}

/** Of the bytes of a folder's files; of the documents of anything else. */
async function digestOfSource({ names, read, signal }: CatalogSource): Promise<string> {
  const hash = createHash('sha256');
  for (const name of names) {
    if (await isFolder(name)) await addFolder(hash, name, signal);
    else for await (const meta of read(name)) hash.update(`${canonicalMeta(meta)}\n`);
  }
  return hash.digest('hex');
}

async function digestOfIndex(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const isThere = (await stat(path).catch(() => undefined)) !== undefined;
  if (isThere) await addFile(hash, path, signal);
  return hash.digest('hex');
}

/** Of the catalog and of what is kept of it, together. */
async function digestOf(source: CatalogSource, dir: string): Promise<string> {
  const kept = await digestOfIndex(join(dir, indexName), source.signal);
  const whole = `${await digestOfSource(source)}\n${kept}\n`;
  return `sha256:${createHash('sha256').update(whole).digest('hex')}`;
}

/** What an attempt that did not end left behind is removed; whatever else is there is nobody's business here.
 *  @throws TerminalError UnexpectedContents */
async function openFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const names = await readdir(dir);
  for (const name of names.filter((found) => found.endsWith('.unfinished'))) await rm(join(dir, name), { force: true });
  const known = [indexName, digestName, 'lost+found'];
  const strange = names.filter((name) => !known.includes(name) && !name.endsWith('.unfinished'));
  if (strange.length > 0) {
    const listed = `${strange.slice(0, 5).join(', ')}${strange.length > 5 ? ', …' : ''}`;
    const advice = 'name another --cache-dir, or empty this one';
    throw new TerminalError('UnexpectedContents', `cache directory has unexpected contents: ${listed}: ${advice}`);
  }
}

async function* readAll({ names, read }: CatalogSource): AsyncGenerator<Meta> {
  for (const name of names) yield* read(name);
}

async function build(source: CatalogSource, file: string): Promise<void> {
  await buildCatalogIndex(readAll(source), file, { signal: source.signal, onMeta: source.onMeta });
}

/** @throws TerminalError IntegrityCheckFailed */
async function keep(source: CatalogSource, dir: string, isEnforced: boolean): Promise<string> {
  await openFolder(dir);
  const file = join(dir, indexName);
  const digestFile = join(dir, digestName);
  const reported = await readFile(digestFile, 'utf8').catch(() => '');
  const computed = await digestOf(source, dir);
  if (reported === computed) return file;
  if (isEnforced) {
    const texts = `cache reports digest as ${goQuote(reported)}, but computed digest is ${goQuote(computed)}`;
    const advice = 'make it anew with --cache-only, or start with --no-cache-enforce-integrity';
    throw new TerminalError(
      'IntegrityCheckFailed',
      `integrity check failed: cache requires rebuild: ${texts}: ${advice}`,
    );
  }
  await rm(digestFile, { force: true });
  await build(source, file);
  await writeFile(`${digestFile}.unfinished`, await digestOf(source, dir));
  await rename(`${digestFile}.unfinished`, digestFile);
  return file;
}

/** The index of a catalog: the one that is kept, where it is that of the catalog; else one that is made now, in `workDir` where none is kept.
 *  @throws TerminalError IntegrityCheckFailed, UnexpectedContents · what reading the catalog throws
 *  @see catalogs-and-resolution.md, section 4.1 */
export async function provideIndex(source: CatalogSource, plan: CachePlan, workDir: string): Promise<string> {
  if (plan.dir !== undefined) return await keep(source, plan.dir, plan.isEnforced);
  const file = join(workDir, indexName);
  await build(source, file);
  return file;
}
