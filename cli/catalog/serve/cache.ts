import { createHash, type Hash } from 'node:crypto';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { goQuote, makeFolder, replaceFile, TerminalError } from '../../../src/base/index.ts';
import {
  buildCatalogIndex,
  type CatalogCheck,
  canonicalMeta,
  createCatalogCheck,
  type Meta,
  UnreadableCatalog,
} from '../../../src/catalog/index.ts';
import { errorText } from '../validated.ts';
import type { CachePlan } from './options.ts';

const indexName = 'catalog.index';
const digestName = 'digest';
/** Has the errors of the catalog, where an invalid one is stored. */
const errorsName = 'errors';
const chunkBytes = 1024 * 1024;

/** A catalog, as often as it must be read. */
export interface CatalogSource {
  /** As the user named it: folders, and other things. */
  readonly names: readonly string[];
  readonly read: (name: string) => AsyncIterable<Meta>;
  readonly onMeta: (count: number) => void;
  /** Called with the errors of a catalog that is served though it is not valid. */
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Invalid documents are skipped, once `onUnreadable` has their faults. */
async function* readable(
  metas: AsyncIterable<Meta>,
  onUnreadable: (faults: UnreadableCatalog['faults']) => void,
): AsyncGenerator<Meta> {
  try {
    yield* metas;
  } catch (thrown) {
    if (!(thrown instanceof UnreadableCatalog)) throw thrown;
    onUnreadable(thrown.faults);
  }
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
    else for await (const meta of readable(read(name), () => undefined)) hash.update(`${canonicalMeta(meta)}\n`);
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

/** What an attempt that did not end left behind is removed; other files are not touched.
 *  @throws TerminalError UnexpectedContents */
async function openFolder(dir: string): Promise<void> {
  makeFolder(dir);
  const names = await readdir(dir);
  const known = [indexName, digestName, errorsName, 'lost+found'];
  const strange = names.filter((name) => !known.includes(name) && !name.endsWith('.unfinished'));
  if (strange.length > 0) {
    const listed = `${strange.slice(0, 5).join(', ')}${strange.length > 5 ? ', …' : ''}`;
    const advice = 'name another --cache-dir, or empty this one';
    throw new TerminalError('UnexpectedContents', `cache directory has unexpected contents: ${listed}: ${advice}`);
  }
  for (const name of names.filter((found) => found.endsWith('.unfinished'))) await rm(join(dir, name), { force: true });
}

/** @throws TerminalError InvalidCatalog, unless that is allowed */
function accept(errors: string, { names, warn }: CatalogSource, { isInvalidAllowed }: CachePlan): void {
  const what = `${names.join(', ')}: not a valid catalog:\n${errors}`;
  if (isInvalidAllowed) return warn(what);
  throw new TerminalError(
    'InvalidCatalog',
    `${what}\ncorrect it (longshore catalog validate has file and line of everything), or serve it as it is with --allow-invalid`,
  );
}

async function* readAll({ names, read }: CatalogSource, check: CatalogCheck): AsyncGenerator<Meta> {
  for (const name of names) {
    const metas = readable(read(name), (faults) => {
      for (const { file, line, message } of faults) {
        check.addFault({ message: `${file}${line === undefined ? '' : `:${line}`}: ${message}`, place: { file } });
      }
    });
    for await (const meta of metas) {
      check.add(meta);
      yield meta;
    }
  }
}

/** Writes the index of a valid catalog, or of an invalid one where that is allowed; returns its errors.
 *  @throws TerminalError InvalidCatalog; nothing is written then */
async function build(source: CatalogSource, plan: CachePlan, file: string): Promise<string | undefined> {
  const check = createCatalogCheck();
  let errors: string | undefined;
  async function* accepted(): AsyncGenerator<Meta> {
    yield* readAll(source, check);
    errors = errorText(check.finish());
    if (errors !== undefined) accept(errors, source, plan);
  }
  await buildCatalogIndex(accepted(), file, { signal: source.signal, onMeta: source.onMeta });
  return errors;
}

/** @throws TerminalError IntegrityCheckFailed, InvalidCatalog */
async function keep(source: CatalogSource, dir: string, plan: CachePlan): Promise<string> {
  await openFolder(dir);
  const file = join(dir, indexName);
  const [digestFile, errorsFile] = [join(dir, digestName), join(dir, errorsName)];
  const reported = await readFile(digestFile, 'utf8').catch(() => '');
  const computed = await digestOf(source, dir);
  if (reported === computed) {
    const errors = await readFile(errorsFile, 'utf8').catch(() => '');
    if (errors !== '') accept(errors, source, plan);
    return file;
  }
  if (plan.isEnforced) {
    const texts = `cache reports digest as ${goQuote(reported)}, but computed digest is ${goQuote(computed)}`;
    const advice = 'rebuild it with --cache-only, or start with --no-cache-enforce-integrity';
    throw new TerminalError(
      'IntegrityCheckFailed',
      `integrity check failed: cache requires rebuild: ${texts}: ${advice}`,
    );
  }
  await rm(digestFile, { force: true });
  await rm(errorsFile, { force: true });
  const errors = await build(source, plan, file);
  // A server that runs as another user reads them: the cache may be part of an image.
  const replace = (path: string, text: string): Promise<void> =>
    replaceFile(path, text, { temporaryPath: `${path}.unfinished`, mode: 0o666 });
  if (errors !== undefined) await replace(errorsFile, errors);
  await replace(digestFile, await digestOf(source, dir));
  return file;
}

/** The index of a catalog: the one that is kept, where it is that of the catalog; else one that is made now, in `workDir` where none is kept.
 *  @throws TerminalError IntegrityCheckFailed, InvalidCatalog, UnexpectedContents · what reading the catalog throws
 *  @see docs/spec/catalogs.md#grpc-api */
export async function provideIndex(source: CatalogSource, plan: CachePlan, workDir: string): Promise<string> {
  if (plan.dir !== undefined) return await keep(source, plan.dir, plan);
  const file = join(workDir, indexName);
  await build(source, plan, file);
  return file;
}
