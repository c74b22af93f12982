import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUnpacker, type Unpacker } from '../../provisioners/index.ts';
import { eventually, freePort } from '../support/index.ts';

/** The reference registry (distribution), and the tools that people push with. */
const programs = ['registry', 'crane', 'oras', 'tar'];
const missing = programs.filter((program) => spawnSync(program, ['--help']).error !== undefined);
const why = missing.length === 0 ? '' : ` (skipped: ${missing.join(', ')} not installed)`;

const run = promisify(execFile);
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
let dir: string;
let host: string;
let registry: ChildProcess;
let unpacker: Unpacker;

async function startRegistry(): Promise<void> {
  host = `127.0.0.1:${await freePort()}`;
  const storage = `{filesystem: {rootdirectory: ${join(dir, 'registry')}}}`;
  await writeFile(
    join(dir, 'registry.yml'),
    `version: 0.1\nlog: {level: error}\nstorage: ${storage}\nhttp: {addr: "${host}"}\n`,
  );
  registry = spawn('registry', ['serve', join(dir, 'registry.yml')], { stdio: 'ignore' });
  await eventually(async () => expect((await fetch(`http://${host}/v2/`)).status).toBe(200));
}

describe.skipIf(missing.length > 0)(`on a registry of others${why}`, () => {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'registry-tools-'));
    await startRegistry();
    unpacker = await createUnpacker({
      storeDir: join(dir, 'store'),
      answerDeadlineMs: 30_000,
      storeBytes: 1024 ** 3,
      threads: 1,
    });
    for (const folder of ['manifests', 'ours/manifests']) await mkdir(join(dir, folder), { recursive: true });
    for (const path of ['manifests/a.yaml', 'ours/manifests/a.yaml', 'app.yaml'])
      await writeFile(join(dir, path), configMap);
    await run('tar', ['-cf', 'bundle.tar', 'manifests'], { cwd: dir });
    await run('tar', ['-czf', 'bundle.tar.gz', 'manifests'], { cwd: dir });
  });
  afterAll(async () => {
    await unpacker[Symbol.asyncDispose]();
    registry.kill();
    await rm(dir, { recursive: true, force: true });
  });

  async function unpack(name: string): ReturnType<Unpacker['unpack']> {
    return await unpacker.unpack(
      {
        bundle: { name: name.replace(/\W/g, '-'), uid: name },
        provisionerClassName: 'core-rukpak-io-plain',
        source: { type: 'image', image: { ref: `${host}/${name}:v1` } },
      },
      { signal: AbortSignal.timeout(20_000) },
    );
  }

  const oras = ['oras', 'push', '--plain-http'];
  test.each([
    {
      name: 'a layer that crane appends to nothing',
      push: ['crane', 'append', '--insecure', '-f', 'bundle.tar', '-t', '$'],
    },
    {
      name: 'an OCI image of a compressed layer',
      push: ['crane', 'append', '--insecure', '--oci-empty-base', '-f', 'bundle.tar.gz', '-t', '$'],
    },
    { name: 'a folder that oras pushes', push: [...oras, '$', 'manifests'] },
    { name: 'a file in a folder', push: [...oras, '$', 'manifests/a.yaml'] },
    { name: 'one file', push: [...oras, '$', 'app.yaml'] },
    {
      name: 'one file with a type',
      push: [...oras, '$', '--artifact-type', 'application/vnd.x', 'app.yaml:application/yaml'],
    },
    { name: 'a tar', push: [...oras, '$', 'bundle.tar'] },
    { name: 'a compressed tar with a type', push: [...oras, '$', 'bundle.tar.gz:application/tar+gzip'] },
    { name: 'an artifact in the form of old', push: [...oras, '--image-spec', 'v1.0', '$', 'bundle.tar.gz'] },
  ])('$name is a bundle, pinned by the digest that the registry reports', async ({ name, push }) => {
    const repository = name.replaceAll(' ', '-').toLowerCase();
    const [program = '', ...args] = push.map((part) => (part === '$' ? `${host}/${repository}:v1` : part));
    await run(program, args, { cwd: dir });
    const { stdout } = await run('crane', ['digest', '--insecure', `${host}/${repository}:v1`]);
    const content = await unpack(repository);
    expect(content.objectCount).toBe(1);
    expect(content.resolvedSource.image?.ref).toBe(`${host}/${repository}@${stdout.trim()}`);
  });

  test('an empty artifact is refused', async () => {
    await run('oras', ['push', '--plain-http', `${host}/nothing:v1`, '--artifact-type', 'application/vnd.x'], {
      cwd: dir,
    });
    await expect(unpack('nothing')).rejects.toThrow('has no layers');
  });

  test('a missing tag is waited for', async () => {
    await expect(unpack('absent')).rejects.toMatchObject({ name: 'TransientError', reason: 'ImagePullBackOff' });
  });

  test.each([
    { name: 'an image', as: 'image' },
    { name: 'an artifact', as: 'artifact' },
  ])('what longshore pushes as $name is valid for other tools, and a bundle', async ({ as }) => {
    const ref = `${host}/ours-${as}:v1`;
    const bin = join(import.meta.dirname, '../../cli/bin.js');
    const places = { cwd: join(dir, `taken-${as}`) };
    await mkdir(places.cwd);
    await run(process.execPath, [bin, 'bundle', 'push', '--as', as, join(dir, 'ours'), ref]);
    if (as === 'image') await run('crane', ['export', '--insecure', ref, 'bundle.tar'], places);
    else await run('oras', ['pull', '--plain-http', ref], places);
    const { stdout } = await run('tar', ['-tf', 'bundle.tar'], places);
    expect(stdout).toContain('manifests/a.yaml');
    expect((await unpack(`ours-${as}`)).objectCount).toBe(1);
  });
});
