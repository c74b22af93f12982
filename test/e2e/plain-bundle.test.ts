import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound } from '../../src/kube/index.ts';
import { asksBasicAuthentication, eventually, startGitServer } from '../support/index.ts';
import { emptyManifests, repository, valid, withoutManifests, withSubdirectory } from './contents.ts';
import { bundle, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.git.createRepository('combo-bundle.git', [{ files: repository, tags: ['v0.0.1'] }]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

interface Resolved {
  readonly type: string;
  readonly image?: { readonly ref: string };
  readonly git?: { readonly ref: { readonly commit?: string } };
}

const resolvedSource = (object: Parameters<typeof statusOf>[0]): Resolved =>
  statusOf(object)['resolvedSource'] as Resolved;

async function create(name: string, source: Readonly<Record<string, unknown>>): Promise<void> {
  await world.kube.create(bundle(name, source), { fieldManager: 'test' });
}

const storedFile = (name: string): string => join(world.platform.storeDir, `${name}.tgz`);

describe('image', () => {
  test('B2, B6 an image in a registry with TLS and basic authentication is unpacked and pinned by digest', async () => {
    await create('b2', world.imageSource('valid:v1', valid));
    const unpacked = await world.bundleWithPhase('b2', 'Unpacked');
    expect(conditionOf(unpacked, 'Unpacked')).toMatchObject({
      status: 'True',
      reason: 'UnpackSuccessful',
      message: 'Successfully unpacked the image Bundle',
      observedGeneration: 1,
    });
    expect(resolvedSource(unpacked)).toMatchObject({ type: 'image' });
    expect(resolvedSource(unpacked).image?.ref).toMatch(/^127\.0\.0\.1:\d+\/valid@sha256:[0-9a-f]{64}$/);
  });

  test.each([
    { name: 'B4 spec.source.image.ref', patch: { source: { image: { ref: 'registry.example.com/other:v1' } } } },
    { name: 'B5 spec.provisionerClassName', patch: { provisionerClassName: 'other-class' } },
  ])('$name cannot be changed, however often a user tries', async ({ patch }) => {
    await world.bundleWithPhase('b2', 'Unpacked');
    const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'b2' };
    for (let attempt = 0; attempt < 5; attempt++) {
      const thrown = await errorOf(world.kube.patch(ref, { spec: patch }, { fieldManager: 'test' }));
      expect((thrown as Error).message).toContain('bundle.spec is immutable');
    }
  });

  test('B7, Q21 a missing image tag is waited for and reported, and the Bundle unpacks once it is pushed', async () => {
    const ref = `${world.registry.host}/late:v1`;
    await create('b7', { type: 'image', image: { ref, pullSecret: 'registrysecret' } });
    const pending = await world.bundleWithPhase('b7', 'Pending');
    expect(conditionOf(pending, 'Unpacked')).toMatchObject({
      status: 'False',
      reason: 'UnpackPending',
      message: `Back-off pulling image "${ref}"`,
    });
    await eventually(async () => {
      const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event' });
      const reported = items.filter(({ involvedObject }) => (involvedObject as { name?: string }).name === 'b7');
      expect(reported.map(({ message }) => message)).toContainEqual(
        `Back-off pulling image "${ref}": GET https://${world.registry.host}/v2/late/manifests/v1: 404 Not Found`,
      );
    });
    world.imageSource('late:v1', valid);
    await world.bundleWithPhase('b7', 'Unpacked');
  });

  test.each([
    { name: 'B8 without manifests', files: withoutManifests, text: 'readdir manifests: file does not exist' },
    {
      name: 'B9 with an empty manifests folder',
      files: emptyManifests,
      text: 'found zero objects: plain+v0 bundles are required to contain at least one object',
    },
    {
      name: 'B21 with a folder in manifests',
      files: withSubdirectory,
      text: 'subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "manifests/emptydir"',
    },
  ])('$name is refused', async ({ name, files, text }) => {
    const id = (name.split(' ')[0] ?? '').toLowerCase();
    await create(id, world.imageSource(`${id}:v1`, files));
    const failing = await world.bundleWithPhase(id, 'Failing');
    expect(conditionOf(failing, 'Unpacked')).toMatchObject({ status: 'False', reason: 'UnpackFailed' });
    expect(conditionOf(failing, 'Unpacked')?.message).toContain(text);
    expect(resolvedSource(failing)).toBeUndefined();
  });

  test('B3 content that was deleted is fetched again where it was pinned, and is the same', async () => {
    await create('b3', world.imageSource('b3:v1', valid));
    const before = await world.bundleWithPhase('b3', 'Unpacked');
    const content = await readFile(storedFile('b3'));
    world.registry.putImage('b3:v1', [{ files: repository }]);
    await rm(storedFile('b3'));
    await world.kube.patch(
      { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'b3' },
      { metadata: { labels: { looked: 'at' } } },
      { fieldManager: 'test' },
    );
    await eventually(async () => {
      expect(await readFile(storedFile('b3'))).toEqual(content);
    });
    const after = await world.bundleWithPhase('b3', 'Unpacked');
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(resolvedSource(after)).toEqual(resolvedSource(before));
  });

  test('G1 a Bundle has no Pod, and nothing of the fetch is left when it is deleted', async () => {
    await create('g1', world.imageSource('g1:v1', { ...valid, 'only-here': 'g1' }));
    await world.bundleWithPhase('g1', 'Unpacked');
    const pods = { apiVersion: 'v1', kind: 'Pod', namespace: 'rukpak-system' };
    // `core` is the content server of longshore up, as port-forward finds it.
    const others = async (): Promise<unknown> =>
      (await world.kube.list(pods)).items.filter(({ metadata }) => metadata.name !== 'core');
    expect(await others()).toEqual([]);
    const blobs = async (): Promise<string[]> => await readdir(join(world.platform.storeDir, 'blobs', 'sha256'));
    const before = await blobs();
    await world.kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'g1' });
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('Bundle', 'g1')))).toBe(true);
      expect((await blobs()).length).toBe(before.length - 1);
      expect(await readdir(join(world.platform.storeDir, 'temporary'))).toEqual([]);
    });
    expect(await others()).toEqual([]);
  });

  test('Q2 the content stays when the tag moves, and after it was fetched again', async () => {
    await create('pinned', world.imageSource('moving:v1', valid));
    const before = await world.bundleWithPhase('pinned', 'Unpacked');
    world.registry.putImage('moving:v1', [{ files: repository }]);
    const requests = world.registry.requests.length;
    await world.kube.patch(
      { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'pinned' },
      { metadata: { labels: { touched: 'yes' } } },
      { fieldManager: 'test' },
    );
    // Another Bundle that goes through afterwards: whatever the label set off has been done by then.
    await create('after-pinned', world.imageSource('after:v1', valid));
    await world.bundleWithPhase('after-pinned', 'Unpacked');
    expect(world.registry.requests.slice(requests).filter((line) => line.includes('/moving/'))).toEqual([]);
    expect(resolvedSource(await world.get('Bundle', 'pinned'))).toEqual(resolvedSource(before));
  });
});

describe('git', () => {
  const source = (ref: Record<string, string>, rest: Record<string, unknown> = {}): Record<string, unknown> => ({
    type: 'git',
    git: { repository: `${world.git.url}/combo-bundle.git`, ref, ...rest },
  });

  test('B10 a commit', async () => {
    const [commit = ''] = await world.git.createRepository('b10.git', [{ files: repository }]);
    await create('b10', { type: 'git', git: { repository: `${world.git.url}/b10.git`, ref: { commit } } });
    const unpacked = await world.bundleWithPhase('b10', 'Unpacked');
    expect(resolvedSource(unpacked).git?.ref).toEqual({ commit });
    expect(existsSync(storedFile('b10'))).toBe(true);
  });

  test.each([
    { name: 'B11 a tag', ref: { tag: 'v0.0.1' }, rest: {} },
    { name: 'B12 a branch', ref: { branch: 'main' }, rest: {} },
    { name: 'B13 a branch and a directory', ref: { branch: 'main' }, rest: { directory: './dev/deploy' } },
  ])('$name is unpacked, stored and pinned to its commit', async ({ name, ref, rest }) => {
    const id = (name.split(' ')[0] ?? '').toLowerCase();
    await create(id, source(ref as Record<string, string>, rest));
    const unpacked = await world.bundleWithPhase(id, 'Unpacked');
    expect(conditionOf(unpacked, 'Unpacked')?.message).toBe('Successfully unpacked the git Bundle');
    expect(resolvedSource(unpacked).git?.ref.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(existsSync(storedFile(id))).toBe(true);
  });

  test('B14 a private repository, once its Secret exists', async () => {
    await using privateGit = await startGitServer({
      intercept: asksBasicAuthentication('reader', 'word-of-the-reader'),
    });
    await privateGit.createRepository('private.git', [{ files: repository }]);
    await create('b14', {
      type: 'git',
      git: {
        repository: `${privateGit.url}/private.git`,
        ref: { branch: 'main' },
        auth: { secret: { name: 'gitsecret' } },
      },
    });
    const failing = await world.bundleWithPhase('b14', 'Failing');
    expect(conditionOf(failing, 'Unpacked')?.message).toContain('gitsecret');
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    await world.kube.create(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'gitsecret',
          namespace: 'rukpak-system',
          annotations: { 'core.rukpak.io/hosts': privateGit.url },
        },
        type: 'Opaque',
        data: { username: encode('reader'), password: encode('word-of-the-reader') },
      },
      { fieldManager: 'test' },
    );
    const unpacked = await world.bundleWithPhase('b14', 'Unpacked');
    expect(JSON.stringify(unpacked)).not.toContain('word-of-the-reader');
  });

  test('G2 the stored file is deleted with the Bundle', async () => {
    await create('g2', source({ tag: 'v0.0.1' }));
    await world.bundleWithPhase('g2', 'Unpacked');
    expect(existsSync(storedFile('g2'))).toBe(true);
    await world.kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'g2' });
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('Bundle', 'g2')))).toBe(true);
      expect(existsSync(storedFile('g2'))).toBe(false);
    });
  });
});
