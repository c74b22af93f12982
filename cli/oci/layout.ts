import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type ContentLimits,
  defaultContentLimits,
  fileProblem,
  isJsonObject,
  isSha256Digest,
  type JsonObject,
  type JsonValue,
  parseJson,
  sha256Digest,
  TerminalError,
  verifyStream,
} from '../../src/base/index.ts';
import { canonicalTar, extractArchive, type LayerWriter, Staging, stageFolder } from '../../src/content/index.ts';
import { layoutMarker } from '../input/index.ts';
import { type Blob, type BundleImage, manifestType } from './bundle-image.ts';

const { manifestBytes } = defaultContentLimits;

/** A layout that is open: dispose it when its blobs are not needed any more. */
export interface OpenLayout extends AsyncDisposable {
  readonly image: BundleImage;
}

function blobPath(digest: string): string {
  return `blobs/sha256/${digest.slice('sha256:'.length)}`;
}

async function addFile(
  layer: LayerWriter,
  path: string,
  content: { readonly sizeBytes: number; readonly bytes: AsyncIterable<Buffer> },
): Promise<void> {
  const push = layer.addFile(path, { sizeBytes: content.sizeBytes, isExecutable: false });
  for await (const piece of content.bytes) {
    push(piece);
    await layer.relieve();
  }
}

async function assertFolder(folder: string): Promise<void> {
  try {
    if ((await stat(folder)).isDirectory()) return;
  } catch (thrown) {
    throw new TerminalError('NotFound', `${folder}: ${fileProblem(thrown)}; create the folder first`, {
      cause: thrown,
    });
  }
  throw new TerminalError('NotFound', `${folder}: not a folder`);
}

/** Writes an OCI image layout (image-spec 1.1) as a tar to `file`, whole or not at all; the same image gives the same bytes.
 *  @throws TerminalError NotFound when the folder of `file` does not exist · Node.js' own errors for what cannot be written */
export async function writeLayout(image: BundleImage, file: string, signal: AbortSignal): Promise<void> {
  await assertFolder(dirname(file));
  const temporaryPath = `${file}.${process.pid}.part`;
  const limits = { ...defaultContentLimits, unpackedBytes: Number.MAX_SAFE_INTEGER };
  try {
    await using staging = await Staging.create(`${temporaryPath}.spool`, limits);
    const layer = staging.beginLayer(file);
    const { digest, manifest, mediaType } = image;
    const index = { schemaVersion: 2, manifests: [{ mediaType, digest, size: manifest.length }] };
    const texts = { [layoutMarker]: '{"imageLayoutVersion":"1.0.0"}', 'index.json': JSON.stringify(index) };
    const small = Object.entries({ ...texts, [blobPath(digest)]: manifest });
    for (const [path, content] of small) {
      const bytes = Buffer.from(content);
      await addFile(layer, path, { sizeBytes: bytes.length, bytes: Readable.from([bytes]) });
    }
    const distinct = new Map(image.blobs.map((blob) => [blob.digest, blob]));
    for (const blob of distinct.values()) {
      await addFile(layer, blobPath(blob.digest), { sizeBytes: blob.sizeBytes, bytes: blob.open() });
    }
    const output = createWriteStream(temporaryPath, { mode: 0o644 });
    await pipeline(Readable.from(canonicalTar(staging)), output, { signal });
    await rename(temporaryPath, file);
  } finally {
    await rm(temporaryPath, { force: true });
  }
}

interface Layout {
  readonly path: string;
  readonly staging: Staging;
}

function invalid({ path }: Layout, text: string): TerminalError {
  return new TerminalError('InvalidLayout', `${path}: not an OCI image layout: ${text}`);
}

async function readDocument(layout: Layout, path: string): Promise<{ bytes: Buffer; value: JsonObject }> {
  const node = layout.staging.tree.get(path.split('/'));
  if (node?.kind !== 'file') throw invalid(layout, `there is no file "${path}"`);
  const bytes = await layout.staging.readFile(path, node, manifestBytes);
  const value = parseJson(`${layout.path}, ${path}`, bytes.toString());
  if (isJsonObject(value)) return { bytes, value };
  throw invalid(layout, `"${path}" is no object`);
}

function readDescriptor(layout: Layout, value: JsonValue | undefined): { mediaType: string; digest: string } {
  const { mediaType, digest } = isJsonObject(value) ? value : {};
  if (typeof mediaType === 'string' && typeof digest === 'string' && isSha256Digest(digest))
    return { mediaType, digest };
  throw invalid(layout, 'expected a descriptor with mediaType and a sha256 digest');
}

/** A blob of the layout; its bytes are compared with its digest now, so that no corrupted blob is sent. */
async function readBlob(layout: Layout, value: JsonValue | undefined): Promise<Blob> {
  const { mediaType, digest } = readDescriptor(layout, value);
  const node = layout.staging.tree.get(blobPath(digest).split('/'));
  if (node?.kind !== 'file') throw invalid(layout, `there is no blob ${digest}`);
  const { sizeBytes } = node;
  const check = verifyStream({ what: `${layout.path}, blob ${digest}`, maxBytes: sizeBytes, digest, sizeBytes });
  check.resume();
  await pipeline(Readable.from(layout.staging.streamFile(node)), check);
  return { mediaType, digest, sizeBytes, open: () => Readable.from(layout.staging.streamFile(node)) };
}

async function readImage(layout: Layout): Promise<BundleImage> {
  const { value: index } = await readDocument(layout, 'index.json');
  const { manifests } = index;
  if (!Array.isArray(manifests) || manifests.length !== 1) throw invalid(layout, 'expected one manifest in index.json');
  const { mediaType, digest } = readDescriptor(layout, manifests[0]);
  if (mediaType !== manifestType) throw invalid(layout, `expected ${manifestType}, found ${mediaType}`);
  const { bytes: manifest, value: document } = await readDocument(layout, blobPath(digest));
  if (sha256Digest(manifest) !== digest) throw invalid(layout, `the manifest is not ${digest}`);
  const layers = Array.isArray(document['layers']) ? document['layers'] : [];
  const blobs: Blob[] = [];
  for (const descriptor of [document['config'], ...layers]) blobs.push(await readBlob(layout, descriptor));
  return { mediaType, manifest, digest, blobs };
}

/** Whether staged files are those of an OCI layout. */
export function isLayout(staging: Staging): boolean {
  return staging.tree.get([layoutMarker]) !== undefined;
}

/** The one image of the layout whose files are staged; all digests are checked. `path` is for messages.
 *  @throws TerminalError InvalidLayout · TransientError DigestMismatch */
export async function readLayout(path: string, staging: Staging): Promise<BundleImage> {
  const layout = { path, staging };
  if (!isLayout(staging)) throw invalid(layout, `there is no file "${layoutMarker}"`);
  return await readImage(layout);
}

/** Opens the OCI layout at `path`, a tar or a folder, with one image in it; all digests are checked. `spoolPath` is a file that does not exist yet.
 *  @throws TerminalError InvalidLayout, and those of `extractArchive` · TransientError DigestMismatch */
export async function openLayout(
  path: string,
  options: { readonly spoolPath: string; readonly limits?: ContentLimits; readonly signal: AbortSignal },
): Promise<OpenLayout> {
  const { signal, limits = defaultContentLimits } = options;
  await using stack = new AsyncDisposableStack();
  const staging = stack.use(await Staging.create(options.spoolPath, limits));
  if ((await stat(path)).isDirectory()) await stageFolder(path, staging, { signal });
  else
    await extractArchive(createReadStream(path) as AsyncIterable<Buffer>, staging, {
      what: path,
      hasWhiteouts: false,
      signal,
    });
  const image = await readLayout(path, staging);
  const owned = stack.move();
  return { image, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
