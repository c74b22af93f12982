import { catalog, catalogSource, connected, latest, subscription, subscriptionTarget } from '../catalog-objects.ts';
import { apply, crd, csv, failed, group, groupTarget, rest, succeeded } from '../objects.ts';
import { role, serviceAccount } from '../rbac-objects.ts';
import type { Scenario } from '../scenario.ts';

const namespaces = ['a'];
const scoped = group({ spec: { serviceAccountName: 'scoped' } });
const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
const granted = apply(...role(everything, { name: 'scoped' }));
const account = serviceAccount({ name: 'scoped' });
const deploys = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'] }];

/** Groups whose service account installs. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'E-006a',
    title: 'the service account of the group is removed from it',
    namespaces,
    actions: [
      ...apply(account, scoped, crd(), csv()),
      rest('refused', failed()),
      { patch: groupTarget(), merge: { spec: { serviceAccountName: null } } },
      rest('unscoped', succeeded()),
    ],
  },
  {
    id: 'E-006b',
    title: 'the service account of the group may create Deployments',
    namespaces,
    actions: [
      ...apply(account, ...role(deploys, { name: 'scoped' }), scoped, crd(), csv()),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'E-006c',
    title: 'the service account of the group does not exist, then it is created',
    namespaces,
    actions: [
      ...apply(scoped, crd(), csv()),
      rest('missing'),
      ...granted,
      ...apply(account),
      rest('created', succeeded()),
    ],
  },
  {
    id: 'E-006d',
    title: 'the service account of the group is deleted after the installation',
    namespaces,
    actions: [
      ...apply(account),
      ...granted,
      ...apply(scoped, crd(), csv()),
      rest('installed', succeeded()),
      { delete: { apiVersion: 'v1', kind: 'ServiceAccount', name: 'scoped', namespace: '$id-a' } },
      rest('deleted'),
    ],
  },
  {
    id: 'E-039a',
    title: 'a plan is executed by a service account without permissions, which it gets later',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [
      ...apply(account, scoped, catalogSource('old')),
      rest('catalog', connected()),
      ...apply(subscription()),
      rest('refused', { of: subscriptionTarget(), has: 'InstallPlanFailed' }),
      ...granted,
      rest('granted', latest()),
    ],
  },
  {
    id: 'E-039b',
    title: 'a plan is executed by a service account with permissions',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [
      ...apply(account),
      ...granted,
      ...apply(scoped, catalogSource('old')),
      rest('catalog', connected()),
      ...apply(subscription()),
      rest('installed', latest()),
    ],
  },
  {
    id: 'E-039c',
    title: 'the service account of a plan does not exist, then it is created',
    namespaces,
    catalogs: { old: catalog({ version: '0.1.0' }) },
    actions: [
      ...apply(scoped, catalogSource('old')),
      rest('catalog', connected()),
      ...apply(subscription()),
      rest('missing'),
      ...granted,
      ...apply(account),
      rest('created', latest()),
    ],
  },
];
