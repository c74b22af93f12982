import { type ContentLimits, defaultContentLimits, TerminalError } from '../base/index.ts';
import { type Staging, takesDirectory } from '../content/index.ts';
import { type ImageReferences, parseImageReferences } from './image-references.ts';
import { exclusionOf, type InclusionProfile } from './inclusion.ts';
import { type PayloadDirectory, payloadDirectories, type ReleaseManifest } from './manifest.ts';
import { isManifestFile, type PayloadFile, readManifests } from './read-manifests.ts';
import { parseReleaseMetadata, type ReleaseMetadata } from './release-metadata.ts';
import { versionHash } from './version-hash.ts';

export const metadataFile = 'release-metadata';
export const imageReferencesFile = 'image-references';

/** A file of a release holds definitions with long schemas, never more than this. */
export const maxReleaseFileBytes: number = 16 * 1024 * 1024;

const mebibyte = 1024 * 1024;
/** All files that are read together; published releases have less than half of it. */
const maxPayloadBytes = 48 * mebibyte;

/** Of a release: few files are taken of an image that may be large, as it has the program of the engine, too. */
export const releaseLimits: ContentLimits = Object.freeze({
  ...defaultContentLimits,
  compressedLayerBytes: 2048 * mebibyte,
  unpackedBytes: 128 * mebibyte,
  streamedBytes: 8192 * mebibyte,
  entries: 500_000,
});

/** Takes what a payload consists of, out of an image. */
export function takesPayload(path: readonly string[]): boolean {
  return payloadDirectories.some((directory) => takesDirectory([directory])(path));
}

/** A release, read and checked. */
export interface ReleasePayload {
  readonly metadata: ReleaseMetadata;
  readonly images: ImageReferences;
  /** Every manifest, in the order in which they are applied. */
  readonly manifests: readonly ReleaseManifest[];
  readonly warnings: readonly string[];
}

/** What the manifests of the engine itself are filled with. */
export interface PayloadReading {
  readonly releaseImage: string;
  readonly clusterProfile: string;
}

async function readDirectory(staging: Staging, directory: PayloadDirectory): Promise<PayloadFile[]> {
  const entries = staging.readDirectory(directory, maxReleaseFileBytes);
  if (entries === undefined) {
    const expected = 'expected the directories manifests and release-manifests';
    throw new TerminalError('InvalidRelease', `not a release: there is no directory ${directory}; ${expected}`);
  }
  const files: PayloadFile[] = [];
  for await (const entry of entries) {
    if (entry.kind === 'file') files.push({ directory, name: entry.name, content: entry.content });
  }
  return files;
}

function markerText(files: readonly PayloadFile[], name: string): string {
  const file = files.find((candidate) => candidate.directory === 'release-manifests' && candidate.name === name);
  if (file !== undefined) return file.content.toString('utf8');
  throw new TerminalError('InvalidRelease', `not a release: there is no file release-manifests/${name}`);
}

function assertSameVersion(images: ImageReferences, metadata: ReleaseMetadata): void {
  if (images.name === metadata.version) return;
  const text = `version from image-references (${images.name}) differs from release-metadata (${metadata.version})`;
  throw new TerminalError('InvalidRelease', text);
}

/** All files of a payload, manifests and markers.
 *  @throws TerminalError InvalidRelease, FileTooLarge */
export async function readPayloadFiles(staging: Staging): Promise<PayloadFile[]> {
  const files: PayloadFile[] = [];
  for (const directory of payloadDirectories) files.push(...(await readDirectory(staging, directory)));
  const sizeBytes = files.reduce((sum, { content }) => sum + content.length, 0);
  if (sizeBytes <= maxPayloadBytes) return files;
  const text = `the manifests have ${sizeBytes} bytes together, more than the limit of ${maxPayloadBytes} bytes`;
  throw new TerminalError('InvalidRelease', text);
}

/** Reads a release from its files; `keep` is called with each manifest as it is read.
 *  @throws TerminalError InvalidRelease
 *  @see docs/spec/cluster-version.md#layout */
export function parsePayload(
  files: readonly PayloadFile[],
  reading: PayloadReading,
  keep: (manifest: ReleaseManifest) => ReleaseManifest = (manifest) => manifest,
): ReleasePayload {
  const warnings: string[] = [];
  const metadata = parseReleaseMetadata(markerText(files, metadataFile), (warning) => warnings.push(warning));
  const images = parseImageReferences(markerText(files, imageReferencesFile));
  assertSameVersion(images, metadata);
  const pullSpecs = new Map(images.images.map(({ name, from }) => [name, from]));
  const read = readManifests(
    files.filter(({ name }) => isManifestFile(name)),
    { ...reading, images: pullSpecs },
    keep,
  );
  return { metadata, images, manifests: read.manifests, warnings: [...warnings, ...read.warnings] };
}

/** Reads a release from staged files.
 *  @throws TerminalError InvalidRelease, FileTooLarge */
export async function readPayload(staging: Staging, reading: PayloadReading): Promise<ReleasePayload> {
  return parsePayload(await readPayloadFiles(staging), reading);
}

/** What a cluster loads of a release. */
export interface LoadedManifests {
  readonly manifests: readonly ReleaseManifest[];
  readonly excluded: readonly { readonly manifest: ReleaseManifest; readonly reason: string }[];
  /** Of the loaded manifests: changes whenever one of them does. */
  readonly versionHash: string;
}

/** Chooses the manifests that a cluster loads. */
export function selectManifests(manifests: readonly ReleaseManifest[], cluster: InclusionProfile): LoadedManifests {
  const evaluated = manifests.map((manifest) => ({ manifest, reason: exclusionOf(manifest, cluster) }));
  const kept = evaluated.filter(({ reason }) => reason === undefined).map(({ manifest }) => manifest);
  const excluded = evaluated.flatMap(({ manifest, reason }) => (reason === undefined ? [] : [{ manifest, reason }]));
  return { manifests: kept, excluded, versionHash: versionHash(kept.map(({ canonicalText }) => canonicalText)) };
}
