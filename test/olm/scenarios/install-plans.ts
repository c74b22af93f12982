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
import { apply, crd, csv, deployment, group, rest, succeeded } from '../objects.ts';
import { readsConfigMaps, readsNodes } from '../rbac-objects.ts';
import type { Action, Scenario, State } from '../scenario.ts';

const namespaces = ['a'];
const version1 = 'boat.v0.1.0';
const shop = [...apply(group(), catalogSource('old')), rest('catalog', connected())];
type Named = Pick<Scenario, 'id' | 'title'>;

/** Installs the head of a catalog with one bundle. */
function fresh({ id, title }: Named, release: Omit<Release, 'version'>, until: State = latest()): Scenario {
  const catalogs = { old: catalog({ version: '0.1.0', ...release }) };
  return { id, title, namespaces, catalogs, actions: [...shop, ...apply(subscription()), rest('installed', until)] };
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
const handWritten = (approved: boolean, names: readonly string[] = [version1]): JsonObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: 'by-hand', namespace: '$id-a' },
  spec: { approval: approved ? 'Automatic' : 'Manual', approved, clusterServiceVersionNames: names as string[] },
});
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
    id: 'T07c',
    title: 'a bundle owns the CRD of another CSV of the namespace',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [
      ...apply(group(), crd(), csv({ name: 'ship.v0.1.0', install: { deployments: [deployment('ship')] } })),
      ...shop,
      ...apply(subscription()),
      rest('refused', { of: subscriptionTarget(), has: 'ResolutionFailed' }),
    ],
  },
];
