import type { JsonObject } from '../../../src/base/index.ts';
import {
  catalog,
  catalogSource,
  connected,
  latest,
  pending,
  type Release,
  subscription,
  subscriptionTarget,
} from '../catalog-objects.ts';
import {
  apply,
  configMapTarget,
  crd,
  crdTarget,
  csv,
  csvTarget,
  deployment,
  group,
  rest,
  succeeded,
} from '../objects.ts';
import { readsConfigMaps, readsNodes } from '../rbac-objects.ts';
import type { Action, Scenario, State } from '../scenario.ts';

const namespaces = ['a'];
const version1 = 'boat.v0.1.0';
const version2 = 'boat.v0.2.0';
const shop = [...apply(group(), catalogSource('old')), rest('catalog', connected())];
const newCatalog: Action = {
  patch: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', name: 'shop', namespace: '$id-a' },
  merge: { spec: { address: '$catalog/new' } },
};

type Named = Pick<Scenario, 'id' | 'title'>;

/** Installs the head of a catalog with one bundle. */
function fresh({ id, title }: Named, release: Omit<Release, 'version'>, until: State = latest()): Scenario {
  const catalogs = { old: catalog({ version: '0.1.0', ...release }) };
  return { id, title, namespaces, catalogs, actions: [...shop, ...apply(subscription()), rest('installed', until)] };
}

/** Installs one bundle, then upgrades to another. */
function upgrade(
  id: string,
  title: string,
  {
    first,
    second,
    until,
    between = [],
  }: {
    readonly first: Omit<Release, 'version'>;
    readonly second: Omit<Release, 'version'>;
    readonly until?: State;
    readonly between?: readonly Action[];
  },
): Scenario {
  const old = { version: '0.1.0', ...first };
  const catalogs = { old: catalog(old), new: catalog(old, { version: '0.2.0', replaces: '0.1.0', ...second }) };
  const actions = [
    ...shop,
    ...apply(subscription()),
    rest('installed', latest()),
    ...between,
    newCatalog,
    rest('upgraded', until ?? latest(version2)),
  ];
  return { id, title, namespaces, catalogs, actions };
}

const config = (name: string, value: string): JsonObject => {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
};
const withAccount = (rules: readonly JsonObject[], clusterRules: readonly JsonObject[] = []): Release['csv'] => ({
  install: {
    deployments: [deployment('boat', 'registry.example/boat', { spec: { serviceAccountName: 'boat' } })],
    permissions: [{ serviceAccountName: 'boat', rules: rules as JsonObject[] }],
    ...(clusterRules.length === 0
      ? {}
      : { clusterPermissions: [{ serviceAccountName: 'boat', rules: clusterRules as JsonObject[] }] }),
  },
});
const podsRule = { apiGroups: [''], resources: ['pods'], verbs: ['list'] };
const handWritten = (approved: boolean, names: readonly string[] = [version1]): JsonObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: 'by-hand', namespace: '$id-a' },
  spec: { approval: approved ? 'Automatic' : 'Manual', approved, clusterServiceVersionNames: names as string[] },
});
const sized = (type: string): JsonObject => ({ spec: { type: 'object', properties: { size: { type } } } });
const boat = { apiVersion: '$id.example.com/v1', kind: 'Boat', metadata: { name: 'mine', namespace: '$id-a' } };

/** InstallPlans: their steps, and how they are executed. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'C-014',
    title: 'a user writes a plan that names a CSV of the catalog, approved',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [...shop, ...apply(handWritten(true)), rest('written')],
  },
  {
    id: 'C-015',
    title: 'a user writes a plan that names a CSV of the catalog, not approved',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [...shop, ...apply(handWritten(false)), rest('written')],
  },
  {
    id: 'C-014b',
    title: 'a user writes a plan that names an unknown CSV',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [...shop, ...apply(handWritten(true, ['ghost.v1'])), rest('written')],
  },
  {
    id: 'C-016',
    title: 'a plan is complete, and a CSV that it made lacks a native API',
    namespaces,
    catalogs: {
      old: catalog({
        version: '0.1.0',
        csv: { spec: { nativeAPIs: [{ group: '$id.example.com', version: 'v1', kind: 'Dock' }] } },
      }),
    },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('complete', latest()),
      ...apply(crd('Dock')),
      rest('met', succeeded()),
    ],
  },
  fresh(
    { id: 'C-006b', title: 'a bundle has permissions in its namespace and in the cluster' },
    {
      csv: withAccount([readsConfigMaps], [readsNodes]) ?? {},
    },
  ),
  fresh(
    { id: 'C-006c', title: 'a bundle has objects of several kinds' },
    {
      objects: [
        config('settings', 'one'),
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { key: 'value' } },
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 'boat' }, spec: { ports: [{ port: 80 }] } },
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'extra' } },
        {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'boat' },
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'boat' } } },
        },
        {
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
          metadata: { name: '$id-boat' },
          value: 10,
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: '$id-extra' },
          rules: [readsNodes],
        },
      ],
    },
  ),
  fresh(
    { id: 'E-028', title: 'the API server warns about a step' },
    {
      objects: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'boat' },
          spec: { ports: [{ port: 80 }], externalIPs: ['192.0.2.1'], loadBalancerIP: '192.0.2.01' },
        },
      ],
    },
  ),
  {
    id: 'E-029',
    title: 'the plans of two versions apply one CRD',
    namespaces,
    catalogs: {
      old: catalog({ version: '0.1.0' }),
      new: catalog({ version: '0.1.0' }, { version: '0.2.0', replaces: '0.1.0' }),
    },
    actions: [...shop, ...apply(subscription()), rest('first', latest()), newCatalog, rest('second', latest(version2))],
  },
  {
    id: 'E-030',
    title: 'a step of a plan fails for longer than its retry timeout',
    namespaces,
    catalogs: {
      old: catalog({
        version: '0.1.0',
        objects: [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'boat' }, spec: { ports: [{ port: -1 }] } }],
      }),
    },
    actions: [...shop, ...apply(subscription()), rest('failed', latest())],
  },
  upgrade('E-031', 'two versions have one service account', {
    first: { csv: withAccount([readsConfigMaps]) ?? {} },
    second: { csv: withAccount([readsConfigMaps]) ?? {} },
  }),
  upgrade('E-032', 'a Service of the bundle exists with a cluster IP', {
    first: {
      objects: [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'boat' }, spec: { ports: [{ port: 80 }] } }],
    },
    second: {
      objects: [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'boat' }, spec: { ports: [{ port: 81 }] } }],
    },
  }),
  upgrade('E-033a', 'the CRD of the next version has another version too', {
    first: {},
    second: { crds: [crd('Boat', ['v1', 'v2'])] },
  }),
  upgrade('E-033b', 'custom resources are invalid in the schema of the next version', {
    first: {},
    second: { crds: [crd('Boat', ['v1'], sized('integer'))] },
    between: apply({ ...boat, spec: { size: 'big' } }),
    until: latest(version2),
  }),
  upgrade('E-033c', 'the CRD of the next version lacks a stored version', {
    first: {},
    second: {
      crds: [crd('Boat', ['v2'])],
      csv: {
        spec: {
          customresourcedefinitions: { owned: [{ name: 'boats.$id.example.com', version: 'v2', kind: 'Boat' }] },
        },
      },
    },
    until: latest(version2),
  }),
  upgrade('E-033d', 'custom resources are valid in the stricter schema of the next version', {
    first: {},
    second: { crds: [crd('Boat', ['v1'], sized('string'))] },
    between: apply({ ...boat, spec: { size: 'big' } }),
  }),
  upgrade('E-034a', 'the next version has more permissions', {
    first: { csv: withAccount([readsConfigMaps]) ?? {} },
    second: { csv: withAccount([readsConfigMaps, podsRule], [readsNodes]) ?? {} },
  }),
  upgrade('E-034b', 'the next version has fewer permissions', {
    first: { csv: withAccount([readsConfigMaps, podsRule], [readsNodes]) ?? {} },
    second: { csv: withAccount([readsConfigMaps]) ?? {} },
  }),
  upgrade('E-035', 'the CSV was edited before the upgrade', {
    first: {},
    second: {},
    between: [
      { patch: csvTarget(version1), merge: { spec: { displayName: 'Edited' } } },
      { patch: crdTarget(), merge: { metadata: { labels: { edited: 'true' } } } },
      rest('edited'),
    ],
  }),
  {
    id: 'E-036',
    title: 'a Subscription is patched again and again while it is resolved',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [
      ...shop,
      ...apply(subscription()),
      ...[1, 2, 3, 4, 5].map(
        (count): Action => ({ patch: subscriptionTarget(), merge: { metadata: { labels: { count: `${count}` } } } }),
      ),
      rest('installed', latest()),
    ],
  },
  fresh(
    { id: 'E-040', title: 'a bundle has an object whose kind does not exist' },
    {
      objects: [
        {
          apiVersion: 'monitoring.coreos.com/v1',
          kind: 'ServiceMonitor',
          metadata: { name: 'boat' },
          spec: { endpoints: [] },
        },
      ],
    },
  ),
  fresh(
    { id: 'E-040b', title: 'a bundle has an object of a kind that plans do not support' },
    { objects: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'boat' }, spec: { containers: [] } }] },
  ),
  {
    id: 'E-041',
    title: 'a plan that waits for approval is deleted',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [
      ...shop,
      ...apply(subscription({ installPlanApproval: 'Manual' })),
      rest('waiting', pending(version1)),
      { deleteAll: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace: '$id-a' } },
      rest('deleted', pending(version1)),
    ],
  },
  {
    id: 'E-042',
    title: 'a Subscription starts at an older version, and both plans are approved',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }, { version: '0.2.0', replaces: '0.1.0' }) },
    actions: [
      ...shop,
      ...apply(subscription({ startingCSV: version1, installPlanApproval: 'Manual' })),
      rest('waiting', pending(version1)),
      { approve: '$id-a' },
      rest('first approved', pending(version2)),
      { approve: '$id-a' },
      rest('second approved', latest(version2)),
    ],
  },
  {
    id: 'C-013b',
    title: 'an upgrade is approved',
    namespaces,
    catalogs: {
      old: catalog({ version: '0.1.0' }),
      new: catalog({ version: '0.1.0' }, { version: '0.2.0', replaces: '0.1.0' }),
    },
    actions: [
      ...shop,
      ...apply(subscription({ installPlanApproval: 'Manual' })),
      rest('waiting', pending(version1)),
      { approve: '$id-a' },
      rest('installed', latest()),
      newCatalog,
      rest('upgrade waits', pending(version2)),
      { approve: '$id-a' },
      rest('upgraded', latest(version2)),
    ],
  },
  {
    id: 'E-066a',
    title: 'a CSV whose bundle has a ConfigMap and a Secret is deleted',
    namespaces,
    catalogs: {
      old: catalog({
        version: '0.1.0',
        objects: [
          config('settings', 'one'),
          { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { key: 'value' } },
        ],
      }),
    },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      { delete: subscriptionTarget() },
      { delete: csvTarget(version1) },
      rest('deleted', { of: configMapTarget('settings'), isAbsent: true }),
    ],
  },
  upgrade('E-066b', 'the ConfigMap of a bundle keeps its name in the next version', {
    first: { objects: [config('settings', 'one')] },
    second: { objects: [config('settings', 'two')] },
    until: { of: csvTarget(version1), isAbsent: true },
  }),
  upgrade('E-066c', 'the ConfigMap of a bundle has another name in the next version', {
    first: { objects: [config('settings', 'one')] },
    second: { objects: [config('settings-2', 'two')] },
    until: { of: configMapTarget('settings'), isAbsent: true },
  }),
  {
    id: 'T07c',
    title: 'a bundle owns the CRD of another CSV of the namespace',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [
      ...apply(crd(), csv({ name: 'ship.v0.1.0', install: { deployments: [deployment('ship')] } })),
      ...shop,
      ...apply(subscription()),
      rest('refused'),
    ],
  },
];
