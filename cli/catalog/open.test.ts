import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256Digest } from '../../src/base/index.ts';
import { canonicalMeta, configsLabel } from '../../src/catalog/index.ts';
import {
  fileEntries,
  type LayerContent,
  loopbackCertificate,
  type Registry,
  startRegistry,
  startWebServer,
  type TarEntry,
  tarFile,
  type WebServer,
} from '../../test/support/index.ts';
import { parseOptions, registryOptions } from '../command/index.ts';
import { openCatalog, withCatalogs } from './open.ts';

const { values: registryValues } = parseOptions(registryOptions, [], {});
const fixture = new URL('../../test/fixtures/catalog', import.meta.url).pathname;
const files: Record<string, string> = {};
const marker = 'never to be read: {';
let dir = '';
let registry: Registry;
let web: WebServer;
let documents: readonly string[] = [];
let layers: readonly LayerContent[] = [];

/** The documents of a catalog in canonical form. */
async function read(name: string): Promise<string[]> {
  return await withCatalogs(registryValues, async (options) => {
    const found: string[] = [];
    for await (const meta of openCatalog(name, options)) found.push(canonicalMeta(meta));
    return found;
  });
}

const below = (folder: string, content: Readonly<Record<string, string>> = files): Record<string, string> =>
  Object.fromEntries(Object.entries(content).map(([name, text]) => [`${folder}/${name}`, text]));

/** The files of an OCI image layout with one image. */
function layoutFiles(layers: readonly LayerContent[], labels: object): Record<string, Buffer | string> {
  const found: Record<string, Buffer | string> = { 'oci-layout': '{"imageLayoutVersion":"1.0.0"}' };
  const put = (mediaType: string, bytes: Buffer): object => {
    const digest = sha256Digest(bytes);
    found[`blobs/sha256/${digest.slice(7)}`] = bytes;
    return { mediaType, digest, size: bytes.length };
  };
  const built = layers.map((layer) =>
    put('application/vnd.oci.image.layer.v1.tar', tarFile(fileEntries(layer.files ?? {}))),
  );
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const config = put(
    'application/vnd.oci.image.config.v1+json',
    Buffer.from(JSON.stringify({ config: { Labels: labels } })),
  );
  const manifest = put(mediaType, Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, config, layers: built })));
  found['index.json'] = JSON.stringify({ schemaVersion: 2, manifests: [manifest] });
  return found;
}

async function writeFiles(root: string, content: Readonly<Record<string, Buffer | string>>): Promise<void> {
  for (const [name, bytes] of Object.entries(content)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), bytes);
  }
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'longshore-catalogs-test-'));
  for (const name of ['.indexignore', 'README.md', 'tide-buoy/catalog.yaml', 'tide-gauge/catalog.yaml']) {
    files[name] = await readFile(path.join(fixture, name), 'utf8');
  }
  documents = await read(fixture);
  layers = [
    { files: { ...below('configs'), ...below('configs', { 'gone.yaml': 'schema: gone' }), 'bin/opm': marker } },
    { files: { 'configs/.wh.gone.yaml': '', 'cache/x.json': marker } },
  ];
  registry = await startRegistry();
  registry.putImage('catalog:v1', layers, { [configsLabel]: '/configs' });
  registry.putImage('catalog:none', layers, { other: 'label' });
  registry.putImage('catalog:elsewhere', layers, { [configsLabel]: '/nowhere' });
  const lines = documents.map((line) => `${line}\n`).join('');
  web = await startWebServer((request, response) => {
    if (request.url === '/catalogs/tide/api/v1/all') response.end(lines);
    else if (request.url === '/catalogs/packed/api/v1/all') {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(lines));
    } else if (request.url === '/catalogs/broken/api/v1/all') {
      response.writeHead(200, { 'content-length': 2 * lines.length });
      response.write(lines, () => response.destroy());
    } else if (request.url === '/catalogs/cut/api/v1/all') {
      const packed = gzipSync(lines);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, packed.length / 2));
    } else response.writeHead(404).end();
  });
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

test('the fixture is the catalog that its files describe', () => {
  expect(documents).toHaveLength(12);
});

test.each([
  ['plain', (tar: Buffer) => tar],
  ['gzip', (tar: Buffer) => gzipSync(tar)],
  ['zstd', (tar: Buffer) => zstdCompressSync(tar)],
])('a tar of a catalog, %s, has the documents of its folder', async (name, pack) => {
  const file = path.join(dir, `${name}.tar`);
  await writeFile(file, pack(tarFile(fileEntries(files))));
  expect(await read(file)).toEqual(documents);
});

test('one file of documents is a catalog', async () => {
  const file = path.join(dir, 'all.jsonl');
  await writeFile(file, documents.join('\n'));
  expect(await read(file)).toEqual(documents);
});

test('of an image only the folder is read that its label names, with what later layers hide gone', async () => {
  expect(await read(`${registry.host}/catalog:v1`)).toEqual(documents);
});

test('an OCI image layout, as a folder and as a tar, has the same documents', async () => {
  const layout = layoutFiles(layers, { [configsLabel]: '/configs' });
  const folder = path.join(dir, 'layout');
  await writeFiles(folder, layout);
  expect(await read(folder)).toEqual(documents);
  const file = path.join(dir, 'layout.tar');
  await writeFile(file, tarFile(fileEntries(layout)));
  expect(await read(file)).toEqual(documents);
});

test('images that hold no catalog are refused', async () => {
  const missing = `catalog image is missing the required label "${configsLabel}"`;
  await expect(read(`${registry.host}/catalog:none`)).rejects.toThrow(missing);
  await expect(read(`${registry.host}/catalog:elsewhere`)).rejects.toThrow('there is no directory "/nowhere"');
  await expect(read(`${registry.host}/catalog:v9`)).rejects.toThrow('catalog');
  const file = path.join(dir, 'unlabelled.tar');
  await writeFile(file, tarFile(fileEntries(layoutFiles(layers, {}))));
  await expect(read(file)).rejects.toThrow(missing);
});

test('a served catalog has the same documents, compressed or not, by its own URL or that of its documents', async () => {
  for (const name of ['tide', 'tide/', 'tide/api/v1/all', 'packed']) {
    expect(await read(`${web.url}/catalogs/${name}`)).toEqual(documents);
  }
});

test.each([
  ['catalogs/other', 'status 404: expected the address of a catalog, such as https://HOST/catalogs/NAME'],
  ['catalogs/broken', 'api/v1/all: the transfer was interrupted: aborted'],
  ['catalogs/cut', 'the transfer was interrupted: unexpected end of file'],
])('of a served catalog, %s is reported as a fault', async (name, message) => {
  await expect(read(`${web.url}/${name}`)).rejects.toThrow(message);
});

test('for a server with a certificate of an unknown authority, the error names how to trust it', async () => {
  const { tls } = await loopbackCertificate();
  await using server = await startWebServer((_, response) => void response.end(), tls);
  await expect(read(`${server.url}/catalogs/tide`)).rejects.toThrow(
    "the server's certificate is not signed by a trusted authority; to trust your own, set --registry-ca FILE",
  );
});

test('a missing file, and a file that is no catalog, are reported', async () => {
  await expect(read(path.join(dir, 'nothing'))).rejects.toThrow('nothing: no such file or directory');
  const file = path.join(dir, 'text');
  await writeFile(file, 'a: b: c');
  await expect(read(file)).rejects.toThrow('text:1: error converting YAML to JSON: yaml: line 1: mapping values');
  await writeFile(file, gzipSync('a: b'));
  await expect(read(file)).rejects.toThrow('expected documents in YAML or JSON, or a tar of a catalog');
});

test('in a tar, links to files are read as these; to folders, to nothing and in circles they are faults', async () => {
  const link = (name: string, linkPath: string): TarEntry => ({ path: name, typeFlag: '2', linkPath });
  const file = path.join(dir, 'links.tar');
  const entries = [
    { path: 'd/a.yaml', content: 'schema: s\nname: a' },
    link('good', 'd/../d/a.yaml'),
    link('twice', 'good'),
    link('folder', 'd'),
    link('gone', 'd/b.yaml'),
    link('circle', 'circle'),
  ];
  await writeFile(file, tarFile(entries));
  const found: string[] = [];
  const reading = withCatalogs(registryValues, async (options) => {
    for await (const { place } of openCatalog(file, options)) found.push(place.file);
  });
  await expect(reading).rejects.toThrow(
    [
      '3 documents or files cannot be read:',
      '  circle: passes through more than 16 links',
      '  folder: read folder: is a directory',
      '  gone: is a link to nothing',
    ].join('\n'),
  );
  expect(found).toEqual(['d/a.yaml', 'good', 'twice']);
});

test.each(['grpc://me:secret@host:1', 'grpc://:secret@host'])(
  'a registry takes no login, and none is shown: %s',
  async (name) => {
    await expect(read(name)).rejects.toThrow('grpc://redacted@host');
    await expect(read(name)).rejects.not.toThrow('secret');
  },
);
