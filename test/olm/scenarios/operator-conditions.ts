import type { JsonObject } from '../../../src/base/index.ts';
import { apply, conditionTarget, crd, csv, csvTarget, deployment, group, rest, succeeded } from '../objects.ts';
import { clusterRole, readsConfigMaps, readsNodes, role, serviceAccount } from '../rbac-objects.ts';
import type { Action, Scenario } from '../scenario.ts';

const namespaces = ['a'];
const version1 = 'boat.v0.1.0';
const version2 = 'boat.v0.2.0';
const at = '2026-01-01T00:00:00Z';
const installed = [...apply(group(), crd(), csv()), rest('installed', succeeded())];
const successor = apply(csv({ name: version2, spec: { replaces: version1 } }));
const condition = (status: string, message = 'not now'): JsonObject => {
  return { type: 'Upgradeable', status, reason: 'Busy', message, lastTransitionTime: at };
};
const reports = (status: string): Action => ({
  patch: conditionTarget(),
  merge: { spec: { conditions: [condition(status)] } },
});
const override = (status: string): Action => ({
  patch: conditionTarget(),
  merge: {
    spec: { overrides: [{ type: 'Upgradeable', status, reason: 'Admin', message: 'decided', lastTransitionTime: at }] },
  },
});

/** OperatorConditions, and the gate of upgrades. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'E-067a',
    title: 'the operator reports Upgradeable=False, then True',
    namespaces,
    actions: [
      ...installed,
      reports('False'),
      ...successor,
      rest('held'),
      reports('True'),
      rest('replaced', succeeded(version2)),
    ],
  },
  {
    id: 'E-067b',
    title: 'the operator reports Upgradeable=False, an administrator overrides it',
    namespaces,
    actions: [
      ...installed,
      reports('False'),
      ...successor,
      rest('held'),
      override('True'),
      rest('replaced', succeeded(version2)),
    ],
  },
  {
    id: 'E-067c',
    title: 'the operator reports Upgradeable=True, an administrator overrides it',
    namespaces,
    actions: [...installed, reports('True'), override('False'), ...successor, rest('held')],
  },
  {
    id: 'E-067d',
    title: 'the condition in the status is older than the object',
    namespaces,
    actions: [
      ...installed,
      {
        patch: conditionTarget(),
        subresource: 'status',
        merge: { status: { conditions: [{ ...condition('True'), observedGeneration: 0 }] } },
      },
      { patch: conditionTarget(), merge: { spec: { deployments: ['boat', 'other'] } } },
      ...successor,
      rest('successor created'),
    ],
  },
  {
    id: 'E-067e',
    title: 'the replaced CSV is deleted while the gate holds the successor',
    namespaces,
    actions: [
      ...installed,
      reports('False'),
      ...successor,
      rest('held'),
      { delete: csvTarget(version1) },
      rest('deleted', succeeded(version2)),
    ],
  },
  {
    id: 'E-067f',
    title: 'the OperatorCondition of the replaced CSV is deleted while the gate holds the successor',
    namespaces,
    actions: [
      ...installed,
      reports('False'),
      ...successor,
      rest('held'),
      { delete: conditionTarget() },
      rest('deleted'),
    ],
  },
  {
    id: 'E-067g',
    title: 'the operator reports a condition of another type',
    namespaces,
    actions: [
      ...installed,
      { patch: conditionTarget(), merge: { spec: { conditions: [{ ...condition('False'), type: 'Ready' }] } } },
      rest('reported'),
      ...successor,
      rest('replaced', { of: csvTarget(version1), isAbsent: true }),
    ],
  },
  {
    id: 'C-002b',
    title: 'the OperatorCondition of a CSV with two service accounts and two Deployments',
    namespaces,
    actions: [
      ...apply(group(), crd(), serviceAccount(), serviceAccount({ name: 'crew' })),
      ...apply(...role([readsConfigMaps]), ...clusterRole([readsNodes], { name: 'crew' })),
      ...apply(
        csv({
          install: {
            deployments: [deployment(), deployment('crew')],
            permissions: [{ serviceAccountName: 'boat', rules: [readsConfigMaps] }],
            clusterPermissions: [{ serviceAccountName: 'crew', rules: [readsNodes] }],
          },
        }),
      ),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'E-067h',
    title: 'the OperatorCondition, its Role and its RoleBinding are deleted',
    namespaces,
    actions: [
      ...installed,
      { delete: conditionTarget() },
      rest('condition created again'),
      {
        delete: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', name: version1, namespace: '$id-a' },
      },
      rest('role created again'),
    ],
  },
  {
    id: 'E-067i',
    title: 'a user writes another service account into the OperatorCondition',
    namespaces,
    actions: [
      ...installed,
      { patch: conditionTarget(), merge: { spec: { serviceAccounts: ['intruder'], deployments: ['other'] } } },
      rest('edited'),
    ],
  },
];
