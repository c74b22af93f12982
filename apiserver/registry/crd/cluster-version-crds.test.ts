import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type JsonObject, parseYaml } from '../../../src/base/index.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { type ResourceType } from '../../core/resource-type.ts';
import { resourceTypesOfCrd } from './custom-types.ts';

function typeOf(file: string): ResourceType {
  const text = readFileSync(new URL(`../../../crds/cluster-version/${file}`, import.meta.url), 'utf8');
  const [type] = resourceTypesOfCrd(parseYaml(file, text) as unknown as KubeObject);
  if (type === undefined) throw new Error(`${file}: no version served`);
  return type;
}

const versions = typeOf('config.openshift.io_clusterversions.yaml');

function refusal(spec: JsonObject, status: JsonObject = {}): string {
  const object: KubeObject = {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterVersion',
    metadata: { name: 'version' },
    spec,
  };
  if (Object.keys(status).length > 0) object['status'] = status;
  return versions.strategy
    .validate(object, undefined, undefined)
    .map(({ field, message }) => `${field}: ${message}`)
    .join('\n');
}

const clusterID = '3e4b9f0a-95c2-4a69-9a1a-0a5d3fb8a1a0';

test.each([
  { name: 'a minimal spec', spec: { clusterID } },
  { name: 'an empty clusterID', spec: { clusterID: '' } },
  { name: 'an empty update', spec: { clusterID, desiredUpdate: {} } },
  { name: 'an image and an empty architecture', spec: { clusterID, desiredUpdate: { architecture: '', image: 'x' } } },
  {
    name: 'a version of several architectures',
    spec: { clusterID, desiredUpdate: { architecture: 'Multi', version: '1.0.0' } },
  },
  {
    name: 'marketplace with its capability',
    spec: {
      clusterID,
      capabilities: {
        baselineCapabilitySet: 'None',
        additionalEnabledCapabilities: ['marketplace', 'OperatorLifecycleManager'],
      },
    },
  },
  {
    name: 'marketplace of a complete set',
    spec: {
      clusterID,
      capabilities: { baselineCapabilitySet: 'vCurrent', additionalEnabledCapabilities: ['marketplace'] },
    },
  },
])('$name is accepted', ({ spec }) => {
  expect(refusal(spec)).toBe('');
});

test.each([
  { name: 'no clusterID', spec: {}, text: 'spec.clusterID: Required value' },
  {
    name: 'architecture and image',
    spec: { clusterID, desiredUpdate: { architecture: 'Multi', image: 'x', version: '1.0.0' } },
    text: 'cannot set both Architecture and Image',
  },
  {
    name: 'architecture without version',
    spec: { clusterID, desiredUpdate: { architecture: 'Multi' } },
    text: 'Version must be set if Architecture is set',
  },
  {
    name: 'a relative store',
    spec: { clusterID, signatureStores: [{ url: 'stores/one' }] },
    text: 'url must be a valid absolute URL',
  },
  {
    name: 'marketplace alone',
    spec: {
      clusterID,
      capabilities: { baselineCapabilitySet: 'None', additionalEnabledCapabilities: ['marketplace'] },
    },
    text: 'the `marketplace` capability requires the `OperatorLifecycleManager` capability',
  },
  {
    name: 'an override that names an object twice',
    spec: {
      clusterID,
      overrides: [1, 2].map(() => ({ kind: 'Pod', group: '', namespace: 'a', name: 'b', unmanaged: true })),
    },
    text: 'Duplicate value',
  },
])('$name is refused', ({ spec, text }) => {
  expect(refusal(spec)).toContain(text);
});

test('marketplace is accepted where its capability was enabled before', () => {
  const capabilities = { baselineCapabilitySet: 'None', additionalEnabledCapabilities: ['marketplace'] };
  const status = {
    availableUpdates: null,
    desired: {},
    observedGeneration: 1,
    versionHash: '',
    capabilities: { enabledCapabilities: ['OperatorLifecycleManager'] },
  };
  expect(refusal({ clusterID, capabilities }, status)).toBe('');
});
