import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fileEntries, tarFile } from '../../../test/support/index.ts';
import { formatOf } from '../index.ts';

const mebibyte = 1024 * 1024;
const metadata = 'apiVersion: v2\nname: a\nversion: 1.0.0\n';

/** A packed chart with charts in it that have the same files. */
function read(count: number, files: Readonly<Record<string, string>>): unknown {
  const all: Record<string, string> = { 'a/Chart.yaml': metadata };
  for (let index = 0; index < count; index += 1) {
    const own = { 'Chart.yaml': metadata, ...files };
    for (const [path, text] of Object.entries(own)) all[`a/charts/c${index}/${path}`] = text;
  }
  const reader = formatOf('core-rukpak-io-helm').begin('');
  reader.add('', { kind: 'file', name: 'a.tgz', content: gzipSync(tarFile(fileEntries(all)), { level: 1 }) });
  return reader.finish(new Set());
}

test.each([
  { file: 'Chart.yaml', text: `${metadata}# ${'x'.repeat(mebibyte)}`, most: 1, limit: 2097152 },
  { file: 'values.schema.json', text: JSON.stringify({ title: 'x'.repeat(mebibyte) }), most: 7, limit: 8388608 },
])(
  'files $file of a chart and the charts in it, which are all parsed, have a limit together',
  ({ file, text, most, limit }) => {
    expect(read(most, { [file]: text })).toBeDefined();
    const refusal = new RegExp(`the charts in it have ${file}.* bytes together, more than the limit of ${limit} bytes`);
    expect(() => read(most + 1, { [file]: text })).toThrow(refusal);
  },
);

test('definitions of a chart and the charts in it have the limits of all manifests of a bundle together', () => {
  const definition = (more: string): string => `apiVersion: v1\nkind: CustomResourceDefinition\n${more}`;
  const values = definition(`a: [${'[],'.repeat(mebibyte)}[]]\n`);
  expect(read(1, { 'crds/a.yaml': values })).toBeDefined();
  expect(() => read(2, { 'crds/a.yaml': values })).toThrow('more than the limit of 2000000 values');
  const bytes = definition(`# ${'x'.repeat(4 * mebibyte)}`);
  expect(() => read(16, { 'crds/a.yaml': bytes })).toThrow('more than the limit of 67108864 bytes');
});
