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
import { apply, configMapTarget, crd, crdTarget, csvTarget, deployment, group, rest } from '../objects.ts';
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

/** Installs one bundle, then upgrades to another. */
function upgrade(
  id: string,
  title: string,
  {
    first,
    second,
    until,
    isHeld = false,
    between = [],
  }: {
    readonly first: Omit<Release, 'version'>;
    readonly second: Omit<Release, 'version'>;
    readonly until?: State;
    /** The plan of the next version fails. */
    readonly isHeld?: boolean;
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
    isHeld
      ? rest('held', { of: subscriptionTarget(), has: 'ResolutionFailed' })
      : rest('upgraded', until ?? latest(version2)),
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
const sized = (type: string): JsonObject => ({ spec: { type: 'object', properties: { size: { type } } } });
const boat = { apiVersion: '$id.example.com/v1', kind: 'Boat', metadata: { name: 'mine', namespace: '$id-a' } };

/** What the plan of the next version does to objects of the last. */
export const scenarios: readonly Scenario[] = [
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
    isHeld: true,
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
    isHeld: true,
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
];
