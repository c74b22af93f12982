import { expect, test } from 'vitest';
import { readClusterVersionConfig } from './cluster-version.ts';

const folder = import.meta.dirname;
const image = `registry.example.com/release@sha256:${'1'.repeat(64)}`;
const none = {
  release: undefined,
  'release-image': [],
  'release-volume': undefined,
  'allow-unsigned-releases': false,
  'update-service': undefined,
  'prometheus-url': undefined,
  'prometheus-token-file': undefined,
};

test.each([
  ['nothing', {}, undefined],
  ['a folder', { release: folder }, folder],
  ['an image', { release: image }, image],
  ['an image of this machine', { release: 'localhost/release:1' }, 'localhost/release:1'],
  ['an image that a folder stands for', { release: 'any', 'release-image': [`any=${folder}`] }, 'any'],
])('%s is a release', (_title, values, release) => {
  expect(readClusterVersionConfig({ ...none, ...values }).clusterVersion?.release).toBe(release);
});

test.each([
  [{ release: 'nowhere' }, '--release nowhere: expected a folder or tar that exists, or an image such as'],
  [{ release: './a.b/nowhere' }, '--release ./a.b/nowhere: expected a folder or tar that exists'],
  [{ release: '/a.b/nowhere' }, '--release /a.b/nowhere: expected a folder or tar that exists'],
  [{ release: 'folder/nowhere' }, '--release folder/nowhere: expected a folder or tar that exists'],
  [{ 'release-image': [`${image}=nowhere`] }, `--release-image ${image}=nowhere: nowhere does not exist`],
  [{ 'release-image': ['nowhere'] }, '--release-image nowhere: expected IMAGE=FOLDER'],
])('%j is refused', (values, text) => {
  expect(() => readClusterVersionConfig({ ...none, ...values })).toThrow(text);
});
