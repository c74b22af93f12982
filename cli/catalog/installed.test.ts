import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { provides, stockedCatalog, stockedPackage } from '../../test/support/stocked-catalog.ts';
import { readInstalled } from './installed.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-installed-test-'));
  folders.push(folder);
  await writeFile(join(folder, 'installed'), text);
  return join(folder, 'installed');
}

const catalog = stockedCatalog('cat', [stockedPackage('a', { stable: '1.0.0' }, { '1.0.0': [provides('K')] })]);

test('what a catalog has is known by its properties, what none has by its name', async () => {
  const installed = await readInstalled(['a=1.0.0', 'b=v2']);
  expect(installed([catalog])).toMatchObject([
    { name: 'a.v1.0.0', packageName: 'a', properties: [{ type: 'olm.package' }, { type: 'olm.gvk' }] },
    { name: 'b.v2.0.0', packageName: 'b', properties: [] },
  ]);
});

test('ClusterServiceVersions are read as installed packages, without their copies in other namespaces', async () => {
  const noted = JSON.stringify({
    properties: [{ type: 'olm.package', value: { packageName: 'quay', version: '3.1.0' } }, provides('K')],
  });
  const list = {
    kind: 'List',
    items: [
      {
        kind: 'ClusterServiceVersion',
        metadata: { name: 'quay-operator.v3.1.0', annotations: { 'operatorframework.io/properties': noted } },
        spec: { version: '3.1.0' },
      },
      {
        kind: 'ClusterServiceVersion',
        metadata: { name: 'by-hand.v1' },
        spec: { customresourcedefinitions: { owned: [{ name: 'ks.g.io', version: 'v1', kind: 'K' }] } },
      },
      { kind: 'ClusterServiceVersion', metadata: { name: 'copy', labels: { 'olm.copiedFrom': 'x' } }, spec: {} },
    ],
  };
  const installed = await readInstalled([await fileOf(JSON.stringify(list))]);
  const [quay, byHand, ...others] = installed([]);
  expect(quay).toMatchObject({ name: 'quay-operator.v3.1.0', packageName: 'quay' });
  expect(byHand).toEqual({ name: 'by-hand.v1', version: expect.anything() as object, properties: [provides('K')] });
  expect(others).toEqual([]);
});

test.each([
  { name: 'a list', text: '- a', expected: 'found something else in it' },
  { name: 'a version that is none', text: 'a: x', expected: 'expected the version of a that is installed' },
  { name: 'no version at all', text: 'a: [1]', expected: 'expected a version for a, as text' },
])('refuses a file with $name', async ({ text, expected }) => {
  await expect(readInstalled([await fileOf(text)])).rejects.toThrow(expected);
});

test('refuses a package that is listed twice', async () => {
  await expect(readInstalled(['a=1.0.0', 'a=2.0.0'])).rejects.toThrow('--installed: a is named twice');
});
