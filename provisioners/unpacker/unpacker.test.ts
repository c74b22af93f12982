import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { access, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256Digest, TerminalError, TransientError } from '../../src/base/index.ts';
import {
  allOf,
  asksBasicAuthentication,
  asksToken,
  failsTimes,
  type LayerContent,
  loopbackCertificate,
  neverAnswers,
  redirectsForever,
  startGitServer,
  startRegistry,
  tarFile,
} from '../../test/support/index.ts';
import { createUnpacker, type Unpacker, type UnpackerOptions } from './index.ts';

const signal = new AbortController().signal;
const provisionerClassName = 'core-rukpak-io-plain';
const bundle = { name: 'combo', uid: 'u1' };
const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const valid: LayerContent = { files: { 'manifests/a.yaml': configMap('a') } };

/** Stores of this file. */
const folder = `${tmpdir()}/unpacker-${randomUUID()}`;
/** With the usual settings, for all tests that look at its results alone: a thread takes longer to start than a test. */
let shared: Unpacker | undefined;
let storeDir: string;
let open: Unpacker[];

beforeEach(() => {
  open = [];
});

afterEach(async () => {
  for (const unpacker of open) {
    if (unpacker === shared) for (const { name } of await unpacker.list()) await unpacker.discard(name);
    else await unpacker[Symbol.asyncDispose]();
  }
});

afterAll(async () => {
  await shared?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function create(options: Partial<UnpackerOptions>): Promise<Unpacker> {
  return createUnpacker({ storeDir, answerDeadlineMs: 3000, storeBytes: 1024 ** 3, threads: 1, ...options });
}

/** The shared one. */
async function start(): Promise<Unpacker> {
  storeDir = `${folder}/shared`;
  shared ??= await create({});
  open.push(shared);
  return shared;
}

/** One for this test alone. */
async function startOwn(options: Partial<UnpackerOptions> = {}): Promise<Unpacker> {
  storeDir = options.storeDir ?? `${folder}/${randomUUID()}`;
  const unpacker = await create(options);
  open.push(unpacker);
  return unpacker;
}

async function load(of: typeof bundle): Promise<unknown> {
  const terms = { config: {}, cluster: { certificateProviders: [], kubeVersion: '' } };
  const unpacker = open.at(-1);
  return (await unpacker?.load({ bundle: of, provisionerClassName, terms }, { signal }))?.objects;
}

function imageRequest(ref: string) {
  return { bundle, provisionerClassName, source: { type: 'image', image: { ref } } };
}

function gitRequest(git: object) {
  return { bundle, provisionerClassName, source: { type: 'git', git } } as Parameters<Unpacker['unpack']>[0];
}

function pullSecret(host: string, username: string, password: string) {
  const config = { auths: { [host]: { auth: Buffer.from(`${username}:${password}`).toString('base64') } } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify(config)).toString('base64') };
  return { name: 'registrysecret', type: 'kubernetes.io/dockerconfigjson', data };
}

describe('image bundles', () => {
  test.each(['gzip', 'zstd', 'plain'] as const)(
    'Q6 of %s layers are stored, pinned and loaded again',
    async (compression) => {
      await using registry = await startRegistry();
      const digest = registry.putImage('example/combo:v1', [
        { files: { 'manifests/a.yaml': configMap('a'), 'manifests/b.yaml': configMap('b') }, compression },
        { entries: [{ path: 'manifests/.wh.a.yaml' }], compression },
      ]);
      const unpacker = await start();
      const lines: string[] = [];
      const content = await unpacker.unpack(imageRequest(`${registry.host}/example/combo:v1`), {
        signal,
        onProgress: (line) => lines.push(line),
      });
      const ref = `${registry.host}/example/combo@${digest}`;
      expect(content).toMatchObject({ resolvedSource: { type: 'image', image: { ref } }, objectCount: 1 });
      expect(lines.at(-1)).toBe('storing content');
      await access(`${storeDir}/combo.tgz`);
      await expect(unpacker.find(bundle)).resolves.toEqual(content);
      await expect(load(bundle)).resolves.toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }]);
      await expect(unpacker.list()).resolves.toEqual([bundle]);
      await unpacker.discard('combo');
      await expect(unpacker.find(bundle)).resolves.toBeUndefined();
      await expect(load(bundle)).rejects.toMatchObject({
        name: 'TransientError',
        reason: 'ContentLost',
      });
    },
  );

  test('U14, U15, U16 stored content needs no source, lost content is fetched again and must be identical, else it is missing', async () => {
    await using registry = await startRegistry();
    registry.putImage('combo:v1', [valid]);
    const unpacker = await start();
    const first = await unpacker.unpack(imageRequest(`${registry.host}/combo:v1`), { signal });
    const asked = registry.requests.length;
    await expect(load(bundle)).resolves.toHaveLength(1);
    expect(registry.requests.length).toBe(asked);
    await rm(`${storeDir}/combo.tgz`);
    await expect(unpacker.find(bundle)).resolves.toBeUndefined();
    const pinned = { ...imageRequest(''), source: first.resolvedSource, expectedDigest: first.digest };
    await expect(unpacker.unpack(pinned, { signal })).resolves.toEqual(first);
    await expect(unpacker.unpack({ ...pinned, expectedDigest: sha256Digest('other') }, { signal })).rejects.toThrow(
      `persist bundle content: combo: content has changed: expected ${sha256Digest('other')}, got ${first.digest}`,
    );
    await unpacker.discard('combo');
    const absent = { ...imageRequest(`${registry.host}/absent:v1`), expectedDigest: first.digest };
    await expect(unpacker.unpack(absent, { signal })).rejects.toThrow('absent');
    await expect(load(bundle)).rejects.toMatchObject({ reason: 'ContentLost' });
  });

  test('are parsed once, whatever is installed and corrected from them, and again only where the parsed objects are not stored', async () => {
    await using registry = await startRegistry();
    registry.putImage('combo:v1', [valid]);
    const unpacker = await startOwn();
    const { digest } = await unpacker.unpack(imageRequest(`${registry.host}/combo:v1`), { signal });
    const objects = await load(bundle);
    await load(bundle);
    expect(await unpacker.usage()).toMatchObject({ parsedCount: 1 });
    await writeFile(`${storeDir}/parsed/${digest.slice('sha256:'.length)}`, 'damaged');
    for (const _ of ['parsed and stored', 'read']) expect(await load(bundle)).toEqual(objects);
    expect(await unpacker.usage()).toMatchObject({ parsedCount: 2 });
    await unpacker[Symbol.asyncDispose]();
    // Only the process itself trusts what it has written.
    const next = await startOwn({ storeDir });
    for (const _ of ['parsed and stored', 'read']) expect(await load(bundle)).toEqual(objects);
    expect(await next.usage()).toMatchObject({ parsedCount: 1 });
    // Nothing can be written there: the content is parsed each time, and that is no error.
    await rm(`${storeDir}/parsed`, { recursive: true });
    for (const _ of ['parsed', 'parsed again']) expect(await load(bundle)).toEqual(objects);
    expect(await next.usage()).toMatchObject({ parsedCount: 3 });
  });

  test('do not bring layers of one registry to an image of another that only knows their digests', async () => {
    await using registry = await startRegistry();
    registry.putImage('private:v1', [valid]);
    const unpacker = await start();
    await unpacker.unpack(imageRequest(`${registry.host}/private:v1`), { signal });
    await using other = await startRegistry({
      intercept: ({ url = '' }, response) => {
        if (!url.includes('/blobs/')) return false;
        response.writeHead(404).end();
        return true;
      },
    });
    other.putImage('thief:v1', [valid]);
    await expect(unpacker.unpack(imageRequest(`${other.host}/thief:v1`), { signal })).rejects.toThrow('404');
  });

  test('are asked for with the credentials in use before a layer comes from the cache', async () => {
    let isRevoked = false;
    await using registry = await startRegistry({
      intercept: ({ url = '' }, response) => {
        if (!isRevoked || !url.includes('/blobs/')) return false;
        response.writeHead(403).end();
        return true;
      },
    });
    registry.putImage('shared:v1', [valid]);
    const unpacker = await start();
    await unpacker.unpack(imageRequest(`${registry.host}/shared:v1`), { signal });
    isRevoked = true;
    await unpacker.discard('combo');
    await expect(unpacker.unpack(imageRequest(`${registry.host}/shared:v1`), { signal })).rejects.toThrow('403');
  });

  test('come from a registry with TLS, a private authority and basic authentication', async () => {
    const { caPem, tls } = await loopbackCertificate();
    await using registry = await startRegistry({ tls, intercept: asksBasicAuthentication('me', 'pass') });
    registry.putImage('private:v1', [valid]);
    const request = imageRequest(`${registry.host}/private:v1`);
    const trusting = await startOwn({ registryCaPem: [caPem] });
    const secret = pullSecret(registry.host, 'me', 'pass');
    await expect(
      trusting.unpack({ ...request, pullSecrets: { secrets: [secret] } }, { signal }),
    ).resolves.toMatchObject({ objectCount: 1 });
    await expect(trusting.unpack(request, { signal })).rejects.toThrow(
      '401 Unauthorized: credentials are missing or wrong',
    );
    await expect(
      trusting.unpack({ ...request, pullSecrets: { secrets: [{ name: 'registrysecret' }] } }, { signal }),
    ).rejects.toThrow('source bundle content: secret "registrysecret" has no key ".dockerconfigjson"');
    const doubting = await startOwn();
    await expect(doubting.unpack({ ...request, pullSecrets: { secrets: [secret] } }, { signal })).rejects.toThrow(
      'unable to verify the first certificate',
    );
  });

  test('come from a registry with a token server', async () => {
    await using registry = await startRegistry({ intercept: asksToken('me', 'pass', 'http') });
    registry.putImage('private:v1', [valid]);
    const request = imageRequest(`${registry.host}/private:v1`);
    const unpacker = await start();
    const secret = pullSecret(registry.host, 'me', 'pass');
    await expect(
      unpacker.unpack({ ...request, pullSecrets: { secrets: [secret] } }, { signal }),
    ).resolves.toMatchObject({ objectCount: 1 });
    await expect(unpacker.unpack(request, { signal })).rejects.toThrow(
      '/token?service=redacted&scope=redacted: 401 Unauthorized',
    );
  });

  test('Q6 are taken from an index by platform, attestations aside', async () => {
    await using registry = await startRegistry();
    const digest = registry.putImage('multi:arm', [valid]);
    const manifest = { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size: 1 };
    const index = (platforms: readonly object[]) => ({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: platforms.map((platform) => ({ ...manifest, platform })),
    });
    registry.putManifest(
      'multi:v1',
      index([
        { os: 'linux', architecture: 's390x' },
        { os: 'linux', architecture: 'arm64' },
      ]),
    );
    const right = await startOwn({ platform: 'linux/arm64' });
    await expect(right.unpack(imageRequest(`${registry.host}/multi:v1`), { signal })).resolves.toMatchObject({
      objectCount: 1,
    });
    const wrong = await startOwn({ platform: 'linux/amd64' });
    await expect(wrong.unpack(imageRequest(`${registry.host}/multi:v1`), { signal })).rejects.toThrow(
      'no manifest for platform linux/amd64, only for: linux/s390x, linux/arm64',
    );
  });

  test('Q6 that share a layer fetch it once, also at the same time', async () => {
    await using registry = await startRegistry();
    registry.putImage('combo:v1', [valid]);
    const unpacker = await startOwn({ threads: 2 });
    const request = imageRequest(`${registry.host}/combo:v1`);
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => unpacker.unpack({ ...request, bundle: { name, uid: name } }, { signal })));
    expect(registry.requests.filter((line) => /^GET .*\/blobs\//.test(line))).toHaveLength(1);
  });

  test('survive a registry that fails for a while', async () => {
    const intercept = allOf(failsTimes('/manifests/', 2, 503), failsTimes('/blobs/', 2, 429));
    await using registry = await startRegistry({ intercept });
    registry.putImage('combo:v1', [valid]);
    const unpacker = await start();
    await expect(unpacker.unpack(imageRequest(`${registry.host}/combo:v1`), { signal })).resolves.toMatchObject({
      objectCount: 1,
    });
  });
});

describe('the user sees what is wrong with', () => {
  test('a registry that never answers', async () => {
    await using registry = await startRegistry({ intercept: neverAnswers('/manifests/') });
    const unpacker = await startOwn({ answerDeadlineMs: 300 });
    const url = `http://${registry.host}/v2/slow/manifests/v1`;
    await expect(unpacker.unpack(imageRequest(`${registry.host}/slow:v1`), { signal })).rejects.toEqual(
      new TransientError('DeadlineExceeded', `source bundle content: GET ${url}: no answer within 0.3 s`),
    );
  });

  test('a redirect loop', async () => {
    await using registry = await startRegistry({ intercept: redirectsForever('/manifests/') });
    const unpacker = await start();
    await expect(unpacker.unpack(imageRequest(`${registry.host}/loop:v1`), { signal })).rejects.toEqual(
      new TerminalError(
        'RedirectRefused',
        `source bundle content: GET http://${registry.host}/v2/loop/manifests/v1: more than 10 redirects`,
      ),
    );
  });

  test('a layer whose digest lies', async () => {
    await using registry = await startRegistry();
    const bytes = gzipSync(tarFile([{ path: 'manifests/a.yaml', content: configMap('a') }]));
    const digest = sha256Digest('something else');
    registry.putManifest('lie:v1', {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest, size: bytes.length }],
    });
    const lying = await startRegistry({
      intercept: (request, response) => {
        if (request.url?.includes('/blobs/') !== true) return false;
        response.end(bytes);
        return true;
      },
    });
    lying.putManifest('lie:v1', {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest, size: bytes.length }],
    });
    const unpacker = await startOwn();
    await expect(unpacker.unpack(imageRequest(`${lying.host}/lie:v1`), { signal })).rejects.toEqual(
      new TransientError(
        'DigestMismatch',
        `source bundle content: ${lying.host}/lie, layer ${digest}: expected digest ${digest}, got ${sha256Digest(bytes)}`,
      ),
    );
    await expect(readdir(`${storeDir}/layers`)).resolves.toEqual([]);
    await lying[Symbol.asyncDispose]();
  });

  test.each<{ name: string; layer: LayerContent; message: string }>([
    {
      name: 'an image that leaves its root',
      layer: { entries: [{ path: '../hostile', content: 'x' }] },
      message: ': "../hostile": paths with ".." are not accepted',
    },
    {
      name: 'an image without manifests (B8)',
      layer: { files: { stray: 'x' } },
      message:
        'get objects from bundle manifests: readdir manifests: file does not exist: expected a directory "manifests" at the root of the bundle',
    },
    {
      name: 'an image with empty manifests (B9)',
      layer: { entries: [{ path: 'manifests/' }] },
      message: 'invalid bundle: found zero objects: plain+v0 bundles are required to contain at least one object',
    },
    {
      name: 'an image with a sub-directory (B21)',
      layer: {
        files: { 'manifests/emptydir/.gitignore': '!.gitignore', 'manifests/namespace-a.yaml': configMap('a') },
      },
      message:
        'get objects from bundle manifests: subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "manifests/emptydir"',
    },
    {
      name: 'deep nesting',
      layer: { files: { 'manifests/deep.yaml': `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}` } },
      message: 'get objects from bundle manifests: error parsing manifests/deep.yaml: ',
    },
    {
      name: 'a manifest over the limit',
      layer: { files: { 'manifests/big.yaml': `#${'x'.repeat(32 * 1024 * 1024)}` } },
      message: 'manifests/big.yaml: 33554433 bytes, more than the limit of 33554432 bytes',
    },
  ])('$name', async ({ layer, message }) => {
    await using registry = await startRegistry();
    registry.putImage('bad:v1', [layer]);
    const unpacker = await start();
    await expect(unpacker.unpack(imageRequest(`${registry.host}/bad:v1`), { signal })).rejects.toThrow(message);
    await expect(readdir(`${storeDir}/temporary`)).resolves.toEqual([]);
  });
});

describe('a bundle whose manifests are large', () => {
  const empty = (sizeBytes: number): string => `${configMap('a')}data: [${'[],'.repeat(sizeBytes / 3)}[]]\n`;
  const largeBytes = 4 * 1024 * 1024;

  test('and take more memory than a thread has is refused for good, and no other bundle waits for it or ends with it', async () => {
    await using registry = await startRegistry();
    registry.putImage('hostile:v1', [{ files: { 'manifests/a.yaml': empty(largeBytes) } }]);
    registry.putImage('good:v1', [valid]);
    const unpacker = await startOwn({ threadHeapMebibytes: 56 });
    const uids = ['u1', 'u2'];
    const hostile = uids.map((uid) => {
      const request = { ...imageRequest(`${registry.host}/hostile:v1`), bundle: { name: uid, uid } };
      return unpacker.unpack(request, { signal });
    });
    const good = unpacker.unpack(imageRequest(`${registry.host}/good:v1`), { signal });
    expect(await Promise.race([good, ...hostile])).toMatchObject({ objectCount: 1 });
    for (const result of await Promise.allSettled(hostile)) {
      expect(result).toMatchObject({
        reason: {
          name: 'TerminalError',
          reason: 'InvalidBundle',
          message: expect.stringContaining('more memory than') as string,
        },
      });
    }
  });

  test('and is loaded with more memory than a thread has ends no work for others', { tags: 'long' }, async () => {
    await using registry = await startRegistry({ intercept: neverAnswers('/slow/') });
    const files = { 'manifests/a.yaml': empty(largeBytes / 4), 'manifests/b.yaml': empty(largeBytes / 4) };
    registry.putImage('large:v1', [{ files }]);
    const first = await startOwn();
    await first.unpack(imageRequest(`${registry.host}/large:v1`), { signal });
    await first[Symbol.asyncDispose]();
    const unpacker = await startOwn({ storeDir, threadHeapMebibytes: 32, answerDeadlineMs: 60_000 });
    const stop = new AbortController();
    const isFetching = Promise.withResolvers<string>();
    const request = { ...imageRequest(`${registry.host}/slow/image:v1`), bundle: { name: 'slow', uid: 'u2' } };
    const other = unpacker.unpack(request, { signal: stop.signal, onProgress: isFetching.resolve });
    await isFetching.promise;
    await expect(load(bundle)).rejects.toMatchObject({ reason: 'UnpackerRestarted' });
    stop.abort(new Error('still at work'));
    await expect(other).rejects.toThrow('still at work');
  });

  test('and has an object that no API server accepts is refused, and one that it accepts is not', async () => {
    await using registry = await startRegistry();
    const text = (sizeBytes: number): LayerContent => ({
      files: { 'manifests/a.yaml': `${configMap('a')}data: {a: ${'x'.repeat(sizeBytes)}}\n` },
    });
    const limitBytes = 3 * 1024 * 1024;
    registry.putImage('fits:v1', [text(limitBytes - 200)]);
    registry.putImage('large:v1', [text(limitBytes)]);
    const unpacker = await start();
    await unpacker.unpack(imageRequest(`${registry.host}/fits:v1`), { signal });
    await expect(unpacker.unpack(imageRequest(`${registry.host}/large:v1`), { signal })).rejects.toMatchObject({
      name: 'TerminalError',
      message: expect.stringContaining(
        `ConfigMap "a" has more than the limit of ${limitBytes} bytes as JSON`,
      ) as string,
    });
  });

  test('is stored and loaded like any other', async () => {
    await using registry = await startRegistry();
    const files = {
      'manifests/a.yaml': `${configMap('a')}data: {a: ${'x'.repeat(2_000_000)}}\n`,
      'manifests/b.yaml': configMap('b'),
    };
    registry.putImage('large:v1', [{ files }]);
    const unpacker = await start();
    const content = await unpacker.unpack(imageRequest(`${registry.host}/large:v1`), { signal });
    expect(content).toMatchObject({ objectCount: 2 });
    expect(await load(bundle)).toMatchObject([{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }]);
  });
});

test('an abort ends the work and leaves nothing', async () => {
  await using registry = await startRegistry({ intercept: neverAnswers('/manifests/') });
  const unpacker = await start();
  const controller = new AbortController();
  const work = unpacker.unpack(imageRequest(`${registry.host}/slow:v1`), {
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('stopped')),
  });
  await expect(work).rejects.toThrow('stopped');
});

describe('git bundles', () => {
  const files = { 'manifests/a.yaml': configMap('a'), 'dev/deploy/manifests/b.yaml': configMap('b') };

  test('come by branch, tag, annotated tag, commit and directory, pinned by commit', async () => {
    await using server = await startGitServer();
    const [first, second] = await server.createRepository('combo.git', [
      { files, tags: ['v0.0.1', 'v0.0.1-annotated!'] },
      { files: { ...files, 'manifests/c.yaml': configMap('c') } },
    ]);
    const unpacker = await start();
    const repository = `${server.url}/combo.git`;
    const rows = [
      { ref: { branch: 'main' }, commit: second, objectCount: 2 },
      { ref: { tag: 'v0.0.1' }, commit: first, objectCount: 1 },
      { ref: { tag: 'v0.0.1-annotated' }, commit: first, objectCount: 1 },
      { ref: { commit: first }, commit: first, objectCount: 1 },
      { ref: { branch: 'main' }, directory: './dev/deploy', commit: second, objectCount: 1 },
    ];
    for (const { ref, directory, commit, objectCount } of rows) {
      const git = { repository, ref, ...(directory === undefined ? {} : { directory }) };
      const resolvedSource = { type: 'git', git: { ...git, ref: { commit } } };
      await expect(unpacker.unpack(gitRequest(git), { signal })).resolves.toMatchObject({
        resolvedSource,
        objectCount,
      });
    }
    await expect(readdir(`${storeDir}/temporary`)).resolves.toEqual([]);
  });

  test.each([
    { name: 'gives single commits', config: ['uploadpack.allowAnySHA1InWant', 'true'] },
    { name: 'gives advertised commits only', config: ['uploadpack.allowAnySHA1InWant', 'false'] },
  ])('come by a commit that is no tip, from a server that $name', async ({ config }) => {
    await using server = await startGitServer();
    const commits = ['1', '2', '3'].map((text) => ({ files: { ...files, text } }));
    const hashes = await server.createRepository('combo.git', commits);
    execFileSync('git', ['config', ...config], { cwd: server.directoryOf('combo.git') });
    const unpacker = await start();
    const git = { repository: `${server.url}/combo.git`, ref: { commit: hashes[1] } };
    const resolvedSource = { type: 'git', git };
    await expect(unpacker.unpack(gitRequest(git), { signal })).resolves.toMatchObject({ resolvedSource });
    const missing = gitRequest({ ...git, ref: { commit: '0'.repeat(40) } });
    await expect(unpacker.unpack(missing, { signal })).rejects.toThrow(`checkout commit "${'0'.repeat(40)}": `);
  });

  test('drop links and ignore submodules', async () => {
    await using server = await startGitServer();
    await server.createRepository('combo.git', [{ files }]);
    const cwd = server.directoryOf('combo.git');
    symlinkSync('/etc/passwd', `${cwd}/manifests/hostile.yaml`);
    execFileSync('git', ['add', '.'], { cwd });
    execFileSync('git', ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},manifests/sub`], { cwd });
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qm', 'links'], { cwd });
    const unpacker = await start();
    const git = { repository: `${server.url}/combo.git`, ref: { branch: 'main' } };
    await expect(unpacker.unpack(gitRequest(git), { signal })).resolves.toMatchObject({ objectCount: 1 });
  });

  test('come from a private server with TLS and basic authentication', async () => {
    const { caPem, tls } = await loopbackCertificate();
    await using server = await startGitServer({ tls, intercept: asksBasicAuthentication('me', 'pass') });
    await server.createRepository('private.git', [{ files }]);
    const git = { repository: `${server.url}/private.git`, ref: { branch: 'main' } };
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    const hosts = new URL(server.url).host;
    const secret = { name: 'gitsecret', hosts, data: { username: encode('me'), password: encode('pass') } };
    const unpacker = await startOwn({ gitCaPem: [caPem] });
    await expect(unpacker.unpack({ ...gitRequest(git), secret }, { signal })).resolves.toMatchObject({
      objectCount: 1,
    });
    await expect(unpacker.unpack(gitRequest(git), { signal })).rejects.toThrow(
      'source bundle content: bundle unpack git clone error: HTTP Error: 401',
    );
    const configuration = (host: string): string =>
      encode(JSON.stringify({ auths: { [host]: { auth: encode('me:pass') } } }));
    const inDockerForm = (host: string) => ({
      name: 'docker',
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': configuration(host) },
    });
    await expect(
      unpacker.unpack({ ...gitRequest(git), secret: inDockerForm(hosts) }, { signal }),
    ).resolves.toMatchObject({ objectCount: 1 });
    await expect(
      unpacker.unpack({ ...gitRequest(git), secret: inDockerForm('git.example.com') }, { signal }),
    ).rejects.toThrow(`secret "docker" is not for the host ${hosts}`);
    const unbound = { ...secret, hosts: 'git.example.com' };
    await expect(unpacker.unpack({ ...gitRequest(git), secret: unbound }, { signal })).rejects.toThrow(
      `secret "gitsecret" is not for the host ${hosts}`,
    );
    const doubting = await startOwn();
    await expect(doubting.unpack({ ...gitRequest(git), secret }, { signal })).rejects.toThrow('unable to verify');
    const careless = gitRequest({ ...git, auth: { insecureSkipVerify: true } });
    await expect(doubting.unpack({ ...careless, secret }, { signal })).rejects.toMatchObject({
      reason: 'UnverifiedTls',
    });
    const lenient = { ...secret, allowsUnverifiedTls: true };
    await expect(doubting.unpack({ ...careless, secret: lenient }, { signal })).resolves.toMatchObject({
      objectCount: 1,
    });
  });

  test.each([
    {
      git: { repository: 'github.com/operator-framework/combo', ref: { tag: 'v1' } },
      message:
        'source bundle content: bundle unpack git clone error: repository "github.com/operator-framework/combo" has no scheme: expected https://, http:// or ssh://, or user@host:path',
    },
    {
      git: { repository: 'https://127.0.0.1:1/x', ref: { branch: 'main' }, directory: '../x' },
      message: `source bundle content: get subdirectory "../x" for repository "https://127.0.0.1:1/x": directory can not start with '../' or '/'`,
    },
    {
      git: { repository: 'https://127.0.0.1:1/x', ref: { commit: 'abc' } },
      message: 'source bundle content: checkout commit "abc": expected the full hash of 40 hexadecimal digits',
    },
  ])('refuses $git', async ({ git, message }) => {
    const unpacker = await start();
    await expect(unpacker.unpack(gitRequest(git), { signal })).rejects.toThrow(message);
  });

  test('report that a tag does not exist', async () => {
    await using server = await startGitServer();
    await server.createRepository('combo.git', [{ files }]);
    const unpacker = await start();
    const git = { repository: `${server.url}/combo.git`, ref: { tag: 'non-existent-tag' } };
    await expect(unpacker.unpack(gitRequest(git), { signal })).rejects.toThrow(
      'source bundle content: bundle unpack git clone error: Could not find refs/tags/non-existent-tag.',
    );
  });
});
