import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { corpusReleaseDir, hasCorpus } from '../../test/support/index.ts';
import { defaultContentLimits } from '../base/index.ts';
import { Staging } from '../content/index.ts';
import { buildRelease, type ReleaseComponent, type ReleasePlan } from './build-release.ts';
import { parseImageReferences } from './image-references.ts';
import { defaultProfile } from './inclusion.ts';
import { type ReleasePayload, readPayload, selectManifests } from './payload.ts';
import type { PayloadFile } from './read-manifests.ts';
import { nodeTitle, stagesOf } from './task-graph/picture.ts';
import { buildTaskGraph } from './task-graph/task-graph.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const metadata = { version: '4.22.1', previous: ['4.22.0'], next: [], url: '', architecture: '', channels: ['b', 'a'] };

function component(name: string, files: Readonly<Record<string, string>>, isEngine = false): ReleaseComponent {
  return {
    name,
    isEngine,
    files: Object.entries(files).map(([file, text]) => ({ name: file, content: Buffer.from(text) })),
  };
}

const references = (images: Readonly<Record<string, string>>): string => {
  const tags = Object.entries(images).map(([name, from]) => ({ name, from: { kind: 'DockerImage', name: from } }));
  return JSON.stringify({ kind: 'ImageStream', apiVersion: 'image.openshift.io/v1', spec: { tags } });
};

function plan(components: readonly ReleaseComponent[], changes: Partial<ReleasePlan> = {}): ReleasePlan {
  const images = new Map(['a', 'a-proxy'].map((name) => [name, `example.com/${name}@${digest}`]));
  return { metadata, components, images, versions: new Map([['kubernetes', '1.35.0']]), ...changes };
}

async function stage(files: readonly PayloadFile[]): Promise<Staging> {
  const staging = await Staging.create(join(tmpdir(), randomUUID()), defaultContentLimits);
  const layer = staging.beginLayer('test');
  for (const name of new Set(files.map(({ directory }) => directory))) layer.addDirectory(name);
  for (const { directory, name, content } of files)
    layer.addFile(`${directory}/${name}`, { sizeBytes: content.length, isExecutable: false })(content);
  await layer.relieve();
  return staging;
}

async function read(files: readonly PayloadFile[]): Promise<ReleasePayload> {
  await using staging = await stage(files);
  return await readPayload(staging, { releaseImage: `example.com/release@${digest}`, clusterProfile: defaultProfile });
}

describe('a release that is put together', () => {
  const configMap = (text: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "${text}"}\n`;
  const textOf = (files: readonly PayloadFile[], name: string): string =>
    files.find((file) => file.name === name)?.content.toString() ?? '';

  test('CV-17: examples of images become digests, the longest first, and never a part of another name', () => {
    const files = {
      'image-references': references({ a: 'quay.io/o/a', 'a-proxy': 'quay.io/o/a-proxy:v1' }),
      '0000_50_a_1.yaml': configMap(
        'quay.io/o/a quay.io/o/a-proxy:v1 quay.io/o/a-proxy:v10 quay.io/o/abc x/quay.io/o/a',
      ),
    };
    const built = buildRelease(plan([component('a', files)]));
    expect(textOf(built.files, '0000_50_a_1.yaml')).toBe(
      configMap(
        `example.com/a@${digest} example.com/a-proxy@${digest} quay.io/o/a-proxy:v10 quay.io/o/abc x/quay.io/o/a`,
      ),
    );
    expect(built.images.map(({ name, from }) => [name, from])).toEqual([
      ['a', `example.com/a@${digest}`],
      ['a-proxy', `example.com/a-proxy@${digest}`],
    ]);
  });

  test('placeholders become versions', () => {
    const built = buildRelease(
      plan([component('a', { '0000_50_a_1.yaml': configMap('0.0.1-snapshot 0.0.1-snapshot-kubernetes') })]),
    );
    expect(textOf(built.files, '0000_50_a_1.yaml')).toBe(configMap('4.22.1 1.35.0'));
  });

  test('CV-110: files without a level get level 50 and the name of their component; others are warnings', () => {
    const built = buildRelease(
      plan([
        component('a', { 'x.yaml': configMap('1'), 'README.md': 'no manifest' }),
        component('b', { 'x.yaml': configMap('2'), '0000_50_a_x.yaml': configMap('3') }),
        component('c', { '0000_5_c_x.yaml': configMap('4'), '0000_x.yaml': configMap('5') }, true),
      ]),
    );
    expect(built.files.map(({ directory, name }) => `${directory}/${name}`)).toEqual([
      'release-manifests/0000_50_a_x.yaml',
      'release-manifests/0000_50_b_x.yaml',
      'release-manifests/0000_50_a_x_1.yaml',
      'manifests/0000_05_c_x.yaml',
      'manifests/0000_x.yaml',
      'release-manifests/image-references',
      'release-manifests/release-metadata',
    ]);
    expect(built.warnings).toEqual([
      expect.stringContaining('manifests/0000_x.yaml: its name states no level'),
      expect.stringContaining('level 5: written as 05'),
    ]);
  });

  test('CV-110: levels 5, 05 and 100 are applied in the order of their numbers, and are warnings', async () => {
    const built = buildRelease(
      plan([
        component('c', { '0000_100_c_x.yaml': configMap('3') }),
        component('b', { '0000_5_b_x.yaml': configMap('2') }),
        component('a', { '0000_05_a_x.yaml': configMap('1'), 'x.yaml': configMap('4') }),
        component('e', { '0000_00_e_x.yaml': configMap('0') }, true),
      ]),
    );
    expect(built.warnings).toEqual([
      expect.stringContaining('level 00: written as 000'),
      expect.stringContaining('level 5: written as 005'),
      expect.stringContaining('level 05: written as 005'),
      expect.stringContaining('level 50: written as 050'),
    ]);
    const { manifests } = await read(built.files);
    const stages = stagesOf(buildTaskGraph(manifests, { kind: 'Updating' }));
    expect(stages.map((nodes) => nodes.map(nodeTitle))).toEqual([['000 e'], ['005 a', '005 b'], ['050 a … 100 c']]);
  });

  test('versions of parts that a component refers to are recorded at its image', () => {
    const files = {
      'image-references': references({ 'a-proxy': 'a-proxy:1', a: 'a:1' }),
      'x.yaml': configMap('0.0.1-snapshot-kubernetes 0.0.1-snapshot'),
    };
    const built = buildRelease(plan([component('a', files), component('b', { 'y.yaml': configMap('1') })]));
    expect(built.images).toMatchObject([
      { name: 'a', annotations: { 'io.openshift.build.versions': 'kubernetes=1.35.0' } },
      { name: 'a-proxy', annotations: {} },
    ]);
  });

  test('all images without a pull spec are named, up to ten', () => {
    const names = Array.from({ length: 12 }, (_, index) => `i${index}`);
    const files = { 'image-references': references(Object.fromEntries(names.map((name) => [name, `${name}:1`]))) };
    expect(() => buildRelease(plan([component('c', files)]))).toThrow(
      /"i0" \(component c\), .*"i9".* and 2 more: give/,
    );
  });

  test('a level of more digits than any release has is refused', () => {
    const files = { [`0000_${'9'.repeat(150)}_a_x.yaml`]: configMap('1') };
    expect(() => buildRelease(plan([component('a', files)]))).toThrow('expected at most 4 digits');
  });

  test.each([
    [
      'no pull spec',
      { images: new Map() },
      'image-references names images without a pull spec: "a" (component a): give each one (--image, --images)',
    ],
    [
      'a tag',
      { images: new Map([['a', 'example.com/a:v1']]) },
      'expected NAME@sha256:DIGEST, found "example.com/a:v1"',
    ],
    [
      'no version',
      { versions: new Map() },
      '0.0.1-snapshot-kubernetes: no version of "kubernetes" is given (--component-version); given are: none',
    ],
  ])('%s is refused', (_, changes, message) => {
    const files = {
      'image-references': references({ a: 'quay.io/o/a' }),
      'x.yaml': configMap('0.0.1-snapshot-kubernetes'),
    };
    expect(() => buildRelease(plan([component('a', files)], changes))).toThrow(message);
  });

  test('is read again', async () => {
    const built = buildRelease(
      plan([component('a', { 'image-references': references({ a: 'a:1' }), 'x.yaml': configMap('a:1') })]),
    );
    const files = [
      ...built.files,
      {
        directory: 'manifests' as const,
        name: '0000_00_e_x.yaml',
        content: Buffer.from(configMap('{{.ReleaseImage}}')),
      },
    ];
    const release = await read(files);
    expect(release.warnings).toEqual([]);
    expect(release.metadata).toEqual({ ...metadata, channels: ['a', 'b'] });
    expect(release.images).toMatchObject({ name: '4.22.1', images: [{ name: 'a', from: `example.com/a@${digest}` }] });
    expect(release.manifests.map(({ object }) => object['data'])).toEqual([
      { a: `example.com/release@${digest}` },
      { a: `example.com/a@${digest}` },
    ]);
  });

  test('CV-68: a folder that lacks something is no release', async () => {
    const { files } = buildRelease(plan([component('a', { 'x.yaml': configMap('1') })]));
    const engine = { directory: 'manifests' as const, name: 'x.yaml', content: Buffer.from(configMap('e')) };
    await expect(read(files)).rejects.toThrow('there is no directory manifests');
    const without = (name: string): PayloadFile[] => [engine, ...files.filter((file) => file.name !== name)];
    await expect(read(without('image-references'))).rejects.toThrow(
      'there is no file release-manifests/image-references',
    );
    await expect(read(without('release-metadata'))).rejects.toThrow(
      'there is no file release-manifests/release-metadata',
    );
    const other = { directory: 'release-manifests' as const, name: 'image-references' };
    const content = Buffer.from(JSON.stringify({ kind: 'ImageStream', metadata: { name: '4.22.2' }, spec: {} }));
    await expect(read([...without('image-references'), { ...other, content }])).rejects.toThrow(
      'version from image-references (4.22.2) differs from release-metadata (4.22.1)',
    );
  });
});

describe.skipIf(!hasCorpus)('of real components (skipped without the corpus)', () => {
  const components = (): ReleaseComponent[] =>
    readdirSync(corpusReleaseDir).map((name) => ({
      name,
      isEngine: name === 'cluster-version-operator',
      files: readdirSync(join(corpusReleaseDir, name)).map((file) => ({
        name: file,
        content: readFileSync(join(corpusReleaseDir, name, file)),
      })),
    }));

  test('a release keeps every file and loads what the reference loads, in as many nodes', async () => {
    const all = components();
    const names = all.flatMap(({ files }) =>
      files
        .filter(({ name }) => name === 'image-references')
        .flatMap(({ content }) => parseImageReferences(content.toString()).images.map(({ name }) => name)),
    );
    const images = new Map(names.map((name) => [name, `example.com/${name}@${digest}`]));
    const { files, warnings } = buildRelease(plan(all, { images }));
    expect(warnings).toEqual([]);
    expect(files).toHaveLength(343);
    const { manifests } = await read(files);
    const cluster = { engine: '', profile: defaultProfile, enabledFeatureGates: new Set<string>(), majorVersion: 4n };
    const loaded = selectManifests(manifests, { ...cluster, featureSet: '' });
    expect(loaded.manifests).toHaveLength(325);
    expect(selectManifests(manifests, { ...cluster, featureSet: 'TechPreviewNoUpgrade' }).manifests).toHaveLength(331);
    // The reference counts an empty node at the start.
    expect(buildTaskGraph(loaded.manifests, { kind: 'Updating' }).nodes).toHaveLength(42 - 1);
    expect(buildTaskGraph(loaded.manifests, { kind: 'Initializing' }).nodes).toHaveLength(39 - 1);
  });
});
