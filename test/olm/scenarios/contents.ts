import {
  apply,
  crd,
  crdTarget,
  csv,
  csvTarget,
  deployment,
  deploymentTarget,
  failed,
  group,
  installModes,
  rest,
  succeeded,
} from '../objects.ts';
import {
  clusterRole,
  configMap,
  ownerReference,
  readsConfigMaps,
  readsNodes,
  role,
  serviceAccount,
} from '../rbac-objects.ts';
import type { Scenario } from '../scenario.ts';

const namespaces = ['a'];
const version1 = 'boat.v0.1.0';
const owned = { name: 'boats.$id.example.com', version: 'v1', kind: 'Boat' };
const dock = { name: 'docks.$id.example.com', version: 'v1', kind: 'Dock' };
const permissions = [{ serviceAccountName: 'boat', rules: [readsConfigMaps] }];
const clusterPermissions = [{ serviceAccountName: 'boat', rules: [readsNodes] }];
const asBoat = deployment('boat', 'registry.example/boat', { spec: { serviceAccountName: 'boat' } });
const alongside = (of: string, name: string): Record<string, string> => ({
  [`operatorframework.io/installed-alongside-${of}`]: name,
});

/** What a ClusterServiceVersion holds, and what it requires. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'C-001',
    title: 'a CSV has all metadata that a console shows',
    namespaces,
    actions: [
      ...apply(
        csv({
          spec: {
            description: 'Sails',
            version: '1.2.3-rc.1',
            maturity: 'alpha',
            keywords: ['boat', 'sea'],
            maintainers: [{ name: 'A Sailor', email: 'sailor@example.com' }],
            links: [{ name: 'Home', url: 'https://example.com' }],
            provider: { name: 'Example', url: 'https://example.com' },
            labels: { color: 'blue' },
            icon: [{ base64data: 'PHN2Zy8+', mediatype: 'image/svg+xml' }],
            relatedImages: [{ name: 'boat', image: 'registry.example/boat' }],
          },
        }),
      ),
      rest('stored'),
    ],
  },
  {
    id: 'C-002',
    title: 'a strategy has a service account, permissions and two Deployments',
    namespaces,
    actions: [
      ...apply(group(), crd(), serviceAccount(), ...role([readsConfigMaps]), ...clusterRole([readsNodes])),
      ...apply(csv({ install: { permissions, clusterPermissions, deployments: [asBoat, deployment('crew')] } })),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'C-003',
    title: 'a CSV describes the resources and fields of its CRDs',
    namespaces,
    actions: [
      ...apply(
        csv({
          spec: {
            customresourcedefinitions: {
              owned: [
                {
                  ...owned,
                  description: 'A boat',
                  displayName: 'Boat',
                  resources: [{ name: '', kind: 'Deployment', version: 'v1' }],
                  specDescriptors: [{ path: 'size', displayName: 'Size', 'x-descriptors': ['urn:alm:descriptor:x'] }],
                  statusDescriptors: [{ path: 'phase', displayName: 'Phase', value: 'anchored' }],
                  actionDescriptors: [{ path: 'sail', description: 'Sails away' }],
                },
              ],
              required: [dock],
            },
          },
        }),
      ),
      rest('stored'),
    ],
  },
  {
    id: 'C-004',
    title: 'a required CRD is absent',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ spec: { customresourcedefinitions: { owned: [owned], required: [dock] } } })),
      rest('refused'),
    ],
  },
  {
    id: 'C-005',
    title: 'the resources of the API are listed',
    namespaces,
    isAlone: true,
    actions: [
      {
        rest: 'listed',
        reads: {
          v1alpha1: '/apis/operators.coreos.com/v1alpha1',
          v1: '/apis/operators.coreos.com/v1',
          v1alpha2: '/apis/operators.coreos.com/v1alpha2',
          v2: '/apis/operators.coreos.com/v2',
        },
      },
    ],
  },
  {
    id: 'C-007',
    title: 'a user applies the CRD, then the CSV, without any catalog',
    namespaces,
    actions: [...apply(crd(), group(), csv()), rest('installed', succeeded())],
  },
  {
    id: 'C-008',
    title: 'the service account, its roles and both CRDs are absent',
    namespaces,
    actions: [
      ...apply(
        group(),
        csv({
          spec: { customresourcedefinitions: { owned: [owned], required: [dock] } },
          install: { permissions, clusterPermissions },
        }),
      ),
      rest('refused'),
    ],
  },
  {
    id: 'C-010',
    title: 'a CSV whose requirements are met is no member of the group',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['b'] }), crd(), serviceAccount(), ...role([readsConfigMaps])),
      ...apply(csv({ install: { permissions }, spec: { installModes: installModes('OwnNamespace') } })),
      rest('refused', failed()),
    ],
  },
  {
    id: 'E-009',
    title: 'a CSV needs a newer Kubernetes, then the same',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ spec: { minKubeVersion: '99.0.0' } })),
      rest('refused'),
      { patch: csvTarget(version1), merge: { spec: { minKubeVersion: '1.20.0' } } },
      rest('met', succeeded()),
    ],
  },
  {
    id: 'E-009b',
    title: 'minKubeVersion is no version',
    namespaces,
    actions: [...apply(group(), crd(), csv({ spec: { minKubeVersion: 'newest' } })), rest('refused')],
  },
  {
    id: 'E-010a',
    title: 'a required CRD is served in another version, then in the required one',
    namespaces,
    actions: [
      ...apply(group(), crd(), crd('Dock', ['v2'])),
      ...apply(csv({ spec: { customresourcedefinitions: { owned: [owned], required: [dock] } } })),
      rest('without'),
      ...apply(crd('Dock', ['v2', 'v1'])),
      rest('with', succeeded()),
    ],
  },
  {
    id: 'E-010b',
    title: 'a required APIService does not exist',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(
        csv({
          spec: {
            apiservicedefinitions: {
              required: [{ name: 'docks', group: 'sea.$id.example.com', version: 'v1', kind: 'Dock' }],
            },
          },
        }),
      ),
      rest('without'),
    ],
  },
  {
    id: 'E-010c',
    title: 'a native API does not exist, then a CRD serves it',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(csv({ spec: { nativeAPIs: [{ group: '$id.example.com', version: 'v1', kind: 'Dock' }] } })),
      rest('without'),
      ...apply(crd('Dock')),
      rest('with', succeeded()),
    ],
  },
  {
    id: 'E-010d',
    title: 'a permission is granted later',
    namespaces,
    actions: [
      ...apply(group(), crd(), serviceAccount(), csv({ install: { permissions } })),
      rest('without'),
      ...apply(...role([readsConfigMaps])),
      rest('with', succeeded()),
    ],
  },
  {
    id: 'E-010e',
    title: 'a cluster permission is granted in the namespace alone, then in the cluster',
    namespaces,
    actions: [
      ...apply(group(), crd(), serviceAccount(), ...role([readsNodes]), csv({ install: { clusterPermissions } })),
      rest('in the namespace'),
      ...apply(...clusterRole([readsNodes])),
      rest('in the cluster', succeeded()),
    ],
  },
  {
    id: 'E-010f',
    title: 'a permission is granted by a wider role of the cluster',
    namespaces,
    actions: [
      ...apply(group(), crd(), serviceAccount()),
      ...apply(...clusterRole([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }])),
      ...apply(csv({ install: { permissions, clusterPermissions } })),
      rest('met', succeeded()),
    ],
  },
  {
    id: 'E-022',
    title: 'the CRD gains a version with each upgrade',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv()),
      rest('first', succeeded()),
      ...apply(crd('Boat', ['v1', 'v2'])),
      ...apply(
        csv({
          name: 'boat.v0.2.0',
          spec: { replaces: version1, customresourcedefinitions: { owned: [owned, { ...owned, version: 'v2' }] } },
        }),
      ),
      rest('second', { of: csvTarget(version1), isAbsent: true }),
    ],
  },
  {
    id: 'E-023',
    title: 'a requirement is unmet, then met, and Events report it',
    namespaces,
    actions: [...apply(group(), csv()), rest('unmet'), ...apply(crd()), rest('met', succeeded())],
  },
  {
    id: 'E-024a',
    title: 'the owned CRD was installed alongside the replaced CSV alone, then alongside the successor too',
    namespaces,
    actions: [
      ...apply(group(), {
        ...crd(),
        metadata: { name: 'boats.$id.example.com', annotations: alongside('1', `$id-a/${version1}`) },
      }),
      ...apply(csv()),
      rest('first', succeeded()),
      ...apply(csv({ name: 'boat.v0.2.0', spec: { replaces: version1 } })),
      rest('held'),
      { patch: crdTarget(), merge: { metadata: { annotations: alongside('2', '$id-a/boat.v0.2.0') } } },
      rest('replaced', succeeded('boat.v0.2.0')),
    ],
  },
  {
    id: 'E-024b',
    title: 'the owned CRD was installed alongside a CSV of another namespace',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group(), {
        ...crd(),
        metadata: { name: 'boats.$id.example.com', annotations: alongside('1', `$id-b/${version1}`) },
      }),
      ...apply(csv(), csv({ name: 'boat.v0.2.0', spec: { replaces: version1 } })),
      rest('replaced', succeeded('boat.v0.2.0')),
    ],
  },
  {
    id: 'E-024c',
    title: 'the CRD that the successor requires was installed alongside the replaced CSV',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply({ ...crd('Dock'), metadata: { name: dock.name, annotations: alongside('1', `$id-a/${version1}`) } }),
      ...apply(csv()),
      rest('first', succeeded()),
      ...apply(
        csv({
          name: 'boat.v0.2.0',
          spec: { replaces: version1, customresourcedefinitions: { owned: [owned], required: [dock] } },
        }),
      ),
      rest('replaced', succeeded('boat.v0.2.0')),
    ],
  },
  {
    id: 'E-025',
    title: 'a Deployment has two replicas, and may miss one',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(
        csv({
          install: {
            deployments: [
              {
                name: 'boat',
                spec: {
                  replicas: 2,
                  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
                  selector: { matchLabels: { app: 'boat' } },
                  template: {
                    metadata: { labels: { app: 'boat' } },
                    spec: { containers: [{ name: 'operator', image: 'registry.example/boat' }] },
                  },
                },
              },
            ],
          },
        }),
      ),
      rest('installed', succeeded()),
      { patch: deploymentTarget(), merge: { spec: { replicas: 3 } } },
      rest('scaled'),
    ],
  },
  {
    id: 'E-027',
    title: 'the service account belongs to an object that is no CSV',
    namespaces,
    actions: [
      ...apply(group(), crd(), configMap({ name: 'owner' }), ...role([readsConfigMaps])),
      ...apply(serviceAccount({ metadata: { ownerReferences: [ownerReference('v1', 'ConfigMap', 'owner')] } })),
      ...apply(csv({ install: { permissions } })),
      rest('met', succeeded()),
    ],
  },
  {
    id: 'E-021b',
    title: 'the Deployment of a CSV is removed from it, another is added',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ install: { deployments: [deployment(), deployment('crew')] } })),
      rest('two', succeeded()),
      {
        patch: csvTarget(version1),
        merge: { spec: { install: { spec: { deployments: [deployment(), deployment('sail')] } } } },
      },
      rest('exchanged'),
    ],
  },
];
