import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, listAt } from '../../src/base/index.ts';
import type { Meta } from '../../src/catalog/index.ts';
import { writeFolder } from '../../test/e2e/program.ts';
import { tideFiles } from '../../test/support/checked-bundle.ts';
import { type Registry, startRegistry } from '../../test/support/index.ts';
import { parseOptions, registryOptions } from '../command/index.ts';
import { openWorkFolder, type WorkFolder } from '../input/work-folder.ts';
import { createProgress } from '../output/progress.ts';
import { readImageTemplate } from './image-template.ts';
import { allKinds, bundleKinds, catalogKinds, type RenderOptions, renderReferences } from './render.ts';

const catalog = `schema: olm.package
name: p
defaultChannel: c
---
schema: my.notes
package: p
text: kept
`;
const labelPrefix = 'operators.operatorframework.io';
let dir = '';
let registry: Registry;
let work: WorkFolder;

async function databaseFile(): Promise<Buffer> {
  const path = join(dir, 'made.db');
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, bundle TEXT, bundlepath TEXT, version TEXT, skiprange TEXT);
    CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT);
    CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT);
    CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT, operatorbundle_name TEXT,
      replaces INTEGER, depth INTEGER);
    CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT);
    CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT);
    INSERT INTO package VALUES ('boat', 'stable');
    INSERT INTO channel VALUES ('stable', 'boat', 'boat.v1');
    INSERT INTO operatorbundle VALUES ('boat.v1', '', 'registry.example/boat:v1', '1.0.0', '');
    INSERT INTO channel_entry VALUES (1, 'stable', 'boat', 'boat.v1', NULL, 0);
  `);
  database.close();
  return await readFile(path);
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-render-test-'));
  work = await openWorkFolder();
  registry = await startRegistry();
  await writeFolder(join(dir, 'bundle'), tideFiles);
  await writeFolder(join(dir, 'catalog'), { 'p/catalog.yaml': catalog });
  await writeFile(join(dir, 'file.yaml'), catalog);
  registry.putImage('bundle:v1', [{ files: tideFiles }], { [`${labelPrefix}.bundle.package.v1`]: 'tide-gauge' });
  registry.putImage('catalog:v1', [{ files: { 'my/configs/c.yaml': catalog, 'other/x.yaml': 'a: [' } }], {
    [`${labelPrefix}.index.configs.v1`]: '/my/configs',
    [`${labelPrefix}.index.database.v1`]: '/database',
  });
  const label = `${labelPrefix}.index.database.v1`;
  const layer = { files: { 'database/index.db': await databaseFile(), 'bin/opm': 'a program that is never run' } };
  registry.putImage('database:v1', [layer], { [label]: '/database/index.db' });
  registry.putImage('broken:v1', [layer], { [label]: '/database/other.db' });
  registry.putImage('labelled:v1', [{ files: tideFiles }], { b: '2', a: '1' });
  registry.putImage('bare:v1', [{ files: tideFiles }]);
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await work[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

const { values: registryValues } = parseOptions(registryOptions, [], {});

async function render(names: readonly string[], options: Partial<RenderOptions> = {}): Promise<readonly Meta[]> {
  using progress = createProgress(process.stderr, { isQuiet: true });
  const metas: Meta[] = [];
  const signal = AbortSignal.timeout(60_000);
  const defaults = {
    values: registryValues,
    work,
    progress,
    signal,
    allowed: allKinds,
    migrate: 'none',
    warn: () => undefined,
  } as const;
  for await (const meta of renderReferences(names, { ...defaults, ...options })) metas.push(meta);
  return metas;
}

const shown = (metas: readonly Meta[]): readonly string[] =>
  metas.map(({ schema, name }) => `${schema} ${name}`.trim());
const image = (name: string): string => `${registry.host}/${name}:v1`;
const inDir = (name: string): string => join(dir, name);

describe('CR-C9', () => {
  const fromCatalog = ['olm.package p', 'my.notes'];
  const fromBundle = ['olm.bundle tide-gauge.v0.4.0'];

  test('CR-C9 a folder is a bundle or a catalog by what is in it, an image by its labels', async () => {
    expect(shown(await render([inDir('catalog')]))).toEqual(fromCatalog);
    expect(shown(await render([inDir('bundle')]))).toEqual(fromBundle);
    expect(shown(await render([image('catalog')]))).toEqual(fromCatalog);
    expect(shown(await render([image('bundle'), inDir('catalog')]))).toEqual([...fromBundle, ...fromCatalog]);
  });

  test('CR-C9 the image of a bundle is the reference that was given; that of a folder comes from a template', async () => {
    const [fromImage] = await render([`oci://${image('bundle')}`]);
    expect(fromImage?.value['image']).toBe(image('bundle'));
    const [bare] = await render([inDir('bundle')]);
    expect(bare?.value['image']).toBeUndefined();
    const imageOf = readImageTemplate('r.example/{{.Package}}:{{ .Version }}-{{.Name}}');
    const [named] = await render([inDir('bundle')], { imageOf });
    expect(named?.value['image']).toBe('r.example/tide-gauge:0.4.0-tide-gauge.v0.4.0');
  });

  test('CR-C9 an image without labels of a bundle or catalog cannot be rendered', async () => {
    const [bare, labelled] = [image('bare'), image('labelled')];
    await expect(render([bare])).rejects.toThrow(
      `render reference "${bare}": render "${bare}": image type could not be determined: image has no labels`,
    );
    await expect(render([labelled])).rejects.toThrow(
      `render "${labelled}": image type could not be determined, found labels\n  a=1\n  b=2`,
    );
  });

  test('CR-C9 an older image has a database, which is read as a catalog', async () => {
    expect(shown(await render([image('database')]))).toEqual([
      'olm.package boat',
      'olm.channel stable',
      'olm.bundle boat.v1',
    ]);
    await expect(render([image('broken')])).rejects.toThrow(
      `render reference "${image('broken')}": the image has no file other.db, which label "operators.operatorframework.io.index.database.v1" names`,
    );
  });

  test('CR-C9 files are no references, and all failures are reported together', async () => {
    const file = inDir('file.yaml');
    const rendering = render([file, inDir('nothing/'), inDir('bundle')]);
    await expect(rendering).rejects.toThrow(
      [
        `render reference "${file}": ref "${file}" is not a directory: a catalog in a file is read from standard input (-)`,
        `render reference "${inDir('nothing/')}": stat ${inDir('nothing/')}: no such file or directory`,
      ].join('\n'),
    );
  });
});

test.each([
  ['bundle', catalogKinds, 'cannot render bundle directory: not allowed'],
  ['catalog', bundleKinds, 'cannot render declarative config directory: not allowed'],
])('a %s is refused where it is not allowed', async (name, allowed, text) => {
  await expect(render([inDir(name)], { allowed })).rejects.toThrow(`render reference "${inDir(name)}": ${text}`);
  const other = text.replace('directory', 'image');
  await expect(render([image(name)], { allowed })).rejects.toThrow(`render reference "${image(name)}": ${other}`);
});

test('CR-C10 bundles are migrated where they are rendered, and once', async () => {
  const typesOf = ([meta]: readonly Meta[]): readonly unknown[] =>
    listAt(meta?.value, 'properties').map((item) => (isJsonObject(item) ? item['type'] : item));
  const migrated = await render([image('bundle')], { migrate: 'all' });
  expect(typesOf(migrated)).toEqual(['olm.gvk', 'olm.package', 'olm.csv.metadata']);
  await writeFolder(inDir('migrated'), { 'catalog.json': JSON.stringify(migrated[0]?.value) });
  expect((await render([inDir('migrated')], { migrate: 'all' }))[0]?.value).toEqual(migrated[0]?.value);
});

test('CR-C10 a bundle without image keeps its manifests, with a warning', async () => {
  const warnings: string[] = [];
  const [meta] = await render([inDir('bundle')], { migrate: 'all', warn: (text) => warnings.push(text) });
  expect(JSON.stringify(meta?.value)).toContain('olm.bundle.object');
  expect(warnings).toEqual([
    `${inDir('bundle')}: bundle "tide-gauge.v0.4.0" has no image, so its manifests stay in the catalog: --image-ref-template names one`,
  ]);
});

test('errors of an unreadable catalog do not contain the secret of its reference', async () => {
  await writeFolder(inDir('broken'), { 'catalog.yaml': 'a: [' });
  await expect(render([inDir('broken')])).rejects.toThrow(`render reference "${inDir('broken')}": `);
  const rendering = render(['https://user:secret-word@127.0.0.1:1/catalogs/x']);
  await expect(rendering).rejects.toThrow(/^(?!.*secret-word)/s);
});

test.each(['{{.Foo}}', '{{.Package', '{{ printf "x" }}', '}}'])('the template %s for images is refused', (text) => {
  expect(() => readImageTemplate(text)).toThrow(
    'expected no placeholders but {{.Package}}, {{.Name}} and {{.Version}}',
  );
});
