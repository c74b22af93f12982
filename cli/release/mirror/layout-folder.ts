import { copyFile, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  defaultContentLimits,
  isJsonObject,
  isSha256Digest,
  type JsonObject,
  objectAt,
  objectsAt,
  parseJson,
  replaceFile,
  sha256Digest,
  TerminalError,
  textAt,
} from '../../../src/base/index.ts';
import { signatureTag } from '../../../src/image-policy/index.ts';
import {
  type ImageManifest,
  readImageManifest,
  referrersTag,
  type TaggedManifest,
  verifyFile,
} from '../../../src/sources/index.ts';
import { layoutMarker } from '../../input/index.ts';
import type { ManifestNames, MirroredBlob, MirrorSource, MirrorTarget } from './places.ts';
import { signaturesFolder } from './release-signatures.ts';

const refName = 'org.opencontainers.image.ref.name';
const releaseAnnotation = 'io.openshift.release';
const indexFile = 'index.json';
const maxIndexBytes = 16 * 1024 * 1024;

/** A release in the folder. */
interface MirroredRelease {
  readonly digest: string;
  readonly version: string;
}

function invalid(folder: string, text: string): TerminalError {
  return new TerminalError('InvalidLayout', `${folder}: not a mirror of a release: ${text}`);
}

async function readBounded(path: string, maxBytes: number): Promise<Buffer> {
  const { size } = await stat(path);
  if (size <= maxBytes) return await readFile(path);
  throw new TerminalError('FileTooLarge', `${path}: ${size} bytes, more than the limit of ${maxBytes} bytes`);
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}

/** A folder with images, an OCI image layout: `blobs/sha256`, and `index.json` with names. A blob has its name only when it is whole and verified, and the
 *  manifest of an image comes after its blobs, so that what is there need not be copied again. */
export class LayoutFolder implements MirrorSource, MirrorTarget {
  readonly #folder: string;
  readonly #signal: AbortSignal;

  constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
  }

  #path(digest: string): string {
    if (!isSha256Digest(digest)) throw invalid(this.#folder, `"${digest.slice(0, 100)}" is not a sha256 digest`);
    return join(this.#folder, 'blobs', 'sha256', digest.slice('sha256:'.length));
  }

  /** Makes the folder, which may have been begun by a copy that was interrupted.
   *  @throws TerminalError FolderNotEmpty */
  async prepare(): Promise<void> {
    await mkdir(join(this.#folder, 'blobs', 'sha256'), { recursive: true });
    const foreign = (await readdir(this.#folder)).find(
      (name) => ![layoutMarker, indexFile, 'blobs', signaturesFolder].includes(name),
    );
    if (foreign !== undefined) {
      const text = `${this.#folder}: has "${foreign}", which is no part of a mirror: name a new or empty folder`;
      throw new TerminalError('FolderNotEmpty', text);
    }
    await this.#replace(join(this.#folder, layoutMarker), '{"imageLayoutVersion":"1.0.0"}');
  }

  async #replace(path: string, content: string | Uint8Array): Promise<void> {
    const temporaryPath = join(this.#folder, 'blobs', 'replaced.partial');
    await replaceFile(path, content, { temporaryPath, mode: 0o644 });
  }

  async #entries(): Promise<readonly JsonObject[]> {
    const path = join(this.#folder, indexFile);
    if (!(await exists(path))) return [];
    const document = parseJson(path, (await readBounded(path, maxIndexBytes)).toString('utf8'));
    return isJsonObject(document) ? objectsAt(document, 'manifests') : [];
  }

  /** The releases in the folder, which are complete.
   *  @throws TerminalError InvalidLayout */
  async releases(): Promise<readonly MirroredRelease[]> {
    const found = (await this.#entries()).flatMap((entry) => {
      const version = textAt(objectAt(entry, 'annotations'), releaseAnnotation);
      return version === '' ? [] : [{ digest: textAt(entry, 'digest'), version }];
    });
    if (found.length === 0) throw invalid(this.#folder, `no entry of ${indexFile} is a release`);
    return found;
  }

  async manifest(digest: string): Promise<ImageManifest> {
    const bytes = await readBounded(this.#path(digest), defaultContentLimits.manifestBytes);
    const what = `${this.#folder}, manifest ${digest}`;
    const got = sha256Digest(bytes);
    if (got !== digest) throw new TerminalError('DigestMismatch', `${what}: got ${got}`);
    return readImageManifest(what, {
      document: parseJson(what, bytes.toString()),
      bytes,
      digest,
      contentType: undefined,
    });
  }

  async signatures(digest: string): Promise<readonly TaggedManifest[]> {
    const entries = await this.#entries();
    const found = [signatureTag(digest), referrersTag(digest)].map(async (tag) => {
      const entry = entries.find((known) => textAt(objectAt(known, 'annotations'), refName) === tag);
      return entry === undefined ? [] : [{ tag, manifest: await this.manifest(textAt(entry, 'digest')) }];
    });
    return (await Promise.all(found)).flat();
  }

  async blobFile(blob: MirroredBlob): Promise<string> {
    const path = this.#path(blob.digest);
    await verifyFile(path, { what: path, blob, signal: this.#signal });
    return path;
  }

  async hasManifest(digest: string): Promise<boolean> {
    return await exists(this.#path(digest));
  }

  async hasBlob({ digest, sizeBytes }: MirroredBlob): Promise<boolean> {
    const facts = await stat(this.#path(digest)).catch(() => undefined);
    return facts?.size === sizeBytes;
  }

  async putBlob(blob: MirroredBlob, source: MirrorSource): Promise<void> {
    const path = this.#path(blob.digest);
    const scratch = `${path}.partial`;
    const file = await source.blobFile(blob, scratch);
    if (file !== scratch) await copyFile(file, scratch);
    await rename(scratch, path);
  }

  async putManifest(manifest: ImageManifest, { tag, version }: ManifestNames): Promise<void> {
    const { digest, mediaType, bytes } = manifest;
    await this.#replace(this.#path(digest), bytes);
    if (tag === undefined) return;
    const annotations = { [refName]: tag, ...(version === undefined ? {} : { [releaseAnnotation]: version }) };
    const entry = { mediaType, digest, size: bytes.length, annotations };
    const others = (await this.#entries()).filter((known) => textAt(objectAt(known, 'annotations'), refName) !== tag);
    const index = { schemaVersion: 2, manifests: [...others, entry] };
    await this.#replace(join(this.#folder, indexFile), JSON.stringify(index));
  }
}
