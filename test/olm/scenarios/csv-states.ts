import {
  apply,
  crd,
  crdTarget,
  csv,
  csvTarget,
  deployment,
  deploymentTarget,
  group,
  installModes,
  rest,
  succeeded,
} from '../objects.ts';
import type { Scenario } from '../scenario.ts';
import { apiService, servingCsv, webhook } from '../serving-objects.ts';

const namespaces = ['a'];
/** The way to Succeeded. */
const installed = [...apply(group(), crd(), csv()), rest('installed', succeeded())];
const required = { name: 'docks.$id.example.com', version: 'v1', kind: 'Dock' };
const owned = { name: 'boats.$id.example.com', version: 'v1', kind: 'Boat' };
const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
const permissions = [{ serviceAccountName: 'boat', rules: [rule] }];

const everyRule = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['CREATE'] };
const olmRule = { ...everyRule, apiGroups: ['operators.coreos.com'] };
const hookRule = {
  apiGroups: ['admissionregistration.k8s.io'],
  apiVersions: ['*'],
  resources: ['mutatingwebhookconfigurations'],
  operations: ['CREATE'],
};

/** The rows T and I of the state machine of a ClusterServiceVersion. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'T01-T10-T14-I1',
    title: 'a CSV with everything it needs passes through all phases',
    namespaces,
    actions: installed,
  },
  {
    id: 'T04a',
    title: 'a required CRD is absent, then created',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(csv({ spec: { customresourcedefinitions: { owned: [owned], required: [required] } } })),
      rest('without'),
      ...apply(crd('Dock')),
      rest('with'),
    ],
  },
  {
    id: 'T04b',
    title: 'the owned CRD is absent, then created',
    namespaces,
    actions: [...apply(group(), csv()), rest('without'), ...apply(crd()), rest('with')],
  },
  {
    id: 'T04c',
    title: 'the service account of permissions is absent, then there without a role',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ install: { permissions } })),
      rest('without'),
      ...apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'boat', namespace: '$id-a' } }),
      rest('with'),
    ],
  },
  {
    id: 'T04d',
    title: 'the server is older than minKubeVersion',
    namespaces,
    actions: [...apply(group(), crd(), csv({ spec: { minKubeVersion: '9.0.0' } })), rest('refused')],
  },
  {
    id: 'T04e',
    title: 'a native API does not exist',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(csv({ spec: { nativeAPIs: [{ group: 'nowhere.example.com', version: 'v1', kind: 'None' }] } })),
      rest('refused'),
    ],
  },
  {
    id: 'T03',
    title: 'a permission has a rule without verbs',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'boat', namespace: '$id-a' } }),
      ...apply(csv({ install: { permissions: [{ serviceAccountName: 'boat', rules: [{ ...rule, verbs: [] }] }] } })),
      rest('refused'),
    ],
  },
  {
    id: 'T05-E055',
    title: 'two webhooks have one generateName',
    namespaces,
    actions: [...apply(group(), crd()), ...apply(servingCsv({ webhooks: [webhook(), webhook()] })), rest('refused')],
  },
  ...[everyRule, olmRule, hookRule].map(
    (forbidden, index): Scenario => ({
      id: `T06${'abc'[index]}`,
      title: `a webhook intercepts ${forbidden.apiGroups[0]}/${forbidden.resources[0]}`,
      namespaces,
      actions: [...apply(group(), crd(), servingCsv({ webhooks: [webhook({ rules: [forbidden] })] })), rest('refused')],
    }),
  ),
  {
    id: 'T07',
    title: 'two CSVs of a namespace own one CRD',
    namespaces,
    actions: [...installed, ...apply(csv({ name: 'ship.v0.1.0' })), rest('second')],
  },
  {
    id: 'T11',
    title: 'the install strategy has no known name',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ spec: { install: { strategy: 'magic', spec: { deployments: [] } } } })),
      rest('refused'),
    ],
  },
  {
    id: 'T13',
    title: 'the API server refuses the Deployment',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ install: { deployments: [{ ...deployment(), name: 'Not A Name' }] } })),
      rest('refused'),
    ],
  },
  {
    id: 'T18-T37-T40',
    title: 'a successor with the same Deployment is created',
    namespaces,
    actions: [
      ...installed,
      ...apply(csv({ name: 'boat.v0.2.0', spec: { replaces: 'boat.v0.1.0' } })),
      rest('replaced'),
    ],
  },
  {
    id: 'T18-E019',
    title: 'a successor with another Deployment is created',
    namespaces,
    actions: [
      ...installed,
      ...apply(
        csv({
          name: 'boat.v0.2.0',
          spec: { replaces: 'boat.v0.1.0' },
          install: { deployments: [deployment('ship')] },
        }),
      ),
      rest('replaced'),
    ],
  },
  {
    id: 'T38',
    title: 'the successor never becomes Succeeded',
    namespaces,
    actions: [
      ...installed,
      ...apply(csv({ name: 'boat.v0.2.0', spec: { replaces: 'boat.v0.1.0', minKubeVersion: '9.0.0' } })),
      rest('waiting'),
      { patch: csvTarget('boat.v0.2.0'), merge: { spec: { minKubeVersion: null } } },
      rest('replaced'),
    ],
  },
  {
    id: 'T36-E020',
    title: 'three versions that replace one another are created at once',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv(), csv({ name: 'boat.v0.2.0', spec: { replaces: 'boat.v0.1.0' } })),
      ...apply(csv({ name: 'boat.v0.3.0', spec: { replaces: 'boat.v0.2.0' } })),
      rest('replaced'),
    ],
  },
  {
    id: 'T22-T31-E011',
    title: 'the owned CRD is deleted and created again',
    namespaces,
    actions: [...installed, { delete: crdTarget() }, rest('deleted'), ...apply(crd()), rest('created again')],
  },
  {
    id: 'T24-T35-I10',
    title: 'the Deployment is deleted',
    namespaces,
    actions: [...installed, { delete: deploymentTarget() }, rest('recovered')],
  },
  {
    id: 'I9a-E021',
    title: 'the image of the Deployment is edited in the CSV',
    namespaces,
    actions: [
      ...installed,
      {
        patch: csvTarget('boat.v0.1.0'),
        merge: { spec: { install: { spec: { deployments: [deployment('boat', 'registry.example/boat:2')] } } } },
      },
      rest('updated'),
    ],
  },
  {
    id: 'I9b',
    title: 'the hash label of the Deployment is edited',
    namespaces,
    actions: [
      ...installed,
      { patch: deploymentTarget(), merge: { metadata: { labels: { 'olm.deployment-spec-hash': 'other' } } } },
      rest('corrected'),
    ],
  },
  {
    id: 'I9c',
    title: 'an annotation of the pod template is edited',
    namespaces,
    actions: [
      ...installed,
      {
        patch: deploymentTarget(),
        merge: { spec: { template: { metadata: { annotations: { 'olm.targetNamespaces': 'other' } } } } },
      },
      rest('corrected'),
    ],
  },
  {
    id: 'I10-E021',
    title: 'the Deployment is renamed in the CSV',
    namespaces,
    actions: [
      ...installed,
      {
        patch: csvTarget('boat.v0.1.0'),
        merge: { spec: { install: { spec: { deployments: [deployment('ship')] } } } },
      },
      rest('renamed'),
    ],
  },
  {
    id: 'T42-T27',
    title: 'a CSV has no OperatorGroup, then one is created',
    namespaces,
    actions: [...apply(crd(), csv()), rest('without'), ...apply(group()), rest('with')],
  },
  {
    id: 'T44',
    title: 'the selector of the OperatorGroup matches nothing',
    namespaces,
    actions: [
      ...apply(group({ targets: [], spec: { selector: { matchLabels: { of: '$id' } } } }), crd(), csv()),
      rest('nothing selected'),
    ],
  },
  {
    id: 'E012',
    title: 'a CSV owns an APIService',
    namespaces,
    actions: [...apply(group(), servingCsv({ apiServices: [apiService()] })), rest('installed', succeeded())],
  },
  {
    id: 'E017-E018',
    title: 'annotations of the CSV and labels of the Deployment are applied',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(
        csv({
          annotations: { k: 'of the CSV' },
          install: { deployments: [{ ...deployment(), label: { color: 'blue' } }] },
        }),
      ),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'E053',
    title: 'a CSV has a validating webhook',
    namespaces,
    actions: [...apply(group(), crd(), servingCsv({ webhooks: [webhook()] })), rest('installed', succeeded())],
  },
  {
    id: 'T45-T27-C031',
    title: 'the install modes of a CSV exclude the group, then include it',
    namespaces,
    actions: [
      ...apply(group(), crd(), csv({ spec: { installModes: installModes('AllNamespaces') } })),
      rest('unsupported'),
      { patch: csvTarget('boat.v0.1.0'), merge: { spec: { installModes: installModes('OwnNamespace') } } },
      rest('supported'),
    ],
  },
];
