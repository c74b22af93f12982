import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseImageReference } from '../../../src/api/index.ts';
import { errorMessage, isSha256Digest, TerminalError } from '../../../src/base/index.ts';
import { extractArchive } from '../../../src/content/index.ts';
import { type ReleasePayload, readPayload, releaseLimits, takesPayload } from '../../../src/release/index.ts';
import type { ImageManifest } from '../../../src/sources/index.ts';
import type { OptionValues, outputOption, registryOptions } from '../../command/index.ts';
import { openStaging, openWorkFolder, pathKind, readBundleName, type WorkFolder } from '../../input/index.ts';
import { digestOf, openRepository } from '../../oci/index.ts';
import { counted, createProgress, formatBytes, type Progress } from '../../output/index.ts';
import { type CopiedImage, type CopyCounts, copyImage } from '../mirror/copy-image.ts';
import { LayoutFolder } from '../mirror/layout-folder.ts';
import type { MirrorSource, MirrorTarget } from '../mirror/places.ts';
import { repositorySource, repositoryTarget } from '../mirror/registry-places.ts';
import { findSignatures, signaturesFolder, writeConfigMap, writeStore } from '../mirror/release-signatures.ts';
import type { mirrorOptions } from '../mirror-options.ts';

type Values = OptionValues<typeof mirrorOptions & typeof registryOptions & typeof outputOption>;

interface Request {
  readonly values: Values;
  readonly work: WorkFolder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly stack: AsyncDisposableStack;
}

/** Releases, and where their images are found. */
interface Origin {
  readonly digests: readonly string[];
  readonly source: MirrorSource;
  /** Where an image of a release is: in the same place, or in the repository of its pull spec. */
  readonly sourceOf: (repository: string) => Promise<MirrorSource>;
  /** Pull specs of the releases begin with it; undefined for a folder. */
  readonly repository: string | undefined;
  /** The mirror that is read; undefined for a registry. */
  readonly folder: string | undefined;
}

const deadlineMs = 24 * 60 * 60_000;

function misuse(text: string): never {
  throw new TerminalError('InvalidOption', text);
}

const repositoryOf = (ref: string): string => {
  const { registry, repository } = parseImageReference(ref);
  return `${registry}/${repository}`;
};

async function openRegistrySource(name: string, { stack, ...transfer }: Request): Promise<MirrorSource> {
  return repositorySource(stack.use(await openRepository(name, 'pull', transfer)));
}

async function openOrigin(name: string, request: Request): Promise<Origin> {
  const place = readBundleName(name);
  if (place.kind === 'image') {
    const repository = repositoryOf(place.ref);
    const source = await openRegistrySource(repository, request);
    const opened = new Map<string, Promise<MirrorSource>>([[repository, Promise.resolve(source)]]);
    const sourceOf = (other: string): Promise<MirrorSource> => {
      const known = opened.get(other) ?? openRegistrySource(other, request);
      opened.set(other, known);
      return known;
    };
    return {
      digests: [await digestOf(place.ref, undefined, request)],
      source,
      sourceOf,
      repository,
      folder: undefined,
    };
  }
  if (place.kind === 'standard input' || (await pathKind(place.path)) !== 'layout folder')
    misuse(`${name}: expected the reference of a release, or a folder that release mirror has written`);
  const folder = new LayoutFolder(place.path, request.signal);
  const digests = (await folder.releases()).map(({ digest }) => digest);
  const sourceOf = (): Promise<MirrorSource> => Promise.resolve(folder);
  return { digests, source: folder, sourceOf, repository: undefined, folder: place.path };
}

/** A reference begins with a host; whatever else is named is a folder. */
async function openTarget(
  to: string,
  request: Request,
): Promise<{ readonly target: MirrorTarget; readonly repository?: string }> {
  const place = readBundleName(to);
  const isFolder = (await stat(to).catch(() => undefined))?.isDirectory() === true;
  if (place.kind === 'image' && !place.isGuess && !isFolder) {
    if (/@|:[^/]*$/.test(place.ref)) misuse(`--to ${to}: expected a repository, without a tag or digest`);
    const { stack, work, ...transfer } = request;
    const repository = stack.use(await openRepository(place.ref, 'pull,push', transfer));
    const scratch = join(work.path, 'blobs');
    await mkdir(scratch);
    return { target: repositoryTarget(repository, scratch), repository: repository.name };
  }
  const folder = new LayoutFolder(to, request.signal);
  if (!request.values['dry-run']) await folder.prepare();
  return { target: folder };
}

/** The manifests of a release, out of the layers of its image. For several platforms these are the same: those of the first are read. */
async function readRelease(digest: string, source: MirrorSource, { work, signal }: Request): Promise<ReleasePayload> {
  const named = await source.manifest(digest);
  const [child] = named.manifests;
  const image: ImageManifest = child === undefined ? named : await source.manifest(child.digest);
  await using staging = await openStaging(work, `release-${digest.replace(':', '-')}`, releaseLimits);
  const [, ...layers] = image.blobs;
  for (const blob of layers) {
    const limit = releaseLimits.compressedLayerBytes;
    const what = `layer ${blob.digest}`;
    if (blob.sizeBytes > limit) {
      throw new TerminalError(
        'LayerTooLarge',
        `${what}: ${blob.sizeBytes} bytes, more than the limit of ${limit} bytes`,
      );
    }
    const path = await source.blobFile(blob, join(work.path, blob.digest.replace(':', '-')));
    await extractArchive(createReadStream(path), staging, { what, hasWhiteouts: true, takes: takesPayload, signal });
  }
  return await readPayload(staging, { releaseImage: digest, clusterProfile: '' });
}

/** The images of a release, each with its repository; the release comes last: where it is, everything is.
 *  @throws TerminalError InvalidRelease for pull specs without a digest */
function imagesOf(
  { metadata, images }: ReleasePayload,
  digest: string,
): readonly (CopiedImage & { readonly from: string | undefined })[] {
  const parts = images.images.map(({ name, from }) => {
    const { digest: found = '' } = parseImageReference(from);
    if (!isSha256Digest(found))
      throw new TerminalError('InvalidRelease', `image "${name}": expected a pull spec by digest, found "${from}"`);
    const tag = tagOf(`${metadata.version}-${name}`);
    return { what: `image ${name}`, digest: found, from: repositoryOf(from), names: { tag } };
  });
  const names = { tag: tagOf(metadata.version), version: metadata.version };
  return [...parts, { what: `release ${metadata.version}`, digest, from: undefined, names }];
}

/** What may stand in a tag: build metadata of versions begins with a plus sign. */
function tagOf(text: string): string {
  return text.replace(/[^\w.-]/g, '_').slice(0, 128);
}

interface Mirrored {
  readonly payload: ReleasePayload;
  readonly version: string;
  readonly digest: string;
  readonly images: number;
  readonly counts: CopyCounts;
  readonly sources: ReadonlySet<string>;
}

async function mirrorRelease(
  digest: string,
  { origin, target, request }: { readonly origin: Origin; readonly target: MirrorTarget; readonly request: Request },
): Promise<Mirrored> {
  const { values, progress } = request;
  const payload = await readRelease(digest, origin.source, request);
  const images = imagesOf(payload, digest);
  const counts: CopyCounts = { copiedBlobs: 0, copiedBytes: 0, known: 0 };
  const problems: string[] = [];
  for (const image of images) {
    // Without all of its images a release is not there.
    if (image.from === undefined && problems.length > 0) break;
    try {
      const source = image.from === undefined ? origin.source : await origin.sourceOf(image.from);
      const onBlob = ({ sizeBytes }: { sizeBytes: number }): void =>
        progress.show(`${image.what}: ${formatBytes(sizeBytes)}`);
      const copied = await copyImage(image, { source, target, isDryRun: values['dry-run'], onBlob });
      counts.copiedBlobs += copied.copiedBlobs;
      counts.copiedBytes += copied.copiedBytes;
      counts.known += copied.known;
      const amount = `${counted(copied.copiedBlobs, 'blob')}, ${formatBytes(copied.copiedBytes)}`;
      progress.finish(`${image.what}: ${copied.copiedBlobs === 0 ? 'is there already' : amount}`);
    } catch (thrown) {
      if (!(thrown instanceof Error) || request.signal.aborted) throw thrown;
      problems.push(`${image.what}: ${errorMessage(thrown)}`);
    }
  }
  if (problems.length > 0) {
    const text = `release ${payload.metadata.version} is not complete; run the command again to continue: ${problems.join('; ')}`;
    throw new TerminalError('MirrorIncomplete', text);
  }
  const sources = new Set(images.map(({ from }) => from ?? origin.repository ?? '').filter((from) => from !== ''));
  return { payload, version: payload.metadata.version, digest, images: images.length, counts, sources };
}

/** Copies the OpenPGP signatures of a release, which are in no registry: into a mirror that is a folder, and to `--signatures-to`. How many there are. */
async function mirrorSignatures(
  mirrored: Mirrored,
  { values, progress, signal }: Request,
  folders: { readonly source: string | undefined; readonly target: string | undefined },
): Promise<number> {
  const { store: stores, 'registry-ca': authorities, 'signatures-to': configMaps } = values;
  const { signatures, problems } = await findSignatures(
    mirrored,
    { stores, folder: folders.source, authorities },
    signal,
  );
  for (const problem of problems) progress.finish(`warning: signatures of ${mirrored.version}: ${problem}`);
  if (signatures.length === 0 || values['dry-run']) return signatures.length;
  if (folders.target !== undefined)
    await writeStore(join(folders.target, signaturesFolder), mirrored.digest, signatures);
  if (configMaps !== undefined) await writeConfigMap(configMaps, mirrored.digest, signatures);
  return signatures.length;
}

function printMirrored(
  mirrored: Mirrored & { readonly signatures: number },
  repository: string | undefined,
  values: Values,
): void {
  const { version, digest, images, counts, sources, signatures } = mirrored;
  const mirrors = repository === undefined ? [] : [...sources].map((source) => ({ source, mirrors: [repository] }));
  if (values.output === 'json') {
    const { copiedBlobs, copiedBytes } = counts;
    process.stdout.write(
      `${JSON.stringify({ version, digest, images, copiedBlobs, copiedBytes, signatures, mirrors })}\n`,
    );
    return;
  }
  const verb = values['dry-run'] ? 'would copy' : 'copied';
  const amount = `${counted(counts.copiedBlobs, 'blob')}, ${formatBytes(counts.copiedBytes)}`;
  const signed = signatures === 0 ? '' : `, ${counted(signatures, 'signature')}`;
  process.stdout.write(`${version} ${digest}: ${counted(images, 'image')}, ${verb} ${amount}${signed}\n`);
  if (signatures > 0 && repository !== undefined && values['signatures-to'] === undefined) {
    process.stdout.write('  a registry has no place for signatures: write them to a folder with --signatures-to DIR\n');
  }
  for (const { source } of mirrors) process.stdout.write(`  ${source} is mirrored by ${repository}\n`);
}

/** `longshore release mirror RELEASE --to REPOSITORY|DIR` */
export async function releaseMirror(values: Values, [name]: readonly [string]): Promise<number> {
  const { to } = values;
  if (to === undefined) misuse('expected --to REPOSITORY or --to DIR');
  using progress = createProgress(process.stderr, { isQuiet: values.output === 'json' });
  await using work = await openWorkFolder();
  await using stack = new AsyncDisposableStack();
  const request: Request = { values, work, progress, signal: AbortSignal.timeout(deadlineMs), stack };
  const { target, repository } = await openTarget(to, request);
  const origin = await openOrigin(name, request);
  for (const digest of origin.digests) {
    const mirrored = await mirrorRelease(digest, { origin, target, request });
    const folders = { source: origin.folder, target: repository === undefined ? to : undefined };
    const signatures = await mirrorSignatures(mirrored, request, folders);
    progress.clear();
    printMirrored({ ...mirrored, signatures }, repository, values);
  }
  return 0;
}
