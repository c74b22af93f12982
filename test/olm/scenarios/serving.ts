import {
  apply,
  crd,
  crdTarget,
  csv,
  csvTarget,
  deployment,
  failed,
  group,
  namespaceTarget,
  rest,
  secretTarget,
  succeeded,
} from '../objects.ts';
import type { Action, Scenario, Target } from '../scenario.ts';
import { apiService, servingCsv, servingDeployment } from '../serving-objects.ts';

const namespaces = ['a'];
const version1 = 'boat.v0.1.0';
const version2 = 'boat.v0.2.0';
const service = `${servingDeployment}-service`;
const certificate = secretTarget(`${service}-cert`);
const apiServiceTarget: Target = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  name: 'v1.$id.example.com',
};
const serviceTarget: Target = { apiVersion: 'v1', kind: 'Service', name: service, namespace: '$id-a' };
const withApi = [...apply(group(), servingCsv({ apiServices: [apiService()] })), rest('installed', succeeded())];
const due: Action = {
  patch: csvTarget(version1),
  subresource: 'status',
  merge: { status: { certsRotateAt: '2020-01-01T00:00:00Z' } },
};
/** An APIService that some owner has labelled. */
const labelled = (owner: string, namespace = 'a'): Action[] =>
  apply({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      name: 'v1.$id.example.com',
      labels: {
        'olm.owner': owner,
        'olm.owner.namespace': `$id-${namespace}`,
        'olm.owner.kind': 'ClusterServiceVersion',
      },
    },
    spec: {
      group: '$id.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { name: service, namespace: '$id-a', port: 443 },
    },
  });
/** Owned APIServices and their certificates. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'E-012a',
    title: 'an owned APIService becomes available, certificates become due',
    namespaces,
    actions: [...withApi, due, rest('rotated')],
  },
  {
    id: 'E-012b',
    title: 'the APIService of a CSV is deleted',
    namespaces,
    actions: [...withApi, { delete: apiServiceTarget }, rest('created again')],
  },
  {
    id: 'E-012c',
    title: 'a CSV with an APIService is deleted',
    namespaces,
    actions: [...withApi, { delete: csvTarget(version1) }, rest('deleted')],
  },
  {
    id: 'E-013',
    title: 'a CSV with the same APIService is created in another namespace',
    namespaces: ['a', 'b'],
    actions: [
      ...withApi,
      ...apply(group({ namespace: 'b', targets: ['b'] })),
      ...apply(servingCsv({ apiServices: [apiService()] }, { namespace: 'b' })),
      rest('second', failed(version1, 'b')),
    ],
  },
  {
    id: 'E-014',
    title: 'the owner of an APIService does not exist',
    namespaces,
    actions: [...labelled('nothing.v1'), rest('orphan'), ...apply(group()), rest('with a group')],
  },
  {
    id: 'E-014b',
    title: 'the namespace of a CSV with an APIService is deleted',
    namespaces,
    actions: [...withApi, { delete: namespaceTarget('a') }, rest('deleted')],
  },
  {
    id: 'E-015',
    title: 'a Deployment serves two APIServices',
    namespaces,
    actions: [
      ...apply(group()),
      ...apply(
        servingCsv({ apiServices: [apiService(), apiService({ name: '$id-docks', version: 'v2', kind: 'Dock' })] }),
      ),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'E-016a',
    title: 'the successor of a CSV with an APIService is created',
    namespaces,
    actions: [
      ...withApi,
      ...apply(servingCsv({ apiServices: [apiService()] }, { name: version2, spec: { replaces: version1 } })),
      rest('replaced', { of: csvTarget(version1), isAbsent: true }),
    ],
  },
  {
    id: 'E-016b',
    title: 'the owned APIService is labelled for a CSV that is no predecessor',
    namespaces,
    actions: [
      ...labelled('ship.v0.1.0'),
      ...apply(group(), crd('Dock'), csv({ name: 'ship.v0.1.0', kind: 'Dock' })),
      rest('first', succeeded('ship.v0.1.0')),
      ...apply(servingCsv({ apiServices: [apiService()] })),
      rest('second'),
    ],
  },
  {
    id: 'E-016c',
    title: 'the owned APIService has no owner',
    namespaces,
    actions: [
      ...apply({
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.$id.example.com' },
        spec: { group: '$id.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10 },
      }),
      ...apply(group(), servingCsv({ apiServices: [apiService()] })),
      rest('second'),
    ],
  },
  {
    id: 'E-010g',
    title: 'an APIService that a CSV requires is provided by another CSV',
    namespaces,
    actions: [
      ...apply(group(), crd('Dock')),
      ...apply(
        csv({
          name: 'dock.v0.1.0',
          kind: 'Dock',
          install: { deployments: [deployment('dock')] },
          spec: {
            apiservicedefinitions: {
              required: [{ name: 'boats', group: '$id.example.com', version: 'v1', kind: 'Boat' }],
            },
          },
        }),
      ),
      rest('without'),
      ...apply(servingCsv({ apiServices: [apiService({ group: 'sea.$id.example.com' })] })),
      rest('another group', succeeded()),
    ],
  },
  {
    id: 'T04g',
    title: 'an owned APIService names a Deployment that the strategy lacks',
    namespaces,
    actions: [
      ...apply(group(), servingCsv({ apiServices: [apiService({ deploymentName: 'ghost' })] })),
      rest('refused'),
    ],
  },
  {
    id: 'T19a',
    title: 'the Service of an APIService is deleted',
    namespaces,
    actions: [...withApi, { delete: serviceTarget }, rest('recovered')],
  },
  {
    id: 'T19b',
    title: 'the certificate of an APIService is deleted',
    namespaces,
    actions: [...withApi, { delete: certificate }, rest('recovered')],
  },
  {
    id: 'T32',
    title: 'the Role of the certificate is deleted',
    namespaces,
    actions: [
      ...withApi,
      {
        delete: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          name: `${service}-cert`,
          namespace: '$id-a',
        },
      },
      rest('recovered'),
    ],
  },
  {
    id: 'I4',
    title: 'the Pods behind an APIService are replaced',
    namespaces,
    actions: [
      ...withApi,
      {
        patch: { apiVersion: 'apps/v1', kind: 'Deployment', name: servingDeployment, namespace: '$id-a' },
        merge: { spec: { replicas: 0 } },
      },
      rest('no Pods'),
      {
        patch: { apiVersion: 'apps/v1', kind: 'Deployment', name: servingDeployment, namespace: '$id-a' },
        merge: { spec: { replicas: 1 } },
      },
      rest('Pods again', succeeded()),
    ],
  },
  {
    id: 'I6',
    title: 'the APIService never becomes available',
    namespaces,
    actions: [
      ...apply(group()),
      ...apply(
        servingCsv(
          { apiServices: [apiService()] },
          {
            install: {
              deployments: [
                deployment(servingDeployment, 'registry.example/boat', {
                  spec: { readinessGates: [{ conditionType: 'example.com/never' }] },
                }),
              ],
            },
          },
        ),
      ),
      rest('waiting'),
    ],
  },
  {
    id: 'C-038',
    title: 'members own a CRD and an APIService',
    namespaces,
    actions: [
      ...withApi,
      ...apply(crd('Dock'), csv({ name: 'dock.v0.1.0', kind: 'Dock', install: { deployments: [deployment('dock')] } })),
      rest('both', succeeded('dock.v0.1.0')),
      { delete: csvTarget('dock.v0.1.0') },
      rest('one deleted'),
      { delete: crdTarget('docks') },
      rest('its CRD deleted'),
    ],
  },
];
