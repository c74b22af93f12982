import { apply, crd, csv, csvTarget, group, groupTarget, installModes, rest, succeeded } from '../objects.ts';
import type { Scenario } from '../scenario.ts';

const namespaceTarget = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', name: `$id-${name}` });

/** A group of targets, and a CSV that supports one install mode or none. */
function modeScenario(id: string, targets: readonly string[], supported: readonly string[]): Scenario {
  const shape = targets.length === 0 ? 'all namespaces' : targets.join(' and ');
  return {
    id,
    title: `a group in a targets ${shape}, a CSV supports ${supported.join(' and ') || 'nothing'}`,
    namespaces: ['a', 'b', 'c'],
    actions: [
      ...apply(group({ targets }), crd(), csv({ spec: { installModes: installModes(...supported) } })),
      rest('settled'),
    ],
  };
}

/** Rows of the chapter about OperatorGroups. */
export const scenarios: readonly Scenario[] = [
  modeScenario('C-022a', ['a'], ['OwnNamespace']),
  modeScenario('C-022b', ['a'], []),
  modeScenario('C-023a', ['b'], ['SingleNamespace']),
  modeScenario('C-023b', ['b'], []),
  modeScenario('C-024a', ['b', 'c'], ['MultiNamespace']),
  modeScenario('C-024b', ['b', 'c'], []),
  modeScenario('C-024c', ['a', 'b'], ['MultiNamespace']),
  modeScenario('C-024d', ['a', 'b'], ['MultiNamespace', 'OwnNamespace']),
  modeScenario('C-026', ['a'], ['AllNamespaces']),
  {
    id: 'C-021',
    title: 'a CSV is in another namespace than the only group',
    namespaces: ['a', 'b'],
    actions: [...apply(group({ namespace: 'b', targets: ['b'] }), crd(), csv()), rest('settled')],
  },
  {
    id: 'C-027-C-028',
    title: 'a second group is created and deleted',
    namespaces: ['a'],
    actions: [
      ...apply(group(), crd(), csv()),
      rest('one', succeeded()),
      ...apply(group({ name: 'second' })),
      rest('two'),
      { delete: groupTarget('second') },
      rest('one again'),
    ],
  },
  {
    id: 'C-030',
    title: 'the targets of a group become a set that the CSV supports',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['b'] }), crd(), csv({ spec: { installModes: installModes('OwnNamespace') } })),
      rest('unsupported'),
      { patch: groupTarget(), merge: { spec: { targetNamespaces: ['$id-a'] } } },
      rest('supported'),
    ],
  },
  {
    id: 'C-032',
    title: 'namespaces get and lose the label that the group selects',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: [], spec: { selector: { matchLabels: { of: '$id' } } } })),
      { patch: namespaceTarget('b'), merge: { metadata: { labels: { of: '$id' } } } },
      rest('labelled'),
      { patch: namespaceTarget('b'), merge: { metadata: { labels: { of: null } } } },
      rest('unlabelled'),
    ],
  },
  {
    id: 'C-033-E-008',
    title: 'targets of a group are listed, one is removed, the group is deleted',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] })),
      rest('two'),
      { patch: groupTarget(), merge: { spec: { targetNamespaces: ['$id-a'] } } },
      rest('one'),
      { delete: groupTarget() },
      rest('deleted'),
    ],
  },
  {
    id: 'C-034',
    title: 'a group has both targets and a selector',
    namespaces: ['a', 'b'],
    actions: [...apply(group({ targets: ['b'], spec: { selector: { matchLabels: { of: '$id' } } } })), rest('settled')],
  },
  {
    id: 'C-035-C-040',
    title: 'a group has no targets',
    namespaces: ['a'],
    actions: [...apply(group({ targets: [] })), rest('settled')],
  },
  {
    id: 'C-036-C-038-C-042-C-048-C-051',
    title: 'a CSV is a member of a group with another target, then the target is removed',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), crd(), csv()),
      rest('copied', succeeded()),
      { patch: groupTarget(), merge: { spec: { targetNamespaces: ['$id-a'] } } },
      rest('C-051 target removed'),
    ],
  },
  {
    id: 'C-039-C-050',
    title: 'the source of a copy is deleted',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), crd(), csv()),
      rest('copied', succeeded()),
      { delete: csvTarget('boat.v0.1.0') },
      rest('deleted'),
    ],
  },
  {
    id: 'C-041',
    title: 'groups of one name in two namespaces',
    namespaces: ['a', 'b'],
    actions: [...apply(group(), group({ namespace: 'b', targets: ['b'] })), rest('settled')],
  },
  {
    id: 'C-052-C-058',
    title: 'the annotation of a static group lacks the API of a CSV',
    namespaces: ['a'],
    actions: [
      ...apply(group({ spec: { staticProvidedAPIs: true } }), crd(), csv()),
      rest('refused'),
      {
        patch: groupTarget(),
        merge: { metadata: { annotations: { 'olm.providedAPIs': 'Boat.v1.$id.example.com' } } },
      },
      rest('C-063 annotated'),
    ],
  },
  {
    id: 'C-054',
    title: 'two groups with disjoint targets provide one API',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group(), group({ namespace: 'b', targets: ['b'] }), crd(), csv(), csv({ namespace: 'b' })),
      rest('settled'),
    ],
  },
  {
    id: 'C-055',
    title: 'two groups with overlapping targets provide two APIs',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ targets: ['a', 'b'] }), group({ namespace: 'b', targets: ['b'] }), crd(), crd('Dock')),
      ...apply(csv(), csv({ namespace: 'b', name: 'dock.v0.1.0', kind: 'Dock' })),
      rest('settled'),
    ],
  },
  {
    id: 'C-056-C-060-C-066',
    title: 'a group targets the namespace of another that provides the same API, which then is deleted',
    namespaces: ['a', 'b'],
    actions: [
      ...apply(group({ namespace: 'b', targets: ['b'] }), crd(), csv({ namespace: 'b' })),
      rest('first', succeeded('boat.v0.1.0', 'b')),
      ...apply(group({ targets: ['b'] }), csv()),
      rest('second'),
      { delete: csvTarget('boat.v0.1.0', 'b') },
      rest('first deleted'),
    ],
  },
  {
    id: 'C-065',
    title: 'the annotation of a group has an API too many',
    namespaces: ['a'],
    actions: [
      ...apply(group(), crd(), csv()),
      rest('installed', succeeded()),
      {
        patch: groupTarget(),
        merge: { metadata: { annotations: { 'olm.providedAPIs': 'Boat.v1.$id.example.com,Dock.v1.$id.example.com' } } },
      },
      rest('pruned'),
    ],
  },
];
