import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { bundleAnnotationPrefix } from '../../src/api/index.ts';
import {
  isJsonObject,
  type JsonObject,
  maxMetadataFileBytes,
  objectAt,
  parseYaml,
  scalarText,
  sha256Digest,
  sortedKeys,
  TerminalError,
  verifyStream,
} from '../../src/base/index.ts';
import { canonicalTar, type Staging } from '../../src/content/index.ts';

/** What a manifest refers to. */
export interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly sizeBytes: number;
  /** The bytes, as often as asked for. */
  readonly open: () => Readable;
}

/** An image or artifact, whole: its manifest and what that refers to, the config first. */
export interface BundleImage {
  readonly mediaType: string;
  readonly manifest: Buffer;
  /** Of the manifest. */
  readonly digest: string;
  readonly blobs: readonly Blob[];
}

export interface BuildOptions {
  /** A container image, or an OCI artifact without a container config. */
  readonly form: 'image' | 'artifact';
  readonly compression: 'none' | 'gzip';
  /** An empty folder, for the layer. */
  readonly dir: string;
  /** Of an image, in addition to those of the files. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Of an artifact: what the files are. */
  readonly artifactType?: string;
  readonly signal: AbortSignal;
}

const annotationsPath = 'metadata/annotations.yaml';
const layerType = 'application/vnd.oci.image.layer.v1.tar';
/** `artifactType` of a bundle. */
const bundleArtifactType = 'application/vnd.longshore.bundle.v1';
export const manifestType = 'application/vnd.oci.image.manifest.v1+json';

function jsonBlob(mediaType: string, value: JsonObject): Blob {
  const bytes = Buffer.from(JSON.stringify(value));
  return { mediaType, digest: sha256Digest(bytes), sizeBytes: bytes.length, open: () => Readable.from([bytes]) };
}

interface WrittenLayer {
  readonly blob: Blob;
  /** Of the uncompressed tar. */
  readonly diffId: string;
}

async function writeLayer(staging: Staging, { compression, dir, signal }: BuildOptions): Promise<WrittenLayer> {
  const path = join(dir, 'layer');
  let [diffId, digest] = ['', ''];
  const limits = { what: 'the layer', maxBytes: Number.POSITIVE_INFINITY };
  const plain = verifyStream({ ...limits, onDigest: (got) => (diffId = got) });
  const packed = verifyStream({ ...limits, onDigest: (got) => (digest = got) });
  const output = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  const tar = Readable.from(canonicalTar(staging));
  if (compression === 'gzip') await pipeline(tar, plain, createGzip({ level: 9 }), packed, output, { signal });
  else await pipeline(tar, plain, packed, output, { signal });
  const mediaType = compression === 'gzip' ? `${layerType}+gzip` : layerType;
  const { size: sizeBytes } = await stat(path);
  return { diffId, blob: { mediaType, digest, sizeBytes, open: () => createReadStream(path) } };
}

function descriptorOf({ mediaType, digest, sizeBytes }: Blob): JsonObject {
  return { mediaType, digest, size: sizeBytes };
}

function imageOf(document: JsonObject, blobs: readonly Blob[]): BundleImage {
  const manifest = Buffer.from(JSON.stringify(document));
  return { mediaType: manifestType, manifest, digest: sha256Digest(manifest), blobs };
}

/** Manifests are the same on every machine, so the platform is only what readers of images expect to find. */
function asImage({ blob, diffId }: WrittenLayer, labels: JsonObject | undefined): BundleImage {
  const config = jsonBlob('application/vnd.oci.image.config.v1+json', {
    architecture: 'amd64',
    os: 'linux',
    config: labels === undefined ? {} : { Labels: labels },
    rootfs: { type: 'layers', diff_ids: [diffId] },
  });
  const layers = [descriptorOf(blob)];
  const document = { schemaVersion: 2, mediaType: manifestType, config: descriptorOf(config), layers };
  return imageOf(document, [config, blob]);
}

function asArtifact({ blob }: WrittenLayer, artifactType: string): BundleImage {
  const config = jsonBlob('application/vnd.oci.empty.v1+json', {});
  const title = blob.mediaType.endsWith('gzip') ? 'bundle.tar.gz' : 'bundle.tar';
  const layers = [{ ...descriptorOf(blob), annotations: { 'org.opencontainers.image.title': title } }];
  const head = { schemaVersion: 2, mediaType: manifestType, artifactType };
  return imageOf({ ...head, config: descriptorOf(config), layers }, [config, blob]);
}

/** The annotations of an operator's bundle, by which catalogs recognize its image; undefined for other bundles, and for files that cannot be read,
 *  which the reader of the bundle reports. */
async function labelsOf(staging: Staging): Promise<JsonObject | undefined> {
  const node = staging.tree.get(['metadata', 'annotations.yaml']);
  if (node?.kind !== 'file' || node.sizeBytes > maxMetadataFileBytes) return undefined;
  try {
    const text = (await staging.readFile(annotationsPath, node, maxMetadataFileBytes)).toString('utf8');
    const document = parseYaml(annotationsPath, text, { isLastKeyTaken: true });
    const annotations = objectAt(isJsonObject(document) ? document : undefined, 'annotations') ?? {};
    const labels = Object.entries(annotations)
      .filter(([key]) => key.startsWith(bundleAnnotationPrefix))
      .flatMap(([key, value = null]) => {
        const label = scalarText(value);
        return label === undefined ? [] : [[key, label] as const];
      });
    return labels.length === 0 ? undefined : (sortedKeys(Object.fromEntries(labels) as JsonObject) as JsonObject);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

/** Builds an image or artifact of one layer. Nothing but names, contents and executable bits of the staged files goes into it (an image of an operator's bundle has the
 *  annotations of the bundle as labels): without compression the
 *  digest is the same on every machine; what gzip makes of the same bytes may differ between versions of Node.js and processors. */
export async function buildBundleImage(staging: Staging, options: BuildOptions): Promise<BundleImage> {
  const layer = await writeLayer(staging, options);
  if (options.form === 'artifact') return asArtifact(layer, options.artifactType ?? bundleArtifactType);
  const labels = await labelsOf(staging);
  return asImage(layer, options.labels === undefined ? labels : { ...labels, ...options.labels });
}
