import {
  apply,
  crd,
  csv,
  csvTarget,
  failed,
  group,
  groupTarget,
  installModes,
  namespaceTarget,
  rest,
  succeeded,
} from '../objects.ts';
import type { Action, Scenario } from '../scenario.ts';

const version1 = 'boat.v0.1.0';
const api = 'Boat.v1.$id.example.com';
const annotated = (apis: string): Action => ({
  patch: groupTarget(),
  merge: { metadata: { annotations: { 'olm.providedAPIs': apis } } },
});
const targets = (namespace: string, ...names: readonly string[]): Action => ({
  patch: groupTarget('group', namespace),
  merge: { spec: { targetNamespaces: names.map((name) => `$id-${name}`) } },
});
const isStatic = { spec: { staticProvidedAPIs: true } };

/** Groups that provide APIs, and how they meet. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'C-044',
    title: 'a CSV is refused because another group provides its API',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ namespace: 'b', targets: ['a', 'b'] }), crd(), csv({ namespace: 'b' })),
      rest('first', succeeded(version1, 'b')),
      ...apply(group(), csv({ name: 'boat.v0.2.0' })),
      rest('second', failed('boat.v0.2.0')),
    ],
  },
  {
    id: 'C-053',
    title: 'a static group without a CSV presets the API of a CSV in a group that intersects',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group(isStatic)),
      annotated(api),
      ...apply(group({ namespace: 'b', targets: ['a', 'b'] }), crd(), csv({ namespace: 'b' })),
      rest('refused', failed(version1, 'b')),
    ],
  },
  {
    id: 'C-057',
    title: 'the annotation of the group has the API already',
    namespaces: ['a'],
    actions: [...apply(group(isStatic)), annotated(api), ...apply(crd(), csv()), rest('accepted', succeeded())],
  },
  {
    id: 'C-059',
    title: 'a second CSV adds its API to the annotation',
    namespaces: ['a'],
    actions: [
      ...apply(group(), crd(), crd('Dock'), csv()),
      rest('one', succeeded()),
      ...apply(csv({ name: 'dock.v0.1.0', kind: 'Dock' })),
      rest('two', succeeded('dock.v0.1.0')),
    ],
  },
  {
    id: 'C-061',
    title: 'a static group has the API that another group that intersects provides',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ namespace: 'b', targets: ['b'] }), crd(), csv({ namespace: 'b' })),
      rest('first', succeeded(version1, 'b')),
      ...apply({ ...group({ targets: ['b'], ...isStatic }) }),
      annotated(api),
      ...apply(csv()),
      rest('second', failed()),
    ],
  },
  {
    id: 'C-062',
    title: 'a group has the API that another group that intersects provides',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ namespace: 'b', targets: ['b'] }), crd(), csv({ namespace: 'b' })),
      rest('first', succeeded(version1, 'b')),
      ...apply(group({ targets: ['b'] })),
      annotated(api),
      ...apply(csv()),
      rest('second', failed()),
    ],
  },
  {
    id: 'C-063',
    title: 'the static group of a refused CSV gets its API',
    namespaces: ['a'],
    actions: [
      ...apply(group(isStatic), crd(), csv()),
      rest('refused', failed()),
      annotated(api),
      rest('accepted', succeeded()),
    ],
  },
  {
    id: 'C-064',
    title: 'a group has only a copy of a CSV in its namespace',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), crd(), csv()),
      rest('copied', succeeded()),
      ...apply(group({ namespace: 'b', targets: ['b'] })),
      rest('second group'),
    ],
  },
  {
    id: 'C-065b',
    title: 'the annotation of a group is malformed',
    namespaces: ['a'],
    actions: [
      ...apply(group(), crd(), csv()),
      rest('installed', succeeded()),
      annotated('Boat,.v1.,nothing at all'),
      rest('corrected'),
    ],
  },
  {
    id: 'E-001',
    title: 'the group walks through all shapes, and the CSV follows',
    namespaces: ['a', 'b', 'c'],
    actions: [
      ...apply(group(), crd(), csv({ spec: { installModes: installModes('OwnNamespace') } })),
      rest('own', succeeded()),
      targets('a', 'b'),
      rest('single refused', failed()),
      { patch: csvTarget(version1), merge: { spec: { installModes: installModes('SingleNamespace') } } },
      rest('single', succeeded()),
      targets('a', 'b', 'c'),
      rest('multi refused', failed()),
      { patch: csvTarget(version1), merge: { spec: { installModes: installModes('MultiNamespace') } } },
      rest('multi', succeeded()),
      { patch: groupTarget(), merge: { spec: { targetNamespaces: null } } },
      rest('all refused', failed()),
      { patch: csvTarget(version1), merge: { spec: { installModes: installModes('AllNamespaces') } } },
      rest('all', succeeded()),
    ],
  },
  {
    id: 'E-002',
    title: 'a global group gets a CSV whose API a group of two namespaces provides',
    namespaces: ['a', 'd', 'e'],
    actions: [
      ...apply(group({ namespace: 'd', targets: ['d', 'e'] }), crd(), csv({ namespace: 'd' })),
      rest('first', succeeded(version1, 'd')),
      ...apply(group({ targets: [] }), csv()),
      rest('second', failed()),
    ],
  },
  {
    id: 'E-003',
    title: 'a global group provides the API, a small group wants it, then the first CSV is deleted',
    namespaces: ['a', 'b', 'c'],
    actions: [
      ...apply(group({ targets: [] }), crd(), csv()),
      rest('first', succeeded()),
      ...apply(group({ namespace: 'b', targets: ['c'] }), csv({ namespace: 'b' })),
      rest('second', failed(version1, 'b')),
      { delete: csvTarget(version1) },
      rest('first deleted', succeeded(version1, 'b')),
    ],
  },
  {
    id: 'E-004a',
    title: 'a static group presets an API that the CSV of a global group provides',
    namespaces: ['a', 'b', 'd'],
    actions: [
      ...apply(group({ targets: ['d'], ...isStatic })),
      annotated(api),
      ...apply(group({ namespace: 'b', targets: [] }), crd(), csv({ namespace: 'b' })),
      rest('refused', failed(version1, 'b')),
      ...apply(crd('Dock'), csv({ namespace: 'b', name: 'dock.v0.1.0', kind: 'Dock' })),
      rest('other API', succeeded('dock.v0.1.0', 'b')),
    ],
  },
  {
    id: 'E-004b',
    title: 'a group beside a static group grows until both intersect',
    namespaces: ['a', 'c', 'd'],
    actions: [
      ...apply(group({ targets: ['d'], ...isStatic })),
      annotated(api),
      ...apply(group({ namespace: 'c', targets: ['c'] }), crd(), csv({ namespace: 'c' })),
      rest('apart', succeeded(version1, 'c')),
      targets('c', 'c', 'd'),
      rest('intersecting', failed(version1, 'c')),
    ],
  },
  {
    id: 'C-060b',
    title: 'two global groups provide one API',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: [] }), crd(), csv()),
      rest('first', succeeded()),
      ...apply(group({ namespace: 'b', targets: [] }), csv({ namespace: 'b' })),
      rest('second', failed(version1, 'b')),
    ],
  },
  {
    id: 'C-066b',
    title: 'the namespace of the other provider of an API is deleted',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ namespace: 'b', targets: ['a', 'b'] }), crd(), csv({ namespace: 'b' })),
      rest('first', succeeded(version1, 'b')),
      ...apply(group(), csv({ name: 'boat.v0.2.0' })),
      rest('second', failed('boat.v0.2.0')),
      { delete: namespaceTarget('b') },
      rest('deleted', succeeded('boat.v0.2.0')),
    ],
  },
  {
    id: 'C-039b',
    title: 'a member fails because the group does not support it any more',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group(), crd(), csv({ spec: { installModes: installModes('OwnNamespace') } })),
      rest('member', succeeded()),
      targets('a', 'b'),
      rest('no member', failed()),
    ],
  },
];
