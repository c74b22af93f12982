import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Digest } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import {
  breaksOff,
  eventually,
  fileEntries,
  type Intercept,
  liesAbout,
  type Registry,
  startRegistry,
  tarFile,
} from '../support/index.ts';
import { valid } from './contents.ts';
import { bundle, conditionOf, startWorld, statusOf, type World } from './world.ts';

const namespace = 'rukpak-system';
const absentDigest = `sha256:${'0'.repeat(64)}`;

let world: World;
/** A second registry, without authentication. */
let open: Registry;
let dir: string;
let configPath: string;
/** What the open registry does to a request, by a part of its path. */
const faults = new Map<string, Intercept>();

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-image-'));
  configPath = join(dir, 'registries.yaml');
  open = await startRegistry({
    intercept: (request, response) =>
      [...faults].some(([part, fault]) => request.url?.includes(part) === true && fault(request, response)),
  });
  await writeFile(configPath, mirrorConfig());
  world = await startWorld(['--registry-config', configPath, '--answer-timeout', '1', '--max-layer-size', '1']);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

function mirrorConfig(): string {
  return `
imageDigestMirrors:
  - source: quay.example.com/team
    mirrors: ["${open.host}/gone", "${open.host}/copies"]
    mirrorSourcePolicy: NeverContactSource
---
apiVersion: config.openshift.io/v1
kind: ImageTagMirrorSet
metadata: {name: tags}
spec:
  imageTagMirrors:
    - source: "*.mirrored.example.com"
      mirrors: ["${open.host}"]
`;
}

async function create(name: string, ref: string, pullSecret?: string): Promise<void> {
  const image = { ref, ...(pullSecret === undefined ? {} : { pullSecret }) };
  await world.kube.create(bundle(name, { type: 'image', image }), { fieldManager: 'test' });
}

async function messageOf(name: string, phase: string): Promise<string> {
  return conditionOf(await world.bundleWithPhase(name, phase), 'Unpacked')?.message ?? '';
}

function pinnedRef(object: KubeObject): string | undefined {
  return (statusOf(object)['resolvedSource'] as { image?: { ref: string } } | undefined)?.image?.ref;
}

const askedFor = (registry: Registry, part: string): number =>
  registry.requests.filter((line) => line.includes(part)).length;

function dockerConfig(password: string): Record<string, string> {
  const auths = { [`https://${world.registry.host}/v1/`]: { username: 'puller', password } };
  return { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
}

async function createSecret(name: string, type: string, data: Record<string, string>): Promise<void> {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type, data };
  await world.kube.create(secret, { fieldManager: 'test' });
}

const secretRef = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', name, namespace });

describe('a private image', () => {
  const password = 'secret-word-of-the-registry';
  const type = 'kubernetes.io/dockerconfigjson';

  test('N16, Q20 whose pull secret is missing or wrong reports which, and is fetched as soon as it is fixed', async () => {
    world.registry.putImage('n16:v1', [{ files: valid }]);
    await create('n16', `${world.registry.host}/n16:v1`, 'later');
    expect(await messageOf('n16', 'Failing')).toContain(
      `source bundle content: secret "later" not found in namespace "${namespace}"`,
    );
    await createSecret('later', 'Opaque', dockerConfig(password));
    await eventually(async () => {
      expect(await messageOf('n16', 'Failing')).toContain(
        'source bundle content: secret "later" has type "Opaque", expected kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg',
      );
    });
    await world.kube.delete(secretRef('later'));
    await createSecret('later', type, dockerConfig('wrong-word'));
    await eventually(async () => {
      expect(await messageOf('n16', 'Failing')).toContain(
        `source bundle content: GET https://${world.registry.host}/v2/n16/manifests/v1: 401 Unauthorized: credentials are missing or wrong; those of entry "https://${world.registry.host}/v1/" of secret "later" were used`,
      );
    });
    await world.kube.patch(secretRef('later'), { data: dockerConfig(password) }, { fieldManager: 'test' });
    const unpacked = await world.bundleWithPhase('n16', 'Unpacked');
    const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event' });
    expect(JSON.stringify([unpacked, items])).not.toMatch(/wrong-word|secret-word/);
  });

  test('Q20 that names no pull secret gets those of the service account, once it has some', async () => {
    world.registry.putImage('account:v1', [{ files: valid }]);
    await create('account', `${world.registry.host}/account:v1`);
    expect(await messageOf('account', 'Failing')).toContain(
      '401 Unauthorized: credentials are missing or wrong; there is no pull secret of service account "default"',
    );
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'default', namespace };
    const imagePullSecrets = [{ name: 'absent' }, { name: 'account-secret' }];
    await eventually(() => world.kube.patch(account, { imagePullSecrets }, { fieldManager: 'test' }));
    await eventually(async () => {
      expect(await messageOf('account', 'Failing')).toContain(
        'there is no pull secret of service account "default" (secret "absent" not found; secret "account-secret" not found)',
      );
    });
    await createSecret('account-secret', type, dockerConfig(password));
    await world.bundleWithPhase('account', 'Unpacked');
  });
});

describe('a terminal error stops retries and is reported:', () => {
  test('a digest that the registry does not have', async () => {
    await create('no-digest', `${open.host}/final@${absentDigest}`);
    expect(await messageOf('no-digest', 'Failing')).toContain(
      `source bundle content: GET http://${open.host}/v2/final/manifests/${absentDigest}: 404 Not Found`,
    );
    open.putImage('after:v1', [{ files: valid }]);
    await create('after', `${open.host}/after:v1`);
    await world.bundleWithPhase('after', 'Unpacked');
    expect(askedFor(open, '/final/manifests/')).toBe(1);
  });

  test('Q6 a layer over the limit, before a byte of it is received', async () => {
    open.putImage('huge:v1', [{ files: { 'manifests/a': Buffer.alloc(2 * 1024 * 1024) }, compression: 'plain' }]);
    await create('huge', `${open.host}/huge:v1`);
    expect(await messageOf('huge', 'Failing')).toMatch(
      /layer sha256:[0-9a-f]{64}: \d+ bytes, more than the limit of 1048576 bytes/,
    );
    expect(askedFor(open, '/huge/blobs/')).toBe(0);
  });
});

describe('a registry that', () => {
  test('sends Retry-After is not asked before, the Bundle reports when, and others continue', async () => {
    open.putImage('busy:v1', [{ files: valid }]);
    let isBusy = true;
    faults.set('/busy/', (_, response) => {
      if (isBusy) response.writeHead(429, { 'retry-after': new Date(Date.now() + 3_000).toUTCString() }).end();
      return isBusy;
    });
    await create('busy', `${open.host}/busy:v1`);
    expect(await messageOf('busy', 'Failing')).toMatch(
      /busy\/manifests\/v1: 429 Too Many Requests: the registry asks to retry after \S+Z \(next try at \S+Z\)$/,
    );
    isBusy = false;
    await create('not-busy', world.imageSource('not-busy:v1', valid).image.ref, 'registrysecret');
    await world.bundleWithPhase('not-busy', 'Unpacked');
    await world.bundleWithPhase('busy', 'Unpacked');
  });

  test.each([
    { name: 'breaks off', fault: breaksOff('/blobs/', { times: 2, sizeBytes: 100 }) },
    { name: 'falls silent', fault: breaksOff('/blobs/', { times: 1, sizeBytes: 100, isSilent: true }) },
  ])('$name in the middle of a layer is asked for the rest', async ({ name, fault }) => {
    const id = name.replace(' ', '-');
    open.putImage(`${id}:v1`, [{ files: { ...valid, [id]: id } }]);
    const ranges: unknown[] = [];
    faults.set(`/${id}/blobs/`, (request, response) => {
      ranges.push(request.headers.range);
      return fault(request, response);
    });
    await create(id, `${open.host}/${id}:v1`);
    await world.bundleWithPhase(id, 'Unpacked');
    expect(ranges.slice(0, 2)).toEqual([undefined, 'bytes=100-']);
  });

  test('sends a wrong layer is asked again', async () => {
    open.putImage('liar:v1', [{ files: { ...valid, liar: 'x' } }]);
    faults.set('/liar/blobs/', liesAbout('/blobs/', 99));
    await create('liar', `${open.host}/liar:v1`);
    expect(await messageOf('liar', 'Failing')).toMatch(
      /liar, layer (sha256:[0-9a-f]{64}): expected digest \1, got sha256:/,
    );
    faults.delete('/liar/blobs/');
    await world.bundleWithPhase('liar', 'Unpacked');
  });
});

describe('mirrors', () => {
  test('give an image by digest in place of a source that is not contacted, in order', async () => {
    const digest = open.putImage('copies/app:v1', [{ files: valid }]);
    await create('mirrored', `quay.example.com/team/app@${digest}`);
    expect(pinnedRef(await world.bundleWithPhase('mirrored', 'Unpacked'))).toBe(`quay.example.com/team/app@${digest}`);
    expect(askedFor(open, '/gone/app/')).toBe(1);
  });

  test('give an image by tag if configured for tags, without the credentials of the source', async () => {
    const auths = { 'a.mirrored.example.com': { username: 'source', password: 'word-of-the-source' } };
    const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
    await createSecret('of-the-source', 'kubernetes.io/dockerconfigjson', data);
    const digest = open.putImage('tagged/app:v1', [{ files: valid }]);
    const seen: (string | undefined)[] = [];
    faults.set('/tagged/app/', (request) => {
      seen.push(request.headers.authorization);
      return false;
    });
    await create('tagged', 'a.mirrored.example.com/tagged/app:v1', 'of-the-source');
    const unpacked = await world.bundleWithPhase('tagged', 'Unpacked');
    expect(pinnedRef(unpacked)).toBe(`a.mirrored.example.com/tagged/app@${digest}`);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  test('that are named after an image could not be fetched are asked at once', async () => {
    const digest = open.putImage('new-place/app:v1', [{ files: valid }]);
    const source = 'quay.example.com/team/moved';
    await create('moved', `${source}@${digest}`);
    expect(await messageOf('moved', 'Failing')).toContain('(not tried again before');
    const entry = `  - {source: ${source}, mirrors: ["${open.host}/new-place/app"]}`;
    await writeFile(configPath, mirrorConfig().replace('imageDigestMirrors:', `imageDigestMirrors:\n${entry}`));
    await world.bundleWithPhase('moved', 'Unpacked');
  });

  test('that do not have an image are all named, and so is the source that was not asked', async () => {
    await create('nowhere', `quay.example.com/team/nowhere@${absentDigest}`);
    const asked = (path: string): string =>
      `mirror ${open.host}/${path}/nowhere: GET http://${open.host}/v2/${path}/nowhere/manifests/${absentDigest}: 404 Not Found`;
    expect(await messageOf('nowhere', 'Failing')).toContain(
      `source bundle content: quay.example.com/team/nowhere: could not be pulled from any location: ${asked('gone')}; ${asked('copies')}; quay.example.com/team/nowhere itself must not be contacted (NeverContactSource)`,
    );
  });
});

describe('an artifact', () => {
  const layer = (bytes: Buffer, mediaType: string, annotations: Record<string, string> = {}): object => ({
    mediaType,
    digest: open.putBlob(bytes),
    size: bytes.length,
    annotations,
  });
  const manifest = (layers: readonly object[], rest: Record<string, unknown> = {}): Record<string, unknown> => ({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { ...layer(Buffer.from('{}'), 'application/vnd.oci.empty.v1+json') },
    layers,
    ...rest,
  });
  const title = (text: string): Record<string, string> => ({ 'org.opencontainers.image.title': text });
  const archive = (): Buffer => tarFile(fileEntries(valid));
  const yaml = Buffer.from('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: single}\n');
  const artifactType = 'application/vnd.example.bundle.v1';

  test.each([
    {
      name: 'a tar as flux pushes it',
      build: () => [layer(gzipSync(archive()), 'application/vnd.cncf.flux.content.v1.tar+gzip')],
    },
    { name: 'a tar of a plain type', build: () => [layer(archive(), 'application/x-tar')] },
    { name: 'a tar of another type', build: () => [layer(gzipSync(archive()), 'application/tar+gzip')] },
    {
      name: 'a folder as oras pushes it',
      build: () => [
        layer(gzipSync(archive()), 'application/vnd.oci.image.layer.v1.tar+gzip', {
          ...title('manifests'),
          'io.deis.oras.content.unpack': 'true',
        }),
      ],
    },
    {
      name: 'a file as oras pushes it',
      build: () => [layer(yaml, 'application/vnd.oci.image.layer.v1.tar', title('app.yaml'))],
    },
    {
      name: 'files in a folder',
      build: () => [
        layer(yaml, 'application/yaml', title('manifests/a.yaml')),
        layer(Buffer.from('read me'), 'text/plain', title('README')),
      ],
    },
    {
      name: 'an archive with a title',
      build: () => [layer(gzipSync(archive()), 'application/vnd.oci.image.layer.v1.tar', title('bundle.tgz'))],
    },
  ])('of $name is a bundle', async ({ name, build }) => {
    const id = name.replaceAll(' ', '-');
    open.putManifest(`artifacts/${id}:v1`, manifest(build(), { artifactType }));
    await create(id, `${open.host}/artifacts/${id}:v1`);
    await world.bundleWithPhase(id, 'Unpacked');
  });

  test.each([
    { name: 'no-layers', build: () => manifest([]), message: 'has no layers: expected an image or artifact' },
    {
      name: 'helm-chart',
      build: () => manifest([layer(yaml, 'application/vnd.cncf.helm.chart.content.v1.tar+gzip')]),
      message: 'is a Helm chart: expected an image or artifact that holds manifests; charts have the provisioner class',
    },
    {
      name: 'schema-1',
      build: () => ({ schemaVersion: 1, mediaType: 'application/vnd.docker.distribution.manifest.v1+prettyjws' }),
      message: 'is a manifest of schema 1, which is not supported',
    },
    {
      name: 'foreign-layer',
      build: () => manifest([layer(yaml, 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip')]),
      message: 'is not distributable: registries do not keep its content',
    },
    {
      name: 'untitled-file',
      build: () => manifest([layer(yaml, 'application/yaml')]),
      message: 'has media type "application/yaml": expected a tar, or a file with the annotation',
    },
    {
      name: 'same-titles',
      build: () => manifest([layer(yaml, 'a/b', title('a.yaml')), layer(yaml, 'a/b', title('a.yaml'))]),
      message: 'two layers have the title "a.yaml"',
    },
    {
      name: 'title-that-leaves',
      build: () => manifest([layer(yaml, 'a/b', title('../../etc/cron.d/hostile'))]),
      message: '"../../etc/cron.d/hostile": paths with ".." are not accepted',
    },
    {
      name: 'absolute-title',
      build: () => manifest([layer(yaml, 'a/b', title('/etc/cron.d/hostile'))]),
      message: '"/etc/cron.d/hostile": absolute paths are not accepted',
    },
  ])('or image with $name is refused with an explanation', async ({ name, build, message }) => {
    open.putManifest(`refused/${name}:v1`, build());
    await create(name, `${open.host}/refused/${name}:v1`);
    expect(await messageOf(name, 'Failing')).toContain(message);
  });
});

test('the digest that a Bundle is pinned to is that of the manifest', async () => {
  const digest = open.putImage('pin:v1', [{ files: valid }]);
  expect(digest).not.toBe(sha256Digest(''));
  await create('pin', `${open.host}/pin:v1@${digest}`);
  expect(pinnedRef(await world.bundleWithPhase('pin', 'Unpacked'))).toBe(`${open.host}/pin@${digest}`);
});
