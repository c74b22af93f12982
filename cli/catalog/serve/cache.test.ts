import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openCatalogIndex, readCatalogFolder } from '../../../src/catalog/index.ts';
import { parseOptions } from '../../command/index.ts';
import { provideIndex } from './cache.ts';
import { type CachePlan, readCachePlan, serveOptions } from './options.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

interface World {
  readonly catalog: string;
  readonly cache: string;
  readonly warnings: readonly string[];
  readonly provide: (options: Partial<CachePlan>) => Promise<string>;
}

const valid = (name: string): string =>
  [
    `{schema: olm.package, name: ${name}, defaultChannel: c}`,
    `{schema: olm.channel, package: ${name}, name: c, entries: [{name: ${name}.v1}]}`,
    `{schema: olm.bundle, package: ${name}, name: ${name}.v1, image: "registry.example/${name}", properties: [{type: olm.package, value: {packageName: ${name}, version: 1.0.0}}]}`,
  ].join('\n---\n');

async function newWorld(): Promise<World> {
  const root = await mkdtemp(join(tmpdir(), 'serve-cache-'));
  folders.push(root);
  const [catalog, cache] = [join(root, 'catalog'), join(root, 'cache')];
  await mkdir(catalog);
  await writeFile(join(catalog, 'a.yaml'), valid('p'));
  const warnings: string[] = [];
  const source = {
    names: [catalog],
    read: (name: string) => readCatalogFolder(name),
    onMeta: () => undefined,
    warn: (text: string) => warnings.push(text),
    signal: AbortSignal.timeout(60_000),
  };
  const usual = { dir: cache, isOnly: false, isEnforced: false, isInvalidAllowed: false };
  return { catalog, cache, warnings, provide: (plan) => provideIndex(source, { ...usual, ...plan }, root) };
}

function packagesOf(file: string): readonly string[] {
  using index = openCatalogIndex(file);
  return index.packageNames();
}

const mismatch =
  /^integrity check failed: cache requires rebuild: cache reports digest as "[^"]*", but computed digest is "sha256:[0-9a-f]{64}": rebuild it/;

test('CR-C18 a stored index is reused; after a change of one byte of the catalog it is refused, or built again', async () => {
  const { catalog, cache, provide } = await newWorld();
  await expect(provide({ isEnforced: true })).rejects.toThrow(mismatch);
  const file = await provide({ isOnly: true, isEnforced: false });
  expect((await readdir(cache)).toSorted()).toEqual(['catalog.index', 'digest']);
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode;
  expect(await modeOf(join(cache, 'digest'))).toBe(await modeOf(join(catalog, 'a.yaml')));
  const before = await readFile(file);
  expect(await provide({ isEnforced: true })).toBe(file);
  expect(await readFile(file)).toEqual(before);
  await writeFile(join(catalog, 'a.yaml'), valid('q'));
  await expect(provide({ isEnforced: true })).rejects.toMatchObject({ reason: 'IntegrityCheckFailed' });
  expect(packagesOf(await provide({ isEnforced: false }))).toEqual(['q']);
  expect(await provide({ isEnforced: true })).toBe(file);
});

test('CR-C18 an index with one changed byte is refused, or built again', async () => {
  const { provide } = await newWorld();
  const file = await provide({ isEnforced: false });
  const bytes = await readFile(file);
  bytes[5000] = (bytes[5000] ?? 0) ^ 1;
  await writeFile(file, bytes);
  await expect(provide({ isEnforced: true })).rejects.toThrow(mismatch);
  expect(packagesOf(await provide({ isEnforced: false }))).toEqual(['p']);
  expect(await provide({ isEnforced: true })).toBe(file);
});

test('an invalid catalog is refused with all its errors and leaves no index, whether it is stored or not', async () => {
  const { catalog, cache, warnings, provide } = await newWorld();
  await writeFile(join(catalog, 'a.yaml'), valid('p').replace('[{name: p.v1}]', '[{name: p.v1}, {name: p.v2}]'));
  await writeFile(join(catalog, 'b.json'), '{"schema":"x"}{"schema":"y"}{"schema":"z",}');
  const refusal = {
    reason: 'InvalidCatalog',
    message: expect.stringMatching(
      /not a valid catalog:\n.*b\.json:1: json: offset \d+: invalid character '}'[^]*olm\.bundle[^]*--allow-invalid$/,
    ) as string,
  };
  await expect(provide({ dir: undefined })).rejects.toMatchObject(refusal);
  await expect(provide({})).rejects.toMatchObject(refusal);
  expect(await readdir(cache)).toEqual([]);
  expect(warnings).toEqual([]);
});

test('an invalid catalog is served where that is allowed, and refused again from a stored index where it is not', async () => {
  const { catalog, cache, warnings, provide } = await newWorld();
  const text = valid('p').replace('defaultChannel: c', 'defaultChannel: d');
  await writeFile(join(catalog, 'a.yaml'), text);
  expect(packagesOf(await provide({ isInvalidAllowed: true }))).toEqual(['p']);
  expect((await readdir(cache)).toSorted()).toEqual(['catalog.index', 'digest', 'errors']);
  expect(packagesOf(await provide({ isEnforced: true, isInvalidAllowed: true }))).toEqual(['p']);
  expect(warnings).toEqual([expect.stringContaining('no such channel'), expect.stringContaining('no such channel')]);
  await expect(provide({ isEnforced: true })).rejects.toMatchObject({ reason: 'InvalidCatalog' });
  await writeFile(join(catalog, 'a.yaml'), valid('p'));
  await provide({});
  expect((await readdir(cache)).toSorted()).toEqual(['catalog.index', 'digest']);
});

test('a folder with other things is left as it is; what an end half-way left is removed', async () => {
  const { cache, provide } = await newWorld();
  await mkdir(cache);
  await writeFile(join(cache, 'catalog.index.1.unfinished'), 'x');
  await provide({ isEnforced: false });
  expect((await readdir(cache)).toSorted()).toEqual(['catalog.index', 'digest']);
  await writeFile(join(cache, 'letter.txt'), 'x');
  await writeFile(join(cache, 'report.unfinished'), 'x');
  await expect(provide({ isEnforced: false })).rejects.toThrow(
    'cache directory has unexpected contents: letter.txt: name another --cache-dir, or empty this one',
  );
  expect(await readdir(cache)).toContain('report.unfinished');
});

const planOf = (args: readonly string[]): CachePlan => readCachePlan(parseOptions(serveOptions, args, {}).values);

test('CR-C18 integrity is enforced where an index is kept, but not while it is made', () => {
  expect(planOf([])).toEqual({ dir: undefined, isOnly: false, isEnforced: false, isInvalidAllowed: false });
  expect(planOf(['--cache-dir', 'x'])).toEqual({
    dir: 'x',
    isOnly: false,
    isEnforced: true,
    isInvalidAllowed: false,
  });
  expect(planOf(['--cache-dir', 'x', '--cache-only']).isEnforced).toBe(false);
  expect(planOf(['--cache-dir', 'x', '--no-cache-enforce-integrity']).isEnforced).toBe(false);
  expect(() => planOf(['--cache-enforce-integrity'])).toThrow(
    '--cache-dir must be specified with --cache-enforce-integrity',
  );
  expect(() => planOf(['--cache-only'])).toThrow('--cache-dir must be specified with --cache-only');
});
