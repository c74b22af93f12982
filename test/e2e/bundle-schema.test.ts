import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound } from '../../src/kube/index.ts';
import { bundle, bundleDeployment, errorOf, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const image = { image: { ref: '127.0.0.1:1/combo:v0.0.1' } };
const git = (ref: Record<string, string>): Record<string, unknown> => ({
  git: { repository: 'https://git.example.com/combo', ref },
});

async function isAbsent(kind: 'Bundle' | 'BundleDeployment', name: string): Promise<boolean> {
  const thrown = await errorOf(world.kube.get({ apiVersion: 'core.rukpak.io/v1alpha1', kind, name }));
  return isNotFound(thrown);
}

interface Refusal {
  readonly name: string;
  readonly object: ReturnType<typeof bundle>;
  readonly text: string;
}

const schemaRows: readonly Refusal[] = [
  {
    name: 'A1 a Bundle name longer than 52 characters',
    object: bundle('b'.repeat(53), { type: 'image', ...image }),
    text: 'metadata.name: Too long: may not be more than 52 bytes',
  },
  {
    name: 'A2 both image and git',
    object: bundle('a2', { type: 'invalid source', ...image, ...git({ commit: 'a'.repeat(40), tag: 'v1' }) }),
    text: 'must validate one and only one schema (oneOf). Found 2 valid alternatives',
  },
  {
    name: 'A3 no source member',
    object: bundle('a3', { type: 'invalid source' }),
    text: 'must validate one and only one schema (oneOf). Found none valid',
  },
  {
    name: 'A4 a git ref with commit and tag',
    object: bundle('a4', { type: 'git', ...git({ commit: 'a'.repeat(40), tag: 'v1' }) }),
    text: '"spec.source.git.ref" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  },
  {
    name: 'A5 an empty git ref',
    object: bundle('a5', { type: 'git', ...git({}) }),
    text: '"spec.source.git.ref" must validate one and only one schema (oneOf). Found none valid',
  },
  {
    name: 'A6 an invalid class name of a Bundle',
    object: bundle('a6', { type: 'image', ...image }, { provisionerClassName: 'invalid/class-name' }),
    text: 'Invalid value: "invalid/class-name": spec.provisionerClassName',
  },
  {
    name: 'A7 a BundleDeployment name longer than 45 characters',
    object: bundleDeployment('b'.repeat(46), { type: 'image', ...image }),
    text: 'metadata.name: Too long: may not be more than 45 bytes',
  },
  {
    name: 'A8 an invalid class name of a BundleDeployment',
    object: bundleDeployment('a8', { type: 'image', ...image }, { provisionerClassName: 'invalid/class-name' }),
    text: 'Invalid value: "invalid/class-name": spec.provisionerClassName',
  },
  {
    name: 'A9 an invalid class name in the template',
    object: bundleDeployment('a9', { type: 'image', ...image }, { templateClassName: 'invalid/class-name' }),
    text: 'spec.template.spec.provisionerClassName',
  },
];

const webhookRows: readonly Refusal[] = [
  {
    name: 'W2 type git with an image',
    object: bundle('w2', { type: 'git', ...image }),
    text: 'bundle.spec.source.git must be set for source type "git"',
  },
  {
    name: 'W3 type image with git',
    object: bundle('w3', { type: 'image', ...git({ branch: 'main' }) }),
    text: 'bundle.spec.source.image must be set for source type "image"',
  },
];

describe('schema and webhook', () => {
  test.each([...schemaRows, ...webhookRows])('$name is refused and leaves nothing', async ({ object, text }) => {
    const thrown = await errorOf(world.kube.create(object, { fieldManager: 'test' }));
    expect(String((thrown as Error).message)).toContain(text);
    expect(await isAbsent(object.kind as 'Bundle', object.metadata.name ?? '')).toBe(true);
  });

  test('W1 a valid image Bundle is accepted', async () => {
    const made = await world.kube.create(bundle('w1', { type: 'image', ...image }), { fieldManager: 'test' });
    expect(made.metadata.uid).toBeTruthy();
  });

  test('B1 a class of another provisioner is ignored', async () => {
    const name = 'b1';
    const source = { type: 'image', ...image };
    await world.kube.create(bundle(name, source, { provisionerClassName: 'non-existent-class-name' }), {
      fieldManager: 'test',
    });
    // A Bundle of our own that was created later is through: whatever was to happen to the first has happened.
    await world.kube.create(bundle('b1-after', source), { fieldManager: 'test' });
    await world.bundleWithPhase('b1-after', 'Failing');
    const left = await world.kube.get({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name });
    expect(left['status']).toBeUndefined();
    expect(left.metadata.finalizers).toBeUndefined();
  });
});
