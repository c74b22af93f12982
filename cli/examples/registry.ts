import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parseJson, sha256Digest } from '../../src/base/index.ts';
import { type ListenOptions, listenOnLoopback } from './listen.ts';
import { fileEntries, type TarEntry, tarFile } from './tar-file.ts';

/** Answers a request and returns true, or leaves it to the registry. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface RegistryOptions extends ListenOptions {
  /** Asks before everything else: authentication and faults. */
  readonly intercept?: Intercept;
  /** Limit of all bytes that clients push, together; default: none. A push beyond it is refused with 507. */
  readonly maxPushedBytes?: number;
}

export type LayerCompression = 'gzip' | 'zstd' | 'plain';

/** A layer: files by path, or entries as they shall stand in the tar. */
export interface LayerContent {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly entries?: readonly TarEntry[];
  readonly compression?: LayerCompression;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Content {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Of what is stored: it is not computed again for each request. */
  readonly digest?: string;
}

interface Pushed {
  readonly bytes: Buffer;
  readonly digest: string;
}

/** An image registry in memory, on loopback: enough of the distribution API to pull and to push, and methods that put. */
export interface Registry extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** `METHOD /path` of the latest requests. */
  readonly requests: readonly string[];
  /** Puts a blob under its digest. */
  putBlob(bytes: Uint8Array): string;
  /** Puts a manifest or index under its digest and `repository:tag`; the answer is the digest. */
  putManifest(name: string, document: Readonly<Record<string, unknown>>): string;
  /** Builds and puts an image `repository:tag` of one manifest; the answer is its digest. */
  putImage(name: string, layers: readonly LayerContent[], labels?: Readonly<Record<string, string>>): string;
}

/** More are not remembered. */
const maxRequests = 10_000;
const maxRequestCharacters = 1024;
/** What a piece of a push, and a manifest, cost besides their bytes. */
const entryBytes = 1024;
/** Of what may be pushed; manifests are searched and parsed while nothing else is answered. */
const shareOfManifests = 1 / 16;
const maxManifestValues = 100_000;
const layerType = 'application/vnd.oci.image.layer.v1.tar';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** The descriptor of a manifest that refers to another one. */
interface Attached {
  readonly subject?: Descriptor;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Layer {
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** Digest of the tar, whatever it is compressed with. */
  readonly diffId: string;
}

function buildLayer(layer: LayerContent): Layer {
  const tar = tarFile([...(layer.entries ?? []), ...fileEntries(layer.files ?? {})]);
  const diffId = sha256Digest(tar);
  switch (layer.compression ?? 'gzip') {
    case 'gzip':
      return { mediaType: `${layerType}+gzip`, bytes: gzipSync(tar, { level: 1 }), diffId };
    case 'zstd':
      return { mediaType: `${layerType}+zstd`, bytes: zstdCompressSync(tar), diffId };
    case 'plain':
    default:
      return { mediaType: layerType, bytes: tar, diffId };
  }
}

/** The whole content, or what is asked for from one byte on. */
function answer(request: IncomingMessage, response: ServerResponse, found: Content): void {
  const { mediaType, bytes, digest } = found;
  const size = bytes.length;
  const offset = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (offset > 0 && offset >= size) {
    response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    return;
  }
  const range = offset === 0 ? {} : { 'content-range': `bytes ${offset}-${size - 1}/${size}` };
  const stored = digest === undefined ? {} : { 'docker-content-digest': digest };
  const headers = { 'content-type': mediaType, 'content-length': size - offset, ...stored, ...range };
  response.writeHead(offset === 0 ? 200 : 206, headers).end(bytes.subarray(offset));
}

/** Of a push for which there is no room. */
function refuse(response: ServerResponse): void {
  response.writeHead(507, { connection: 'close' }).end();
}

class MemoryRegistry {
  readonly requests: string[] = [];
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #manifests = new Map<string, { mediaType: string; bytes: Buffer; digest: string }>();
  readonly #intercept: Intercept | undefined;
  #pushableBytes: number;
  #pushableManifestBytes: number;

  constructor({ intercept, maxPushedBytes = Number.POSITIVE_INFINITY }: RegistryOptions) {
    this.#intercept = intercept;
    this.#pushableBytes = maxPushedBytes;
    this.#pushableManifestBytes = maxPushedBytes * shareOfManifests;
  }

  putBlob(bytes: Uint8Array): string {
    const digest = sha256Digest(bytes);
    this.#blobs.set(digest, bytes);
    return digest;
  }

  putManifest(name: string, document: Readonly<Record<string, unknown>>): string {
    const bytes = Buffer.from(JSON.stringify(document));
    const digest = sha256Digest(bytes);
    const [repository = '', tag = 'latest'] = name.split(':');
    const manifest = { mediaType: String(document['mediaType']), bytes, digest };
    this.#manifests.set(`${repository}/${tag}`, manifest).set(`${repository}/${digest}`, manifest);
    return digest;
  }

  putImage(name: string, layers: readonly LayerContent[], labels?: Readonly<Record<string, string>>): string {
    const describe = (mediaType: string, bytes: Uint8Array): Descriptor => ({
      mediaType,
      digest: this.putBlob(bytes),
      size: bytes.length,
    });
    const built = layers.map(buildLayer);
    const rootfs = { type: 'layers', diff_ids: built.map(({ diffId }) => diffId) };
    const config = { architecture: 'amd64', os: 'linux', config: { Labels: labels }, rootfs };
    return this.putManifest(name, {
      schemaVersion: 2,
      mediaType: manifestType,
      config: describe('application/vnd.oci.image.config.v1+json', Buffer.from(JSON.stringify(config))),
      layers: built.map(({ mediaType, bytes }) => describe(mediaType, bytes)),
    });
  }

  readonly handle: RequestListener = (request, response) => {
    const url = request.url ?? '';
    this.#remember(`${request.method} ${url}`);
    if (this.#intercept?.(request, response) === true) return;
    if (request.method === 'POST' || request.method === 'PUT') {
      this.#receive(request, response).catch(() => response.destroy());
      return;
    }
    if (request.method === 'DELETE') {
      response.writeHead(this.#delete(url) ? 202 : 404).end();
      return;
    }
    const found = url === '/v2/' ? { mediaType: 'application/json', bytes: Buffer.from('{}') } : this.#find(url);
    if (found === undefined) response.writeHead(404).end();
    else answer(request, response, found);
  };

  #remember(request: string): void {
    this.requests.push(request.slice(0, maxRequestCharacters));
    if (this.requests.length > maxRequests) this.requests.splice(0, maxRequests / 2);
  }

  /** Uploads in one piece: POST for an address, PUT of the bytes there; manifests by PUT. */
  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pushed = await this.#readPushed(request).catch(() => undefined);
    if (pushed === undefined) return refuse(response);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://registry');
    const [, repository = '', reference = ''] = /^\/v2\/(.+)\/manifests\/([^/]+)$/.exec(pathname) ?? [];
    if (request.method === 'POST') {
      response.writeHead(202, { location: `${pathname}${randomUUID()}?state=1` }).end();
    } else if (repository === '') this.#takeBlob(response, pushed, searchParams.get('digest'));
    else this.#takeManifest(response, { ...pushed, repository, reference, type: request.headers['content-type'] });
  }

  /** Undefined when the limit is reached. */
  async #readPushed(request: IncomingMessage): Promise<Pushed | undefined> {
    const pieces: Buffer[] = [];
    const hash = createHash('sha256');
    let held = 0;
    try {
      for await (const piece of request as AsyncIterable<Buffer>) {
        held += piece.length + entryBytes;
        this.#pushableBytes -= piece.length + entryBytes;
        if (this.#pushableBytes < 0) return undefined;
        hash.update(piece);
        pieces.push(piece);
      }
      return { bytes: Buffer.concat(pieces), digest: `sha256:${hash.digest('hex')}` };
    } finally {
      this.#pushableBytes += held;
    }
  }

  #takeBlob(response: ServerResponse, { bytes, digest }: Pushed, expected: string | null): void {
    const size = this.#blobs.has(digest) ? 0 : bytes.length;
    if (size > this.#pushableBytes) return refuse(response);
    if (digest === expected) {
      this.#pushableBytes -= size;
      this.#blobs.set(digest, bytes);
    }
    response.writeHead(digest === expected ? 201 : 400).end();
  }

  #takeManifest(
    response: ServerResponse,
    pushed: Pushed & { readonly repository: string; readonly reference: string; readonly type: string | undefined },
  ): void {
    const { bytes, digest, repository, reference, type: mediaType = '' } = pushed;
    const [tagged, pinned] = [`${repository}/${reference}`, `${repository}/${digest}`];
    const size = entryBytes + bytes.length + tagged.length + pinned.length;
    if (size > this.#pushableManifestBytes) return refuse(response);
    parseJson('manifest', bytes.toString(), { maxValues: maxManifestValues });
    this.#pushableManifestBytes -= size;
    const manifest = { mediaType, bytes, digest };
    this.#manifests.set(tagged, manifest).set(pinned, manifest);
    response.writeHead(201, { 'docker-content-digest': digest }).end();
  }

  /** The manifests of a repository that refer to `subject`; without any, the answer of a registry that does not support the referrers API. */
  #referrers(repository: string, subject: string): Content | undefined {
    const manifests = [...this.#manifests]
      .filter(([key]) => key.startsWith(`${repository}/sha256:`))
      .flatMap(([key, { bytes, mediaType }]) => {
        const document = JSON.parse(bytes.toString()) as Attached;
        if (document.subject?.digest !== subject) return [];
        const { artifactType, annotations } = document;
        return [{ mediaType, digest: key.slice(repository.length + 1), size: bytes.length, artifactType, annotations }];
      });
    if (manifests.length === 0) return undefined;
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    return { mediaType, bytes: Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests })) };
  }

  /** A manifest with all its tags. Blobs stay: other manifests may refer to them. */
  #delete(url: string): boolean {
    const [, repository = '', digest = ''] = /^\/v2\/(.+)\/manifests\/(sha256:[^/]+)$/.exec(url) ?? [];
    const manifest = this.#manifests.get(`${repository}/${digest}`);
    if (manifest === undefined) return false;
    for (const [key, { bytes }] of this.#manifests) {
      if (key.startsWith(`${repository}/`) && bytes.equals(manifest.bytes)) this.#manifests.delete(key);
    }
    return true;
  }

  #tags(repository: string): Content {
    const names = [...this.#manifests.keys()].filter((key) => key.startsWith(`${repository}/`));
    const tags = names.map((key) => key.slice(repository.length + 1)).filter((tag) => !tag.includes(':'));
    return { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify({ name: repository, tags })) };
  }

  #find(url: string): Content | undefined {
    const listed = /^\/v2\/(.+)\/tags\/list/.exec(url)?.[1];
    if (listed !== undefined) return this.#tags(listed);
    const [, repository = '', kind = '', reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs|referrers)\/([^/]+)$/.exec(url) ?? [];
    if (kind === 'referrers') return this.#referrers(repository, reference);
    if (kind === 'manifests') return this.#manifests.get(`${repository}/${reference}`);
    const bytes = this.#blobs.get(reference);
    return bytes === undefined ? undefined : { mediaType: 'application/octet-stream', bytes, digest: reference };
  }
}

/** Starts a registry on loopback. */
export async function startRegistry(options: RegistryOptions = {}): Promise<Registry> {
  const memory = new MemoryRegistry(options);
  const server = await listenOnLoopback(memory.handle, options);
  return {
    host: `127.0.0.1:${server.port}`,
    requests: memory.requests,
    putBlob: (bytes) => memory.putBlob(bytes),
    putManifest: (name, document) => memory.putManifest(name, document),
    putImage: (name, layers, labels) => memory.putImage(name, layers, labels),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
