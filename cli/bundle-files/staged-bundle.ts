import { createReadStream } from 'node:fs';
import { errorMessage, TerminalError } from '../../src/base/index.ts';
import { extractArchive, type Staging } from '../../src/content/index.ts';
import type { OptionValues } from '../command/index.ts';
import { type ImagePlace, openStaging, pathKind, readBundleName, stageFiles, type WorkFolder } from '../input/index.ts';
import { type BundleImage, isLayout, openLayout, pullInto, readLayout } from '../oci/index.ts';
import type { Progress } from '../output/index.ts';

/** What a bundle is asked for by, and what it takes to get it. */
export interface BundleWish {
  /** A folder, a tar of such a folder, an OCI image layout (a folder or a tar), `-` for a tar on standard input, or the reference of an image or artifact. */
  readonly name: string;
  /** Those of `registryOptions`. */
  readonly values: OptionValues;
  readonly work: WorkFolder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
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
type PathWish = Pick<BundleWish, 'work' | 'signal'>;
type TarTarget = Pick<StagedBundle, 'staging'> & Pick<BundleWish, 'signal'>;

/** The files of an image's layers. */
async function extractLayers(name: string, image: BundleImage, { work, signal }: PathWish): Promise<Files> {
  await using stack = new AsyncDisposableStack();
  const staging = stack.use(await openStaging(work));
  const [, ...layers] = image.blobs;
  for (const layer of layers) {
    await extractArchive(layer.open(), staging, { what: `${name}, layer ${layer.digest}`, hasWhiteouts: true, signal });
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

/** A tar of a bundle's files, or of an image layout. */
async function stageTar(name: string, source: AsyncIterable<Buffer>, wish: PathWish): Promise<Files> {
  await using stack = new AsyncDisposableStack();
  const staging = stack.use(await openStaging(wish.work, 'tar'));
  await extractTar(name, source, { staging, signal: wish.signal });
  if (isLayout(staging)) return await extractLayers(name, await readLayout(name, staging), wish);
  if (staging.tree.get(['manifest.json']) !== undefined) {
    const text = `${name}: is an image in Docker's own form: write it as an OCI image layout (podman save --format oci-archive, or skopeo copy … oci-archive:FILE)`;
    throw new TerminalError('InvalidLayout', text);
  }
  staging.assertLinksInside(name);
  stack.move();
  return { staging, digest: undefined };
}

async function stageStandardInput(wish: PathWish): Promise<Files> {
  if (!process.stdin.isTTY) return await stageTar('standard input', process.stdin as AsyncIterable<Buffer>, wish);
  const text = 'standard input is a terminal: expected a tar, as of: tar -c -C DIR . | longshore bundle … -';
  throw new TerminalError('InvalidName', text);
}

/** The files at a path: of a folder, a tar, or an OCI image layout.
 *  @throws TerminalError NotFound, InvalidLayout and those of `extractArchive` */
export async function stagePath(path: string, wish: PathWish): Promise<StagedBundle> {
  const kind = await pathKind(path);
  if (kind === 'folder') {
    return { staging: await stageFiles(path, wish.work, wish.signal), digest: undefined, isFolder: true };
  }
  if (kind === 'file') {
    return { ...(await stageTar(path, createReadStream(path) as AsyncIterable<Buffer>, wish)), isFolder: false };
  }
  await using layout = await openLayout(path, { spoolPath: `${wish.work.path}/layout`, signal: wish.signal });
  return { ...(await extractLayers(path, layout.image, wish)), isFolder: false };
}

function isMisuse(thrown: unknown): boolean {
  return thrown instanceof TerminalError && thrown.reason === 'InvalidOption';
}

async function stageImage({ ref, isGuess }: ImagePlace, wish: BundleWish): Promise<Files> {
  await using stack = new AsyncDisposableStack();
  const staging = stack.use(await openStaging(wish.work));
  try {
    const digest = await pullInto(staging, ref, { ...wish, isOperator: true });
    stack.move();
    return { staging, digest };
  } catch (thrown) {
    if (!isGuess || isMisuse(thrown)) throw thrown;
    const text = `${errorMessage(thrown)}; there is no file or folder "${wish.name}", so it was taken for an image`;
    throw new TerminalError('NotFound', text, { cause: thrown });
  }
}

/** Brings the files of a bundle together, wherever they are; one bundle a work folder.
 *  @throws TerminalError and TransientError, naming what could not be had */
export async function stageBundle(wish: BundleWish): Promise<StagedBundle> {
  const place = readBundleName(wish.name);
  if (place.kind === 'path') return await stagePath(place.path, wish);
  const files = place.kind === 'image' ? await stageImage(place, wish) : await stageStandardInput(wish);
  return { ...files, isFolder: false };
}
