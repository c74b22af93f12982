import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { application, repository, withSubdirectory } from './contents.ts';
import { longshoreOn, type Printed, writeFolder } from './program.ts';
import { account, bundle, startWorld, statusOf, type World } from './world.ts';

let world: World;
let dir = '';
let combo = '';

/** Runs `longshore bundle ARGS`, logged in to the world's registry unless `env` sets another login. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Printed> {
  const login = { REGISTRY_AUTH_FILE: join(dir, 'auth.json') };
  return longshoreOn(world.platform.kubeconfigPath)(['bundle', ...args], { cwd: dir, env: { ...login, ...env } });
}

const trusting = (): readonly string[] => ['--registry-ca', world.caPath];
const refOf = (name: string): string => `${world.registry.host}/${name}`;

beforeAll(async () => {
  world = await startWorld();
  dir = await mkdtemp(join(tmpdir(), 'longshore-bundle-test-'));
  combo = await writeFolder(join(dir, 'combo'), repository);
  const auth = Buffer.from(`${account.username}:${account.password}`).toString('base64');
  await writeFile(join(dir, 'auth.json'), JSON.stringify({ auths: { [world.registry.host]: { auth } } }));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

/** What a Bundle of the image was pinned to, once it is unpacked. */
async function unpackedRef(name: string, ref: string): Promise<unknown> {
  const source = { type: 'image', image: { ref, pullSecret: 'registrysecret' } };
  await world.kube.create(bundle(name, source), { fieldManager: 'test' });
  const { resolvedSource } = statusOf(await world.bundleWithPhase(name, 'Unpacked'));
  return (resolvedSource as { image: { ref: string } }).image.ref;
}

describe('longshore bundle push', () => {
  test.each(['image', 'artifact'])('pushes a folder as an %s, which a Bundle unpacks', async (form) => {
    const ref = refOf(`pushed/${form}:v1`);
    const printed = await run(['push', combo, ref, '--as', form, ...trusting()]);
    expect(printed).toMatchObject({ code: 0 });
    const pinned = printed.stdout.trim();
    expect(pinned).toMatch(new RegExp(`^${world.registry.host}/pushed/${form}@sha256:[0-9a-f]{64}$`));
    expect(await unpackedRef(`pushed-${form}`, ref)).toBe(pinned);
  });

  test('does not send blobs that the registry has', async () => {
    const ref = refOf('again:v1');
    await run(['push', combo, ref, ...trusting()]);
    const before = world.registry.requests.length;
    const again = await run(['push', combo, ref, ...trusting()]);
    expect(again.stderr).toMatch(/sha256:[0-9a-f]{64} is there already/);
    const methods = world.registry.requests.slice(before).filter((line) => /^P(UT|OST)/.test(line));
    expect(methods.filter((line) => line.includes('/blobs/'))).toEqual([]);
  });

  test('pushes the layout that build wrote, with the digest that build printed, whatever the times of the files', async () => {
    const built = await run(['build', combo, '-o', 'combo.tar']);
    await utimes(join(combo, 'manifests/00_namespace.yaml'), 1, 1);
    const direct = await run(['build', combo, '--push', refOf('direct:v1'), ...trusting(), '--output', 'json']);
    expect(direct).toMatchObject({ code: 0, stderr: '' });
    const { digest, ref } = JSON.parse(direct.stdout) as { digest: string; ref: string };
    expect(built.stdout).toBe(`${digest}\n`);
    expect(ref).toBe(`${refOf('direct')}@${digest}`);
    const pushed = await run(['push', 'combo.tar', refOf('layout:v1'), ...trusting(), '-o', 'json']);
    expect(JSON.parse(pushed.stdout)).toEqual({ digest, ref: `${refOf('layout')}@${digest}` });
  });
});

describe('logins', () => {
  async function helper(name: string, script: string): Promise<Readonly<Record<string, string>>> {
    const folder = join(dir, name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, `docker-credential-${name}`), 0o755);
    const config = { credHelpers: { [world.registry.host]: name } };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    return { REGISTRY_AUTH_FILE: '', DOCKER_CONFIG: folder, PATH: `${folder}:${process.env['PATH']}` };
  }

  test('a credential helper is used', async () => {
    const secret = JSON.stringify({ ServerURL: '', Username: account.username, Secret: account.password });
    const env = await helper('good', `read -r host; [ "$host" = "${world.registry.host}" ] && echo '${secret}'`);
    const printed = await run(['push', combo, refOf('helped:v1'), ...trusting()], env);
    expect(printed).toMatchObject({ code: 0 });
  });

  test.each([
    { name: 'fails', script: 'echo secret-word; exit 1', text: 'docker-credential-fails: failed with exit status 1' },
    { name: 'babbles', script: 'echo secret-word', text: 'docker-credential-babbles: its answer is not valid JSON' },
    { name: 'lacks', script: 'echo "{}"', text: 'its answer has no "Username" and "Secret"' },
    {
      name: 'token',
      script: `echo '{"Username":"<token>","Secret":"secret-word"}'`,
      text: 'it has an identity token, which is not supported',
    },
  ])('a credential helper that $name is named', async ({ name, script, text }) => {
    const printed = await run(['push', combo, refOf('x:v1'), ...trusting()], await helper(name, script));
    expect(printed).toMatchObject({ code: 1, stdout: '' });
    expect(printed.stderr).toContain(text);
    expect(printed.stderr).not.toContain('secret-word');
  });

  test('a missing credential helper is named', async () => {
    const env = { ...(await helper('gone', '')), PATH: '/nowhere' };
    await rm(join(dir, 'gone', 'docker-credential-gone'));
    const printed = await run(['push', combo, refOf('x:v1'), ...trusting()], env);
    expect(printed.stderr).toContain('docker-credential-gone: is not installed, or not on the PATH');
  });

  test('without a login, or with a wrong one, the error names the file that was read, and no password', async () => {
    await writeFile(join(dir, 'empty.json'), '{"auths":{}}');
    const none = await run(['push', combo, refOf('x:v1'), ...trusting()], {
      REGISTRY_AUTH_FILE: join(dir, 'empty.json'),
    });
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain(`no login for ${refOf('x')} in ${join(dir, 'empty.json')}`);
    const login = { username: 'someone', password: 'wrong-word' };
    await writeFile(join(dir, 'wrong.json'), JSON.stringify({ auths: { [world.registry.host]: login } }));
    const wrong = await run(['push', combo, refOf('x:v1'), ...trusting()], {
      REGISTRY_AUTH_FILE: join(dir, 'wrong.json'),
    });
    expect(wrong.stderr).toMatch(
      /401 Unauthorized.*: credentials are missing or wrong; those of .*wrong\.json were used/,
    );
    expect(wrong.stderr).not.toContain('wrong-word');
  });
});

describe('longshore bundle pull', () => {
  test('writes the files of an image with their modes, only into a new folder', async () => {
    await run(['push', combo, refOf('pulled:v1'), ...trusting()]);
    const printed = await run(['pull', refOf('pulled:v1'), 'out', ...trusting()]);
    expect(printed).toMatchObject({ code: 0 });
    expect(printed.stdout).toMatch(/^sha256:[0-9a-f]{64}\n$/);
    for (const [path, text] of Object.entries(repository)) {
      expect(await readFile(join(dir, 'out', path), 'utf8')).toBe(text);
    }
    const again = await run(['pull', refOf('pulled:v1'), 'out', ...trusting()]);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('out: not empty; specify a new or empty folder');
  });

  test('takes every layer of an image into account', async () => {
    world.registry.putImage('layers:v1', [
      { files: application('one', 1) },
      { files: { 'manifests/.wh.12-legacy.yaml': '', 'manifests/99.yaml': 'kind: X' } },
    ]);
    await run(['pull', refOf('layers:v1'), 'layers', ...trusting()]);
    const files = await readdir(join(dir, 'layers', 'manifests'));
    expect(files.sort()).toEqual(['00-namespace.yaml', '10-settings.yaml', '11-kept.yaml', '99.yaml']);
  });
});

describe('longshore bundle inspect', () => {
  test('reports the same for an image and its folder', async () => {
    await run(['push', combo, refOf('inspected:v1'), ...trusting()]);
    const ofImage = await run(['inspect', refOf('inspected:v1'), ...trusting(), '-o', 'json']);
    const ofFolder = await run(['inspect', combo, '-o', 'json']);
    expect(ofImage).toMatchObject({ code: 0, stderr: '' });
    const { name, ...facts } = JSON.parse(ofImage.stdout) as { name: string; format: string; objects: unknown };
    expect(name).toBe(refOf('inspected:v1'));
    expect(JSON.parse(ofFolder.stdout)).toEqual({ ...facts, name: combo });
    expect(facts.format).toBe('plain+v0');
    expect(facts.objects).toContainEqual({ kind: 'v1/ConfigMap', count: 2 });
  });

  test('names what unpacking would refuse, and fails', async () => {
    const printed = await run(['inspect', await writeFolder(join(dir, 'subdir'), withSubdirectory)]);
    expect(printed).toMatchObject({ code: 1, stderr: '' });
    expect(printed.stdout).toContain('subdirectories are not allowed');
  });
});

test.each([
  { args: ['push', 'no-such-folder', '127.0.0.1:1/x:v1'], code: 1, text: 'no-such-folder: no such file or directory' },
  { args: ['build', './no-such-folder'], code: 1, text: './no-such-folder: no such file or directory' },
  { args: ['inspect', './no-such-folder'], code: 2, text: './no-such-folder: no such file or directory' },
  { args: ['push', 'combo', '127.0.0.1:1/x:v1'], code: 1, text: 'ECONNREFUSED' },
  { args: ['pull', '127.0.0.1:1/x:v1', 'new'], code: 1, text: 'ECONNREFUSED' },
  { args: ['push', 'combo', 'Bad Reference'], code: 1, text: 'image reference "Bad Reference"' },
  { args: ['push', 'combo', 'no-such-host.invalid/x:v1'], code: 1, text: 'ENOTFOUND' },
  { args: ['push', 'combo'], code: 2, text: 'REF is missing' },
  { args: ['build', 'combo', '--as', 'helm'], code: 2, text: '--as: expected image or artifact, found "helm"' },
  { args: ['pull', 'x', 'y', '--registry-ca', 'nope'], code: 2, text: '--registry-ca nope: no such file or directory' },
])('bundle $args fails with a clear message', async ({ args, code, text }) => {
  const printed = await run(args);
  expect(printed).toMatchObject({ code, stdout: '' });
  expect(printed.stderr).toContain(text);
  expect(printed.stderr).not.toContain('    at ');
});

test('a missing tag is reported as such', async () => {
  const printed = await run(['inspect', refOf('absent:v1'), ...trusting()]);
  expect(printed.code).toBe(2);
  expect(printed.stderr).toContain('404 Not Found');
});
