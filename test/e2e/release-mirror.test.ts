import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseYaml } from '../../src/base/index.ts';
import { attachBundles, bundleOf } from '../support/cosign.ts';
import {
  type Intercept,
  putSignatures,
  type Registry,
  signatureOf,
  signingKey,
  startRegistry,
} from '../support/index.ts';
import { programPath, runLongshore, writeFolder } from './program.ts';

const include = 'include.release.openshift.io/self-managed-high-availability: "true"';

let dir = '';
let registry: Registry;
let intercept: Intercept = () => false;
let digest = '';
const images = new Map<string, string>();

const run = (...args: readonly string[]): ReturnType<typeof runLongshore> =>
  runLongshore(['release', ...args], { cwd: dir });

interface Mirrored {
  readonly images: number;
  readonly copiedBlobs: number;
  readonly copiedBytes: number;
  readonly mirrors: readonly unknown[];
}

async function mirror(...args: readonly string[]): Promise<Mirrored> {
  const { code, stdout, stderr } = await run('mirror', ...args, '-o', 'json');
  expect(code === 0 ? '' : stderr).toBe('');
  return JSON.parse(stdout) as Mirrored;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-release-mirror-'));
  registry = await startRegistry({ intercept: (request, response) => intercept(request, response) });
  const base = { files: { 'usr/lib/base': 'x'.repeat(200_000) } };
  for (const name of ['dns', 'etcd']) {
    const put = registry.putImage(`parts/${name}:1`, [base, { files: { [`usr/bin/${name}`]: name.repeat(50_000) } }]);
    images.set(name, `${registry.host}/parts/${name}@${put}`);
  }
  const stream = (name: string): string =>
    JSON.stringify({
      kind: 'ImageStream',
      apiVersion: 'image.openshift.io/v1',
      spec: { tags: [{ name, from: { kind: 'DockerImage', name: `example.org/${name}:latest` } }] },
    });
  const manifest = (name: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, annotations: {${include}}}\ndata: {image: "example.org/${name}:latest"}\n`;
  await writeFolder(join(dir, 'components'), {
    'dns/0000_20_dns_10.yaml': manifest('dns'),
    'dns/image-references': stream('dns'),
    'etcd/0000_20_etcd_10.yaml': manifest('etcd'),
    'etcd/image-references': stream('etcd'),
  });
  await writeFile(join(dir, 'images.yaml'), JSON.stringify(Object.fromEntries(images)));
  const args = ['--version', '1.0.0', '--images', 'images.yaml', '--push', `${registry.host}/release:1.0.0`];
  const built = await run('build', 'components', ...args);
  digest = /sha256:[0-9a-f]{64}/.exec(built.stdout)?.[0] ?? '';
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

describe('longshore release mirror', { shuffle: false }, () => {
  test('a release is copied to a folder and from there to a registry, with its digests', async () => {
    const planned = await mirror(`${registry.host}/release:1.0.0`, '--to', 'planned', '--dry-run');
    expect(await readdir(dir)).not.toContain('planned');
    const first = await mirror(`${registry.host}/release:1.0.0`, '--to', 'mirror');
    expect(first).toMatchObject({ images: 3, copiedBlobs: 7 });
    // The common layer of both images is counted for each while nothing is copied.
    expect(planned.copiedBlobs).toBe(8);
    expect(await mirror(`${registry.host}/release:1.0.0`, '--to', 'mirror')).toMatchObject({ copiedBlobs: 0 });

    await using inner = await startRegistry();
    const target = `${inner.host}/internal/releases`;
    const second = await mirror('mirror', '--to', target);
    expect(second).toMatchObject({
      images: 3,
      copiedBlobs: 7,
      mirrors: [{ mirrors: [target] }, { mirrors: [target] }],
    });
    const info = await run('info', `${target}:1.0.0`, '-o', 'json');
    expect(JSON.parse(info.stdout)).toMatchObject({ version: '1.0.0', digest });
    for (const [name, spec] of images) {
      const found = spec.slice(spec.indexOf('@') + 1);
      const at = async (reference: string): Promise<string | null> => {
        const url = `http://${inner.host}/v2/internal/releases/manifests/${reference}`;
        return (await fetch(url)).headers.get('docker-content-digest');
      };
      expect([await at(found), await at(`1.0.0-${name}`)]).toEqual([found, found]);
    }
  });

  test('a release is copied from one registry to another; an artifact, too', async () => {
    await run(
      'build',
      'components',
      '--version',
      '1.0.1',
      '--images',
      'images.yaml',
      '--as',
      'artifact',
      '--push',
      `${registry.host}/release:1.0.1`,
    );
    await using inner = await startRegistry();
    const args = [`${registry.host}/release:1.0.1`, '--to', `${inner.host}/releases`];
    const shown = await run('mirror', ...args);
    expect(shown.stdout).toContain(`  ${registry.host}/parts/dns is mirrored by ${inner.host}/releases\n`);
    expect((await run('info', `${inner.host}/releases:1.0.1`)).stdout).toContain('Version:       1.0.1');
    expect(await mirror(...args)).toMatchObject({ copiedBlobs: 0, copiedBytes: 0 });
  });

  test('a copy that was killed continues with what is missing', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<undefined>();
    let largest = '';
    intercept = (request, response) => {
      const [, blob] = /\/parts\/etcd\/blobs\/(sha256:\w+)$/.exec(request.url ?? '') ?? [];
      if (blob === undefined || request.method !== 'GET') return false;
      largest = blob;
      response.writeHead(200, { 'content-length': 1_000_000 }).write('x');
      resolve(undefined);
      return true;
    };
    const args = ['mirror', `${registry.host}/release:1.0.0`, '--to', 'killed'];
    const child = spawn(process.execPath, [programPath, 'release', ...args], { cwd: dir, stdio: 'ignore' });
    await asked;
    child.kill('SIGKILL');
    await once(child, 'exit');
    intercept = () => false;
    expect(largest).not.toBe('');
    const unfinished = await run('mirror', 'killed', '--to', `${registry.host}/never`);
    expect(unfinished.stderr).toContain('not a mirror of a release: no entry of index.json is a release');
    const second = await mirror(...args.slice(1));
    expect(second.copiedBlobs).toBeGreaterThan(0);
    expect(second.copiedBlobs).toBeLessThan(7);
    const names = await readdir(join(dir, 'killed/blobs/sha256'));
    expect(names.filter((name) => name.endsWith('.partial'))).toEqual([]);
    expect(await mirror('killed', '--to', `${registry.host}/killed`)).toMatchObject({ images: 3 });
  });

  test('a blob that is another is not copied, and the release is not there until all of it is', async () => {
    await mirror(`${registry.host}/release:1.0.0`, '--to', 'tampered');
    const folder = join(dir, 'tampered/blobs/sha256');
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => ({ name, content: await readFile(join(folder, name)) })),
    );
    const layer = sizes.find(({ content }) => content.length > 1000 && !content.toString().startsWith('{'));
    await writeFile(join(folder, layer?.name ?? ''), Buffer.alloc(layer?.content.length ?? 0));
    await using inner = await startRegistry();
    const refused = await run('mirror', 'tampered', '--to', `${inner.host}/r`);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/expected digest sha256:\w+, got sha256:/);
    expect((await run('info', `${inner.host}/r:1.0.0`)).code).toBe(1);
  });

  /** As the first byte of OpenPGP, that of this letter has its highest bit set. */
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  test('signatures are copied: those of cosign with their images, those of OpenPGP through a folder to ConfigMaps', async () => {
    const key = signingKey();
    putSignatures(registry, { repository: 'release', digest }, [signatureOf(digest, key)]);
    await writeFolder(join(dir, 'store'), {
      [`${digest.replace(':', '=')}/signature-1`]: 'é first',
      [`${digest.replace(':', '=')}/signature-2`]: 'é second',
    });
    const shown = await run('mirror', `${registry.host}/release:1.0.0`, '--to', 'signed', '--store', 'store');
    expect(shown.stdout).toMatch(/, 2 signatures\n/);
    await using inner = await startRegistry();
    const target = `${inner.host}/releases`;
    expect((await run('mirror', 'signed', '--to', target)).stdout).toContain(
      'write them to a folder with --signatures-to',
    );
    await run('mirror', 'signed', '--to', target, '--signatures-to', 'config-maps');
    const name = digest.replace(':', '-');
    const text = await readFile(join(dir, 'config-maps', `${name}.yaml`), 'utf8');
    expect(parseYaml('config map', text)).toMatchObject({
      metadata: { name, namespace: 'openshift-config-managed' },
      binaryData: { [`${name}-0`]: base64('é first'), [`${name}-1`]: base64('é second') },
    });
    const rules = [{ images: [target], signedBy: [{ key: key.publicPem }] }];
    await writeFile(join(dir, 'policy.yaml'), JSON.stringify({ rules }));
    expect(await run('verify', `${target}:1.0.0`, '--policy', 'policy.yaml')).toMatchObject({ code: 0 });
  });

  test('of the signatures of a mirror, files that are none are left out, such as links to secrets', async () => {
    await mirror(`${registry.host}/release:1.0.0`, '--to', 'linked');
    const place = join(dir, 'linked/signatures', digest.replace(':', '='));
    await writeFolder(place, { secret: 'token: secret\n' });
    await symlink(join(place, 'secret'), join(place, 'signature-1'));
    const shown = await run('mirror', 'linked', '--to', `${registry.host}/linked`, '--signatures-to', 'leaked');
    expect(shown.stderr).toContain('1 file without an OpenPGP message');
    expect(await readdir(dir)).not.toContain('leaked');
  });

  test.each(['subject', 'tag'] as const)('signatures that are attached by %s are copied', async (by) => {
    const key = signingKey();
    const repository = `release-${by}`;
    await mirror(`${registry.host}/release:1.0.0`, '--to', `${registry.host}/${repository}`);
    attachBundles(registry, { repository, digest, by }, [bundleOf(digest, key)]);
    const folder = `attached-${by}`;
    await mirror(`${registry.host}/${repository}:1.0.0`, '--to', folder);
    await using inner = await startRegistry();
    const target = `${inner.host}/releases`;
    await mirror(folder, '--to', target);
    const rules = [{ images: [target], signedBy: [{ key: key.publicPem }] }];
    await writeFile(join(dir, `${folder}.yaml`), JSON.stringify({ rules }));
    expect(await run('verify', `${target}:1.0.0`, '--policy', `${folder}.yaml`)).toMatchObject({ code: 0 });
  });

  test.each([
    [['mirror', 'components', '--to', 'x'], 'expected the reference of a release, or a folder that release mirror has'],
    [['mirror', 'example.com/r:1'], 'expected --to REPOSITORY or --to DIR'],
    [['mirror', 'example.com/r:1', '--to', 'example.com/r:1'], 'expected a repository, without a tag or digest'],
  ])('%j is refused', async (args, text) => {
    expect((await run(...args)).stderr).toContain(text);
  });
});
