import { describe, expect, test } from 'vitest';
import type { ClusterServiceVersion } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import type { PolicyRule } from '../../rbac/index.ts';
import { isClusterWide, permittedRules, permittedSubjects, requestedRules } from './permitted.ts';

const rule = (verbs: string[], resources: string[], more: PolicyRule = {}): PolicyRule => ({
  verbs,
  apiGroups: [''],
  resources,
  ...more,
});

function csvWith(permissions: JsonObject[], clusterPermissions: JsonObject[] = []): ClusterServiceVersion {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'boat', namespace: 'own' },
    spec: {
      displayName: 'Boat',
      install: {
        strategy: 'deployment',
        spec: { deployments: [], permissions: permissions as never, clusterPermissions: clusterPermissions as never },
      },
    },
  };
}

const permission = (account: string, ...rules: PolicyRule[]): JsonObject =>
  ({ serviceAccountName: account, rules }) as unknown as JsonObject;

describe('the rules of a Role', () => {
  const requested = [rule(['get', 'list'], ['pods']), rule(['get'], ['secrets'], { resourceNames: ['key'] })];

  test.each([
    { name: 'that are requested stay as they are', role: requested, expected: requested },
    {
      name: 'in another order are the same',
      role: [rule(['list', 'get'], ['pods'])],
      expected: [rule(['list', 'get'], ['pods'])],
    },
    { name: 'that are narrower stay', role: [rule(['get'], ['pods'])], expected: [rule(['get'], ['pods'])] },
    { name: 'that are wider shrink to the request', role: [rule(['*'], ['pods', 'secrets'])], expected: requested },
    { name: 'that are not requested are left out', role: [rule(['get'], ['nodes'])], expected: [] },
    {
      name: 'for all names do not widen the request for one',
      role: [rule(['get'], ['secrets'])],
      expected: [requested[1]],
    },
    {
      name: 'beside requested ones are left out alone',
      role: [rule(['get', 'list'], ['pods']), rule(['delete'], ['pods'])],
      expected: [rule(['get', 'list'], ['pods'])],
    },
  ])('$name', ({ role, expected }) => {
    expect(permittedRules(role, requested)).toEqual(expected);
  });

  test('that multiply without end are not compared, and not permitted', () => {
    const many = Array.from({ length: 200 }, (_, index) => `x${index}`);
    const role = Array.from({ length: 500 }, () => ({ verbs: many, apiGroups: many, resources: many }));
    expect(permittedRules(role, requested)).toEqual([]);
  });
});

test('what an operator requests for namespaces is that of all its ServiceAccounts', () => {
  const csv = csvWith([permission('a', rule(['get'], ['pods'])), permission('b', rule(['list'], ['pods']))]);
  expect(requestedRules(csv)).toEqual([rule(['get'], ['pods']), rule(['list'], ['pods'])]);
});

describe('an operator has its permissions everywhere', () => {
  const get = permission('a', rule(['get'], ['pods']));

  test.each([
    {
      name: 'by wider cluster permissions',
      csv: csvWith([get], [permission('a', rule(['*'], ['*']))]),
      expected: true,
    },
    {
      name: 'by those of another ServiceAccount',
      csv: csvWith([get], [permission('b', rule(['*'], ['*']))]),
      expected: false,
    },
    {
      name: 'by other cluster permissions',
      csv: csvWith([get], [permission('a', rule(['list'], ['pods']))]),
      expected: false,
    },
    { name: 'if it requests none', csv: csvWith([]), expected: true },
  ])('$name: $expected', ({ csv, expected }) => {
    expect(isClusterWide(csv)).toBe(expected);
  });
});

test('only ServiceAccounts that the operator names, of its namespace, are bound elsewhere', () => {
  const csv = csvWith([permission('a')], [permission('b')]);
  const account = (name: string, namespace?: string): JsonObject => ({
    kind: 'ServiceAccount',
    name,
    ...(namespace !== undefined && { namespace }),
  });
  const subjects = [
    account('a'),
    account('b', 'own'),
    account('a', 'other'),
    account('c', 'own'),
    { kind: 'User', name: 'a' },
    { kind: 'Group', name: 'system:serviceaccounts' },
  ];
  expect(permittedSubjects(csv, subjects)).toEqual([account('a', 'own'), account('b', 'own')]);
});
