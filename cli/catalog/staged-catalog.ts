import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type ContentLimits,
  defaultContentLimits,
  errorMessage,
  isJsonObject,
  parseJson,
  TerminalError,
} from '../../src/base/index.ts';
import {
  configsLabel,
  databaseLabel,
  isDatabaseStart,
  type Meta,
  readCatalogDatabase,
  readCatalogStream,
  readStagedCatalog,
} from '../../src/catalog/index.ts';
import { extractArchive, isArchiveStart, type Staging, takesDirectory } from '../../src/content/index.ts';
import { moveToDirectory, readDirectoryLabel } from '../../src/sources/index.ts';
import { type ImagePlace, openStaging } from '../input/index.ts';
import { type BundleImage, isLayout, labelsIn, openLayout, pullInto, readLayout } from '../oci/index.ts';
import { countBytes, maxCatalogBytes, type OpenOptions } from './reading.ts';

const gibibyte = 1024 ** 3;

/** Catalogs are larger than bundles; what they take is space on disk. */
const catalogLimits: ContentLimits = {
  ...defaultContentLimits,
  compressedLayerBytes: 2 * gibibyte,
  unpackedBytes: maxCatalogBytes,
};

const startBytes = 512;

let stagingCount = 0;

async function openArea({ work }: OpenOptions): Promise<Staging> {
  stagingCount += 1;
  return await openStaging(work, `catalog-${stagingCount}`, catalogLimits);
}

async function* readStaged(name: string, staging: Staging, options: OpenOptions): AsyncGenerator<Meta> {
  yield* readStagedCatalog(staging, { signal: options.signal, onBytes: countBytes(name, { ...options, total: 0 }) });
}

/** Stages the folder that the image's label names. */
async function* readImage(name: string, image: BundleImage, options: OpenOptions): AsyncGenerator<Meta> {
  const [config, ...layers] = image.blobs;
  const pieces: Buffer[] = [];
  if (config !== undefined && config.sizeBytes <= catalogLimits.manifestBytes) {
    for await (const piece of config.open() as AsyncIterable<Buffer>) pieces.push(piece);
  }
  const document = parseJson(`${name}, configuration`, Buffer.concat(pieces).toString() || '{}');
  const directory = readDirectoryLabel(name, configsLabel, isJsonObject(document) ? document : undefined);
  await using staging = await openArea(options);
  for (const layer of layers) {
    const what = `${name}, layer ${layer.digest}`;
    const takes = takesDirectory(directory.path);
    await extractArchive(layer.open(), staging, { what, hasWhiteouts: true, takes, signal: options.signal });
  }
  moveToDirectory(staging, directory, name);
  yield* readStaged(name, staging, options);
}

async function* readTar(name: string, source: AsyncIterable<Buffer>, options: OpenOptions): AsyncGenerator<Meta> {
  await using staging = await openArea(options);
  try {
    await extractArchive(source, staging, { what: name, hasWhiteouts: false, signal: options.signal });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'InvalidArchive') throw thrown;
    const text = `${thrown.message}; expected documents in YAML or JSON, or a tar of a catalog or of an OCI image layout, plain or compressed with gzip or zstd`;
    throw new TerminalError(thrown.reason, text, { cause: thrown });
  }
  if (isLayout(staging)) yield* readImage(name, await readLayout(name, staging), options);
  else yield* readStaged(name, staging, options);
}

async function startOf(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes);
  return buffer.subarray(0, bytesRead);
}

/** The catalog in an OCI image layout, which is a folder.
 *  @throws UnreadableCatalog · TerminalError InvalidLayout, LabelMissing and those of `extractArchive` */
export async function* readCatalogLayout(path: string, options: OpenOptions): AsyncGenerator<Meta> {
  const { signal, work } = options;
  stagingCount += 1;
  const spoolPath = `${work.path}/layout-${stagingCount}`;
  await using layout = await openLayout(path, { spoolPath, limits: catalogLimits, signal });
  yield* readImage(path, layout.image, options);
}

/** The catalog in a file: documents, a tar, or a database of `opm`.
 *  @throws as `readCatalogLayout` */
export async function* readCatalogFile(path: string, options: OpenOptions): AsyncGenerator<Meta> {
  const { signal } = options;
  const start = await startOf(path);
  if (isDatabaseStart(start)) {
    yield* readCatalogDatabase(path, basename(path));
    return;
  }
  const source = createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>;
  if (isArchiveStart(start)) yield* readTar(path, source, options);
  else {
    const onBytes = countBytes(path, { ...options, total: (await stat(path)).size });
    yield* readCatalogStream(source, basename(path), { signal, onBytes });
  }
}

/** Standard input with its first bytes looked at. */
async function peek(
  input: AsyncIterable<Buffer>,
): Promise<{ readonly start: Buffer; readonly all: AsyncIterable<Buffer> }> {
  const pieces = input[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < startBytes) {
    const next = await pieces.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  const all = async function* (): AsyncGenerator<Buffer> {
    yield start;
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
  };
  return { start, all: all() };
}

/** The catalog on standard input: a tar, or documents in YAML or JSON.
 *  @throws as `readCatalogLayout` */
export async function* readStandardInput(options: OpenOptions): AsyncGenerator<Meta> {
  const name = 'standard input';
  if (process.stdin.isTTY) {
    const text = `${name} is a terminal: expected a catalog, as of: curl -s https://HOST/catalogs/NAME/api/v1/all | longshore catalog … -`;
    throw new TerminalError('InvalidName', text);
  }
  const { start, all } = await peek(process.stdin as AsyncIterable<Buffer>);
  if (isArchiveStart(start)) yield* readTar(name, all, options);
  else {
    const onBytes = countBytes(name, { ...options, total: 0 });
    yield* readCatalogStream(all, name, { signal: options.signal, onBytes });
  }
}

/** Stages the catalog of an image; the name of the file where it is a database, as images had them before.
 *  @throws as `pullInto` */
async function stageImage(staging: Staging, ref: string, options: OpenOptions): Promise<string | undefined> {
  try {
    await pullInto(staging, ref, { ...options, directoryLabel: configsLabel });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'LabelMissing') throw thrown;
    const label = (await labelsIn(ref, options))[databaseLabel] ?? '';
    const { dir: directory, base } = posix.parse(posix.normalize(`/${label}`));
    if (base === '') throw thrown;
    await pullInto(staging, ref, { ...options, directory });
    return base;
  }
}

/** A staged database, as a file of its own: the archive of what is staged is none. */
async function* readStagedDatabase(file: string, staging: Staging, options: OpenOptions): AsyncGenerator<Meta> {
  const node = staging.tree.get([file]);
  if (node?.kind !== 'file') {
    const text = `the image has no file ${file}, which label "${databaseLabel}" names`;
    throw new TerminalError('UnreadableCatalog', text);
  }
  stagingCount += 1;
  const path = join(options.work.path, `database-${stagingCount}`);
  await pipeline(staging.streamFile(node), createWriteStream(path, { mode: 0o600 }), { signal: options.signal });
  yield* readCatalogDatabase(path, file);
}

/** The catalog in an image: the content of the folder that its label names, or the database of an older image; nothing else of the image is stored.
 *  @throws UnreadableCatalog · TerminalError and TransientError as `pullInto` */
export async function* readCatalogImage({ ref, isGuess }: ImagePlace, options: OpenOptions): AsyncGenerator<Meta> {
  await using staging = await openArea(options);
  let database: string | undefined;
  try {
    database = await stageImage(staging, ref, options);
  } catch (thrown) {
    const isMisuse = thrown instanceof TerminalError && thrown.reason === 'InvalidOption';
    if (!isGuess || isMisuse) throw thrown;
    const text = `${errorMessage(thrown)}; there is no file or folder "${ref}", so it was taken for an image`;
    throw new TerminalError('NotFound', text, { cause: thrown });
  }
  if (database === undefined) yield* readStaged(ref, staging, options);
  else yield* readStagedDatabase(database, staging, options);
}
