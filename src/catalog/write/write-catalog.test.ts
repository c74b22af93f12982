import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJson, type JsonObject } from '../../base/index.ts';
import type { Meta } from '../meta.ts';
import { readCatalogFolder, readCatalogStream } from '../read/read-catalog.ts';
import { readMeta } from '../read/read-meta.ts';
import { canonicalMeta } from './canonical.ts';
import { writeCatalog, writeCatalogFolder } from './write-catalog.ts';

const metaOf = (value: JsonObject): Meta => readMeta(value, 'json', { file: 'catalog.json', line: 1 });

async function textOf(metas: readonly Meta[], format: 'json' | 'yaml'): Promise<string> {
  let text = '';
  for await (const piece of writeCatalog(metas, { format })) text += piece;
  return text;
}

async function read(metas: AsyncIterable<Meta>): Promise<Meta[]> {
  const found: Meta[] = [];
  for await (const meta of metas) found.push(meta);
  return found;
}

const readText = (text: string): Promise<Meta[]> => read(readCatalogStream([Buffer.from(text)], 'catalog'));

/** In the order in which they are to be written. */
const ordered: readonly JsonObject[] = [
  { schema: 'olm.package', name: 'a', defaultChannel: 'c' },
  { schema: 'olm.channel', package: 'a', name: 'b' },
  { schema: 'olm.channel', package: 'a', name: 'c' },
  { schema: 'olm.bundle', package: 'a', name: 'a.v1' },
  { schema: 'olm.bundle', package: 'a', name: 'a.v2' },
  { schema: 'my.first', package: 'a', name: 'z' },
  { schema: 'my.second', package: 'a', name: 'b' },
  { schema: 'my.second', package: 'a', name: 'a' },
  { schema: 'olm.deprecations', package: 'a' },
  { schema: 'olm.bundle', package: 'b', name: 'b.v1' },
  { schema: 'my.alone', package: 'c' },
  { schema: 'my.global' },
];

test('CR-1.5 documents are written package by package, in the order of their kinds', async () => {
  const shuffled = [11, 8, 9, 4, 6, 7, 2, 10, 5, 3, 1, 0].map((index) => metaOf(ordered[index] ?? {}));
  for (const format of ['json', 'yaml'] as const) {
    const found = await readText(await textOf(shuffled, format));
    expect(found.map(({ value }) => value)).toEqual(ordered);
  }
});

test('CR-1.5 JSON is indented by four blanks, YAML begins with a separator, and nothing is escaped for HTML', async () => {
  const metas = [metaOf({ schema: 's', b: '<&>', a: [1, { c: [] }] }), metaOf({ schema: 't' })];
  expect(await textOf(metas, 'json')).toBe(
    '{\n    "a": [\n        1,\n        {\n            "c": []\n        }\n    ],\n    "b": "<&>",\n    "schema": "s"\n}\n{\n    "schema": "t"\n}\n',
  );
  expect(await textOf(metas, 'yaml')).toBe('---\na:\n  - 1\n  - c: []\nb: <&>\nschema: s\n---\nschema: t\n');
});

test('CR-C4 a catalog stays the same on its way through JSON and YAML', async () => {
  const document = fc
    .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }))
    .map((value): JsonObject => ({ ...(decodeJson(JSON.stringify(value)) as JsonObject), big: 2n ** 60n }))
    .filter((value) => !/__proto__|"(schema|name|package)"/i.test(JSON.stringify(value)))
    .chain((value) =>
      fc
        .record({
          schema: fc.constantFrom('olm.package', 'olm.channel', 'olm.bundle', 'my.schema'),
          name: fc.string(),
          package: fc.constantFrom('', 'p', 'q'),
        })
        .map((names): JsonObject => ({ ...value, ...names })),
    )
    .filter((value) => new Set(Object.keys(value).map((key) => key.toLowerCase())).size === Object.keys(value).length);
  await fc.assert(
    fc.asyncProperty(fc.array(document, { maxLength: 3 }), async (values) => {
      const json = await textOf(values.map(metaOf), 'json');
      const fromJson = await readText(json);
      expect(fromJson.map(canonicalMeta).sort()).toEqual(values.map((value) => canonicalMeta(metaOf(value))).sort());
      const fromYaml = await readText(await textOf(fromJson, 'yaml'));
      expect(fromYaml.map(canonicalMeta)).toEqual(fromJson.map(canonicalMeta));
    }),
    { numRuns: 40 },
  );
});

test('CR-1.5 a folder has a file for each package; names that are no folders are refused', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'catalog-'));
  try {
    await writeCatalogFolder(ordered.map(metaOf), path.join(root, 'out'), { format: 'yaml' });
    expect((await readdir(path.join(root, 'out'), { recursive: true })).sort()).toEqual([
      'a',
      'a/catalog.yaml',
      'b',
      'b/catalog.yaml',
      'c',
      'c/catalog.yaml',
      'catalog.yaml',
    ]);
    expect(await readFile(path.join(root, 'out/catalog.yaml'), 'utf8')).toBe('---\nschema: my.global\n');
    const found = await read(readCatalogFolder(path.join(root, 'out')));
    expect(found.map(canonicalMeta).sort()).toEqual(ordered.map((value) => canonicalMeta(metaOf(value))).sort());
    for (const name of ['..', '.', 'a/b', 'a\\b']) {
      const metas = [metaOf({ schema: 'olm.package', name })];
      await expect(writeCatalogFolder(metas, root, { format: 'json' })).rejects.toThrow(
        `invalid package name "${name.replace('\\', '\\\\')}": must be a single local path element`,
      );
    }
  } finally {
    await rm(root, { recursive: true });
  }
});
