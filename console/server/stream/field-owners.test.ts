import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/index.ts';
import { fieldOwners } from './field-owners.ts';

function objectWith(managedFields: unknown): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields } } as unknown as KubeObject;
}

test('fields are listed by their writer, the latest first, as paths', () => {
  const object = objectWith([
    {
      manager: 'longshore',
      operation: 'Apply',
      time: '2026-01-01T00:00:00Z',
      fieldsV1: {
        'f:metadata': { 'f:labels': { '.': {}, 'f:app.kubernetes.io/name': {} } },
        'f:spec': {
          'f:replicas': {},
          'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {} }, 'k:{"port":80,"protocol":"TCP"}': {} },
          'f:finalizers': { 'v:"example.com/hold"': {} },
          'f:list': { 'i:0': {} },
        },
      },
    },
    {
      manager: 'controller',
      operation: 'Update',
      subresource: 'status',
      time: '2026-01-02T00:00:00Z',
      fieldsV1: { 'f:status': { 'f:phase': {} } },
    },
  ]);
  expect(fieldOwners(object)).toEqual([
    {
      manager: 'controller',
      operation: 'Update',
      subresource: 'status',
      time: '2026-01-02T00:00:00Z',
      fields: ['status.phase'],
      count: 1,
    },
    {
      manager: 'longshore',
      operation: 'Apply',
      subresource: '',
      time: '2026-01-01T00:00:00Z',
      fields: [
        'metadata.labels["app.kubernetes.io/name"]',
        'spec.containers[name=web].image',
        'spec.containers[port=80,protocol=TCP]',
        'spec.finalizers[="example.com/hold"]',
        'spec.list[0]',
        'spec.replicas',
      ],
      count: 6,
    },
  ]);
});

test('of very many fields the first are listed, and all are counted', () => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f:key-${index}`, {}]));
  const [owner] = fieldOwners(objectWith([{ manager: 'a', operation: 'Update', fieldsV1: { 'f:data': many } }]));
  expect([owner?.fields.length, owner?.count]).toEqual([500, 2_000]);
});

test.each([[undefined], [[]], [[{ manager: 3, fieldsV1: 'x' }]]])(
  'an object of another program is read: %j',
  (fields) => {
    expect(fieldOwners(objectWith(fields)).flatMap((owner) => owner.fields)).toEqual([]);
  },
);
