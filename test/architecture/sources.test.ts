import { expect, test } from 'vitest';
import { productRoots } from '../../scripts/import-table.ts';
import { sourceTypes } from '../../src/api/index.ts';
import { filesOf } from './files.ts';

/** What a type of source means is in the rows of these folders alone; src/api has the list of types. */
const owners = ['src/sources/', 'src/api/'];

const quoted = `'(?:${sourceTypes.join('|')})'`;
const branches: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: 'comparison',
    pattern: new RegExp(`\\btype\\)?\\s*[!=]==?\\s*${quoted}|${quoted}\\s*[!=]==?\\s*[\\w.?]*\\btype\\b`),
  },
  { what: 'switch', pattern: new RegExp(`switch \\([^{]*\\btype\\b[^{]*\\{\\s*case ${quoted}`) },
  { what: 'list of types', pattern: new RegExp(`\\[\\s*${quoted}(?:,\\s*${quoted})*\\s*\\]\\.includes\\(`) },
  { what: 'table by type', pattern: /\bSourceType\b/ },
];

const branchesIn = (text: string): string[] =>
  branches.filter(({ pattern }) => pattern.test(text)).map(({ what }) => what);

test('branches on the type of a source are recognized', () => {
  expect(branchesIn("if (spec.source.type !== 'upload') return;")).toEqual(['comparison']);
  expect(branchesIn("retry(({ type }) => type === 'image')")).toEqual(['comparison']);
  expect(branchesIn("switch (textAt(source, 'type')) {\n  case 'git': {")).toEqual(['switch']);
  expect(branchesIn("['git', 'http'].includes(source.type)")).toEqual(['list of types']);
  expect(branchesIn('const hosts: Record<SourceType, string>')).toEqual(['table by type']);
  expect(branchesIn('return definitionOf(source).isImage === true;')).toEqual([]);
});

test('no folder but src/sources branches on the type of a source', () => {
  const patterns = productRoots().map((root) => `${root}/**/*.ts`);
  const product = filesOf(...patterns, ...productRoots().map((root) => `${root}/*.ts`)).filter(
    ({ path }) => !path.endsWith('.test.ts') && !owners.some((owner) => path.startsWith(owner)),
  );
  expect(product.length).toBeGreaterThan(500);
  const found = product.flatMap(({ path, text }) => branchesIn(text).map((what) => `${path}: ${what}`));
  expect(found).toEqual([]);
});
