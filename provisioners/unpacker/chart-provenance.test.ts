import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sha256Digest } from '../../src/base/index.ts';
import { type ImagePolicy, parseImagePolicy } from '../../src/image-policy/index.ts';
import type { ContentSource } from '../../src/sources/index.ts';
import { helmForTests } from '../../test/clients/helm-program.ts';
import { helloWorld, inFolder, packedChart } from '../../test/e2e/charts.ts';
import { type Registry, startRegistry, startWebServer } from '../../test/support/index.ts';
import { createOpenpgpSigner } from '../../test/support/openpgp-signer.ts';
import { createUnpacker, type Unpacker } from './index.ts';

const run = promisify(execFile);
const { signal } = new AbortController();
const helm = await helmForTests();
const [signer, other] = await Promise.all([createOpenpgpSigner('rsa'), createOpenpgpSigner()]);
const chart = packedChart('hello-world', helloWorld());
const metadata = helloWorld()['Chart.yaml'] ?? '';
const fileName = 'hello-world-0.1.0.tgz';

/** What `helm package --sign` writes beside a chart. */
async function provenanceOf(packed: Buffer, file = fileName, by = signer): Promise<string> {
  return await by.signClear(`${metadata}\n...\nfiles:\n  ${file}: ${sha256Digest(packed)}\n`);
}

const bundle = { name: 'hello', uid: 'u1' };

let stack: AsyncDisposableStack;
let folder = '';
let registry: Registry;
let pages: Map<string, Buffer | string>;
let url = '';
let policy: ImagePolicy;
let unpacker: Unpacker;
const storeDir = `${tmpdir()}/provenance-store-${randomUUID()}`;
beforeAll(async () => {
  unpacker = await createUnpacker({
    storeDir,
    answerDeadlineMs: 30_000,
    storeBytes: 1024 ** 3,
    threads: 1,
    readImagePolicy: () => Promise.resolve(policy),
  });
});
afterAll(async () => {
  await unpacker[Symbol.asyncDispose]();
  await rm(storeDir, { recursive: true, force: true });
});
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  registry = stack.use(await startRegistry());
  pages = new Map<string, Buffer | string>([[`/${fileName}`, chart]]);
  const web = stack.use(
    await startWebServer((request, response) => {
      const page = pages.get(request.url ?? '');
      if (page === undefined) response.writeHead(404).end();
      else response.end(page);
    }),
  );
  ({ url } = web);
  policy = policyWith([{ openpgp: signer.publicKey }]);
  folder = `${tmpdir()}/provenance-${randomUUID()}`;
  await mkdir(folder);
  stack.defer(() => rm(folder, { recursive: true, force: true }));
});
afterEach(async () => {
  await unpacker.discard(bundle.name);
  await stack.disposeAsync();
});

function policyWith(signedBy: unknown): ImagePolicy {
  const rules = [
    { images: [`${registry.host}/**`], signedBy },
    { addresses: [`${url}/**`], signedBy },
  ];
  return parseImagePolicy('policy.yaml', JSON.stringify({ otherSources: 'deny', rules }));
}

async function unpack(source: ContentSource, more: { firstSource?: ContentSource; expectedDigest?: string } = {}) {
  return await unpacker.unpack({ bundle, provisionerClassName: 'core-rukpak-io-helm', source, ...more }, { signal });
}

const page = (path: string): ContentSource => ({ type: 'http', http: { url: `${url}${path}` } });

/** What `helm push` writes. */
function pushed(tag: string, provenance: string | undefined): ContentSource {
  const blob = (bytes: Buffer, kind: string): Record<string, string | number> => {
    const mediaType = `application/vnd.cncf.helm.${kind}`;
    return { mediaType, digest: registry.putBlob(bytes), size: bytes.length };
  };
  const signature = provenance === undefined ? [] : [blob(Buffer.from(provenance), 'chart.provenance.v1.prov')];
  registry.putManifest(`charts/hello-world:${tag}`, {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: blob(Buffer.from('{"name":"hello-world"}'), 'config.v1+json'),
    layers: [...signature, blob(chart, 'chart.content.v1.tar+gzip')],
  });
  return { type: 'image', image: { ref: `${registry.host}/charts/hello-world:${tag}` } };
}

test('a chart of a web server is unpacked when its provenance is signed', async () => {
  const missing = `image policy: ${url}/${fileName} is not signed: there is no provenance at the same address with ".prov"`;
  await expect(unpack(page(`/${fileName}`))).rejects.toMatchObject({ name: 'TransientError', reason: 'ImageDenied' });
  await expect(unpack(page(`/${fileName}`))).rejects.toThrow(missing);
  pages.set(`/${fileName}.prov`, await provenanceOf(chart));
  expect((await unpack(page(`/${fileName}`))).resolvedSource.http?.url).toContain(`${fileName}#sha256=`);
});

test.each([
  { name: 'another key', make: () => provenanceOf(chart, fileName, other), problem: 'provenance: invalid signature' },
  { name: 'another chart', make: () => provenanceOf(Buffer.from('x')), problem: 'provenance: it is for sha256:' },
  {
    name: 'another file',
    make: () => provenanceOf(chart, 'hello-world-0.2.0.tgz'),
    problem: `provenance: it is not for a file "${fileName}"`,
  },
  { name: 'another text', make: () => signer.signClear('hello'), problem: 'is no provenance of a chart' },
  {
    name: 'a list of files that was changed',
    make: async () =>
      (await provenanceOf(Buffer.from('x'))).replace(sha256Digest(Buffer.from('x')), sha256Digest(chart)),
    problem: 'provenance: signature error',
  },
  { name: 'no signature', make: () => Promise.resolve('hello'), problem: 'could not read the message' },
])('a provenance of $name is refused', async ({ make, problem }) => {
  pages.set(`/${fileName}.prov`, await make());
  await expect(unpack(page(`/${fileName}`))).rejects.toThrow(problem);
  await expect(unpack(pushed('0.1.0', await make()))).rejects.toThrow(problem);
});

test('addresses that no rule allows are refused, and so is everything else', async () => {
  policy = parseImagePolicy('policy.yaml', '{otherSources: deny, rules: [{addresses: ["https://x.example.com/**"]}]}');
  await expect(unpack(page(`/${fileName}`))).rejects.toThrow(
    `sources of type "http" are denied, and no rule allows ${url}/${fileName}`,
  );
  await expect(unpack({ type: 'upload', upload: {} })).rejects.toThrow('sources of type "upload" are denied');
});

test('the rule for a chart of a repository is that of the repository, wherever the chart is', async () => {
  pages.set('/stable/index.yaml', `entries: {hello: [{version: 0.1.0, urls: ["../${fileName}"]}]}`);
  const rules = [{ addresses: [`${url}/stable/*`], signedBy: [{ openpgp: signer.publicKey }] }];
  policy = parseImagePolicy('policy.yaml', JSON.stringify({ rules }));
  const source = page('/stable#chart=hello');
  await expect(unpack(source)).rejects.toThrow('is not signed: there is no provenance');
  pages.set(`/${fileName}.prov`, await provenanceOf(chart));
  const { resolvedSource, digest } = await unpack(source);
  pages.delete(`/${fileName}.prov`);
  await expect(unpack(resolvedSource, { firstSource: source })).rejects.toThrow('is not signed');
  expect((await unpack(resolvedSource, { firstSource: source, expectedDigest: digest })).digest).toBe(digest);
});

test('a chart of a registry is unpacked when its provenance is signed, for its name and its tag', async () => {
  await expect(unpack(pushed('0.1.0', undefined))).rejects.toThrow('is not signed: the chart has no provenance');
  const provenance = await provenanceOf(chart);
  expect((await unpack(pushed('0.1.0', provenance))).resolvedSource.image?.ref).toContain('@sha256:');
  expect((await unpack(pushed('latest', provenance))).resolvedSource.image?.ref).toContain('@sha256:');
  await expect(unpack(pushed('0.2.0', provenance))).rejects.toThrow('not for a file "hello-world-0.2.0.tgz"');
});

test('an image that is no chart has no provenance', async () => {
  registry.putImage('team/app:one', [{ files: inFolder('chart', helloWorld()) }]);
  const image = { ref: `${registry.host}/team/app:one` };
  await expect(unpack({ type: 'image', image })).rejects.toThrow('is not signed: it is no chart with provenance');
});

test(`what helm signs is accepted, and helm accepts what is accepted${helm.why}`, {
  skip: helm.why !== '',
}, async () => {
  await writeFile(`${folder}/secring.gpg`, signer.secretKeyring);
  await writeFile(`${folder}/pubring.gpg`, signer.publicKeyring);
  for (const [path, text] of Object.entries(inFolder('hello-world', helloWorld()))) {
    await mkdir(`${folder}/${path}`.replace(/\/[^/]*$/, ''), { recursive: true });
    await writeFile(`${folder}/${path}`, text);
  }
  const sign = ['package', 'hello-world', '--sign', '--key', 'Release', '--keyring', 'secring.gpg'];
  await run(helm.path, sign, { cwd: folder });
  pages.set(`/${fileName}`, await readFile(`${folder}/${fileName}`));
  pages.set(`/${fileName}.prov`, await readFile(`${folder}/${fileName}.prov`));
  expect((await unpack(page(`/${fileName}`))).objectCount).toBeGreaterThanOrEqual(0);
  await writeFile(`${folder}/${fileName}`, chart);
  await writeFile(`${folder}/${fileName}.prov`, await provenanceOf(chart));
  const { stdout } = await run(helm.path, ['verify', fileName, '--keyring', 'pubring.gpg'], { cwd: folder });
  expect(stdout).toContain(`Chart Hash Verified: ${sha256Digest(chart)}`);
});
