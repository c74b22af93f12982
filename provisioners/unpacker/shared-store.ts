import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import {
  errorMessage,
  isJsonObject,
  isSha256Digest,
  type JsonObject,
  TerminalError,
  TransientError,
} from '../../src/base/index.ts';
import {
  type ContentRecord,
  type ContentStore,
  extractArchive,
  Uploads,
  uploadsFolder,
} from '../../src/content/index.ts';
import {
  type Artifact,
  ArtifactRepository,
  type ArtifactRepositoryOptions,
  type FoundCredentials,
  findCredentials,
  openKeyring,
} from '../../src/sources/index.ts';
import type { BundleIdentity } from './bundle-identity.ts';
import { temporaryFolder } from './store-folders.ts';

const contentType = 'application/vnd.longshore.content.v1';
const uploadType = 'application/vnd.longshore.upload.v1';
const configType = 'application/vnd.longshore.content.config.v1+json';
const tarType = 'application/vnd.oci.image.layer.v1.tar+gzip';
const maxLoginBytes = 1024 * 1024;

/** A repository where contents are kept beside the folder of one process. Crosses threads. */
export interface SharedStoreSettings {
  readonly registry: string;
  readonly repository: string;
  /** File with the login, as container tools write it and a Secret of type `kubernetes.io/dockerconfigjson` holds it. */
  readonly loginPath: string | undefined;
  /** Begins the tags of this cluster: several may share a repository. */
  readonly cluster: string;
}

/** `registry/repository`, which every place in the store begins with. */
export function sharedStoreName({ registry, repository }: SharedStoreSettings): string {
  return `${registry}/${repository}`;
}

interface Waiting {
  readonly signal: AbortSignal;
}

interface Deps extends Pick<ArtifactRepositoryOptions, 'http' | 'clock' | 'limits' | 'insecureRegistries'> {
  readonly settings: SharedStoreSettings;
  readonly storeDir: string;
  readonly store: ContentStore;
  readonly maxFileBytes: number;
}

async function readLogin(path: string | undefined, place: SharedStoreSettings): Promise<FoundCredentials> {
  if (path === undefined) return { credentials: undefined, note: 'no --content-store-login was given' };
  const text = await readFile(path);
  if (text.length > maxLoginBytes) throw new TerminalError('InvalidLogin', `${path}: more than ${maxLoginBytes} bytes`);
  const data = { '.dockerconfigjson': text.toString('base64') };
  return findCredentials(openKeyring({ secrets: [{ name: path, data }] }), place);
}

/** Whatever fails here is the registry's, or the administrator's: it is tried again. */
async function inStore<T>(name: string, { signal }: Waiting, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    signal.throwIfAborted();
    const retryAfterMs = thrown instanceof TransientError ? thrown.retryAfterMs : undefined;
    const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
    const message = `the content store ${name}: ${errorMessage(thrown)}`;
    throw new TransientError('ContentStoreUnavailable', message, { cause: thrown, ...pause });
  }
}

function refuse(problem: string): never {
  throw new TerminalError('InvalidArtifact', problem);
}

/** The description of a content, as it was pushed. */
function recordOf(what: string, { config }: Artifact, bundle: BundleIdentity): ContentRecord {
  const { digest, sizeBytes, facts, uid } = config;
  if (uid !== bundle.uid) refuse(`${what}: holds the content of another Bundle`);
  if (typeof digest !== 'string' || !isSha256Digest(digest)) return refuse(`${what}: does not report its digest`);
  if (typeof sizeBytes !== 'number' || !isJsonObject(facts))
    return refuse(`${what}: its config does not describe the content`);
  return { ...bundle, digest, sizeBytes, facts };
}

/** Contents and uploads of Bundles in a registry: an artifact each, tagged `<cluster>-<uid of the Bundle>`, and found again by the
 *  digest of its manifest alone. Every method throws TransientError ContentStoreUnavailable, whatever the registry answers. */
export class SharedStore {
  readonly #deps: Deps;
  readonly #repository: ArtifactRepository;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { settings } = deps;
    const readCredentials = (): Promise<FoundCredentials> => readLogin(settings.loginPath, settings);
    this.#repository = new ArtifactRepository({ ...deps, ...settings, readCredentials });
  }

  #tag({ uid }: Pick<BundleIdentity, 'uid'>): string {
    return `${this.#deps.settings.cluster}-${uid}`;
  }

  #temporaryPath(): string {
    return `${temporaryFolder(this.#deps.storeDir)}/${randomUUID()}`;
  }

  /** Whether a place is a digest in this repository. */
  has(storedAt: string | undefined): storedAt is string {
    const start = `${this.#repository.name}@`;
    return storedAt?.startsWith(start) === true && isSha256Digest(storedAt.slice(start.length));
  }

  /** Pushes what is stored for a Bundle, and what that replaces goes; the answer is the place. */
  async save({ name, uid, digest, sizeBytes, facts }: ContentRecord, options: Waiting): Promise<string> {
    const config = { name, uid, digest, sizeBytes, facts };
    const file = { path: this.#deps.store.path(name), mediaType: tarType, title: 'content.tar.gz' };
    return await this.#push({ name, uid }, { artifactType: contentType, config, file }, options);
  }

  /** Pushes what was uploaded for a Bundle; the answer is the place. */
  async saveUpload(bundle: BundleIdentity, path: string, options: Waiting): Promise<string> {
    const file = { path, mediaType: 'application/gzip', title: 'upload' };
    return await this.#push(bundle, { artifactType: uploadType, config: { ...bundle }, file }, options);
  }

  async #push(
    bundle: BundleIdentity,
    content: {
      readonly artifactType: string;
      readonly config: JsonObject;
      readonly file: { path: string; mediaType: string; title: string };
    },
    options: Waiting,
  ): Promise<string> {
    const annotations = { 'core.rukpak.io/bundle': bundle.name, 'core.rukpak.io/bundle-uid': bundle.uid };
    return await inStore(this.#repository.name, options, async () => {
      const digest = await this.#repository.push(this.#tag(bundle), { ...content, configType, annotations }, options);
      return `${this.#repository.name}@${digest}`;
    });
  }

  /** Brings back what is kept at a place: content is stored again, and its record is the answer; an upload is put where uploads are, unless
   *  one is there. */
  async restore(
    bundle: BundleIdentity,
    { storedAt, expectedDigest }: { readonly storedAt: string; readonly expectedDigest: string | undefined },
    options: Waiting,
  ): Promise<ContentRecord | undefined> {
    return await inStore(this.#repository.name, options, async () => {
      const digest = storedAt.slice(this.#repository.name.length + 1);
      const artifact = await this.#repository.find(digest, options);
      const what = `${this.#repository.name}@${digest}`;
      if (artifact.file.sizeBytes > this.#deps.maxFileBytes) {
        refuse(`${what}: ${artifact.file.sizeBytes} bytes, more than the limit of ${this.#deps.maxFileBytes} bytes`);
      }
      const path = this.#temporaryPath();
      try {
        if (artifact.artifactType === contentType) {
          const record = recordOf(what, artifact, bundle);
          await this.#repository.fetchFile(artifact.file, path, options);
          return await this.#keep({ ...record, storedAt }, { path, what, expectedDigest, ...options });
        }
        await this.#restoreUpload(bundle, artifact, { path, what, ...options });
        return undefined;
      } finally {
        await rm(path, { force: true });
      }
    });
  }

  async #keep(
    record: ContentRecord,
    file: Waiting & { readonly path: string; readonly what: string; readonly expectedDigest: string | undefined },
  ): Promise<ContentRecord> {
    const { path, what, signal, expectedDigest = record.digest } = file;
    if (expectedDigest !== record.digest) refuse(`${what}: expected content ${expectedDigest}, got ${record.digest}`);
    await using staging = await this.#deps.store.stage();
    const pieces = createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>;
    await extractArchive(pieces, staging, { what, hasWhiteouts: false, signal });
    staging.assertLinksInside(what);
    const { name, uid, facts, storedAt } = record;
    return await this.#deps.store.commit(staging, { name, uid, facts, expectedDigest, storedAt, signal });
  }

  async #restoreUpload(
    bundle: BundleIdentity,
    { artifactType, config, file }: Artifact,
    { path, what, signal }: Waiting & { readonly path: string; readonly what: string },
  ): Promise<void> {
    if (artifactType !== uploadType) refuse(`${what}: is no artifact of Longshore`);
    if (config['uid'] !== bundle.uid) refuse(`${what}: holds the upload of another Bundle`);
    const { storeDir, store } = this.#deps;
    const uploads = await Uploads.open(uploadsFolder(storeDir), temporaryFolder(storeDir));
    if (await uploads.has(bundle)) return;
    await this.#repository.fetchFile(file, path, { signal });
    await store.makeRoom(file.sizeBytes, { signal });
    await uploads.keep(bundle, { path, digest: file.digest, sizeBytes: file.sizeBytes });
  }

  /** Deletes what is kept for a Bundle; the result is the reason why it stays, where the registry deletes nothing. */
  async remove(bundle: Pick<BundleIdentity, 'uid'>, options: Waiting): Promise<string | undefined> {
    return await this.#remove(this.#tag(bundle), options);
  }

  /** Deletes what is kept for a Bundle at a place, as `remove` does. What is kept there for another Bundle stays: the place is from an annotation, which
   *  users may write. */
  async removeAt(
    { uid }: Pick<BundleIdentity, 'uid'>,
    storedAt: string,
    options: Waiting,
  ): Promise<string | undefined> {
    const digest = storedAt.slice(this.#repository.name.length + 1);
    const { config } = await inStore(this.#repository.name, options, () => this.#repository.find(digest, options));
    return config['uid'] === uid ? await this.#remove(digest, options) : undefined;
  }

  async #remove(reference: string, options: Waiting): Promise<string | undefined> {
    return await inStore(this.#repository.name, options, async () => {
      try {
        await this.#repository.remove(reference, options);
        return undefined;
      } catch (thrown) {
        const isUnsupported = thrown instanceof TerminalError && thrown.reason === 'DeletionUnsupported';
        if (isUnsupported) return errorMessage(thrown);
        throw thrown;
      }
    });
  }

  /** Uids of all Bundles of this cluster that something is kept for. */
  async uids(options: Waiting): Promise<readonly string[]> {
    const prefix = this.#tag({ uid: '' });
    const tags = await inStore(this.#repository.name, options, () => this.#repository.tags(prefix, options));
    return tags.map((tag) => tag.slice(prefix.length));
  }
}
