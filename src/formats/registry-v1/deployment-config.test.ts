import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { applyDeploymentConfig } from '../../operators/index.ts';
import { readConfig } from './config.ts';
import type { RenderedObject } from './registry-bundle.ts';

const nodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
  },
};
const podAntiAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }],
};

const deployment: RenderedObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', namespace: 'i' },
  spec: {
    template: {
      metadata: { annotations: { 'example.acme/tier': 'template', 'olm.targetNamespaces': '' } },
      spec: {
        initContainers: [{ name: 'init', env: [{ name: 'LOG', value: 'info' }] }],
        containers: [{ name: 'manager', env: [{ name: 'LOG', value: 'info' }], resources: { limits: { cpu: '2' } } }],
        tolerations: [{ key: 'a', operator: 'Exists' }],
        nodeSelector: { disk: 'ssd' },
        volumes: [{ name: 'webhook-cert', secret: { secretName: 'x' } }],
        affinity: { nodeAffinity, podAntiAffinity },
      },
    },
  },
};

function configured(deploymentConfig: JsonObject): { readonly object: RenderedObject; readonly pod: JsonObject } {
  const config = readConfig({ deploymentConfig }, { modes: ['AllNamespaces'], installNamespace: 'i' }).deploymentConfig;
  const object = applyDeploymentConfig(deployment, config ?? {});
  const template = (object['spec'] as JsonObject)['template'];
  return { object, pod: isJsonObject(template) ? (template['spec'] as JsonObject) : {} };
}

function firstContainer(pod: JsonObject): JsonObject {
  return (pod['containers'] as JsonObject[])[0] ?? {};
}

test('RV-K1 every part of a configuration has its rule', () => {
  const before = structuredClone(deployment);
  const { object, pod } = configured({
    env: [
      { name: 'LOG', value: 'debug' },
      { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
    ],
    tolerations: [
      { key: 'a', operator: 'Exists', tolerationSeconds: null },
      { key: 'b', operator: 'Exists' },
    ],
    resources: { requests: { cpu: '1000m' } },
    nodeSelector: {},
    affinity: { podAntiAffinity: {} },
    annotations: { 'example.acme/tier': 'config', 'olm.targetNamespaces': 'hostile', note: 'hi' },
  });
  expect(firstContainer(pod)).toEqual({
    name: 'manager',
    env: [
      { name: 'LOG', value: 'debug' },
      { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
    ],
    resources: { requests: { cpu: '1000m' } },
  });
  expect(pod['initContainers']).toEqual([{ name: 'init', env: [{ name: 'LOG', value: 'info' }] }]);
  expect(pod['tolerations']).toEqual([
    { key: 'a', operator: 'Exists' },
    { key: 'b', operator: 'Exists' },
  ]);
  expect(pod['nodeSelector']).toEqual({});
  expect(pod['affinity']).toEqual({ nodeAffinity });
  expect(object.metadata['annotations']).toEqual({
    'example.acme/tier': 'config',
    'olm.targetNamespaces': 'hostile',
    note: 'hi',
  });
  const template = (object['spec'] as JsonObject)['template'] as { metadata: { annotations: JsonValue } };
  expect(template.metadata.annotations).toEqual({
    'example.acme/tier': 'template',
    'olm.targetNamespaces': '',
    note: 'hi',
  });
  expect(deployment).toEqual(before);
});

test('RV-K2 an empty affinity removes all affinity', () => {
  expect(configured({ affinity: {} }).pod).not.toHaveProperty('affinity');
});

test('an affinity of which nothing is left is removed, and a part that is given replaces', () => {
  expect(configured({ affinity: { nodeAffinity: {}, podAntiAffinity: {} } }).pod).not.toHaveProperty('affinity');
  const other = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] };
  expect(configured({ affinity: { podAffinity: other } }).pod['affinity']).toEqual({
    nodeAffinity,
    podAntiAffinity,
    podAffinity: other,
  });
});

test('RV-K4 a volume called webhook-cert replaces the one for certificates, in its place', () => {
  const mine = { name: 'webhook-cert', secret: { secretName: 'mine' } };
  expect(configured({ volumes: [mine, { name: 'b', emptyDir: {} }] }).pod['volumes']).toEqual([
    mine,
    { name: 'b', emptyDir: {} },
  ]);
});

test('empty lists change nothing', () => {
  expect(configured({ env: [], envFrom: [], volumes: [], volumeMounts: [], tolerations: [] }).object).toEqual(
    deployment,
  );
});
