import { expect, test } from 'vitest';
import { parseBundle, parseBundleDeployment } from './index.ts';

const spec = { provisionerClassName: 'core-rukpak-io-plain', source: { type: 'image', image: { ref: 'a' } } };
const bundle = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata: { name: 'a', extra: 1 }, spec };

test('a valid Bundle comes back as the same value', () => {
  expect(parseBundle(bundle)).toBe(bundle);
});

test.each([
  [null, 'Bundle: expected an object'],
  [{ ...bundle, apiVersion: 'v1' }, 'Bundle: apiVersion: expected core.rukpak.io/v1alpha1'],
  [{ ...bundle, kind: 'Pod' }, 'Bundle: kind: expected Bundle'],
  [{ ...bundle, metadata: undefined }, 'Bundle: metadata: expected a value'],
  [{ ...bundle, metadata: { name: 1 } }, 'Bundle: metadata.name: expected string, found 1'],
  [{ ...bundle, metadata: { name: 'a', labels: { a: {} } } }, 'Bundle: metadata.labels.a: expected string'],
  [{ apiVersion: bundle.apiVersion, kind: 'Bundle', metadata: { name: 'a' } }, 'Bundle: spec: expected a value'],
  [{ ...bundle, spec: { source: spec.source } }, 'Bundle: spec.provisionerClassName: expected a value'],
  [{ ...bundle, spec: { ...spec, source: { type: 'image', image: {} } } }, 'spec.source.image.ref: expected a value'],
  [{ ...bundle, spec: { ...spec, source: { type: 'configMaps', configMaps: [1] } } }, 'configMaps[0]: expected object'],
  [{ ...bundle, status: { conditions: [{ status: 'Maybe' }] } }, 'status.conditions[0].'],
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
