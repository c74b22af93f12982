import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { tarFile } from '../../../test/support/index.ts';
import { readPackedFiles } from '../../content/index.ts';
import { allCharts, findChart, repackDependencies } from './chart-folder.ts';

const mebibyte = 1024 * 1024;
const chart = tarFile([{ path: 'a/Chart.yaml', content: 'name: a' }]);

test('a chart is found in a package, and in none that is packed twice', () => {
  const found = findChart([{ path: 'a-1.0.0.tgz', content: gzipSync(chart) }]);
  expect(found.map(({ path }) => path)).toEqual(['Chart.yaml']);
  const around = tarFile([{ path: 'a/a.tgz', content: gzipSync(chart).toString('latin1') }]);
  expect(() => findChart([{ path: 'a.tgz', content: gzipSync(around) }])).toThrow('a.tgz: the chart is packed twice');
  const twice = gzipSync(gzipSync(chart));
  expect(() => findChart([{ path: 'a.tgz', content: twice }])).toThrow(/a\.tgz: .*compressed twice/);
});

test.each([`a/${'../'.repeat(9)}tmp/x`, 'a/templates/../../x', '/tmp/x', '../x/Chart.yaml'])(
  'a packed chart with the path %s is refused, as a dependency as well',
  (path) => {
    const content = gzipSync(
      tarFile([
        { path: 'a/Chart.yaml', content: 'name: a' },
        { path, content: 'x' },
      ]),
    );
    const refusal = /is no archive that can be read: ".*x.*": (absolute paths|paths with "\.\.") are not accepted/;
    expect(() => findChart([{ path: 'a.tgz', content }])).toThrow(refusal);
    expect(() => allCharts([{ path: 'charts/a.tgz', content }])).toThrow(refusal);
  },
);

test('a bomb that is compressed twice is refused before it is unpacked', () => {
  const bomb = gzipSync(gzipSync(Buffer.alloc(64 * mebibyte)));
  expect(bomb.length).toBeLessThan(1024);
  expect(() => findChart([{ path: 'a.tgz', content: bomb }])).toThrow('compressed twice');
});

test('packed dependencies are unpacked one by one, until they are too large together', () => {
  const content = gzipSync(tarFile([{ path: 'd/Chart.yaml', content: '#'.repeat(60 * mebibyte) }]));
  // The third is reported only if it is looked into before the first two are counted.
  const contents = [content, content, Buffer.from('no archive')];
  const dependencies = contents.map((packed, index) => ({ path: `charts/d${index}.tgz`, content: packed }));
  expect(() => allCharts(dependencies)).toThrow('the chart unpacks to more than the limit of 104857600 bytes');
});

test('what is in packed dependencies beside files of charts counts as well', () => {
  const chartFile = { path: 'd/Chart.yaml', content: 'name: d' };
  const unused = tarFile([chartFile, { path: 'unused', content: '0'.repeat(60 * mebibyte) }]);
  const padded = Buffer.concat([tarFile([chartFile]), Buffer.alloc(60 * mebibyte)]);
  const dependencies = [unused, padded].map((tar, index) => {
    return { path: `charts/d${index}.tgz`, content: gzipSync(tar, { level: 1 }) };
  });
  const refusal = 'charts/d1.tgz: with it the chart unpacks to more than the limit of 104857600 bytes';
  expect(() => allCharts(dependencies)).toThrow(refusal);
});

test('entries of all packed dependencies count together, however small they are', () => {
  const entries = Array.from({ length: 4000 }, (_, index) => ({ path: `d/${index}`, content: '' }));
  const content = gzipSync(tarFile([{ path: 'd/Chart.yaml', content: 'name: d' }, ...entries]), { level: 1 });
  const dependencies = [0, 1, 2].map((index) => ({ path: `charts/d${index}.tgz`, content }));
  expect(allCharts(dependencies.slice(0, 2))).toHaveLength(3);
  const refusal = 'charts/d2.tgz: is no archive that can be read: more entries than the limit';
  expect(() => allCharts(dependencies)).toThrow(refusal);
  expect(() => repackDependencies(dependencies)).toThrow(refusal);
});

test('files are looked at once, however many charts a chart contains', () => {
  const content = Buffer.alloc(0);
  const files = Array.from({ length: 300 }, (_, index) => ({ path: `charts/d${index}/Chart.yaml`, content }));
  const startsWith = vi.spyOn(String.prototype, 'startsWith');
  const found = allCharts(files);
  const { length: lookCount } = startsWith.mock.calls;
  startsWith.mockRestore();
  expect(found).toHaveLength(301);
  expect(lookCount).toBeLessThan(files.length * 10);
});

test.each([
  {
    name: 'a path twice',
    entries: [
      ['d/values.yaml', 'a: 1'],
      ['d/values.yaml', 'a: 2'],
    ],
    values: 'a: 2',
  },
  { name: 'a path with backslashes', entries: [['d\\values.yaml', 'a: 2']], values: 'a: 2' },
  { name: 'a type of its own', entries: [['d/values.yaml', 'a: 2', '7']], values: undefined },
] as const)('of a packed dependency that has $name, helm gets what is checked', ({ entries, values }) => {
  const inner = tarFile([
    { path: 'd/Chart.yaml', content: 'name: d' },
    ...entries.map(([path, content, typeFlag]) => ({ path, content, ...(typeFlag === undefined ? {} : { typeFlag }) })),
  ]);
  const outer = tarFile([
    { path: 'c/Chart.yaml', content: 'name: c' },
    { path: 'c/charts/d.tgz', content: gzipSync(inner) },
  ]);
  const files = [{ path: 'charts/c.tgz', content: gzipSync(outer) }];
  const [repacked] = repackDependencies(files);
  const packed = readPackedFiles('c', Buffer.from(repacked?.content ?? []), { bytes: mebibyte, entries: 10 });
  expect(packed.files.map(({ path }) => path)).toEqual(['chart/Chart.yaml', 'chart/charts/d.tgz']);
  const [, dependency] = packed.files;
  const inside = readPackedFiles('d', dependency?.content ?? Buffer.alloc(0), { bytes: mebibyte, entries: 10 });
  const texts = Object.fromEntries(inside.files.map(({ path, content }) => [path, content.toString()]));
  expect(texts).toEqual({ 'chart/Chart.yaml': 'name: d', ...(values && { 'chart/values.yaml': values }) });
  const checked = allCharts(repackDependencies(files)).at(-1);
  expect(checked?.files.find(({ path }) => path === 'values.yaml')?.content.toString()).toEqual(values);
});

test('a packed dependency whose path leads out of it by backslashes is refused', () => {
  const content = gzipSync(tarFile([{ path: 'd\\..\\..\\x', content: 'x' }]));
  expect(() => repackDependencies([{ path: 'charts/d.tgz', content }])).toThrow('leads out of the chart');
});
