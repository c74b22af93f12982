import { gzipSync, zstdCompressSync } from 'node:zlib';
import { isJsonObject, type JsonValue, sha256Digest, systemClock, textAt } from '../../../src/base/index.ts';
import { createLocks } from '../../../src/content/index.ts';
import { createHttpClient, fetchHttp, fetchImage, LayerCache, RateLimits } from '../../../src/sources/index.ts';
import { tarFile } from '../../support/index.ts';
import { fetchDeps, fetchResult, openBesideSocket, openBesideWeb } from './source-servers.ts';
import type { FuzzTarget } from './target.ts';

const { signal } = new AbortController();
const tar = tarFile([
  { path: 'manifests/a.yaml', content: 'a: b\n' },
  { path: 'manifests/link', typeFlag: '2', linkPath: 'a.yaml' },
]);

function answer(lines: readonly string[], body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`), body]);
}

/** Answers to the request for an archive, from the status line to the last byte. */
export function webArchives(): FuzzTarget {
  const packed = gzipSync(tar);
  const chunk = Buffer.concat([Buffer.from(`${packed.length.toString(16)}\r\n`), packed, Buffer.from('\r\n0\r\n\r\n')]);
  return {
    name: 'web archives',
    seeds: [
      answer([`Content-Length: ${packed.length}`, 'Content-Type: application/gzip'], packed),
      answer(['Transfer-Encoding: chunked'], chunk),
      answer(['Connection: close'], zstdCompressSync(tar)),
    ],
    words: [
      '\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 503 ',
      'Retry-After: 9999999\r\n',
      'Content-Length: 5\r\n',
      'Transfer-Encoding: chunked\r\n',
      '\0',
      'ffffffff\r\n',
    ],
    open: () =>
      openBesideSocket((_, { url, folder }) => {
        const source = { type: 'http', http: { url: `${url}/a.tgz` } };
        const deps = { ...fetchDeps, temporaryDir: folder };
        return fetchResult(folder, (staging) => fetchHttp(deps, { source, staging }, { signal }));
      }),
  };
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';
const [layerMark, configMark, manifestMark] = ['sha256:layer', 'sha256:config', 'sha256:manifest'];
const platform = { os: 'linux', architecture: 'amd64' };

/** What a registry has; marks stand for the digests of the others. */
const registry = {
  token: { token: 'abc', expires_in: 60 },
  index: {
    schemaVersion: 2,
    mediaType: indexType,
    manifests: [{ mediaType: manifestType, digest: manifestMark, size: 1, platform, annotations: { a: 'b' } }],
  },
  manifest: {
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: configMark, size: 60 },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: layerMark, size: tar.length }],
  },
  config: { config: { Labels: { 'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1' } } },
  layer: tar.toString('latin1'),
};
const artifact = {
  ...registry,
  index: {
    ...registry.manifest,
    layers: [
      {
        mediaType: 'text/plain',
        digest: layerMark,
        size: tar.length,
        annotations: { 'org.opencontainers.image.title': 'a.yaml' },
      },
    ],
  },
};

interface Answers {
  readonly token: string;
  readonly documents: ReadonlyMap<string, string>;
  readonly blobs: ReadonlyMap<string, Buffer>;
}

/** The parts of an input, their digests put where the marks are; what is no document is served as the index. */
function answersOf(input: Buffer): Answers {
  let value: JsonValue = null;
  try {
    value = JSON.parse(input.toString()) as JsonValue;
  } catch {
    // Corrupted as bytes.
  }
  const part = (name: string): string => (isJsonObject(value) ? (JSON.stringify(value[name]) ?? '') : '');
  const layer = Buffer.from(isJsonObject(value) ? textAt(value, 'layer') : '', 'latin1');
  const config = Buffer.from(part('config'));
  const [layerDigest, configDigest] = [sha256Digest(layer), sha256Digest(config)];
  const filled = (text: string): string =>
    text
      .replaceAll(layerMark, layerDigest)
      .replaceAll(configMark, configDigest)
      .replaceAll('"size":60', `"size":${config.length}`);
  const manifest = filled(part('manifest'));
  const manifestDigest = sha256Digest(Buffer.from(manifest));
  const index = isJsonObject(value) ? filled(part('index')).replaceAll(manifestMark, manifestDigest) : input.toString();
  return {
    token: part('token'),
    documents: new Map([
      ['v1', index],
      [manifestDigest, manifest],
    ]),
    blobs: new Map([
      [layerDigest, layer],
      [configDigest, config],
    ]),
  };
}

/** What a registry sends: the answer to the request for a token, index, manifest, configuration and layer. */
export function registries(): FuzzTarget {
  const http = createHttpClient({ answerDeadlineMs: fetchDeps.answerDeadlineMs });
  return {
    name: 'registries',
    seeds: [registry, artifact].map((document) => Buffer.from(JSON.stringify(document))),
    words: [
      layerMark,
      manifestMark,
      configMark,
      '"size":',
      '"manifests":[',
      '"layers":[',
      '"mediaType":',
      '"title":"../a"',
      '"token":',
      '1e99',
      '\\u0000',
      '"annotations":',
    ],
    open: () =>
      openBesideWeb(
        (input, url) => {
          const { token, documents, blobs } = answersOf(input);
          return (request, response) => {
            const path = request.url ?? '';
            const name = path.split('/').at(-1) ?? '';
            if (path.startsWith('/token')) response.end(token);
            else if (request.headers.authorization === undefined) {
              response.writeHead(401, { 'www-authenticate': `Bearer realm="${url}/token",service="a"` }).end();
            } else if (documents.has(name))
              response.writeHead(200, { 'content-type': manifestType }).end(documents.get(name));
            else if (blobs.has(name)) response.end(blobs.get(name));
            else response.writeHead(404).end();
          };
        },
        (_, { url, folder }) => {
          const deps = {
            http,
            clock: fetchDeps.clock,
            cache: new LayerCache({ dir: `${folder}/layers`, maxBytes: 0, locks: createLocks() }),
            limits: new RateLimits(systemClock),
            insecureRegistries: [],
            platform,
          };
          const source = { type: 'image', image: { ref: `${new URL(url).host}/a/b:v1` } };
          return fetchResult(folder, (staging) => fetchImage(deps, { source, staging, isOperator: true }, { signal }));
        },
      ),
  };
}
