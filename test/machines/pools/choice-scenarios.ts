import type { PoolNodeOptions } from '../../support/pool-cluster.ts';
import type { PoolAction, PoolScenario } from './scenario.ts';
import {
  annotate,
  begin,
  change,
  config,
  file,
  finish,
  node,
  nodes,
  pool,
  prefix,
  ready,
  rest,
  scenario,
  spec,
} from './scenario-actions.ts';

const choice: readonly PoolScenario[] = [
  scenario(
    ['limit-default', 'three nodes without a limit'],
    ['MP-02', 'MP-06', 'MP-15'],
    [
      ...begin(),
      ...nodes(3),
      rest('all have the first'),
      change('two'),
      rest('one is started'),
      annotate('w1', { state: 'Working' }),
      rest('it works'),
      finish('w1', '<2>'),
      rest('the next one'),
      finish('w2', '<2>'),
      rest('the last one'),
      finish('w3', '<2>'),
      rest('updated'),
    ],
  ),
  scenario(
    ['limit-three', 'five nodes, three at a time, that finish in another order'],
    ['MP-03', 'MP-07'],
    [
      ...begin({ maxUnavailable: 3 }),
      ...nodes(5, (index) => ({ zone: `z${index}` })),
      rest('all have the first'),
      change('two'),
      rest('three are started'),
      finish('w2', '<2>'),
      rest('two is done'),
      finish('w1', '<2>'),
      rest('one is done'),
      finish('w3', '<2>'),
      finish('w5', '<2>'),
      finish('w4', '<2>'),
      rest('updated'),
    ],
  ),
  scenario(
    ['limit-percent', 'half of five nodes'],
    ['MP-10'],
    [
      ...begin({ maxUnavailable: '50%' }),
      ...nodes(5, (index) => ({ zone: `z${index}` })),
      change('two'),
      rest('started'),
    ],
  ),
  scenario(
    ['limit-zero', 'a limit of zero counts as one'],
    ['MP-10'],
    [...begin({ maxUnavailable: 0 }), ...nodes(2, (index) => ({ zone: `z${index}` })), change('two'), rest('started')],
  ),
  scenario(
    ['limit-invalid', 'a limit that is no percentage'],
    ['MP-10'],
    [
      ...begin(),
      ...nodes(2),
      rest('all have the first'),
      spec('worker', { maxUnavailable: '50 percent' }),
      change('two'),
      rest('nothing is started'),
    ],
  ),
  scenario(
    ['limit-negative', 'a negative limit'],
    ['MP-10'],
    [
      ...begin(),
      ...nodes(2),
      rest('all have the first'),
      spec('worker', { maxUnavailable: -1 }),
      change('two'),
      rest('nothing is started'),
    ],
  ),
  scenario(
    ['not-ready', 'a node that is not ready counts, and is not started'],
    ['MP-05', 'MP-11', 'MP-13', 'MP-27'],
    [
      ...begin({ maxUnavailable: 2 }),
      ...nodes(3, (index) => ({ zone: `z${index}`, ready: index === 1 ? 'False' : 'True' })),
      rest('one is not ready'),
      change('two'),
      rest('one is started'),
      ready('w1', 'True'),
      rest('it is ready'),
    ],
  ),
  scenario(
    ['two-of-three', 'a limit of three, of which a node that is not ready and one that was targeted use up two'],
    ['MP-14'],
    [
      ...begin({ maxUnavailable: 3, paused: true }),
      node('w1', { zone: 'a' }),
      node('w2', { zone: 'b', current: 'rendered-old', ready: 'False' }),
      node('w3', { zone: 'c', current: 'rendered-old', desired: '<1>' }),
      node('w4', { zone: 'd', current: 'rendered-old' }),
      node('w5', { zone: 'e', current: 'rendered-old' }),
      rest('paused'),
      spec('worker', { paused: false }),
      rest('one more is started'),
    ],
  ),
  scenario(
    ['two-of-four', 'nine nodes and a limit of four, of which a node at work and one that is not ready use up two'],
    ['MP-20'],
    [
      ...begin({ maxUnavailable: 4, paused: true }),
      ...nodes(9, (index) => ({
        zone: `z${index}`,
        ...([1, 2, 7].includes(index) ? {} : { current: 'rendered-old' }),
        ...(index === 3 ? { desired: '<1>', state: 'Working' } : {}),
        ...(index === 7 ? { ready: 'False' } : {}),
      })),
      rest('paused'),
      spec('worker', { paused: false }),
      rest('two more are started'),
    ],
  ),
  scenario(
    ['cordoned', 'a node that an administrator has cordoned'],
    ['MP-05'],
    [
      ...begin(),
      ...nodes(2, (index) => ({ unschedulable: index === 1 })),
      rest('one is cordoned'),
      change('two'),
      rest('nothing is started'),
    ],
  ),
  scenario(
    ['zones', 'nodes of zones and without'],
    ['MP-22'],
    [
      ...begin({ maxUnavailable: 2 }),
      node('w1'),
      node('w2', { zone: 'b' }),
      node('w3', { zone: 'a' }),
      node('w4', { zone: 'b' }),
      change('two'),
      rest('started'),
    ],
  ),
  scenario(
    ['targeted', 'a node that was targeted and has not begun'],
    ['MP-12'],
    [
      ...begin(),
      ...nodes(2),
      rest('all have the first'),
      change('two'),
      rest('one is started'),
      change('three'),
      rest('another target'),
    ],
  ),
  scenario(
    ['paused', 'a paused pool'],
    ['MP-25'],
    [
      ...begin({ paused: true }),
      ...nodes(2, (index) => ({ zone: `z${index}` })),
      rest('all have the first'),
      change('two'),
      rest('paused'),
      spec('worker', { paused: false }),
      rest('resumed'),
    ],
  ),
];

const failing = (current: string, desired: string): PoolNodeOptions => ({
  current,
  desired,
  state: 'Degraded',
  reason: 'no "space" left',
});

/** What the agent of the reference reports beside its annotations. */
const machineConfigNode = (name: string, message: string): PoolAction => ({
  create: {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigNode',
    metadata: { name },
    status: {
      conditions: [
        { type: 'NodeDegraded', status: 'True', message, reason: 'Failed', lastTransitionTime: '2030-01-01T00:00:00Z' },
      ],
    },
  },
});

const degraded: readonly PoolScenario[] = [
  scenario(
    ['degraded', 'a node that fails at the target'],
    ['MP-17', 'MP-26'],
    [
      ...begin(),
      machineConfigNode('w1', 'no "space" left'),
      node('w1', { current: 'rendered-old', desired: '<1>', state: 'Degraded', reason: 'no "space" left' }),
      node('w2', { current: 'rendered-old' }),
      rest('degraded'),
    ],
  ),
  scenario(
    ['degraded-at-target', 'a node that has the target and is degraded'],
    ['MP-17'],
    [...begin(), node('w1', failing('<1>', '<1>')), node('w2', { current: 'rendered-old' }), rest('degraded')],
  ),
  scenario(
    ['degraded-elsewhere', 'a node that fails on its way to another configuration'],
    ['MP-16'],
    [
      ...begin(),
      node('w1', { ...failing('rendered-0', 'rendered-1'), zone: 'a' }),
      node('w2', { current: 'rendered-0', zone: 'b' }),
      rest('started'),
    ],
  ),
  scenario(
    ['degraded-back', 'a node that is stuck on its way away from the target'],
    ['MP-18'],
    [...begin(), node('w1', failing('<1>', 'rendered-2')), rest('brought back')],
  ),
  scenario(
    ['unreconcilable', 'a node that cannot be reconciled'],
    ['MP-26'],
    [
      ...begin(),
      node('w1', { ...failing('rendered-old', '<1>'), state: 'Unreconcilable' }),
      rest('degraded'),
      finish('w1', '<1>'),
      rest('done'),
    ],
  ),
  scenario(
    ['other-target', 'a node that is done with another configuration'],
    ['MP-19'],
    [...begin(), node('w1', { current: 'rendered-2' }), rest('started')],
  ),
  scenario(
    ['images', 'nodes with images left from image mode'],
    ['MP-21'],
    [
      ...begin({ maxUnavailable: 2 }),
      node('w1', { annotations: { [`${prefix}currentImage`]: 'example.org/os' }, zone: 'a' }),
      node('w2', {
        annotations: { [`${prefix}currentImage`]: 'example.org/os', [`${prefix}desiredImage`]: 'example.org/os' },
        zone: 'b',
      }),
      rest('opted out'),
    ],
  ),
];

const control: PoolAction[] = [config('00-master', 'master', file('one')), pool('master'), rest('rendered')];
const master = (name: string, options: PoolNodeOptions = {}): PoolAction => node(name, { role: 'master', ...options });
const operator = (nodeName: string): PoolAction => ({
  create: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'operator', labels: { 'k8s-app': 'machine-config-operator' } },
    spec: { nodeName, containers: [{ name: 'main', image: 'example.org/operator' }] },
  },
});
const topology: PoolAction = {
  patch: { kind: 'ControllerConfig', name: 'machine-config-controller' },
  merge: { spec: { infra: { status: { controlPlaneTopology: 'HighlyAvailableArbiter' } } } },
};

/** Its other parts report that they have seen it. */
const observed: PoolAction = {
  patch: { kind: 'ControllerConfig', name: 'machine-config-controller' },
  merge: { status: { observedGeneration: 2 } },
  subresource: 'status',
};
const pools: readonly PoolScenario[] = [
  scenario(
    ['control-plane', 'a control plane whose operator runs on the first node'],
    ['MP-01', 'MP-23'],
    [
      ...control,
      master('m1', { zone: 'a' }),
      master('m2', { zone: 'b' }),
      operator('m1'),
      rest('all have the first'),
      change('two', '00-master'),
      rest('the second one'),
      finish('m2', '<2>'),
      rest('the first one'),
    ],
  ),
  scenario(
    ['arbiter', 'a control plane with an arbiter'],
    ['MP-34'],
    [
      ...control,
      config('00-arbiter', 'arbiter', file('arbiter')),
      pool('arbiter'),
      topology,
      observed,
      rest('both are rendered'),
      master('m1', { zone: 'a' }),
      master('m2', { zone: 'b' }),
      node('a1', { role: 'arbiter', current: '<2>', ready: 'False' }),
      rest('the arbiter is not ready'),
      change('two', '00-master'),
      rest('nothing is started'),
      ready('a1', 'True'),
      rest('a master is started'),
    ],
  ),
  scenario(
    ['membership', 'nodes of several roles'],
    ['MP-24'],
    [
      ...begin(),
      config('00-infra', 'infra', file('infra')),
      pool('infra'),
      rest('infra'),
      config('00-gpu', 'gpu', file('gpu')),
      pool('gpu'),
      rest('gpu'),
      config('00-master', 'master', file('m')),
      pool('master'),
      rest('all are rendered'),
      node('both', { role: ['infra', 'worker'], current: 'rendered-x' }),
      node('two', { role: ['infra', 'gpu', 'worker'], current: 'rendered-x' }),
      node('high', { role: ['master', 'infra'], current: 'rendered-x' }),
      node('win', { current: 'rendered-x', labels: { 'kubernetes.io/os': 'windows' } }),
      rest('members'),
    ],
  ),
  scenario(
    ['selects-all-nodes', 'a pool whose selector of nodes is empty'],
    [],
    [
      config('00-worker', 'worker', file('one')),
      pool('worker', { nodeSelector: {} }),
      node('w1', { current: 'rendered-x' }),
      rest('nothing'),
    ],
  ),
  scenario(['empty', 'a pool without nodes'], [], [...begin(), change('two'), rest('updated')]),
];

/** Which nodes a pool updates, and when. */
export const choiceScenarios: readonly PoolScenario[] = [...choice, ...degraded, ...pools];
