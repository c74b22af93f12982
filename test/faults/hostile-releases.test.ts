import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLongshore } from '../e2e/program.ts';
import { type LayerContent, type Registry, startRegistry } from '../support/index.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const indexType = 'application/vnd.oci.image.index.v1+json';
const metadata = (changes: object = {}): string =>
  JSON.stringify({ kind: 'cincinnati-metadata-v0', version: '1.0.0', ...changes });
const stream = (tags: readonly object[], name = '1.0.0'): string =>
  JSON.stringify({ kind: 'ImageStream', metadata: { name }, spec: { tags } });
const tag = (name: string, from: string): object => ({ name, from: { kind: 'DockerImage', name: from } });
const sound: Readonly<Record<string, string>> = {
  'manifests/0000_00_engine_1.yaml': 'kind: A\nmetadata: {name: a}\n',
  'release-manifests/release-metadata': metadata(),
  'release-manifests/image-references': stream([]),
};

let dir = '';
let registry: Registry;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-hostile-releases-'));
  registry = await startRegistry();
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const run = (...args: readonly string[]): ReturnType<typeof runLongshore> =>
  runLongshore(['release', ...args], { cwd: dir });

const yamlBomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${Array.from(
  { length: 12 },
  (_, level) => `b${level}: &b${level} [${`*${level === 0 ? 'a' : `b${level - 1}`}, `.repeat(9)}]`,
).join('\n')}\nkind: A\nmetadata: {name: a}\n`;

test.each<[string, readonly LayerContent[], string | RegExp]>([
  [
    'a path that leaves the image',
    [{ entries: [{ path: 'manifests/../../../x', content: '' }] }],
    'manifests/../../../x',
  ],
  [
    'a link in the place of a directory',
    [{ files: sound }, { entries: [{ path: 'manifests', typeFlag: '2', linkPath: '/etc' }] }],
    '"manifests": link to "/etc" leaves the bundle root',
  ],
  [
    'manifests without end',
    [{ files: { ...sound, 'release-manifests/0000_10_a_1.yaml': Buffer.alloc(150 * 2 ** 20) } }],
    'unpacks to more than the limit of 134217728 bytes',
  ],
  [
    'a manifest that is too large',
    [{ files: { ...sound, 'release-manifests/0000_10_a_1.yaml': Buffer.alloc(20 * 2 ** 20) } }],
    '0000_10_a_1.yaml: 20971520 bytes, more than the limit of 16777216 bytes',
  ],
  [
    'a bomb of aliases',
    [{ files: { ...sound, 'release-manifests/0000_10_a_1.yaml': yamlBomb } }],
    /alias|nodes|larger/,
  ],
  [
    'nesting without end',
    [{ files: { ...sound, 'release-manifests/0000_10_a_1.json': '{"a":'.repeat(100_000) } }],
    /parse 0000_10_a_1.json/,
  ],
  [
    'a thousand broken files',
    [
      {
        files: {
          ...sound,
          ...Object.fromEntries(
            Array.from({ length: 1000 }, (_, n) => [`release-manifests/0000_10_a_${n}.yaml`, 'a: [']),
          ),
        },
      },
    ],
    'and 980 more',
  ],
  [
    'other metadata',
    [{ files: { ...sound, 'release-manifests/release-metadata': metadata({ version: '2.0.0' }) } }],
    'version from image-references (1.0.0) differs from release-metadata (2.0.0)',
  ],
  [
    'too many images',
    [
      {
        files: {
          ...sound,
          'release-manifests/image-references': stream(
            Array.from({ length: 10_001 }, (_, n) => tag(`i${n}`, `example.com/i@${digest}`)),
          ),
        },
      },
    ],
    'image-references: more than 10000 images',
  ],
])('a release with %s is refused', async (name, layers, text) => {
  const repository = name.replaceAll(' ', '-');
  registry.putImage(`${repository}:1`, layers);
  const { code, stderr } = await run('info', `${registry.host}/${repository}:1`);
  expect(code).toBe(1);
  expect(stderr).toMatch(text);
  expect(stderr.length).toBeLessThan(20_000);
});

test('a mirror refuses images by tag, and indexes in indexes', async () => {
  const byTag = stream([tag('a', 'example.com/a:latest')]);
  registry.putImage('by-tag:1', [{ files: { ...sound, 'release-manifests/image-references': byTag } }]);
  const tagged = await run('mirror', `${registry.host}/by-tag:1`, '--to', 'by-tag');
  expect(tagged.stderr).toContain('image "a": expected a pull spec by digest, found "example.com/a:latest"');

  let size = 2;
  let nested = registry.putManifest('parts:deep', { schemaVersion: 2, mediaType: indexType, manifests: [] });
  for (let level = 0; level < 5; level += 1) {
    const manifests = [{ mediaType: indexType, digest: nested, size }];
    size = 500;
    nested = registry.putManifest('parts:deep', { schemaVersion: 2, mediaType: indexType, manifests });
  }
  const deep = stream([tag('a', `${registry.host}/parts@${nested}`)]);
  registry.putImage('deep:1', [{ files: { ...sound, 'release-manifests/image-references': deep } }]);
  const refused = await run('mirror', `${registry.host}/deep:1`, '--to', 'deep');
  expect(refused.stderr).toContain('image a: indexes nested deeper than 3 levels');
});

test('images of a release that cannot be had are all named, and the release is not written', async () => {
  const missing = stream([tag('a', `${registry.host}/none@${digest}`), tag('b', `${registry.host}/nil@${digest}`)]);
  registry.putImage('partial:1', [{ files: { ...sound, 'release-manifests/image-references': missing } }]);
  const refused = await run('mirror', `${registry.host}/partial:1`, '--to', 'partial');
  expect(refused.stderr).toContain('release 1.0.0 is not complete; run the command again to continue: image a:');
  expect(refused.stderr).toContain('; image b:');
  expect((await run('mirror', 'partial', '--to', 'other')).stderr).toContain('no entry of index.json is a release');
});

const digestOf = (number: number): string => `example.com/release@sha256:${String(number).padStart(64, '0')}`;
const graphOf = (count: number, edges: readonly (readonly number[])[]): string =>
  JSON.stringify({
    nodes: Array.from({ length: count }, (_, n) => ({ version: `1.${n}.0`, payload: digestOf(n) })),
    edges,
  });
const updates = async (graph: string): ReturnType<typeof runLongshore> => {
  await writeFile(join(dir, 'graph.json'), graph);
  return await run('updates', '1.0.0', '--graph', 'graph.json', '--channel', 'stable');
};

test('a graph of updates in a circle offers direct successors alone, and is drawn', async () => {
  const cyclic = graphOf(3, [
    [0, 1],
    [1, 2],
    [2, 0],
    [0, 0],
  ]);
  const { code, stdout } = await updates(cyclic);
  expect(code).toBe(0);
  expect(stdout).toContain(digestOf(1));
  expect(stdout).not.toContain(digestOf(2));
  expect((await run('graph', 'draw', 'graph.json')).stdout).toContain('3 versions');
});

test.each([
  ['an edge to no release', graphOf(2, [[0, 7]])],
  ['an edge of no two ends', graphOf(2, [[0]])],
  ['nesting without end', '{"nodes":'.repeat(100_000)],
  ['more bytes than are read', `{"nodes":["${'x'.repeat(40 * 2 ** 20)}"]}`],
])('a graph of updates with %s is refused', async (_name, graph) => {
  const { code, stdout, stderr } = await updates(graph);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^longshore: /);
  expect(stderr.length).toBeLessThan(2000);
});
