import { expect, test } from 'vitest';
import type { CatalogSource, ClusterServiceVersion, InstallPlan, Subscription } from '../../src/api/index.ts';
import { explainOperator, formatProgress, type InstalledOperator } from '../../src/installations/index.ts';
import { describePlan } from './plan-text.ts';
import { podProblems } from './workloads.ts';

type SubscriptionStatus = NonNullable<Subscription['status']>;

function subscriptionOf(status?: Omit<SubscriptionStatus, 'lastUpdated'>): Subscription {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'boat', namespace: 'a' },
    spec: { name: 'boat', source: 'catalog', sourceNamespace: 'olm' },
    ...(status === undefined ? {} : { status: { lastUpdated: '2026-01-01T00:00:00Z', ...status } }),
  };
}

function planOf(status: Partial<InstallPlan['status']> & { readonly phase: string }, approved = false): InstallPlan {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'InstallPlan',
    metadata: { name: 'install-abcde', namespace: 'a' },
    spec: { approval: 'Manual', approved, clusterServiceVersionNames: ['boat.v1'] },
    status: { catalogSources: [], ...status },
  };
}

function csvOf(status: ClusterServiceVersion['status']): ClusterServiceVersion {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'boat.v1', namespace: 'a' },
    spec: { displayName: 'Boat', install: { strategy: 'deployment' } },
    ...(status === undefined ? {} : { status }),
  };
}

const time = '2026-01-01T00:00:00Z';
const pending = { currentCSV: 'boat.v1', state: 'UpgradePending' };

function shown(operator: Partial<InstalledOperator> & { readonly subscription: Subscription }): string {
  return formatProgress(explainOperator({ plan: undefined, csv: undefined, ...operator }));
}

test('a Subscription that cannot be resolved is explained by its condition', () => {
  const conditions = [
    {
      type: 'ResolutionFailed',
      status: 'True',
      reason: 'ConstraintsNotSatisfiable',
      message: 'no operators found in package boat',
      lastTransitionTime: time,
    },
  ];
  const text = shown({ subscription: subscriptionOf({ conditions }) });
  expect(text).toContain(
    `Subscription boat: ResolutionFailed ConstraintsNotSatisfiable: no operators found in package boat (since ${time})`,
  );
  expect(text).toContain('What to do: ');
});

test('a plan that waits for approval names the command that approves it', () => {
  const plan = planOf({ phase: 'RequiresApproval' });
  const text = shown({ subscription: subscriptionOf(pending), plan });
  expect(text).toBe(`InstallPlan install-abcde: waits for approval of boat.v1
What to do: longshore operator approve install-abcde -n a`);
});

test('a plan that is applied shows how far it is and what it waits for', () => {
  const step = (name: string, status: string) => ({
    resolving: 'boat.v1',
    status,
    resource: { sourceName: 'catalog', sourceNamespace: 'olm', group: '', version: 'v1', kind: 'Secret', name },
  });
  const plan = planOf({ phase: 'Installing', plan: [step('a', 'Created'), step('b', 'WaitingForApi')] as never }, true);
  expect(shown({ subscription: subscriptionOf(pending), plan })).toBe(`InstallPlan install-abcde: 1 of 2 objects applied
  waits until the API of b is served`);
});

test('a plan that the OperatorGroup holds up shows why', () => {
  const conditions = [{ type: 'Installed', status: 'False', reason: 'InstallCheckFailed', message: 'no such account' }];
  const plan = planOf({ phase: 'Installing', conditions }, true);
  expect(shown({ subscription: subscriptionOf(pending), plan })).toMatch(
    /^InstallPlan install-abcde: InstallCheckFailed: no such account\nWhat to do: the namespace needs exactly one/,
  );
});

test('a failed plan shows why', () => {
  const conditions = [{ type: 'Installed', status: 'False', reason: 'InstallComponentFailed', message: 'forbidden' }];
  const plan = planOf({ phase: 'Failed', conditions }, true);
  const text = shown({ subscription: subscriptionOf(pending), plan });
  expect(text).toContain('InstallPlan install-abcde: InstallComponentFailed: forbidden');
});

test('a ClusterServiceVersion shows each requirement that is not met', () => {
  const csv = csvOf({
    phase: 'Pending',
    reason: 'RequirementsNotMet',
    message: "one or more requirements couldn't be found",
    lastTransitionTime: time,
    requirementStatus: [
      {
        group: 'x',
        version: 'v1',
        kind: 'CustomResourceDefinition',
        name: 'oars.x',
        status: 'NotPresent',
        message: 'CRD is not present',
      },
      { group: '', version: 'v1', kind: 'ServiceAccount', name: 'boat', status: 'Present', message: '' },
      {
        group: '',
        version: 'v1',
        kind: 'ServiceAccount',
        name: 'oar',
        status: 'PresentNotSatisfied',
        message: 'Policy rule not satisfied for service account',
        dependents: [
          {
            group: 'rbac.authorization.k8s.io',
            version: 'v1',
            kind: 'PolicyRule',
            status: 'NotSatisfied',
            message: 'cluster rule:{}',
          },
        ],
      },
    ],
  });
  const plan = planOf({ phase: 'Complete' }, true);
  const lines = shown({ subscription: subscriptionOf(pending), plan, csv }).split('\n');
  expect(lines.slice(1)).toEqual([
    '  CustomResourceDefinition oars.x: NotPresent, CRD is not present',
    '  ServiceAccount oar: PresentNotSatisfied, Policy rule not satisfied for service account',
    '    PolicyRule: cluster rule:{}',
    expect.stringContaining('What to do: create what is missing'),
  ]);
});

test('an operator that runs is installed; one whose ClusterServiceVersion was deleted is not', () => {
  const subscription = subscriptionOf({ ...pending, state: 'AtLatestKnown', installedCSV: 'boat.v1' });
  const csv = csvOf({ phase: 'Succeeded', reason: 'InstallSucceeded' });
  expect(explainOperator({ subscription, plan: undefined, csv }).state).toBe('installed');
  expect(shown({ subscription })).toContain('boat.v1 does not exist');
});

test('a plan is described by its operators, definitions and permissions', () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' } };
  const rules = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['secrets'] }];
  const resource = (kind: string, name: string, manifest: unknown) => ({
    resolving: 'boat.v1',
    status: 'Unknown',
    resource: {
      sourceName: 'catalog',
      sourceNamespace: 'olm',
      group: '',
      version: 'v1',
      kind,
      name,
      manifest: JSON.stringify(manifest),
    },
  });
  const plan = planOf({
    phase: 'RequiresApproval',
    plan: [
      resource('CustomResourceDefinition', 'boats.example.com', {}),
      resource('ClusterRole', 'r', { ...role, rules }),
      resource('ServiceAccount', 'boat', { reference: 'stored' }),
    ],
  });
  expect(describePlan(plan)).toBe(`  operators:
    boat.v1
  CustomResourceDefinitions:
    boats.example.com
  permissions that the operators get:
    in all namespaces: get, list: secrets
  other objects:
    1 × ClusterRole
    1 × ServiceAccount
`);
});

test('that the plan of an installed operator was deleted does not matter', () => {
  const conditions = [
    { type: 'InstallPlanMissing', status: 'True', reason: 'ReferencedInstallPlanNotFound', message: '' },
  ];
  const subscription = subscriptionOf({ ...pending, state: 'AtLatestKnown', installedCSV: 'boat.v1', conditions });
  const csv = csvOf({ phase: 'Succeeded', reason: 'InstallSucceeded' });
  expect(explainOperator({ subscription, plan: undefined, csv }).state).toBe('installed');
  expect(explainOperator({ subscription, plan: undefined, csv: csvOf({ phase: 'Pending' }) }).object).toBe(
    'ClusterServiceVersion boat.v1',
  );
});

const resolutionFailed = (message: string) =>
  subscriptionOf({
    conditions: [
      {
        type: 'ResolutionFailed',
        status: 'True',
        reason: 'ErrorPreventedResolution',
        message,
        lastTransitionTime: time,
      },
    ],
  });

test.each([
  ['found 0 operatorGroups, expected 1', 'create an OperatorGroup in the namespace'],
  ['found 2 operatorGroups, expected 1', 'delete all OperatorGroups of the namespace but one'],
  ['constraints not satisfiable: no operators found in package boat in the catalog', 'correct spec.name'],
  ['constraints not satisfiable: no operators found in channel x of package boat', 'correct spec.channel'],
  ['constraints not satisfiable: no operators found with name boat.v9 in channel x', 'correct spec.startingCSV'],
  [
    'bundle boat.v1 requires an operator providing an API with group: g',
    'add a catalog that has the required operator',
  ],
  ['@existing/a//b.v1: clusterserviceversion b.v1 exists and is not referenced by a subscription', 'in the way'],
  ['error using catalogsource olm/other: 404 Not Found', 'repair or remove that catalog'],
  ['error using catalogsource olm/other: 404. no operators found in channel x of package boat', 'correct spec.channel'],
  ['something else', 'correct the Subscription or what it depends on'],
])('a resolution that failed with "%s" has its own advice', (message, advice) => {
  expect(shown({ subscription: resolutionFailed(message) }).split('What to do: ')[1]).toContain(advice);
});

function catalogOf(status: CatalogSource['status']): CatalogSource {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'catalog', namespace: 'olm' },
    spec: { sourceType: 'grpc', image: 'registry.example/catalog:v1' },
    ...(status === undefined ? {} : { status }),
  };
}

test('a catalog that does not exist, or cannot be read, is the object that decides', () => {
  const subscription = resolutionFailed('no operators found from catalog catalog in namespace olm');
  expect(shown({ subscription, catalog: 'missing' })).toMatch(
    /^CatalogSource olm\/catalog: does not exist\nWhat to do: correct spec\.source/,
  );
  const connectionState = { lastObservedState: 'TRANSIENT_FAILURE', lastConnect: time };
  const unreadable = catalogOf({ connectionState, reason: 'RegistryServerError', message: '404 Not Found' });
  expect(shown({ subscription, catalog: unreadable })).toMatch(
    `CatalogSource olm/catalog: TRANSIENT_FAILURE RegistryServerError: 404 Not Found (since ${time})`,
  );
  const connecting = catalogOf({ connectionState: { lastObservedState: 'CONNECTING', lastConnect: time } });
  expect(shown({ subscription: subscriptionOf(), catalog: connecting })).toBe(
    `CatalogSource olm/catalog: CONNECTING (since ${time})`,
  );
  const ready = catalogOf({ connectionState: { lastObservedState: 'READY', lastConnect: time } });
  expect(shown({ subscription, catalog: ready })).toContain('Subscription boat: ResolutionFailed');
});

test('a Deployment that is not available is explained by its Pods', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'boat-1' },
    status: {
      conditions: [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
      ],
      initContainerStatuses: [{ name: 'setup', state: { waiting: { reason: 'PodInitializing' } } }],
      containerStatuses: [
        { name: 'pull', state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off  pulling\nimage "x"' } } },
        {
          name: 'crash',
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
          lastState: { terminated: { exitCode: 2 } },
        },
        { name: 'ended', state: { terminated: { reason: 'Error', exitCode: 1 } } },
        { name: 'well', state: { running: {} } },
      ],
    },
  };
  const lines = podProblems(pod);
  expect(lines).toEqual([
    'Pod boat-1: Unschedulable, 0/3 nodes are available',
    'Pod boat-1: container pull: ImagePullBackOff, Back-off pulling image "x"',
    'Pod boat-1: container crash: CrashLoopBackOff, back-off 5m0s (last exit code 2)',
    'Pod boat-1: container ended: Error',
  ]);
  const csv = csvOf({ phase: 'Failed', reason: 'InstallCheckFailed', message: 'install timeout' });
  const plan = planOf({ phase: 'Complete' }, true);
  const text = shown({ subscription: subscriptionOf(pending), plan, csv, workloads: lines });
  expect(text.split('\n').slice(1, 3)).toEqual(lines.slice(0, 2).map((line) => `  ${line}`));
});

test('what a terminal would obey is written out', () => {
  const subscription = resolutionFailed('\u001b[2Jgone');
  expect(shown({ subscription })).toContain('\\x1b[2Jgone');
});
