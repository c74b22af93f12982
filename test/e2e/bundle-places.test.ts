import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tideFiles } from '../support/checked-bundle.ts';
import {
  asksBasicAuthentication,
  fileEntries,
  loopbackCertificate,
  type Registry,
  startRegistry,
  tarFile,
} from '../support/index.ts';
import { type Printed, runLongshore, writeFolder } from './program.ts';

const indexType = 'application/vnd.oci.image.index.v1+json';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const tar = tarFile(fileEntries(tideFiles));
let dir = '';
let registry: Registry;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-places-test-'));
  const { caPem, tls } = await loopbackCertificate();
  registry = await startRegistry({ tls, intercept: asksBasicAuthentication('someone', 'secret-word') });
  registry.putImage('tide/gauge:v1', [{ files: tideFiles }]);
  const auth = Buffer.from('someone:secret-word').toString('base64');
  await writeFile(join(dir, 'ca.pem'), caPem);
  await writeFile(join(dir, 'logins.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }));
  await writeFile(join(dir, 'none.json'), '{"auths":{}}');
  await writeFolder(join(dir, 'tide'), tideFiles);
  await writeFile(join(dir, 'tide.tar'), tar);
  await writeFile(join(dir, 'tide.tar.gz'), gzipSync(tar));
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

/** Runs `longshore bundle ARGS`, with bytes on its standard input. */
function run(args: readonly string[], input: string | Buffer = ''): Promise<Printed> {
  const env = { REGISTRY_AUTH_FILE: '', DOCKER_CONFIG: dir };
  return runLongshore(['bundle', ...args], { cwd: dir, env, input });
}

const refOf = (name: string): string => `${registry.host}/tide/${name}`;
const trusted = (logins = 'logins.json'): readonly string[] => ['--registry-ca', 'ca.pem', '--auth-file', logins];
const all = ['validate', 'render', 'explain', 'inspect'];

describe('the same bundle, wherever it is', () => {
  const shown = async (command: string, name: string, input?: Buffer): Promise<unknown> => {
    const { code, stdout, stderr } = await run([command, name, ...trusted(), '-o', 'json'], input);
    expect([code, stderr]).toEqual([0, '']);
    const { name: _name, digest: _digest, bundles, ...rest } = JSON.parse(stdout) as Record<string, unknown>;
    const { findings } = (bundles as { findings?: unknown }[] | undefined)?.[0] ?? {};
    return { ...rest, findings };
  };

  test.each(all)('bundle %s reports the same for a folder, a tar, standard input and an image', async (command) => {
    const ofFolder = await shown(command, 'tide');
    expect(await shown(command, 'tide.tar.gz')).toEqual(ofFolder);
    expect(await shown(command, '-', tar)).toEqual(ofFolder);
    expect(await shown(command, refOf('gauge:v1'))).toEqual(ofFolder);
  });

  test('compressed or not, as a layout, by digest, and with the scheme that other tools write', async () => {
    const ofFolder = await shown('validate', 'tide');
    const built = await run(['build', 'tide', '-o', 'layout.tar']);
    expect(built.code).toBe(0);
    expect(await shown('validate', 'layout.tar')).toEqual(ofFolder);
    expect(await shown('validate', 'tide.tar')).toEqual(ofFolder);
    expect(await shown('validate', '-', zstdCompressSync(tar))).toEqual(ofFolder);
    const digest = registry.putImage('tide/other:v1', [{ files: tideFiles }]);
    expect(await shown('validate', `${refOf('other')}@${digest}`)).toEqual(ofFolder);
    expect(await shown('validate', `oci://${refOf('gauge:v1')}`)).toEqual(ofFolder);
  });

  test('of an index the image for this platform is used, or the only one', async () => {
    const digest = registry.putImage('tide/index:single', [{ files: tideFiles }]);
    const item = { mediaType: manifestType, digest, size: 1, platform: { os: 'zos', architecture: 's390x' } };
    registry.putManifest('tide/index:v1', { schemaVersion: 2, mediaType: indexType, manifests: [item] });
    expect(await shown('validate', refOf('index:v1'))).toEqual(await shown('validate', 'tide'));
    const other = { ...item, platform: { os: 'zos', architecture: 's390' } };
    registry.putManifest('tide/index:foreign', { schemaVersion: 2, mediaType: indexType, manifests: [item, other] });
    const { code, stdout } = await run(['validate', refOf('index:foreign'), ...trusted()]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/no manifest for platform linux\/\w+, only for: zos\/s390x, zos\/s390\n$/);
  });
});

describe('a bundle that cannot be read', () => {
  test.each([
    {
      name: 'a missing login',
      ref: 'gauge:v1',
      logins: 'none.json',
      text: /no login for .*\/tide\/gauge in none\.json/,
    },
    { name: 'a tag that is not there', ref: 'absent:v1', logins: 'logins.json', text: /404 Not Found/ },
  ])('because of $name: every command reports it and exits with 2', async ({ ref, logins, text }) => {
    for (const command of all) {
      const { code, stdout, stderr } = await run([command, refOf(ref), ...trusted(logins)]);
      expect(code).toBe(2);
      expect(stdout + stderr).toMatch(text);
      expect(stdout + stderr).not.toContain('secret-word');
    }
  });

  test('because its authority is not trusted', async () => {
    const { code, stderr } = await run(['explain', refOf('gauge:v1'), '--auth-file', 'logins.json']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/certificate/);
  });

  test.each([
    { word: 'no-such-bundle', text: 'there is no file or folder "no-such-bundle", so it was taken for an image' },
    { word: 'https://someone:secret-word@tide.example/x.tgz', text: 'curl -sL ADDRESS | longshore bundle' },
    { word: 'git@tide.example:tide.git', text: 'is an address of a git repository: clone it' },
    { word: 'ca.pem', text: 'expected a tar of a bundle or of an OCI image layout' },
    { word: '-', text: 'standard input: not a valid tar archive' },
    { word: './none', text: './none: no such file or directory' },
    { word: '', text: 'the name of a bundle is empty' },
  ])('because of its name: "$word"', async ({ word, text }) => {
    for (const command of ['validate', 'explain']) {
      const { code, stdout, stderr } = await run([command, word]);
      expect(code).toBe(2);
      expect(stdout + stderr).toContain(text);
      expect(stdout + stderr).not.toContain('secret-word');
    }
  });

  test('because it is an image in the form of docker save', async () => {
    await writeFile(join(dir, 'saved.tar'), tarFile(fileEntries({ 'manifest.json': '[]', 'a/layer.tar': '' })));
    const { code, stderr } = await run(['explain', 'saved.tar']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('write it as an OCI image layout')]);
  });

  test('because standard input is named twice', async () => {
    const { code, stderr } = await run(['validate', '-', '-'], tar);
    expect([code, stderr]).toEqual([2, 'longshore: bundle validate: standard input (-) can be read once\n']);
  });
});

test('the folder above a bundle is refused, with the place of the bundle', async () => {
  await writeFolder(join(dir, 'project'), { 'README.md': '', ...prefixed('bundle/') });
  const { code, stdout } = await run(['validate', 'project']);
  expect(code).toBe(1);
  expect(stdout).toContain('error F1 Unable to locate manifests directory\n    bundle/ has one: if that is');
});

function prefixed(prefix: string): Record<string, string> {
  return Object.fromEntries(Object.entries(tideFiles).map(([path, text]) => [`${prefix}${path}`, text]));
}
