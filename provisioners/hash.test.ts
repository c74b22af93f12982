import { expect, test } from 'vitest';
import type { BundleSource } from '../src/api/index.ts';
import { bundleName, templateHash } from './hash.ts';

const spec = {
  provisionerClassName: 'core-rukpak-io-plain',
  source: { type: 'image', image: { ref: 'quay.io/operator-framework/combo-bundle:v0.0.1' } },
};

test.each([
  { name: 'no metadata', template: { spec }, hash: '2k37wna19uuvfzh9qt6ae1teim7mxpo8rx8r5wh29lh9' },
  {
    name: 'labels',
    template: { metadata: { labels: { app: 'combo' } }, spec },
    hash: '1b8amp50xa1kr4zhelzpdj1lk49eomcb7e5kcs8s97ln',
  },
])('a template with $name has the hash that other releases give it', ({ template, hash }) => {
  expect(templateHash(template)).toBe(hash);
});

const auth = { secret: { name: 'credentials' }, insecureSkipVerify: true };

test.each<{ source: BundleSource; hash: string }>([
  {
    source: { type: 'image', image: { ref: 'quay.io/a/b:v1', pullSecret: 'pull' } },
    hash: 'oai759fotr6f3m75gl0ahg8zl3xqknt1njazd2vubwv',
  },
  {
    source: { type: 'git', git: { repository: 'https://git.example.com/a', directory: 'b', ref: { tag: 'v1' }, auth } },
    hash: '2c6ipo0zcb77jhmjgfu2tjq0tvlafcijbvnd6l935df3',
  },
  {
    source: { type: 'git', git: { repository: 'https://git.example.com/a', ref: { branch: 'main' } } },
    hash: '36bhrnqzxiivjoatt8ulb5be517afw2gpnef14jdowrm',
  },
  {
    source: {
      type: 'configMaps',
      configMaps: [{ configMap: { name: 'a' }, path: 'manifests' }, { configMap: { name: 'b' } }],
    },
    hash: '1qfucvd731h6h9veka5g98odh88uz1fzg99thkdmdq1a',
  },
  { source: { type: 'upload', upload: {} }, hash: '2in3qgw1ftzr3p2o0gxf60vi5pjqpnkk59bay0wa159e' },
  {
    source: { type: 'http', http: { url: 'https://example.com/a.tgz', auth } },
    hash: '2x8catu4qabaft82ts98kc5xaviy5jqypgqnxik2137q',
  },
  {
    source: {
      type: 'http',
      http: { url: 'https://example.com/a.tgz' },
      git: { repository: 'r', ref: { commit: 'c' } },
      configMaps: [],
    },
    hash: '21q547qjcvva049uvjcfknsbf9bilaozgimnd1s6auou',
  },
])('a template with a source of type $source.type has the hash $hash in every release', ({ source, hash }) => {
  expect(templateHash({ spec: { ...spec, source } })).toBe(hash);
});

test('the order of keys and empty maps do not change the hash', () => {
  const a = { metadata: { labels: { a: '1', b: '2' }, annotations: {} }, spec };
  const b = {
    spec: { source: spec.source, provisionerClassName: spec.provisionerClassName },
    metadata: { labels: { b: '2', a: '1' } },
  };
  expect(templateHash(a)).toBe(templateHash(b));
});

test('names of bundles stay within 52 characters', () => {
  expect(bundleName('a', 'x'.repeat(44))).toBe(`a-${'x'.repeat(44)}`);
  expect(bundleName('n'.repeat(50), 'x'.repeat(44))).toBe(`${'n'.repeat(45)}-${'x'.repeat(6)}`);
});

const template = { metadata: { labels: { 'app-name': 'my-app' }, annotations: { note: 'one' } }, spec };
test.each([
  { name: 'U18 the spec', other: { ...template, spec: { ...spec, provisionerClassName: 'other-class' } } },
  { name: 'U19 a label', other: { ...template, metadata: { ...template.metadata, labels: { 'app-name': 'other' } } } },
  { name: 'U20 an annotation', other: { ...template, metadata: { ...template.metadata, annotations: {} } } },
])('$name makes another hash', ({ other }) => {
  expect(templateHash(other)).not.toBe(templateHash(template));
});
