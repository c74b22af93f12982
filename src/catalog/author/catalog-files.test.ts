import { expect, test } from 'vitest';
import { catalogDockerfile } from './dockerfile.ts';
import { initPackage } from './init-package.ts';

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');

test('a package begins with its name, default channel, description and icon', () => {
  expect(initPackage({ name: 'tide', defaultChannel: 'stable', description: '# Tide', icon: png })).toEqual({
    schema: 'olm.package',
    name: 'tide',
    defaultChannel: 'stable',
    description: '# Tide',
    icon: { base64data: png.toString('base64'), mediatype: 'image/png' },
  });
});

test.each([
  ['image/svg+xml', '<?xml version="1.0"?>\n<!-- made by hand --><svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF0000WEBPVP8 '],
])('an icon is known as %s by how it begins', (mediatype, text) => {
  const { icon } = initPackage({ name: 'a', icon: Buffer.from(text) });
  expect(icon).toMatchObject({ mediatype });
});

test.each([
  ['text/plain', 'hello'],
  ['application/octet-stream', '\u0000\u0001'],
])('an icon that is %s is refused', (mediatype, text) => {
  const start = { name: 'a', icon: Buffer.from(text) };
  expect(() => initPackage(start)).toThrow(`detected invalid type "${mediatype}": not an image`);
});

const images = { baseImage: 'quay.example/opm:v1', builderImage: 'quay.example/opm:v1' };

test('a Dockerfile serves the catalog from a cache that was built before', () => {
  const text = catalogDockerfile({ folder: 'catalog', ...images, labels: ['a=b c', 'd=$e'] });
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    'FROM quay.example/opm:v1 AS builder',
    'ADD catalog /configs',
    'RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]',
    'FROM quay.example/opm:v1',
    'ENTRYPOINT ["/bin/opm"]',
    'CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]',
    'COPY --from=builder /configs /configs',
    'COPY --from=builder /tmp/cache /tmp/cache',
    'LABEL operators.operatorframework.io.index.configs.v1=/configs',
    'LABEL a="b c"',
    'LABEL d="\\$e"',
  ]);
});

test('on scratch an image has data only, which is reported', () => {
  const text = catalogDockerfile({ folder: 'my catalog', ...images, baseImage: 'scratch', labels: [] });
  expect(text).toContain('grpcPodConfig.extractContent');
  expect(text).toContain('FROM scratch');
  expect(text).toContain('COPY ["my catalog","/configs"]');
  expect(text).not.toContain('ENTRYPOINT');
});

test.each([
  [{ builderImage: 'scratch' }, 'invalid builder image: "scratch"'],
  [{ baseImage: 'a\nRUN b' }, 'invalid base image: "a\\nRUN b"'],
  [{ labels: ['novalue'] }, 'invalid label "novalue"'],
  [{ labels: ['a=b\nRUN c'] }, 'invalid label "a=b\\nRUN c"'],
])('%j is refused', (options, text) => {
  expect(() => catalogDockerfile({ folder: 'catalog', ...images, labels: [], ...options })).toThrow(text);
});
