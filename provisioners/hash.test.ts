import { expect, test } from 'vitest';
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
