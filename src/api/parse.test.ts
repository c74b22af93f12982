import { expect, test } from 'vitest';
import { parseBundle, parseBundleDeployment } from './index.ts';

const spec = { provisionerClassName: 'core-rukpak-io-plain', source: { type: 'image', image: { ref: 'a' } } };
const bundle = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata: { name: 'a', extra: 1 }, spec };

test('a valid Bundle comes back as the same value', () => {
  expect(parseBundle(bundle)).toBe(bundle);
});

test.each([
  [null, 'Bundle: expected an object'],
  [
    { ...bundle, apiVersion: 'v1' },
    'expected apiVersion "core.rukpak.io/v1alpha1" and kind "Bundle", found "v1","Bundle"',
  ],
  [{ ...bundle, kind: 'Pod' }, 'found "core.rukpak.io/v1alpha1","Pod"'],
  [{ ...bundle, metadata: undefined }, 'Bundle: metadata: Required value'],
  [
    { ...bundle, metadata: { name: 1 } },
    'Bundle: metadata.name: Invalid value: "integer": metadata.name in body must be of',
  ],
  [
    { ...bundle, metadata: { name: 'a', labels: { a: {} } } },
    'metadata.labels.a in body must be of type string: "object"',
  ],
  [{ apiVersion: bundle.apiVersion, kind: 'Bundle', metadata: { name: 'a' } }, 'Bundle: spec: Required value'],
  [{ ...bundle, spec: { source: spec.source } }, 'Bundle: spec.provisionerClassName: Required value'],
  [{ ...bundle, spec: { ...spec, source: { type: 'image', image: {} } } }, 'spec.source.image.ref: Required value'],
  [
    { ...bundle, spec: { ...spec, source: { type: 'configMaps', configMaps: [1] } } },
    'configMaps[0] in body must be of',
  ],
  [
    { ...bundle, status: { conditions: [{ status: 'Maybe' }] } },
    'Unsupported value: "Maybe": supported values: "True"',
  ],
  [
    { ...bundle, metadata: {}, spec: {} },
    'metadata.name: Required value, spec.provisionerClassName: Required value, spec.source: Required value',
  ],
])('a Bundle of the wrong form is refused, naming the field', (raw, message) => {
  expect(() => parseBundle(raw)).toThrow(message as string);
});

test('a BundleDeployment keeps its free-form config', () => {
  const raw = {
    ...bundle,
    kind: 'BundleDeployment',
    spec: { provisionerClassName: 'a', config: { values: 'x: 1', deep: [{}] }, template: { spec } },
  };
  expect(parseBundleDeployment(raw).spec.config).toEqual({ values: 'x: 1', deep: [{}] });
});
