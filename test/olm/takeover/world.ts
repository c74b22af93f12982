import type { JsonObject } from '../../../src/base/index.ts';
import { packageOf, type Release, subscription } from '../catalog-objects.ts';
import { apply, crd, csv, deployment, group, inNamespace, rest, succeeded } from '../objects.ts';
import { readsConfigMaps } from '../rbac-objects.ts';
import type { Action, State } from '../scenario.ts';
import { apiService, servingCsv, webhook } from '../serving-objects.ts';

const olm = 'operators.coreos.com';
const manager = 'controller-manager';

/** A Deployment whose Pods have an account of their own, quantities and variables. */
const manned = (name: string): JsonObject =>
  deployment(name, `registry.example/${name}`, {
    spec: {
      serviceAccountName: manager,
      containers: [
        {
          name: 'operator',
          image: `registry.example/${name}`,
          env: [
            { name: 'MODE', value: 'sea' },
            { name: 'WATCHED', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } } },
          ],
          resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: '0.1' } },
        },
      ],
    },
  });

const permissions = [{ serviceAccountName: manager, rules: [readsConfigMaps] }];
const installOf = (name: string): JsonObject => ({ deployments: [manned(name)], permissions });
const release = (name: string, version: string, upgrade: { replaces?: string; spec?: JsonObject } = {}): Release => ({
  version,
  ...(upgrade.replaces === undefined ? {} : { replaces: upgrade.replaces }),
  csv: { spec: upgrade.spec ?? {}, install: installOf(name) },
});

const boats = packageOf(
  {},
  {
    version: '0.1.0',
    csv: {
      install: { deployments: [deployment('$id-boat')] },
      spec: {
        webhookdefinitions: [
          webhook(),
          webhook({ type: 'MutatingAdmissionWebhook', generateName: 'm.$id.example.com', webhookPath: '/mutate' }),
        ],
      },
    },
  },
);
const canoe1 = release('canoe', '0.1.0');
const canoe2 = release('canoe', '0.2.0', { replaces: '0.1.0' });
const kayaks = packageOf(
  { name: 'kayak', kind: 'Kayak' },
  release('kayak', '0.1.0'),
  release('kayak', '0.2.0', {
    replaces: '0.1.0',
    spec: {
      customresourcedefinitions: {
        owned: [{ name: 'kayaks.$id.example.com', version: 'v1', kind: 'Kayak', displayName: 'Kayak' }],
        required: [{ name: 'paddles.$id.example.com', version: 'v1', kind: 'Paddle', displayName: 'Paddle' }],
      },
    },
  }),
);
const barges = packageOf(
  { name: 'barge', kind: 'Barge' },
  release('barge', '0.1.0'),
  release('barge', '0.2.0', { replaces: '0.1.0' }),
);
const common = [...boats, ...kayaks, ...barges];

/** Documents of the catalog before and after an upgrade of canoes is published. */
export const catalogs: Readonly<Record<string, readonly JsonObject[]>> = {
  old: [...common, ...packageOf({ name: 'canoe', kind: 'Canoe' }, canoe1)],
  new: [...common, ...packageOf({ name: 'canoe', kind: 'Canoe' }, canoe1, canoe2)],
};

/** Short names. */
export const namespaces: readonly string[] = [
  'boats',
  'ferries',
  'canoes',
  'rafts',
  'lake',
  'river',
  'kayaks',
  'barges',
];

/** What an administrator has installed OLM with. */
const ownObjects: readonly JsonObject[] = [
  ...['olm-operator', 'catalog-operator'].map((name) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'olm', labels: { app: name } },
    spec: (deployment(name, 'registry.example/olm') as { spec: JsonObject }).spec,
  })),
  {
    apiVersion: `${olm}/v1`,
    kind: 'OperatorGroup',
    metadata: { name: 'olm-operators', namespace: 'olm' },
    spec: { targetNamespaces: ['olm'] },
  },
  {
    ...inOlm(
      servingCsv(
        {
          apiServices: [
            apiService({
              name: 'packagemanifests',
              group: 'packages.operators.coreos.com',
              kind: 'PackageManifest',
              deploymentName: 'packageserver',
              containerPort: 5443,
            }),
          ],
        },
        {
          name: 'packageserver',
          install: { deployments: [deployment('packageserver', 'registry.example/olm')] },
          spec: { version: '0.46.0' },
        },
      ),
    ),
  },
  inOlm({
    apiVersion: `${olm}/v1alpha1`,
    kind: 'CatalogSource',
    metadata: { name: 'shop' },
    spec: { sourceType: 'grpc', address: '$catalog/old' },
  }),
];

function inOlm(object: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), namespace: 'olm' } };
}

const subscribed = (name: string, namespace: string, spec: JsonObject = {}): JsonObject =>
  subscription({ name, sourceNamespace: 'olm', ...spec }, name, namespace);
const shopConnected: State = {
  of: { apiVersion: `${olm}/v1alpha1`, kind: 'CatalogSource', name: 'shop', namespace: 'olm' },
  has: '"lastObservedState":"READY"',
};
const isAt = (name: string, namespace: string, state: string): State => ({
  of: { apiVersion: `${olm}/v1alpha1`, kind: 'Subscription', name, namespace: inNamespace(namespace) },
  shows: { state },
});
const manual = { installPlanApproval: 'Manual', startingCSV: 'barge.v0.1.0' };

/** How the cluster came to be as it is when OLM stops: operators with webhooks, with an APIService, in all namespaces, in two others, one in the
 *  middle of an upgrade, and one whose next version waits for approval. */
export const actions: readonly Action[] = [
  ...apply(...ownObjects),
  rest('catalog', shopConnected),
  ...apply(group({ namespace: 'boats', targets: ['boats'] }), subscribed('boat', 'boats')),
  ...apply(group({ namespace: 'ferries', targets: ['ferries'] })),
  ...apply(
    servingCsv(
      {
        apiServices: [
          apiService({ name: 'ferries', group: 'ferries.$id.example.com', kind: 'Ferry', deploymentName: '$id-ferry' }),
        ],
      },
      { name: 'ferry.v0.1.0', namespace: 'ferries', install: { deployments: [deployment('$id-ferry')] } },
    ),
  ),
  ...apply(group({ namespace: 'canoes', targets: [] }), subscribed('canoe', 'canoes')),
  ...apply(group({ namespace: 'rafts', targets: ['lake', 'river'] }), crd('Raft')),
  ...apply(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: inNamespace('rafts') } },
    csv({ name: 'raft.v0.1.0', namespace: 'rafts', kind: 'Raft' }),
  ),
  ...apply(
    group({ namespace: 'kayaks', targets: ['kayaks'] }),
    subscribed('kayak', 'kayaks', { startingCSV: 'kayak.v0.1.0' }),
  ),
  ...apply(group({ namespace: 'barges', targets: ['barges'] }), subscribed('barge', 'barges', manual)),
  rest('boats', succeeded('boat.v0.1.0', 'boats')),
  rest('ferries', succeeded('ferry.v0.1.0', 'ferries')),
  rest('canoes', isAt('canoe', 'canoes', 'AtLatestKnown')),
  rest('rafts', succeeded('raft.v0.1.0', 'rafts')),
  rest('first plan', isAt('barge', 'barges', 'UpgradePending')),
  { approve: inNamespace('barges') },
  rest('barges', succeeded('barge.v0.1.0', 'barges')),
  rest('second plan', {
    of: { apiVersion: `${olm}/v1alpha1`, kind: 'Subscription', name: 'barge', namespace: inNamespace('barges') },
    shows: { currentCSV: 'barge.v0.2.0' },
  }),
  rest('packages', {
    of: { apiVersion: `${olm}/v1alpha1`, kind: 'ClusterServiceVersion', name: 'packageserver', namespace: 'olm' },
    is: 'Succeeded',
  }),
  rest('kayaks', {
    of: {
      apiVersion: `${olm}/v1alpha1`,
      kind: 'ClusterServiceVersion',
      name: 'kayak.v0.2.0',
      namespace: inNamespace('kayaks'),
    },
    has: 'RequirementsNotMet',
  }),
];

/** The definition that the second version of kayaks lacks. */
export const paddle: JsonObject = crd('Paddle');
