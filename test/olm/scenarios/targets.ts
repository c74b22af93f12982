import {
  apply,
  crd,
  csv,
  csvTarget,
  deploymentTarget,
  failed,
  group,
  groupTarget,
  installModes,
  namespaceTarget,
  rest,
  succeeded,
} from '../objects.ts';
import {
  accessReview,
  clusterRole,
  ownerReference,
  readsConfigMaps,
  readsNodes,
  role,
  serviceAccount,
} from '../rbac-objects.ts';
import type { Scenario } from '../scenario.ts';
import { apiService, servingCsv } from '../serving-objects.ts';

const version1 = 'boat.v0.1.0';
const permissions = [{ serviceAccountName: 'boat', rules: [readsConfigMaps] }];
/** Role and RoleBinding as an InstallPlan makes them. */
const ownRole = role([readsConfigMaps], {
  metadata: {
    labels: {
      'olm.managed': 'true',
      'olm.owner': version1,
      'olm.owner.namespace': '$id-a',
      'olm.owner.kind': 'ClusterServiceVersion',
    },
    ownerReferences: [ownerReference('operators.coreos.com/v1alpha1', 'ClusterServiceVersion', version1)],
  },
});
const withRole = [
  ...apply(crd(), csv({ install: { permissions } })),
  rest('required'),
  ...apply(serviceAccount(), ...ownRole),
];
const edit = { namespace: '$id-b', verb: 'create', group: '$id.example.com', resource: 'boats' };
const selected = { selector: { matchLabels: { of: '$id' } } };
const label = (value: string | null) => ({ metadata: { labels: { of: value } } });

/** What members of a group get in its target namespaces. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'C-019',
    title: 'a group has two targets',
    namespaces: ['a', 'b'],
    actions: [...apply(group({ targets: ['b', 'a'] }), crd(), csv()), rest('installed', succeeded())],
  },
  {
    id: 'C-020',
    title: 'a group has one of two other namespaces as target',
    namespaces: ['a', 'b', 'c'],
    actions: [...apply(group({ targets: ['b'] })), ...withRole, rest('installed', succeeded())],
  },
  {
    id: 'C-025a',
    title: 'a group is global, a CSV supports AllNamespaces',
    namespaces: ['a'],
    actions: [
      ...apply(group({ targets: [] }), crd(), csv({ spec: { installModes: installModes('AllNamespaces') } })),
      rest('settled', succeeded()),
    ],
  },
  {
    id: 'C-025b',
    title: 'a group is global, a CSV supports everything else',
    namespaces: ['a'],
    actions: [
      ...apply(group({ targets: [] }), crd()),
      ...apply(csv({ spec: { installModes: installModes('OwnNamespace', 'SingleNamespace', 'MultiNamespace') } })),
      rest('settled', failed()),
    ],
  },
  {
    id: 'C-026b',
    title: 'a CSV lists no install mode',
    namespaces: ['a'],
    actions: [...apply(group(), crd(), csv({ spec: { installModes: [] } })), rest('settled', failed())],
  },
  {
    id: 'C-029',
    title: 'a member is Succeeded, then its install modes change',
    namespaces: ['a'],
    actions: [
      ...apply(group(), crd(), csv()),
      rest('member', succeeded()),
      { patch: csvTarget(version1), merge: { spec: { installModes: installModes('AllNamespaces') } } },
      rest('unsupported', failed()),
    ],
  },
  {
    id: 'C-031',
    title: 'the install modes of a CSV change until they support the group',
    namespaces: ['a'],
    actions: [
      ...apply(group(), crd(), csv({ spec: { installModes: installModes('MultiNamespace') } })),
      rest('unsupported', failed()),
      { patch: csvTarget(version1), merge: { spec: { installModes: installModes('MultiNamespace', 'OwnNamespace') } } },
      rest('supported', succeeded()),
    ],
  },
  {
    id: 'C-037',
    title: 'annotations and labels of a copied CSV',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), crd()),
      ...apply({
        ...csv({ annotations: { color: 'blue' } }),
      }),
      {
        patch: csvTarget(version1),
        merge: { metadata: { labels: { shape: 'round', 'operators.coreos.com/boat.$id-a': '' } } },
      },
      rest('copied', succeeded()),
    ],
  },
  {
    id: 'C-042b',
    title: 'a CSV owns a CRD in two versions',
    namespaces: ['a'],
    actions: [
      ...apply(group(), crd('Boat', ['v1', 'v2'])),
      ...apply(
        csv({
          spec: {
            customresourcedefinitions: {
              owned: ['v1', 'v2'].map((version) => ({ name: 'boats.$id.example.com', version, kind: 'Boat' })),
            },
          },
        }),
      ),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'C-043',
    title: 'an active CSV owns an APIService',
    namespaces: ['a'],
    actions: [...apply(group(), servingCsv({ apiServices: [apiService()] })), rest('installed', succeeded())],
  },
  {
    id: 'C-045',
    title: 'users have the built-in roles in a target namespace',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), crd(), csv()),
      ...apply(
        ...['admin', 'edit', 'view'].map((name) => ({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name, namespace: '$id-b' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `${name}-$id` }],
        })),
      ),
      {
        ...rest('installed', succeeded()),
        rest: 'installed',
        reviews: {
          'admin deletes many': accessReview('admin-$id', { ...edit, verb: 'deletecollection' }),
          'edit creates': accessReview('edit-$id', edit),
          'edit reads': accessReview('edit-$id', { ...edit, verb: 'list' }),
          'view creates': accessReview('view-$id', edit),
          'view reads': accessReview('view-$id', { ...edit, verb: 'list' }),
          'view reads elsewhere': accessReview('view-$id', { ...edit, verb: 'list', namespace: '$id-a' }),
          stranger: accessReview('stranger-$id', { ...edit, verb: 'get' }),
        },
      },
    ],
  },
  {
    id: 'C-046',
    title: 'a CSV with permissions is a member of a global group',
    namespaces: ['a', 'b'],
    actions: [...apply(group({ targets: [] })), ...withRole, rest('installed', succeeded())],
  },
  {
    id: 'C-046b',
    title: 'a member of a global group has the permissions in the cluster already',
    namespaces: ['a'],
    actions: [
      ...apply(group({ targets: [] }), ...clusterRole([readsConfigMaps, readsNodes])),
      ...withRole,
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'C-047',
    title: 'a CSV with permissions is a member of a group with three targets, then of one with two',
    namespaces: ['a', 'b', 'c'],
    actions: [
      ...apply(group({ targets: ['a', 'b', 'c'] })),
      ...withRole,
      rest('installed', succeeded()),
      { patch: groupTarget(), merge: { spec: { targetNamespaces: ['$id-a', '$id-b'] } } },
      rest('one removed'),
    ],
  },
  {
    id: 'C-047b',
    title: 'a copied Role is edited, and the original too',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] })),
      ...withRole,
      rest('installed', succeeded()),
      {
        patch: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', name: 'boat', namespace: '$id-b' },
        merge: { rules: [] },
      },
      rest('copy edited'),
      {
        patch: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', name: 'boat', namespace: '$id-a' },
        merge: { rules: [readsConfigMaps, { apiGroups: [''], resources: ['pods'], verbs: ['list'] }] },
      },
      rest('original edited'),
    ],
  },
  {
    id: 'C-049',
    title: 'the source of a copy fails, then recovers',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), crd(), csv()),
      rest('copied', succeeded()),
      {
        patch: deploymentTarget(),
        merge: { spec: { template: { metadata: { annotations: { 'apiserver.longshore.dev/simulate': 'fail' } } } } },
      },
      rest('edited'),
    ],
  },
  {
    id: 'C-050',
    title: 'the source of two copies is deleted',
    namespaces: ['a', 'b', 'c'],
    actions: [
      ...apply(group({ targets: ['a', 'b', 'c'] }), crd(), csv()),
      rest('copied', succeeded()),
      { delete: csvTarget(version1) },
      rest('deleted', { of: csvTarget(version1, 'b'), isAbsent: true }),
    ],
  },
  {
    id: 'C-032b',
    title: 'the selector of a group matches another namespace after the CSV is Succeeded',
    namespaces: ['a', 'b'],
    actions: [
      { patch: namespaceTarget('a'), merge: label('$id') },
      ...apply(group({ targets: [], spec: selected }), crd(), csv()),
      rest('one', succeeded()),
      { patch: namespaceTarget('b'), merge: label('$id') },
      rest('two', { of: groupTarget(), has: '"$id-b"' }),
      { patch: namespaceTarget('b'), merge: label(null) },
      rest('one again'),
    ],
  },
  {
    id: 'E-005',
    title: 'a namespace is created beside a global group',
    namespaces: ['a'],
    actions: [
      ...apply(group({ targets: [] })),
      ...withRole,
      rest('installed', succeeded()),
      ...apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: '$id-new' } }),
      rest('namespace created'),
      { delete: { apiVersion: 'v1', kind: 'Namespace', name: '$id-new' } },
      rest('namespace deleted'),
    ],
  },
  {
    id: 'E-007',
    title: 'the annotations of a copy name another operator namespace',
    namespaces: ['a', 'b', 'c'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), crd(), csv()),
      rest('copied', succeeded()),
      {
        patch: csvTarget(version1, 'b'),
        merge: {
          metadata: { annotations: { 'olm.operatorNamespace': '$id-c', 'olm.operatorGroupNamespace': '$id-c' } },
        },
      },
      rest('corrected'),
    ],
  },
  {
    id: 'E-008b',
    title: 'a group that selects namespaces is deleted',
    namespaces: ['a', 'b'],
    actions: [
      { patch: namespaceTarget('b'), merge: label('$id') },
      ...apply(group({ targets: [], spec: selected })),
      rest('labelled'),
      { delete: groupTarget() },
      rest('deleted'),
    ],
  },
  {
    id: 'E-026',
    title: 'the status of a copy is altered',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), crd(), csv()),
      rest('copied', succeeded()),
      {
        patch: csvTarget(version1, 'b'),
        subresource: 'status',
        merge: { status: { phase: 'Failed', message: 'altered' } },
      },
      rest('corrected'),
    ],
  },
  {
    id: 'E-026b',
    title: 'the spec of a copy is altered',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), crd(), csv()),
      rest('copied', succeeded()),
      { patch: csvTarget(version1, 'b'), merge: { spec: { displayName: 'Altered' } } },
      rest('corrected'),
    ],
  },
];
