import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/index.ts';
import { loadBuiltinSchemas } from './builtin-schemas.ts';
import { decodeProblems, dropNulls } from './decode.ts';
import { pruneUnknown } from './prune.ts';

function problem(groupVersion: string, kind: string, value: JsonValue): string | undefined {
  const [version = '', group = ''] = groupVersion.split('/').toReversed();
  return decodeProblems(value, loadBuiltinSchemas().kind(group, version, kind) ?? {}, kind)[0];
}

const template = (spec: JsonValue): JsonValue => ({ spec: { template: { spec } } });

/** Printed by a kube-apiserver 1.33.4. */
const rows: { name: string; at: [string, string]; value: JsonValue; text: string }[] = [
  {
    name: 'map value',
    at: ['v1', 'ConfigMap'],
    value: { data: { a: 1 } },
    text: 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  },
  {
    name: 'integer',
    at: ['apps/v1', 'Deployment'],
    value: { spec: { replicas: 'x' } },
    text: 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  },
  {
    name: 'fraction',
    at: ['apps/v1', 'Deployment'],
    value: { spec: { replicas: 1.5 } },
    text: 'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
  },
  {
    name: 'range',
    at: ['apps/v1', 'Deployment'],
    value: { spec: { replicas: 99999999999 } },
    text: 'json: cannot unmarshal number 99999999999 into Go struct field DeploymentSpec.spec.replicas of type int32',
  },
  {
    name: 'list',
    at: ['apps/v1', 'Deployment'],
    value: template({ containers: {} }),
    text: 'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
  },
  {
    name: 'item',
    at: ['apps/v1', 'Deployment'],
    value: template({ containers: ['x'] }),
    text: 'json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type v1.Container',
  },
  {
    name: 'field of item',
    at: ['apps/v1', 'Deployment'],
    value: template({ containers: [{ name: 1 }] }),
    text: 'json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.name of type string',
  },
  {
    name: 'struct',
    at: ['apps/v1', 'Deployment'],
    value: { spec: [] },
    text: 'json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec',
  },
  {
    name: 'label',
    at: ['apps/v1', 'Deployment'],
    value: { metadata: { labels: { a: true } } },
    text: 'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string',
  },
  {
    name: 'map',
    at: ['apps/v1', 'Deployment'],
    value: { metadata: { labels: [] } },
    text: 'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
  },
  {
    name: 'quantity',
    at: ['v1', 'Pod'],
    value: { spec: { containers: [{ resources: { limits: { cpu: 'x' } } }] } },
    text: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  },
  {
    name: 'int-or-string',
    at: ['v1', 'Service'],
    value: { spec: { ports: [{ targetPort: {} }] } },
    text: 'json: cannot unmarshal object into Go struct field ServicePort.spec.ports.targetPort of type int32',
  },
  {
    name: 'bytes',
    at: ['v1', 'Secret'],
    value: { data: { a: 1 } },
    text: 'json: cannot unmarshal number into Go struct field Secret.data of type []uint8',
  },
  {
    name: 'map of bytes',
    at: ['v1', 'Secret'],
    value: { data: 'a' },
    text: 'json: cannot unmarshal string into Go struct field Secret.data of type map[string][]uint8',
  },
  { name: 'base64', at: ['v1', 'Secret'], value: { data: { a: '%%%' } }, text: 'illegal base64 data at input byte 0' },
  {
    name: 'time',
    at: ['v1', 'Secret'],
    value: { metadata: { creationTimestamp: 'x' } },
    text: 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  },
];

test.each(rows)('refuses: $name', ({ at, value, text }) => expect(problem(at[0], at[1], value)).toBe(text));

test('accepts what Go accepts', () => {
  const value = {
    metadata: { creationTimestamp: null },
    spec: { replicas: 3, strategy: { rollingUpdate: { maxSurge: '25%' } } },
  };
  expect(problem('apps/v1', 'Deployment', value)).toBeUndefined();
});

test('unknown fields of built-in kinds are found with their indexes', () => {
  const schema = loadBuiltinSchemas().kind('apps', 'v1', 'Deployment') ?? {};
  const value = {
    apiVersion: 'apps/v1',
    spec: {
      replica: 1,
      template: { spec: { containers: [{ name: 'a', imag: 'x', resources: { limits: { cpu: 1 } } }] } },
    },
  };
  expect(pruneUnknown(value, schema)).toEqual(['spec.replica', 'spec.template.spec.containers[0].imag']);
});

test('a CRD keeps its schema, its defaults and what is free in them', () => {
  const schema = loadBuiltinSchemas().kind('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition') ?? {};
  const node = {
    type: 'object',
    default: { any: { thing: 1 } },
    additionalProperties: { type: 'string', 'x-bad': 1 },
    items: { type: 'string' },
  };
  const value = { spec: { versions: [{ schema: { openAPIV3Schema: { properties: { a: node } } } }] } };
  const path = 'spec.versions[0].schema.openAPIV3Schema.properties.a.additionalProperties.x-bad';
  expect(pruneUnknown(value, schema)).toEqual([path]);
  expect(decodeProblems(value, schema, 'CustomResourceDefinition')).toEqual([]);
});

test('null is an absent field, and an empty text in a map', () => {
  const value = { metadata: { creationTimestamp: null }, data: { a: null } };
  dropNulls(value, loadBuiltinSchemas().kind('', 'v1', 'ConfigMap') ?? {});
  expect(value).toEqual({ metadata: {}, data: { a: '' } });
});
