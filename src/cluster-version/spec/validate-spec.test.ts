import { expect, test } from 'vitest';
import type { ClusterVersion } from '../../api/index.ts';
import { invalidMessage, validateSpec } from './validate-spec.ts';

const clusterID = '4f1c2b36-7a0b-4d0e-9c3a-2f6f0f0d8a11';

const versionOf = (
  spec: Partial<ClusterVersion['spec']>,
  availableUpdates: NonNullable<ClusterVersion['status']>['availableUpdates'] = null,
): ClusterVersion => ({
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterVersion',
  metadata: { name: 'version' },
  spec: { clusterID, ...spec },
  status: { desired: { version: '1.0.0', image: 'a' }, observedGeneration: 1, versionHash: '', availableUpdates },
});

test.each([
  { spec: { upstream: 'no url' }, error: 'spec.upstream: Invalid value: "no url": must be a valid URL or empty' },
  { spec: { clusterID: 'x' }, error: 'spec.clusterID: Invalid value: "x": must be an RFC4122-variant UUID' },
  {
    spec: { clusterID: '4f1c2b36-7a0b-1d0e-9c3a-2f6f0f0d8a11' },
    error: 'spec.clusterID: Invalid value: "4f1c2b36-7a0b-1d0e-9c3a-2f6f0f0d8a11": must be a version-4 UUID',
  },
  {
    spec: { desiredUpdate: {} },
    error: 'spec.desiredUpdate: Required value: must specify architecture, version, image, or acceptRisks',
  },
  {
    spec: { desiredUpdate: { version: 'new' } },
    error: 'spec.desiredUpdate.version: Invalid value: "new": must be a semantic version (1.2.3[-...])',
  },
  {
    spec: { desiredUpdate: { version: '1.1.0' } },
    error:
      'spec.desiredUpdate.version: Invalid value: "1.1.0": when image is empty the update must be an available update',
  },
])('CV-108: $error', ({ spec, error }) => {
  expect(validateSpec(versionOf(spec)).errors).toEqual([error]);
});

test('CV-108: a version of several payloads needs an image', () => {
  const updates = ['a', 'b'].map((image) => ({ version: '1.1.0', image }));
  expect(validateSpec(versionOf({ desiredUpdate: { version: '1.1.0' } }, updates)).errors).toEqual([
    'spec.desiredUpdate.version: Invalid value: "1.1.0": there are multiple possible payloads for this version, specify the exact image',
  ]);
});

test('CV-108: what is invalid is left out, and all of it is reported', () => {
  const { spec, errors } = validateSpec(
    versionOf({ upstream: 'no', clusterID: 'x', desiredUpdate: { version: 'new' } }),
  );
  expect(spec).toEqual({ upstream: '', clusterID: '' });
  const lines = errors.map((error) => `* ${error}\n`).join('');
  expect(invalidMessage(errors)).toBe(`The cluster version is invalid:\n${lines}`);
  expect(invalidMessage(['x'])).toBe('The cluster version is invalid: x');
});

test('CV-19: a version that is available needs no image, nor does one that the cluster has', () => {
  const updates = [{ version: '1.1.0', image: 'b' }];
  expect(validateSpec(versionOf({ desiredUpdate: { version: '1.1.0' } }, updates)).errors).toEqual([]);
  expect(validateSpec(versionOf({ desiredUpdate: { version: '1.0.0' } })).errors).toEqual([]);
});
