import type { RequestListener, ServerResponse } from 'node:http';
import { constants, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib';
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { sha256Digest } from '../../src/base/index.ts';
import { configsLabel } from '../../src/catalog/index.ts';
import { fileEntries, startWebServer, tarFile } from '../support/index.ts';
import { sendEndlessly } from './hostile-sources.ts';

const mebibyte = 1024 * 1024;
const slowPieceMs = 100;
/** Each has a share of its own. */
const registryCount = 6;

const documentLine = `${JSON.stringify({ schema: 'olm.bundle', package: 'p', name: 'p.v1', text: 'x'.repeat(60_000) })}\n`;
const wide = (value: string, bytes: number): string =>
  `{"schema":"a","v":[${value}${`,${value}`.repeat(bytes / (value.length + 1))}]}\n`;
const deep = `{"schema":"a","v":${'['.repeat(2 * mebibyte)}${']'.repeat(2 * mebibyte)}}\n`;

/** Files of catalogs that ask for more memory than they have bytes. */
const catalogFiles: Readonly<Record<string, () => string>> = {
  wide: () => wide('[]', 60 * mebibyte),
  numbers: () => wide('1', 60 * mebibyte),
  deep: () => deep,
  'deep-yaml': () => `schema: a\nv: ${'['.repeat(2 * mebibyte)}\n`,
  'wide-yaml': () => `schema: a\nv:\n${'- a\n'.repeat(15 * mebibyte)}`,
  aliases: () =>
    `schema: a\nv0: &v0 [x]\n${Array.from({ length: 40 }, (_, n) => `v${n + 1}: &v${n + 1} [*v${n}, *v${n}, *v${n}]`).join('\n')}\n`,
  'no-end': () => `{"schema":"a","v":"${'x'.repeat(100 * mebibyte)}`,
  tiny: () => '{"schema":"a"}\n'.repeat(200_000),
  faults: () => '{"schema":1}\n'.repeat(200_000),
  bundles: () => '{"schema":"olm.bundle","package":"p","name":"a"}\n'.repeat(200_000),
};

interface Blob {
  readonly digest: string;
  readonly bytes: Buffer;
}

function blobOf(bytes: Buffer): Blob {
  return { digest: sha256Digest(bytes), bytes };
}

interface TarOfZeros {
  readonly path: string;
  readonly sizeBytes: number;
  /** The logarithm of the size of the window that its decoder needs. */
  readonly windowLog?: number;
}

/** A tar of one file, in a few kilobytes. */
async function tarOfZeros({ path, sizeBytes, windowLog = 0 }: TarOfZeros): Promise<Buffer> {
  const header = tarFile([{ path, content: '' }]).subarray(0, 512);
  header.write(sizeBytes.toString(8).padStart(11, '0'), 124, 'latin1');
  header.write('        ', 148, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const packed = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
  const chunk = Buffer.alloc(mebibyte);
  const fill = async (): Promise<void> => {
    packed.write(header);
    for (let at = 0; at < sizeBytes; at += chunk.length) {
      if (!packed.write(chunk)) await new Promise((resolve) => packed.once('drain', resolve));
    }
    packed.end(Buffer.alloc(1024));
  };
  const [pieces] = await Promise.all([packed.toArray(), fill()]);
  return Buffer.concat(pieces as Buffer[]);
}

/** A piece now and then, without end. */
function sendSlowly(response: ServerResponse, piece: string): void {
  const timer = setInterval(() => response.write(piece), slowPieceMs);
  response.once('close', () => clearInterval(timer));
}

const config = blobOf(Buffer.from(JSON.stringify({ config: { Labels: { [configsLabel]: '/configs' } } })));

async function layers(): Promise<ReadonlyMap<string, Blob>> {
  const made = new Map<string, Blob>();
  for (const [name, text] of Object.entries(catalogFiles)) {
    made.set(name, blobOf(zstdCompressSync(tarFile(fileEntries({ 'configs/catalog.yaml': text() })))));
  }
  // More than may be unpacked; and as much as may be, with the largest window that decoders accept.
  made.set('bomb', blobOf(await tarOfZeros({ path: 'configs/a.json', sizeBytes: 600 * mebibyte })));
  const window = { path: 'configs/a.json', sizeBytes: 240 * mebibyte, windowLog: 27 };
  made.set('window', blobOf(await tarOfZeros(window)));
  return made;
}

/** There is any number of images `window-N`. */
const windowNumber = /^window-\d+$/;

/** Names of images whose layers never end. */
const endlessImages: readonly string[] = ['endless', 'slow'];

/** What is at a digest of which nothing but the size is known. */
const promised: Blob = { digest: `sha256:${'2'.repeat(64)}`, bytes: Buffer.alloc(20 * mebibyte) };
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** Its digest differs by name. */
function manifestOf({ digest, bytes }: Blob, name: string): string {
  const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar+zstd', digest, size: bytes.length };
  const mediaType = 'application/vnd.oci.image.config.v1+json';
  const own = { mediaType, digest: config.digest, size: config.bytes.length };
  const annotations = { name };
  return JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config: own, layers: [layer], annotations });
}

function sendPromised(response: ServerResponse, name: string): void {
  if (name === 'slow') sendSlowly(response, 'x');
  else sendEndlessly(response, Buffer.alloc(60_000));
}

function registryOf(blobs: ReadonlyMap<string, Blob>): RequestListener {
  const byDigest = new Map([config, ...blobs.values()].map((blob) => [blob.digest, blob.bytes]));
  return ({ url = '' }, response) => {
    const [, name = '', kind = '', requested = ''] = /^\/v2\/([^/]+)\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
    if (kind === 'manifests') {
      const layer = blobs.get(name.replace(windowNumber, 'window')) ?? promised;
      response.writeHead(200, { 'content-type': manifestType }).end(manifestOf(layer, name));
    } else if (byDigest.has(requested)) response.end(byDigest.get(requested));
    else if (kind === 'blobs') sendPromised(response, name);
    else response.writeHead(404).end();
  };
}

/** Answers of a server of catalogs over HTTP, by name. */
const served: Readonly<Record<string, (response: ServerResponse) => void>> = {
  endless: (response) => sendEndlessly(response, documentLine),
  line: (response) => sendEndlessly(response, 'x'.repeat(60_000)),
  text: (response) => {
    response.write('{"schema":"');
    sendEndlessly(response, 'x'.repeat(60_000));
  },
  blank: (response) => sendEndlessly(response, ' \n'.repeat(30_000)),
  wide: (response) => void response.end(wide('[]', 60 * mebibyte)),
  deep: (response) => void response.end(deep),
  packed: (response) => {
    const member = gzipSync(documentLine.repeat(1000));
    sendEndlessly(response.writeHead(200, { 'content-encoding': 'gzip' }), member);
  },
  slow: (response) => sendSlowly(response, ' '),
};

const textField = (number: number, content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  const length: number[] = [];
  for (let rest = bytes.length; ; rest = Math.floor(rest / 128)) {
    length.push(rest < 128 ? rest : (rest % 128) + 128);
    if (rest < 128) break;
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
};
const bundle = (...more: readonly Buffer[]): Buffer =>
  Buffer.concat([textField(1, 'p.v1'), textField(2, 'p'), ...more]);

type Call = ServerWritableStream<Buffer, Buffer>;

function streamEndlessly(call: Call, next: (count: number) => Buffer): void {
  let count = 0;
  const send = (): void => {
    while (!call.cancelled && call.write(next(count++)));
    if (!call.cancelled) call.once('drain', send);
  };
  send();
}

/** What a registry over gRPC answers to ListBundles, or to ListPackages where its name selects that. */
const calls: Readonly<Record<string, (call: Call) => void>> = {
  'packages-endless': (call) => streamEndlessly(call, (count) => textField(1, `package-${count}`)),
  'bundles-empty': (call) => streamEndlessly(call, () => Buffer.alloc(0)),
  'bundles-small': (call) => streamEndlessly(call, () => bundle()),
  'bundles-many': (call) =>
    streamEndlessly(call, (count) => bundle(textField(1, `p.v${count}`), Buffer.from('3a00'.repeat(1000), 'hex'))),
  'bundles-large': (call) =>
    streamEndlessly(call, (count) => bundle(textField(1, `p.v${count}`), textField(5, 'x'.repeat(8 * mebibyte)))),
  'bundles-huge': (call) => void call.write(bundle(textField(4, 'x'.repeat(40 * mebibyte)))),
  'bundles-apis': (call) => void call.write(bundle(Buffer.from('3a00'.repeat(7 * mebibyte), 'hex'))),
  'bundles-unknown': (call) => {
    call.write(bundle(textField(7, '\x78\x01'.repeat(7 * mebibyte))));
    call.end();
  },
  'bundles-deep': (call) => {
    const property = Buffer.concat([textField(1, 'a'), textField(2, '['.repeat(mebibyte))]);
    call.write(bundle(textField(12, property)));
    call.end();
  },
  'bundles-slow': (call) => void setInterval(() => call.write(bundle()), slowPieceMs).unref(),
};

const raw = (bytes: Buffer): Buffer => bytes;
const methodOf = (name: string, isStream: boolean): object => ({
  path: `/api.Registry/${name}`,
  requestStream: false,
  responseStream: isStream,
  requestSerialize: raw,
  requestDeserialize: raw,
  responseSerialize: raw,
  responseDeserialize: raw,
});

async function startGrpcServer(name: string): Promise<{ readonly address: string } & Disposable> {
  const server = new Server();
  const answer = calls[name];
  const isAboutPackages = name.startsWith('packages-');
  const service = {
    listPackages: methodOf('ListPackages', true),
    getPackage: methodOf('GetPackage', false),
    listBundles: methodOf('ListBundles', true),
  };
  server.addService(
    service as never,
    {
      listPackages: (call: Call) => {
        if (isAboutPackages) return answer?.(call);
        call.write(textField(1, 'p'));
        return call.end();
      },
      getPackage: (_: unknown, done: (fault: null, message: Buffer) => void) => done(null, textField(1, 'p')),
      listBundles: (call: Call) => answer?.(call),
    } as never,
  );
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (fault, port) =>
    fault === null ? resolve(port) : reject(fault),
  );
  return { address: `127.0.0.1:${await promise}`, [Symbol.dispose]: () => server.forceShutdown() };
}

/** Catalogs by where they come from. */
export interface HostileCatalogs extends AsyncDisposable {
  /** References of images. */
  readonly images: readonly string[];
  /** Of any number of images, in several registries, whose archives need the largest window that decoders accept. */
  readonly windowImage: (index: number) => string;
  /** Addresses of catalogs that are served over HTTP. */
  readonly urls: readonly string[];
  /** `HOST:PORT` of registries, by name. */
  readonly registries: Readonly<Record<string, string>>;
}

/** A registry of catalog images, a server of catalogs over HTTP and registries over gRPC, whose answers have no end, or take more memory than bytes. */
export async function startHostileCatalogs(): Promise<HostileCatalogs> {
  await using stack = new AsyncDisposableStack();
  const blobs = await layers();
  const hosts: string[] = [];
  for (let index = 0; index < registryCount; index += 1) {
    hosts.push(new URL(stack.use(await startWebServer(registryOf(blobs))).url).host);
  }
  const web = stack.use(
    await startWebServer(({ url = '' }, response) => {
      response.on('error', () => undefined);
      const name = url.split('/')[1] ?? '';
      served[name]?.(response);
    }),
  );
  const registries: Record<string, string> = {};
  for (const name of Object.keys(calls)) registries[name] = stack.use(await startGrpcServer(name)).address;
  const done = stack.move();
  return {
    images: [...blobs.keys(), ...endlessImages].map((name) => `${hosts[0]}/${name}:v1`),
    windowImage: (index) => `${hosts[index % hosts.length]}/window-${index}:v1`,
    urls: Object.keys(served).map((name) => `${web.url}/${name}`),
    registries,
    [Symbol.asyncDispose]: () => done.disposeAsync(),
  };
}
