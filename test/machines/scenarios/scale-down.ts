import type { JsonObject } from '../../../src/base/index.ts';
import { clusterLabel, machine, machineObject, machineSet, node, nodeOf, setObject } from '../objects.ts';
import type { Action, Scenario, State } from '../scenario.ts';

const mark = 'machine.openshift.io/delete-machine';
const oldMark = 'machine.openshift.io/cluster-api-delete-machine';
const invalid: JsonObject = { error: { reason: 'InvalidConfiguration', message: 'no such size' } };
const hooks: JsonObject = { lifecycleHooks: { preDrain: [{ name: 'Backup', owner: 'backup-controller' }] } };

const phase = (name: string, is: string): State => ({ of: machine(name), has: `"phase":"${is}"` });
const annotate = (name: string, annotations: JsonObject): Action => ({
  patch: machine(name),
  merge: { metadata: { annotations } },
});

/** A machine that the set will adopt: its name is known, so that the scenario can mark it. */
function memberOf(name: string, spec: JsonObject = {}): Action {
  return { apply: machineObject(name, { metadata: { labels: { ...clusterLabel, set: 'workers' } }, spec }) };
}

/** A machine with a Node. */
function runningMember(name: string, spec?: JsonObject): Action[] {
  return [
    memberOf(name, spec),
    { await: { of: machine(name), has: `test:///${name}` } },
    { apply: nodeOf(name) },
    { await: phase(name, 'Running') },
  ];
}

/** The set of the machines that exist, once it has adopted them. */
function adoptBy(deletePolicy: 'Random' | 'Newest' | 'Oldest' | undefined, replicas = 3): Action[] {
  return [
    { apply: setObject('workers', replicas, { spec: deletePolicy === undefined ? {} : { deletePolicy } }) },
    { rest: 'set', until: { of: machineSet('workers'), has: `"fullyLabeledReplicas":${replicas}` } },
  ];
}

const three = ['a', 'b', 'c'].flatMap((name) => runningMember(name));
const scale = (replicas: number, subresource?: 'scale'): Action => ({
  patch: machineSet('workers'),
  merge: { spec: { replicas } },
  ...(subresource === undefined ? {} : { subresource }),
});
const scaled = (replicas: number): Action[] => [scale(replicas), left(replicas)];
const left = (machines: number): Action => ({ rest: `${machines} left`, until: { machines } });

/** Machines in the order of `names`, each created in another second: the age of a machine is counted by its creation, in seconds. */
const oneAfterAnother = (...names: readonly string[]): Action[] =>
  names.flatMap((name) => [...runningMember(name), { rest: name }]);

/** Which machines of a set are deleted first. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'scale-down-marked',
    title: 'one of three machines is marked for deletion, and the set scales to two',
    rows: ['ML-06', 'ML-51'],
    actions: [...three, ...adoptBy(undefined), annotate('b', { [mark]: 'yes' }), { rest: 'marked' }, ...scaled(2)],
  },
  {
    id: 'scale-down-old-mark',
    title: 'a machine has the former annotation for deletion, another one an empty one',
    rows: ['ML-51'],
    actions: [
      ...three,
      ...adoptBy('Random'),
      annotate('c', { [oldMark]: 'true' }),
      annotate('b', { [mark]: '' }),
      { rest: 'marked' },
      ...scaled(2),
      ...scaled(1),
    ],
  },
  {
    id: 'scale-down-autoscaler',
    title: 'the autoscaler chooses a node, marks its machine and lowers the number by the subresource scale',
    rows: ['ML-09'],
    actions: [
      ...three,
      ...adoptBy(undefined),
      {
        patch: node('c'),
        merge: {
          spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1767225600', effect: 'NoSchedule' }] },
        },
      },
      annotate('c', { [mark]: '2026-01-01 00:00:00 +0000 UTC' }),
      { rest: 'marked' },
      scale(2, 'scale'),
      left(2),
    ],
  },
  {
    id: 'scale-down-random',
    title: 'a machine is running, one has no Node, one has failed, one is running and marked',
    rows: ['ML-51'],
    actions: [
      ...runningMember('a'),
      memberOf('b'),
      { await: phase('b', 'Provisioned') },
      { provider: 'create', answers: invalid },
      memberOf('c'),
      { await: phase('c', 'Failed') },
      { provider: 'create', answers: null },
      ...runningMember('d'),
      ...adoptBy('Random', 4),
      annotate('d', { [mark]: 'yes' }),
      { rest: 'marked' },
      ...scaled(2),
      ...scaled(1),
    ],
  },
  {
    id: 'scale-down-oldest',
    title: 'the policy is Oldest',
    rows: ['ML-51'],
    actions: [...oneAfterAnother('b', 'c', 'a'), ...adoptBy('Oldest'), ...scaled(2), ...scaled(1)],
  },
  {
    id: 'scale-down-newest',
    title: 'the policy is Newest',
    rows: ['ML-51'],
    actions: [...oneAfterAnother('a', 'c', 'b'), ...adoptBy('Newest'), ...scaled(2), ...scaled(1)],
  },
  {
    id: 'scale-down-oldest-marked',
    title: 'the policy is Oldest, and the newest machine is marked',
    rows: ['ML-06', 'ML-51'],
    actions: [
      ...oneAfterAnother('a', 'b', 'c'),
      ...adoptBy('Oldest'),
      annotate('c', { [mark]: 'yes' }),
      { rest: 'marked' },
      ...scaled(2),
      ...scaled(1),
    ],
  },
  {
    id: 'scale-down-newest-failed',
    title: 'the policy is Newest, and the oldest machine has failed',
    rows: ['ML-51'],
    actions: [
      { provider: 'create', answers: invalid },
      memberOf('b'),
      { await: phase('b', 'Failed') },
      { provider: 'create', answers: null },
      { rest: 'failed' },
      ...oneAfterAnother('a', 'c'),
      ...adoptBy('Newest'),
      ...scaled(2),
      ...scaled(1),
    ],
  },
  {
    id: 'scale-down-two',
    title: 'a set of three scales to one at once, one machine is marked',
    rows: ['ML-08', 'ML-51'],
    actions: [...three, ...adoptBy('Random'), annotate('c', { [mark]: 'yes' }), { rest: 'marked' }, ...scaled(1)],
  },
  {
    id: 'scale-down-held',
    title: 'a hook holds a machine of the set that is being deleted: it is replaced, and does not count',
    rows: ['ML-08'],
    hasNodes: true,
    actions: [
      memberOf('a'),
      memberOf('b', hooks),
      { await: phase('a', 'Running') },
      { await: phase('b', 'Running') },
      ...adoptBy('Random', 2),
      { delete: machine('b') },
      { rest: 'replaced', until: { machines: 3 } },
      scale(1),
      { rest: 'one stays' },
      { patch: machine('b'), merge: { spec: { lifecycleHooks: { preDrain: null } } } },
      left(1),
    ],
  },
];
