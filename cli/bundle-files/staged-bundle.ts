import { createReadStream } from 'node:fs';
import { type ContentLimits, defaultContentLimits, errorMessage, TerminalError } from '../../src/base/index.ts';
import { extractArchive, type Staging } from '../../src/content/index.ts';
import type { ImagePolicy } from '../../src/image-policy/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { type ImagePlace, openStaging, pathKind, readBundleName, stageFiles, type WorkFolder } from '../input/index.ts';
import { type BundleImage, isLayout, openLayout, pullInto, readLayout } from '../oci/index.ts';
import type { Progress } from '../output/index.ts';

type Values = OptionValues<typeof registryOptions>;

/** What a bundle is asked for by, and what it takes to get it. */
export interface BundleRequest {
  /** A folder, a tar of such a folder, an OCI image layout (a folder or a tar), `-` for a tar on standard input, or the reference of an image or artifact. */
  readonly name: string;
  /** Those of `registryOptions`. */
  readonly values: Values;
  readonly work: WorkFolder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** What is taken of images, and how much; all files, within the limits of the provisioners, when absent. */
  readonly content?: ContentChoice;
  /** Whose signers must have signed an image; nothing else can be signed. */
  readonly policy?: ImagePolicy | undefined;
}

/** Which files of an image are taken. */
export interface ContentChoice {
  readonly limits: ContentLimits;
  readonly takes: (path: readonly string[]) => boolean;
}

/** The files of a bundle. Dispose of `staging` before the work folder goes. */
export interface StagedBundle {
  readonly staging: Staging;
  /** Of the image; undefined for files that were none. */
  readonly digest: string | undefined;
  /** Whether the name is that of a folder, in which the files are. */
  readonly isFolder: boolean;
}

type Files = Omit<StagedBundle, 'isFolder'>;
type PathRequest = Pick<BundleRequest, 'work' | 'signal' | 'content'>;
type TarTarget = Pick<StagedBundle, 'staging'> & Pick<BundleRequest, 'signal'>;

/** The files of an image's layers. */
async function extractLayers(name: string, image: BundleImage, request: PathRequest): Promise<Files> {
  const { work, signal, content } = request;
  await using stack = new AsyncDisposableStack();
  const staging = stack.use(await openStaging(work, 'spool', content?.limits));
  const [, ...layers] = image.blobs;
  for (const layer of layers) {
    const what = `${name}, layer ${layer.digest}`;
    await extractArchive(layer.open(), staging, { what, hasWhiteouts: true, takes: content?.takes, signal });
  }
  staging.assertLinksInside(name);
  stack.move();
  return { staging, digest: image.digest };
}

async function extractTar(name: string, source: AsyncIterable<Buffer>, { staging, signal }: TarTarget): Promise<void> {
  try {
    await extractArchive(source, staging, { what: name, hasWhiteouts: false, signal });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'InvalidArchive') throw thrown;
    const text = `${thrown.message}; expected a tar of a bundle or of an OCI image layout, plain or compressed with gzip or zstd`;
    throw new TerminalError(thrown.reason, text, { cause: thrown });
  }
}

/** Of a local archive that may have a whole image in it. */
function wholeLimits({ content }: PathRequest): ContentLimits {
  const { limits = defaultContentLimits } = content ?? {};
  return { ...limits, unpackedBytes: limits.streamedBytes ?? limits.unpackedBytes };
}

/** A tar of a bundle's files, or of an image layout. */
async function stageTar(name: string, source: AsyncIterable<Buffer>, request: PathRequest): Promise<Files> {
  await using stack = new AsyncDisposableStack();
  const staging = stack.use(await openStaging(request.work, 'tar', wholeLimits(request)));
  await extractTar(name, source, { staging, signal: request.signal });
  if (isLayout(staging)) return await extractLayers(name, await readLayout(name, staging), request);
  if (staging.tree.get(['manifest.json']) !== undefined) {
    const text = `${name}: is an image in Docker's own form: write it as an OCI image layout (podman save --format oci-archive, or skopeo copy … oci-archive:FILE)`;
    throw new TerminalError('InvalidLayout', text);
  }
  staging.assertLinksInside(name);
  stack.move();
  return { staging, digest: undefined };
}

async function stageStandardInput(request: PathRequest): Promise<Files> {
  if (!process.stdin.isTTY) return await stageTar('standard input', process.stdin as AsyncIterable<Buffer>, request);
  const text = 'standard input is a terminal: expected a tar, as of: tar -c -C DIR . | longshore bundle … -';
  throw new TerminalError('InvalidName', text);
}

/** The files at a path: of a folder, a tar, or an OCI image layout.
 *  @throws TerminalError NotFound, InvalidLayout and those of `extractArchive` */
export async function stagePath(path: string, request: PathRequest): Promise<StagedBundle> {
  const kind = await pathKind(path);
  if (kind === 'folder') {
    return { staging: await stageFiles(path, request.work, request.signal), digest: undefined, isFolder: true };
  }
  if (kind === 'file') {
    return { ...(await stageTar(path, createReadStream(path) as AsyncIterable<Buffer>, request)), isFolder: false };
  }
  await using layout = await openLayout(path, {
    spoolPath: `${request.work.path}/layout`,
    limits: wholeLimits(request),
    signal: request.signal,
  });
  return { ...(await extractLayers(path, layout.image, request)), isFolder: false };
}

function isMisuse(thrown: unknown): boolean {
  return thrown instanceof TerminalError && thrown.reason === 'InvalidOption';
}

async function stageImage({ ref, isGuess }: ImagePlace, request: BundleRequest): Promise<Files> {
  await using stack = new AsyncDisposableStack();
  const { content } = request;
  const staging = stack.use(await openStaging(request.work, 'spool', content?.limits));
  try {
    const isOperator = content === undefined;
    const digest = await pullInto(staging, ref, { ...request, isOperator, takes: content?.takes });
    stack.move();
    return { staging, digest };
  } catch (thrown) {
    if (!isGuess || isMisuse(thrown)) throw thrown;
    const text = `${errorMessage(thrown)}; there is no file or folder "${request.name}", so it was taken for an image`;
    throw new TerminalError('NotFound', text, { cause: thrown });
  }
}

/** Brings the files of a bundle together, wherever they are; one bundle a work folder.
 *  @throws TerminalError and TransientError, naming what could not be had */
export async function stageBundle(request: BundleRequest): Promise<StagedBundle> {
  const place = readBundleName(request.name);
  if (request.policy !== undefined && place.kind !== 'image') {
    const text = `${request.name}: signatures are in the registry of an image: expected HOST/REPOSITORY[:TAG][@DIGEST]`;
    throw new TerminalError('InvalidName', text);
  }
  if (place.kind === 'path') return await stagePath(place.path, request);
  const files = place.kind === 'image' ? await stageImage(place, request) : await stageStandardInput(request);
  return { ...files, isFolder: false };
}
