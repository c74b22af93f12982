import { chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileEntries, tarFile } from '../../test/support/index.ts';
import { inspectBundle } from '../bundle-files/inspect.ts';
import { pathKind } from '../input/path-kind.ts';
import { openWorkFolder, stageFiles } from '../input/work-folder.ts';
import { type BuildOptions, type BundleImage, buildBundleImage } from './bundle-image.ts';
import { openLayout, writeLayout } from './layout.ts';

const signal = AbortSignal.timeout(60_000);
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-oci-test-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function folderOf(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name, path)), { recursive: true });
    await writeFile(join(dir, name, path), text);
  }
  return join(dir, name);
}

async function built<T>(
  folder: string,
  options: Partial<Pick<BuildOptions, 'form' | 'compression'>>,
  use: (image: BundleImage) => Promise<T> | T,
): Promise<T> {
  await using work = await openWorkFolder();
  await using staging = await stageFiles(folder, work, signal);
  const defaults = { form: 'image', compression: 'none' } as const;
  return await use(await buildBundleImage(staging, { ...defaults, ...options, dir: work.path, signal }));
}

const digestOf = (folder: string, options = {}): Promise<string> => built(folder, options, ({ digest }) => digest);

test('the same files give the same digest, whatever their times, their modes and the order in which they came', async () => {
  const one = await folderOf('one', { 'manifests/a.yaml': configMap, 'README.md': 'read me' });
  const other = await folderOf('other', { 'README.md': 'read me', 'manifests/a.yaml': configMap });
  await utimes(join(other, 'README.md'), 1, 1);
  await chmod(join(other, 'README.md'), 0o600);
  // Written down, so that a change of the form is seen: it would give all users other digests.
  const image = 'sha256:23b32ac78373c9040069b6c07acd561e238802cbb23ed1c59373829406715f82';
  const artifact = 'sha256:039f6cb37652c276925bf860d6cfa241d8fad8ac95bb4d0acb617f0b43a94f2c';
  expect(await digestOf(one)).toBe(image);
  expect(await digestOf(other)).toBe(image);
  expect(await digestOf(one, { form: 'artifact' })).toBe(artifact);
  expect(await digestOf(one, { compression: 'gzip' })).toBe(await digestOf(other, { compression: 'gzip' }));
  await writeFile(join(other, 'README.md'), 'read me!');
  expect(await digestOf(other)).not.toBe(image);
});

test('the image of an operator has the annotations of its bundle as labels, so that catalogs know it', async () => {
  const annotations = (text: string): Record<string, string> => ({
    'manifests/a.yaml': configMap,
    'metadata/annotations.yaml': text,
  });
  const prefix = 'operators.operatorframework.io.bundle';
  const text = `annotations: {${prefix}.package.v1: tide, ${prefix}.channels.v1: stable, other: x, ${prefix}.manifests.v1: 1}`;
  const labelsOf = async ({ blobs: [config] }: BundleImage): Promise<unknown> => {
    const pieces = ((await config?.open().toArray()) ?? []) as Buffer[];
    return (JSON.parse(Buffer.concat(pieces).toString()) as { config: { Labels?: unknown } }).config.Labels;
  };
  const folder = await folderOf('operator', annotations(text));
  expect(await built(folder, {}, labelsOf)).toEqual({
    [`${prefix}.channels.v1`]: 'stable',
    // Numbers are read as text, as sigs.k8s.io/yaml does.
    [`${prefix}.manifests.v1`]: '1',
    [`${prefix}.package.v1`]: 'tide',
  });
  const broken = await folderOf('broken', annotations('a: ['));
  expect(await built(broken, {}, labelsOf)).toBeUndefined();
});

test('a layout that was written can be opened again; the same image gives the same file', async () => {
  const folder = await folderOf('layout', { 'manifests/a.yaml': configMap });
  const [first, second] = [join(dir, 'first.tar'), join(dir, 'second.tar')];
  const digest = await built(folder, { compression: 'gzip' }, async (image) => {
    await writeLayout(image, first, signal);
    await writeLayout(image, second, signal);
    return image.digest;
  });
  expect((await readFile(first)).equals(await readFile(second))).toBe(true);
  await using layout = await openLayout(first, { spoolPath: join(dir, 'spool'), signal });
  expect(layout.image.digest).toBe(digest);
  expect(layout.image.blobs.map(({ mediaType }) => mediaType)).toEqual([
    'application/vnd.oci.image.config.v1+json',
    'application/vnd.oci.image.layer.v1.tar+gzip',
  ]);
  expect(await pathKind(first)).toBe('file');
  expect(await pathKind(folder)).toBe('folder');
});

const hash = 'a'.repeat(64);
const manifests = [{ mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: `sha256:${hash}`, size: 2 }];
const index = JSON.stringify({ schemaVersion: 2, manifests });

test.each([
  { name: 'other files', files: { x: '' }, text: 'there is no file "oci-layout"' },
  { name: 'no index', files: { 'oci-layout': '{}' }, text: 'there is no file "index.json"' },
  { name: 'an index of nothing', files: { 'oci-layout': '{}', 'index.json': '{}' }, text: 'expected one manifest' },
  {
    name: 'a digest that leads elsewhere',
    files: { 'oci-layout': '{}', 'index.json': index.replace(hash, '../../../etc/passwd') },
    text: 'a sha256 digest',
  },
  { name: 'no manifest', files: { 'oci-layout': '{}', 'index.json': index }, text: `there is no file "blobs/sha256/a` },
  {
    name: 'another manifest than its index names',
    files: { 'oci-layout': '{}', 'index.json': index, [`blobs/sha256/${hash}`]: '{}' },
    text: `the manifest is not sha256:a`,
  },
])('a layout with $name is refused', async ({ name, files, text }) => {
  const path = join(dir, `${name}.tar`);
  await writeFile(path, tarFile(fileEntries(files)));
  const opened = openLayout(path, { spoolPath: join(dir, `${name}.spool`), signal });
  await expect(opened).rejects.toThrow(text);
});

test('a layout is written to no folder that does not exist, and the folder is named', async () => {
  const folder = await folderOf('homeless', { 'manifests/a.yaml': configMap });
  const path = join(dir, 'absent', 'image.tar');
  const written = built(folder, {}, (image) => writeLayout(image, path, signal));
  await expect(written).rejects.toThrow(`${join(dir, 'absent')}: no such file or directory; create the folder first`);
});

test('a blob that does not match its digest is refused', async () => {
  const folder = await folderOf('tampered', { 'manifests/a.yaml': configMap });
  const path = join(dir, 'tampered.tar');
  await built(folder, {}, (image) => writeLayout(image, path, signal));
  await writeFile(
    path,
    (await readFile(path)).toString('latin1').replace('kind: ConfigMap', 'kind: ConfigMop'),
    'latin1',
  );
  const opened = openLayout(path, { spoolPath: join(dir, 'tampered.spool'), signal });
  await expect(opened).rejects.toThrow(/expected digest sha256:\w+, got sha256:/);
});

test('inspection names every file that unpacking would refuse, and counts the rest', async () => {
  const folder = await folderOf('mixed', {
    'manifests/a.yaml': `${configMap}---\n${configMap.replace('a}', 'b}')}`,
    'manifests/b.txt': 'hello',
    'manifests/c.yaml': 'a: b: c',
    'manifests/d/e.yaml': configMap,
  });
  await using work = await openWorkFolder();
  await using staging = await stageFiles(folder, work, signal);
  const { format, objects, problems, files } = await inspectBundle(staging);
  expect({ format, objects }).toEqual({ format: 'plain+v0', objects: [{ kind: 'v1/ConfigMap', count: 2 }] });
  expect(files.map(({ path }) => path)).toEqual(
    ['a.yaml', 'b.txt', 'c.yaml', 'd/e.yaml'].map((path) => `manifests/${path}`),
  );
  expect(problems).toEqual([
    expect.stringContaining('unable to decode "manifests/b.txt"'),
    expect.stringContaining('error parsing manifests/c.yaml'),
    expect.stringContaining('found "manifests/d"'),
  ]);
});

test.each([
  {
    name: 'nothing',
    files: { 'stray.txt': 'x' },
    format: 'unknown',
    problem: 'readdir manifests: file does not exist: expected a directory "manifests" at the root of the bundle',
  },
  { name: 'no objects', files: { 'manifests/a.yaml': '---\n' }, format: 'plain+v0', problem: 'found zero objects' },
  {
    name: 'an operator',
    files: { 'manifests/a.yaml': configMap, 'metadata/annotations.yaml': 'annotations: {}' },
    format: 'registry+v1',
    problem: undefined,
  },
])('a bundle of $name is $format', async ({ name, files, format, problem }) => {
  await using work = await openWorkFolder();
  await using staging = await stageFiles(await folderOf(name, files), work, signal);
  const facts = await inspectBundle(staging);
  expect(facts.format).toBe(format);
  if (problem !== undefined) expect(facts.problems).toEqual([expect.stringContaining(problem)]);
});
