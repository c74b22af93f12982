import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUnpacker, type Unpacker } from '../../provisioners/index.ts';
import { createCertificateAuthority, errorMessage, issueCertificate, type JsonObject } from '../../src/base/index.ts';
import { readRegistry } from '../../src/catalog/index.ts';
import { textPacket } from '../../src/sources/git/pkt-line.ts';
import { startWebServer } from '../support/index.ts';

const { signal } = new AbortController();
/** Of everything that a server chooses: as much as its header or its answer may have. */
const long = 'server'.repeat(2000);
/** Addresses, digests and our own words stand beside it. */
const maxCharacters = 2500;
const digest = `sha256:${'2'.repeat(64)}`;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';

let storeDir: string;
let unpacker: Unpacker;
beforeAll(async () => {
  storeDir = await mkdtemp(`${tmpdir()}/server-texts-`);
  unpacker = await createUnpacker({
    storeDir,
    answerDeadlineMs: 20_000,
    storeBytes: 1024 ** 3,
    limits: { compressedLayerBytes: 1e6 },
  });
});
afterAll(async () => {
  await unpacker[Symbol.asyncDispose]();
  await rm(storeDir, { recursive: true, force: true });
});

const imageAt = (url: string): JsonObject => ({ type: 'image', image: { ref: `${new URL(url).host}/a/b:v1` } });
const gitAt = (url: string): JsonObject => ({
  type: 'git',
  git: { repository: `${url}/a.git`, ref: { branch: 'main' } },
});
const httpAt = (url: string): JsonObject => ({ type: 'http', http: { url: `${url}/a.tgz` } });

/** What the fetch of a source reports. */
async function failureOf(source: JsonObject, name: string): Promise<string> {
  const provisionerClassName = 'core-rukpak-io-plain';
  const request = {
    bundle: { name, uid: name },
    provisionerClassName,
    source: source as { type: string } & JsonObject,
  };
  return await unpacker.unpack(request, { signal }).then(() => 'unpacked', errorMessage);
}

function json(document: object, type: string = 'application/json', code = 200): RequestListener {
  return (_, response) => void response.writeHead(code, { 'content-type': type }).end(JSON.stringify(document));
}

function manifest(layers: readonly object[], mediaType: string = manifestType): RequestListener {
  const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest, size: 2 };
  return json({ schemaVersion: 2, mediaType, config, layers }, manifestType);
}

const platformOf = (index: number): object => ({ os: `${long.slice(0, 200)}${index}`, architecture: long });
const descriptor = (more: object): object => ({ digest, size: 3, ...more });

function gitAnswer(...packets: readonly string[]): RequestListener {
  const type = 'application/x-git-upload-pack-advertisement';
  return (_, response) => void response.writeHead(200, { 'content-type': type }).end(packets.join(''));
}

const answers: Readonly<Record<string, readonly [(url: string) => JsonObject, RequestListener]>> = {
  'an error document of a registry': [imageAt, json({ errors: [{ code: 'DENIED', message: long }] }, undefined, 403)],
  'platforms of an index': [
    imageAt,
    json(
      { mediaType: indexType, manifests: [0, 1, 2].map((index) => descriptor({ platform: platformOf(index) })) },
      indexType,
    ),
  ],
  'the media type of a manifest': [imageAt, manifest([], long)],
  'the media type of a layer': [imageAt, manifest([descriptor({ mediaType: long })])],
  'the path of a token server': [
    imageAt,
    (_, response) => void response.writeHead(401, { 'www-authenticate': `Bearer realm="ftp://${long}/x"` }).end(),
  ],
  'the content type of a git server': [gitAt, json({}, long)],
  'an error of a git server': [gitAt, gitAnswer(textPacket(`ERR ${long}`))],
  'the object format of a git server': [
    gitAt,
    gitAnswer(textPacket(`${'1'.repeat(40)} refs/heads/main\0object-format=${long}\n`), '0000'),
  ],
  'a redirect': [httpAt, (_, response) => void response.writeHead(302, { location: `ftp://${long}` }).end()],
  'a status line': [httpAt, (_, response) => void response.writeHead(403, long).end()],
};

test.each(Object.keys(answers))('%s does not fill a message', async (name) => {
  const [sourceAt, respond] = answers[name] ?? [httpAt, json({})];
  await using server = await startWebServer(respond);
  const failure = await failureOf(sourceAt(server.url), name);
  expect(failure).toMatch(/^source bundle content: /);
  expect(failure.length).toBeLessThan(maxCharacters);
});

test('the names of a certificate do not fill a message', async () => {
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ commonName: 'corporate', nowMs, lifetimeDays: 1 });
  const dnsNames = Array.from({ length: 500 }, (_, index) => `server-${index}.registry.corp.example`);
  const subject = { commonName: 'registry', usage: 'server', dnsNames, nowMs, lifetimeDays: 1 } as const;
  await using server = await startWebServer(json({}), await issueCertificate(authority, subject));
  await using trusting = await createUnpacker({
    storeDir: `${storeDir}/trusting`,
    httpCaPem: [authority.certificatePem],
    answerDeadlineMs: 20_000,
    storeBytes: 1024 ** 3,
  });
  const request = {
    bundle: { name: 'a', uid: 'a' },
    provisionerClassName: 'core-rukpak-io-plain',
    source: { type: 'http', http: { url: `${server.url.replace('127.0.0.1', 'localhost')}/a.tgz` } },
  };
  const failure = await trusting.unpack(request, { signal }).then(() => 'unpacked', errorMessage);
  expect(failure).toContain('server-7.registry.corp.example');
  expect(failure.length).toBeLessThan(maxCharacters);
});

test('an error of a gRPC catalog does not fill a message', async () => {
  await using stack = new AsyncDisposableStack();
  const server = new Server();
  stack.defer(() => server.forceShutdown());
  const service = {
    listPackages: {
      path: '/api.Registry/ListPackages',
      requestStream: false,
      responseStream: true,
      requestSerialize: () => Buffer.alloc(0),
      requestDeserialize: () => ({}),
      responseSerialize: () => Buffer.alloc(0),
      responseDeserialize: () => ({}),
    },
  };
  server.addService(service, {
    listPackages: (call: { emit: (event: string, fault: object) => void }) => {
      call.emit('error', { code: status.INTERNAL, details: `${long}\u001b[2J`, metadata: new Metadata() });
    },
  });
  const bound = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (fault, port) =>
    fault === null ? bound.resolve(port) : bound.reject(fault),
  );
  const port = await bound.promise;
  const failure = await readRegistry(`127.0.0.1:${port}`)
    .next()
    .then(() => 'read', errorMessage);
  expect(failure).toContain(`grpc://127.0.0.1:${port}: serverserver`);
  expect(failure.length).toBeLessThan(maxCharacters);
});
