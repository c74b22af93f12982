import { expect, test } from 'vitest';
import type { ClusterServiceVersion } from '../../api/index.ts';
import { parseApis } from '../../operators/index.ts';
import { prunedApis } from './provided-apis.ts';

const present = parseApis('Boat.v1.example.com,Dock.v1.example.com');

function member(kind: string, status: Partial<NonNullable<ClusterServiceVersion['status']>>): ClusterServiceVersion {
  const owned = [{ name: `${kind.toLowerCase()}s.example.com`, version: 'v1', kind }];
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: kind },
    spec: { displayName: kind, install: { strategy: 'deployment' }, customresourcedefinitions: { owned } },
    status: status as NonNullable<ClusterServiceVersion['status']>,
  };
}

test('what members provide stays, whether they failed or not; the rest is removed', () => {
  for (const status of [{ phase: 'Succeeded' }, { phase: 'Failed', reason: 'UnsupportedOperatorGroup' }]) {
    expect(String(prunedApis(present, [member('Boat', status)]))).toBe('Boat.v1.example.com');
  }
  expect(String(prunedApis(present, []))).toBe('');
});

test('nothing is removed while a new member is about to add its APIs', () => {
  expect(prunedApis(present, [member('Sail', { phase: 'Pending' })])).toBe(present);
  expect(prunedApis(present, [member('Sail', {})])).toBe(present);
  expect(String(prunedApis(present, [member('Sail', { phase: 'Failed' })]))).toBe('');
  expect(String(prunedApis(present, [member('Boat', { phase: 'Pending' })]))).toBe('Boat.v1.example.com');
});
