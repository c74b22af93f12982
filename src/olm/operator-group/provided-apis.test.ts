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

test.each([
  { name: 'that succeeded', status: { phase: 'Succeeded' }, expected: 'Boat.v1.example.com' },
  {
    name: 'that failed to install',
    status: { phase: 'Failed', reason: 'InstallCheckFailed' },
    expected: 'Boat.v1.example.com',
  },
  { name: 'that conflicts', status: { phase: 'Failed', reason: 'InterOperatorGroupOwnerConflict' }, expected: '' },
  {
    name: 'that the group does not suit',
    status: { phase: 'Failed', reason: 'UnsupportedOperatorGroup' },
    expected: '',
  },
  {
    name: 'whose group was one of two',
    status: { phase: 'Failed', reason: 'TooManyOperatorGroups' },
    expected: 'Boat.v1.example.com',
  },
])('what a member $name provides is "$expected"', ({ status, expected }) => {
  expect(String(prunedApis(present, [member('Boat', status)]))).toBe(expected);
});

test('nothing is removed while a new member is about to add its APIs', () => {
  expect(prunedApis(present, [member('Sail', { phase: 'Pending' })])).toBe(present);
  expect(prunedApis(present, [member('Sail', {})])).toBe(present);
  expect(String(prunedApis(present, [member('Sail', { phase: 'Failed' })]))).toBe('');
  expect(String(prunedApis(present, [member('Boat', { phase: 'Pending' })]))).toBe('Boat.v1.example.com');
});
