import { expect, test } from 'vitest';
import type { BundleSource } from '../../api/index.ts';
import { definitionOf } from './index.ts';

const auth = { secret: { name: 'credentials' } };

test.each<{ source: BundleSource; address?: string; secretName?: string; configMapNames?: string[] }>([
  {
    source: { type: 'image', image: { ref: 'quay.io/a/b:v1', pullSecret: 's' } },
    address: 'quay.io/a/b:v1',
    secretName: 's',
  },
  {
    source: { type: 'git', git: { repository: 'https://git.example.com/x', ref: { branch: 'main' }, auth } },
    address: 'https://git.example.com/x',
    secretName: 'credentials',
  },
  {
    source: { type: 'http', http: { url: 'https://example.com/x.tgz', auth } },
    address: 'https://example.com/x.tgz',
    secretName: 'credentials',
  },
  {
    source: { type: 'configMaps', configMaps: [{ configMap: { name: 'a' } }, { configMap: { name: 'a' }, path: 'b' }] },
    configMapNames: ['a'],
  },
  { source: { type: 'upload', upload: {} } },
  // Members of another type do not count.
  {
    source: {
      type: 'upload',
      image: { ref: 'quay.io/a/b:v1', pullSecret: 's' },
      configMaps: [{ configMap: { name: 'a' } }],
    },
  },
])('a source of type $source.type', ({ source, address, secretName, configMapNames = [] }) => {
  const definition = definitionOf(source);
  expect(definition.address(source)).toBe(address);
  expect(definition.inputs.secretName(source)).toBe(secretName);
  expect(definition.inputs.configMapNames(source)).toEqual(configMapNames);
  expect(definition.isImage === true).toBe(source.type === 'image');
});
