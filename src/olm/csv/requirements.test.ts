import { expect, test } from 'vitest';
import type { ClusterServiceVersion } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { checkRequirements, type RequirementFacts } from './requirements.ts';

type Spec = ClusterServiceVersion['spec'];

function csvOf(spec: Partial<Spec>): ClusterServiceVersion {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'boat.v2', namespace: 'a', uid: 'uid-2' },
    spec: { displayName: 'Boat', install: { strategy: 'deployment', spec: { deployments: [] } }, ...spec },
  };
}

const nothing: RequirementFacts = {
  definition: () => undefined,
  apiService: () => undefined,
  account: () => undefined,
  rulesOf: () => [],
  isServed: () => false,
  serverVersion: 'v1.33.4-gke.1+abc',
  predecessors: new Set(['boat.v1']),
};

const isTrue = (type: string) => ({ type, status: 'True' });

function definition(annotations: Record<string, string> = {}, established = true): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boats.example.com', uid: 'uid-crd', annotations },
    spec: { versions: [{ name: 'v1', served: true }] },
    status: { conditions: [isTrue('NamesAccepted'), ...(established ? [isTrue('Established')] : [])] },
  };
}

const boat = { name: 'boats.example.com', version: 'v1', kind: 'Boat' };
const owned = { customresourcedefinitions: { owned: [boat] } };
const required = { customresourcedefinitions: { required: [boat] } };
const alongside = (name: string, value: string) => ({
  [`operatorframework.io/installed-alongside-${name}`]: value,
});

test.each([
  ['1.33.4', 'Present', 'CSV minKubeVersion (1.33.4) less than server version (v1.33.4-gke.1+abc)'],
  ['v9.0', 'PresentNotSatisfied', 'CSV version requirement not met: minKubeVersion (9.0.0) > server version (1.33.4)'],
  ['nine', 'PresentNotSatisfied', 'CSV version parsing error'],
])('minKubeVersion %s: %s', (minKubeVersion, status, message) => {
  const { entries } = checkRequirements(csvOf({ minKubeVersion }), nothing);
  expect(entries).toEqual([
    {
      group: 'operators.coreos.com',
      version: 'v1alpha1',
      kind: 'ClusterServiceVersion',
      name: 'boat.v2',
      status,
      message,
    },
  ]);
});

test('a server whose version is unknown satisfies no minimum', () => {
  const { entries } = checkRequirements(csvOf({ minKubeVersion: '1.0.0' }), { ...nothing, serverVersion: undefined });
  expect(entries).toMatchObject([{ message: 'Server version discovery error' }]);
});

test.each([
  { name: 'absent', spec: owned, found: undefined, status: 'NotPresent', message: 'CRD is not present' },
  {
    name: 'of another version',
    spec: { customresourcedefinitions: { owned: [boat, { ...boat, version: 'v2' }] } },
    found: definition(),
    status: 'NotPresent',
    message: 'CRD version not served',
  },
  {
    name: 'not established',
    spec: owned,
    found: definition({}, false),
    status: 'PresentNotAvailable',
    message: 'CRD is present but the Established condition is False (not available)',
  },
  {
    name: 'installed for the one that is replaced',
    spec: owned,
    found: definition(alongside('x', 'a/boat.v1')),
    status: 'PresentNotSatisfied',
    message: 'CRD installed alongside other CSV(s): boat.v1',
  },
  {
    name: 'installed for both',
    spec: owned,
    found: definition({ ...alongside('x', 'a/boat.v1'), ...alongside('y', 'a/boat.v2') }),
    status: 'Present',
    message: 'CRD is present and Established condition is true',
  },
  {
    name: 'installed for one of another namespace',
    spec: owned,
    found: definition(alongside('x', 'b/boat.v1')),
    status: 'Present',
    message: 'CRD is present and Established condition is true',
  },
  {
    name: 'only required',
    spec: required,
    found: definition(alongside('x', 'a/boat.v1')),
    status: 'Present',
    message: 'CRD is present and Established condition is true',
  },
])('a definition that is $name: $status', ({ spec, found, status, message }) => {
  const { entries, result } = checkRequirements(csvOf(spec), { ...nothing, definition: () => found });
  expect(entries).toMatchObject([{ name: 'boats.example.com', status, message }]);
  expect(result.state).toBe(status === 'Present' ? 'Met' : 'Unmet');
});

test('APIServices: required ones are available, owned ones have a Deployment', () => {
  const api = { name: 'boats', group: 'example.com', version: 'v1', kind: 'Boat', deploymentName: 'boat' };
  const spec = { apiservicedefinitions: { owned: [api], required: [api] } };
  expect(checkRequirements(csvOf(spec), nothing).entries).toMatchObject([
    { kind: 'APIService', name: 'v1.example.com', status: 'NotPresent' },
    { kind: 'APIService', name: 'v1.example.com', status: 'DeploymentNotFound' },
  ]);
  const service = { ...definition(), status: { conditions: [isTrue('Available')] } };
  const install = { strategy: 'deployment', spec: { deployments: [{ name: 'boat', spec: {} }] } };
  const facts = { ...nothing, apiService: () => service, isServed: () => true };
  const found = checkRequirements(csvOf({ ...spec, install }), facts);
  expect(found.entries).toMatchObject([{ status: 'Present' }, { status: 'DeploymentFound' }]);
  expect(found.result.state).toBe('Met');
});

test('native APIs are served', () => {
  const spec = { nativeAPIs: [{ group: 'apps', version: 'v1', kind: 'Deployment' }] };
  expect(checkRequirements(csvOf(spec), nothing).entries).toMatchObject([{ message: 'Native API does not exist' }]);
  expect(checkRequirements(csvOf(spec), { ...nothing, isServed: () => true }).entries).toMatchObject([
    { group: 'apps', kind: 'Deployment', name: 'v1.apps', status: 'Present', message: 'Native API exists' },
  ]);
});

const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

function permitted(rules: readonly object[], clusterRules: readonly object[] = []): ClusterServiceVersion {
  const scoped = (all: readonly object[]) =>
    all.length === 0 ? [] : [{ serviceAccountName: 'boat', rules: all as [] }];
  const spec = { deployments: [], permissions: scoped(rules), clusterPermissions: scoped(clusterRules) };
  return csvOf({ install: { strategy: 'deployment', spec } });
}

function account(owners: readonly { kind: string; uid: string }[] = []): KubeObject {
  const ownerReferences = owners.map((owner) => ({ apiVersion: 'x/v1', name: 'x', ...owner }));
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'boat', ownerReferences } };
}

test('rules of one account are one entry, each in its scope', () => {
  const facts: RequirementFacts = {
    ...nothing,
    account: () => account(),
    rulesOf: (_, scope) => (scope === 'namespaced' ? [rule] : []),
  };
  const { entries } = checkRequirements(permitted([rule], [rule]), facts);
  expect(entries).toMatchObject([
    {
      status: 'PresentNotSatisfied',
      message: 'Policy rule not satisfied for service account',
      dependents: [
        { status: 'Satisfied', message: 'namespaced rule:{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}' },
        { status: 'NotSatisfied', message: 'cluster rule:{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}' },
      ],
    },
  ]);
});

test.each([
  ['another operator', [{ kind: 'ClusterServiceVersion', uid: 'uid-1' }], 'PresentNotSatisfied'],
  [
    'both',
    [
      { kind: 'ClusterServiceVersion', uid: 'uid-1' },
      { kind: 'ClusterServiceVersion', uid: 'uid-2' },
    ],
    'Present',
  ],
  ['something else', [{ kind: 'Deployment', uid: 'x' }], 'Present'],
])('an account that belongs to %s: %s', (_, owners, status) => {
  const facts = { ...nothing, account: () => account(owners), rulesOf: () => [rule] };
  expect(checkRequirements(permitted([rule]), facts).entries).toMatchObject([{ status }]);
});

const many = Array.from({ length: 300 }, (_, index) => `x${index}`);

test.each([
  ['without a verb', { ...rule, verbs: [] }, 'rule invalid: policy rule must have at least one verb'],
  [
    'of resources and paths',
    { ...rule, nonResourceURLs: ['/x'] },
    'rule invalid: rule cannot apply to both regular resources and non-resource URLs',
  ],
  [
    'of very many combinations',
    { verbs: many, apiGroups: many, resources: many },
    'rule invalid: the permissions have 27000000 combinations of verb, group, resource and name, at most 200000 are allowed',
  ],
])('a rule %s makes the strategy invalid', (_, invalid, message) => {
  expect(checkRequirements(permitted([invalid]), nothing).result).toEqual({ state: 'Invalid', message });
});

test('a strategy of another name is invalid, and so are two Deployments of one name', () => {
  const strategy = csvOf({ install: { strategy: 'magic' } });
  expect(checkRequirements(strategy, nothing).result).toMatchObject({ message: 'unrecognized install strategy' });
  const deployments = [
    { name: 'x', spec: {} },
    { name: 'x', spec: {} },
  ];
  const twice = csvOf({ install: { strategy: 'deployment', spec: { deployments } } });
  expect(checkRequirements(twice, nothing).result).toMatchObject({ message: 'two deployments have the name x' });
});
