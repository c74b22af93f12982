import { describe, expect, test } from 'vitest';
import type { ClusterServiceVersion, OperatorGroup } from '../api/index.ts';
import {
  ApiSet,
  abandonedComponentLabels,
  apiLabelHash,
  areIntersecting,
  isCopied,
  ownedApis,
  parseApis,
  requiredApis,
  surfaceOf,
  tenancyOf,
  unsupportedTargets,
} from './index.ts';

function csvOf(spec: Partial<ClusterServiceVersion['spec']>): ClusterServiceVersion {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'boat.v1', namespace: 'own' },
    spec: { displayName: 'Boat', install: { strategy: 'deployment' }, ...spec },
  };
}

function groupOf(namespace: string, targets: readonly string[], apis = ''): OperatorGroup {
  return {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name: 'group', namespace, annotations: { 'olm.providedAPIs': apis } },
    status: { lastUpdated: '2026-01-01T00:00:00Z', namespaces: targets },
  };
}

const boat = { group: 'example.com', version: 'v1', kind: 'Boat' };
const oar = { group: 'example.com', version: 'v1', kind: 'Oar' };

describe('APIs', () => {
  test('an operator provides the APIs of its CustomResourceDefinitions and APIServices', () => {
    const csv = csvOf({
      customresourcedefinitions: {
        owned: [{ name: 'boats.example.com', version: 'v1', kind: 'Boat' }],
        required: [{ name: 'oars.example.com', version: 'v1', kind: 'Oar' }],
      },
      apiservicedefinitions: { owned: [{ name: 'sails', group: 'example.com', version: 'v2', kind: 'Sail' }] },
    });
    expect(String(ownedApis(csv))).toBe('Boat.v1.example.com,Sail.v2.example.com');
    expect(String(requiredApis(csv))).toBe('Oar.v1.example.com');
  });

  test('a definition whose name has no dot leaves the APIs unknown', () => {
    const owned = [{ name: 'boats', version: 'v1', kind: 'Boat' }];
    expect(ownedApis(csvOf({ customresourcedefinitions: { owned } }))).toBeUndefined();
  });

  test('entries that are no API are ignored in the annotation', () => {
    const apis = parseApis('Oar.v1.example.com,,Boat,Boat.v1,Boat.v1.example.com,Oar.v1.example.com');
    expect(String(apis)).toBe('Boat.v1.example.com,Oar.v1.example.com');
    expect(String(parseApis(undefined))).toBe('');
  });

  test('sets are united, cut and subtracted', () => {
    const both = new ApiSet([oar, boat]);
    const one = new ApiSet([boat]);
    expect(String(one.union(new ApiSet([oar])))).toBe(String(both));
    expect(String(both.difference(one))).toBe('Oar.v1.example.com');
    expect(String(both.intersection(one))).toBe('Boat.v1.example.com');
    expect([one.isSubsetOf(both), both.isSubsetOf(one)]).toEqual([true, false]);
  });

  // The value was computed with Go's hash/fnv.
  test('the label of an API ends with the hash that OLM computes', () => {
    const api = { group: 'etcd.database.coreos.com', version: 'v1beta2', kind: 'EtcdCluster' };
    expect(apiLabelHash(api)).toBe('c571d720f17289d3');
  });
});

describe('install modes', () => {
  const all = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'] as const;
  const supporting = (...modes: readonly (typeof all)[number][]): ClusterServiceVersion =>
    csvOf({ installModes: all.map((type) => ({ type, supported: modes.includes(type) })) });

  test.each([
    { name: 'none', targets: [], modes: all, message: 'zero namespaces' },
    { name: 'all', targets: [''], modes: ['OwnNamespace'] as const, message: 'AllNamespaces InstallModeType' },
    { name: 'its own', targets: ['own'], modes: ['AllNamespaces'] as const, message: 'OwnNamespace InstallModeType' },
    {
      name: 'another one',
      targets: ['x'],
      modes: ['OwnNamespace'] as const,
      message: 'SingleNamespace InstallModeType',
    },
    {
      name: 'two',
      targets: ['x', 'y'],
      modes: ['SingleNamespace'] as const,
      message: 'MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces',
    },
    {
      name: 'its own of two',
      targets: ['x', 'own'],
      modes: ['MultiNamespace'] as const,
      message: 'OwnNamespace InstallModeType',
    },
    { name: 'all among others', targets: ['x', ''], modes: all, message: 'NamespaceAll found' },
  ])('targets that are $name are refused if the mode is missing', ({ targets, modes, message }) => {
    expect(unsupportedTargets(supporting(...modes), 'own', targets)).toContain(message);
  });

  test.each([[['']], [['own']], [['x']], [['x', 'own']]])('an operator with all modes supports %j', (targets) => {
    expect(unsupportedTargets(supporting(...all), 'own', targets)).toBeUndefined();
  });

  test('a mode that is not listed is not supported', () => {
    expect(unsupportedTargets(csvOf({}), 'own', ['own'])).toContain('OwnNamespace InstallModeType not supported');
  });
});

describe('OperatorGroups', () => {
  const boats = new ApiSet([boat]);
  const own = (apis: string): ReturnType<typeof surfaceOf> => surfaceOf(groupOf('a', ['x'], apis));

  test.each([
    { name: 'one of them is global', a: groupOf('a', ['']), b: groupOf('b', ['x']), expected: true },
    { name: 'a target is the same', a: groupOf('a', ['x']), b: groupOf('b', ['x', 'y']), expected: true },
    { name: 'one targets the namespace of the other', a: groupOf('a', ['b']), b: groupOf('b', ['y']), expected: true },
    { name: 'no namespace is the same', a: groupOf('a', ['x']), b: groupOf('b', ['y']), expected: false },
  ])('intersect: $name', ({ a, b, expected }) => {
    expect(areIntersecting(surfaceOf(a), surfaceOf(b))).toBe(expected);
  });

  test.each([
    { other: '', apis: '', expected: 'AddAPIs' },
    { other: '', apis: 'Boat.v1.example.com', expected: 'NoAPIConflict' },
    { other: 'Boat.v1.example.com', apis: '', expected: 'APIConflict' },
    { other: 'Boat.v1.example.com', apis: 'Boat.v1.example.com', expected: 'RemoveAPIs' },
  ])('"$other" in an intersecting group and "$apis" in the own one: $expected', ({ other, apis, expected }) => {
    const group = own(apis);
    expect(tenancyOf(boats, group, [group, surfaceOf(groupOf('b', ['x'], other))])).toBe(expected);
  });

  test('an operator without an API never conflicts', () => {
    const other = surfaceOf(groupOf('b', ['x'], 'Boat.v1.example.com'));
    expect(tenancyOf(new ApiSet(), own('Boat.v1.example.com'), [other])).toBe('NoAPIConflict');
  });
});

test.each([
  { name: 'its reason', copy: { metadata: {}, status: { reason: 'Copied' } } },
  { name: 'its label', copy: { metadata: { labels: { 'olm.copiedFrom': 'x' } } } },
  { name: 'its annotation', copy: { metadata: { namespace: 'a', annotations: { 'olm.operatorNamespace': 'b' } } } },
])('a copy is known by $name', ({ copy }) => {
  expect(isCopied(copy)).toBe(true);
  expect(isCopied({ metadata: { namespace: 'a', annotations: { 'olm.operatorNamespace': 'a' } } })).toBe(false);
});

describe('what one operator takes over from another', () => {
  const properties = JSON.stringify({ properties: [{ type: 'olm.package', value: { packageName: 'ship' } }] });
  const successor = { metadata: { namespace: 'a', annotations: { 'operatorframework.io/properties': properties } } };
  const predecessor = { metadata: { labels: { 'operators.coreos.com/boat.a': '', other: '' } } };

  test('loses the label of a package whose operator is replaced', () => {
    expect(abandonedComponentLabels(predecessor, successor)).toEqual(['operators.coreos.com/boat.a']);
  });

  test('keeps the label of the package that both are of, and what the other one is labelled with', () => {
    const labels = { 'operators.coreos.com/ship.a': '', 'operators.coreos.com/fleet.a': '' };
    const other = { metadata: { ...successor.metadata, labels: { 'operators.coreos.com/fleet.a': '' } } };
    expect(abandonedComponentLabels({ metadata: { labels } }, other)).toEqual([]);
  });

  test.each(['', '{', '[]', '{"properties":{}}', '{"properties":[1]}'])('properties may be %j', (text) => {
    const unreadable = { metadata: { namespace: 'a', annotations: { 'operatorframework.io/properties': text } } };
    expect(abandonedComponentLabels(predecessor, unreadable)).toEqual(['operators.coreos.com/boat.a']);
  });
});
