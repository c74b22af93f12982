import {
  apply,
  conditionTarget,
  crd,
  crdTarget,
  csv,
  csvTarget,
  deployment,
  failed,
  group,
  groupTarget,
  installModes,
  rest,
  secretTarget,
  succeeded,
} from '../objects.ts';
import { configMap, ownerReference, readsConfigMaps, role, serviceAccount } from '../rbac-objects.ts';
import type { Action, Scenario } from '../scenario.ts';
import { apiService, servingCsv, servingDeployment, webhook } from '../serving-objects.ts';

const namespaces = ['a'];
const version1 = 'boat.v0.1.0';
const version2 = 'boat.v0.2.0';
const successor = (options: object = {}): Action[] =>
  apply(csv({ name: version2, spec: { replaces: version1 }, ...options }));
const noVerbs = { serviceAccountName: 'boat', rules: [{ ...readsConfigMaps, verbs: [] }] };
/** Its Pods never become ready, and the progress deadline is far away. */
const unready = { readinessGates: [{ conditionType: 'example.com/never' }] };
const waiting = deployment('boat', 'registry.example/boat', { spec: unready });
const crashing = deployment('boat', 'registry.example/boat', {
  metadata: { labels: { app: 'boat' }, annotations: { 'apiserver.longshore.dev/simulate': 'fail' } },
});
const past = '2020-01-01T00:00:00Z';
const longAgo: Action = {
  patch: csvTarget(version1),
  subresource: 'status',
  merge: { status: { lastTransitionTime: past } },
};
const certificatesDue: Action = {
  patch: csvTarget(version1),
  subresource: 'status',
  merge: { status: { certsRotateAt: past } },
};
const withWebhook = [...apply(group(), crd(), servingCsv({ webhooks: [webhook()] })), rest('installed', succeeded())];

/** The rows T and I of the state machine that need more than one cause. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'T02',
    title: 'the replaced CSV has the condition Upgradeable=False',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv()),
      rest('installed', succeeded()),
      {
        patch: conditionTarget(),
        merge: {
          spec: {
            conditions: [
              { type: 'Upgradeable', status: 'False', reason: 'Busy', message: 'not now', lastTransitionTime: past },
            ],
          },
        },
      },
      rest('not upgradeable'),
      ...successor(),
      rest('held'),
    ],
  },
  {
    id: 'T08',
    title: 'the owned APIService belongs to another owner',
    namespaces,
    actions: [
      ...apply(group(), {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.$id.example.com', labels: { 'olm.owner': 'ship.v1', 'olm.owner.namespace': '$id-a' } },
        spec: {
          group: '$id.example.com',
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 10,
          service: { name: 'ship', namespace: '$id-a' },
        },
      }),
      ...apply(servingCsv({ apiServices: [apiService()] })),
      rest('refused', failed()),
    ],
  },
  {
    id: 'T09',
    title: 'the replaced CSV is Pending',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ spec: { minKubeVersion: '99.0.0' } })),
      ...successor(),
      rest('waiting'),
      { patch: csvTarget(version1), merge: { spec: { minKubeVersion: null } } },
      rest('replaced', succeeded(version2)),
    ],
  },
  {
    id: 'T12',
    title: 'the service account of the group may not create Deployments',
    namespaces,
    actions: [
      ...apply(serviceAccount({ name: 'scoped' }), group({ spec: { serviceAccountName: 'scoped' } }), crd(), csv()),
      rest('refused'),
    ],
  },
  {
    id: 'T41',
    title: 'the service account of the group gets its permissions later',
    namespaces,
    actions: [
      ...apply(serviceAccount({ name: 'scoped' }), group({ spec: { serviceAccountName: 'scoped' } }), crd(), csv()),
      rest('refused'),
      ...apply(...role([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], { name: 'scoped' })),
      rest('granted', succeeded()),
    ],
  },
  {
    id: 'T15',
    title: 'the certificate is deleted while a Deployment is not available',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(
        servingCsv(
          { webhooks: [webhook()] },
          { install: { deployments: [deployment(servingDeployment, 'registry.example/boat', { spec: unready })] } },
        ),
      ),
      rest('waiting'),
      { delete: secretTarget(`${servingDeployment}-service-cert`) },
      rest('without'),
    ],
  },
  {
    id: 'T17',
    title: 'a Deployment is not available for longer than five minutes',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ install: { deployments: [waiting] } })),
      rest('waiting'),
      longAgo,
      rest('timeout'),
    ],
  },
  {
    id: 'T20',
    title: 'certificates are due in Succeeded',
    namespaces,
    actions: [...withWebhook, certificatesDue, rest('rotated')],
  },
  {
    id: 'T21',
    title: 'the permissions of a Succeeded CSV become invalid',
    namespaces,
    actions: [
      ...apply(group(), crd(), serviceAccount(), csv()),
      rest('installed', succeeded()),
      { patch: csvTarget(version1), merge: { spec: { install: { spec: { permissions: [noVerbs] } } } } },
      rest('invalid'),
    ],
  },
  {
    id: 'T23',
    title: 'the certificate is deleted in Succeeded',
    namespaces,
    actions: [...withWebhook, { delete: secretTarget(`${servingDeployment}-service-cert`) }, rest('without')],
  },
  {
    id: 'T26',
    title: 'a Failed CSV is replaced in a group that fails forward',
    namespaces,
    actions: [
      ...apply(group({ spec: { upgradeStrategy: 'TechPreviewUnsafeFailForward' } }), crd()),
      ...apply(csv({ install: { deployments: [crashing] } })),
      rest('failed', failed()),
      ...successor(),
      rest('replaced', { of: csvTarget(version1), isAbsent: true }),
    ],
  },
  {
    id: 'T26b',
    title: 'a Failed CSV is replaced in a group that does not fail forward',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ install: { deployments: [crashing] } })),
      rest('failed', failed()),
      ...successor(),
      rest('held'),
      { patch: groupTarget(), merge: { spec: { upgradeStrategy: 'TechPreviewUnsafeFailForward' } } },
      rest('replaced', { of: csvTarget(version1), isAbsent: true }),
    ],
  },
  {
    id: 'T28',
    title: 'the group of the other provider of an API leaves the namespace',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ namespace: 'b', targets: ['a', 'b'] }), crd(), csv({ namespace: 'b' })),
      rest('first', succeeded(version1, 'b')),
      ...apply(group(), csv({ name: version2 })),
      rest('refused', failed(version2)),
      { patch: groupTarget('group', 'b'), merge: { spec: { targetNamespaces: ['$id-b'] } } },
      rest('apart', succeeded(version2)),
    ],
  },
  {
    id: 'T29',
    title: 'a static group stops to be static',
    namespaces,
    actions: [
      ...apply(group({ spec: { staticProvidedAPIs: true } }), crd(), csv()),
      rest('refused', failed()),
      { patch: groupTarget(), merge: { spec: { staticProvidedAPIs: false } } },
      rest('accepted', succeeded()),
    ],
  },
  {
    id: 'T30',
    title: 'the permissions of a Failed CSV become invalid, then valid',
    namespaces,
    actions: [
      ...apply(group(), crd(), serviceAccount(), csv({ install: { deployments: [crashing] } })),
      rest('failed', failed()),
      { patch: csvTarget(version1), merge: { spec: { install: { spec: { permissions: [noVerbs] } } } } },
      rest('invalid'),
      {
        patch: csvTarget(version1),
        merge: { spec: { install: { spec: { permissions: null, deployments: [deployment()] } } } },
      },
      rest('valid'),
    ],
  },
  {
    id: 'T33',
    title: 'certificates are due in Failed',
    namespaces,
    actions: [
      ...withWebhook,
      { delete: crdTarget() },
      rest('pending'),
      certificatesDue,
      ...apply(crd()),
      rest('rotated', succeeded()),
    ],
  },
  {
    id: 'T34',
    title: 'the certificate is deleted in Failed',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(
        servingCsv(
          { webhooks: [webhook()] },
          {
            install: {
              deployments: [
                deployment(servingDeployment, 'registry.example/boat', {
                  metadata: {
                    labels: { app: servingDeployment },
                    annotations: { 'apiserver.longshore.dev/simulate': 'fail' },
                  },
                }),
              ],
            },
          },
        ),
      ),
      rest('failed', failed()),
      { delete: secretTarget(`${servingDeployment}-service-cert`) },
      rest('without'),
    ],
  },
  {
    id: 'T39',
    title: 'the successor is deleted while the CSV is Replacing',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv()),
      rest('installed', succeeded()),
      ...successor({ spec: { replaces: version1, minKubeVersion: '99.0.0' } }),
      rest('replacing'),
      { delete: csvTarget(version2) },
      rest('alone'),
    ],
  },
  {
    id: 'T43',
    title: 'a CSV is created beside two groups',
    namespaces,
    actions: [...apply(group(), group({ name: 'second' }), crd(), csv()), rest('refused', failed())],
  },
  {
    id: 'T45a',
    title: 'an install mode is listed twice',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      {
        try: 'create',
        apply: csv({ spec: { installModes: [...installModes('OwnNamespace'), ...installModes('OwnNamespace')] } }),
      },
      rest('refused'),
    ],
  },
  {
    id: 'I3',
    title: 'a Deployment exceeds its progress deadline, then the CSV is edited',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ install: { deployments: [crashing] } })),
      rest('failed', failed()),
      { patch: csvTarget(version1), merge: { spec: { install: { spec: { deployments: [deployment()] } } } } },
      rest('edited'),
    ],
  },
  {
    id: 'I10b',
    title: 'a Deployment is not available yet',
    namespaces,
    actions: [...apply(group(), crd(), csv({ install: { deployments: [waiting] } })), rest('waiting')],
  },
  {
    id: 'T04f',
    title: 'the service account belongs to another CSV',
    namespaces,
    actions: [
      ...apply(group(), crd(), crd('Dock'), configMap()),
      ...apply(csv({ name: 'dock.v0.1.0', kind: 'Dock', install: { deployments: [deployment('dock')] } })),
      rest('first', succeeded('dock.v0.1.0')),
      ...apply(
        serviceAccount({
          metadata: {
            ownerReferences: [ownerReference('operators.coreos.com/v1alpha1', 'ClusterServiceVersion', 'dock.v0.1.0')],
          },
        }),
        ...role([readsConfigMaps]),
      ),
      ...apply(csv({ install: { permissions: [{ serviceAccountName: 'boat', rules: [readsConfigMaps] }] } })),
      rest('refused'),
    ],
  },
  {
    id: 'T07b',
    title: 'two CSVs name one another as replaced',
    namespaces,
    actions: [...apply(group(), crd(), csv({ spec: { replaces: version2 } })), ...successor(), rest('circle')],
  },
  {
    id: 'T01b',
    title: 'a CSV replaces itself',
    namespaces,
    actions: [...apply(group(), crd(), csv({ spec: { replaces: version1 } })), rest('settled')],
  },
];
