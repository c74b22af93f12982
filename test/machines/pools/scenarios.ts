import type { JsonObject } from '../../../src/base/index.ts';
import {
  configObject,
  filesConfig,
  type PoolNodeOptions,
  poolNodeObject,
  poolObject,
} from '../../support/pool-cluster.ts';
import type { PoolAction, PoolScenario } from './scenario.ts';

const prefix = 'machineconfiguration.openshift.io/';
const json = (object: unknown): JsonObject => object as JsonObject;

const file = (text: string): JsonObject => ({ config: filesConfig({ '/etc/a': text }) });
const config = (name: string, role: string, spec: JsonObject): PoolAction => ({
  create: json(configObject(name, role, spec)),
});
const pool = (name: string, spec: JsonObject = {}): PoolAction => ({ create: json(poolObject(name, spec)) });
const node = (name: string, options: PoolNodeOptions = {}): PoolAction => ({
  create: json(poolNodeObject(name, { current: '<1>', ...options })),
});
const nodes = (count: number, options: (index: number) => PoolNodeOptions = () => ({})): readonly PoolAction[] =>
  Array.from({ length: count }, (_, index) => node(`w${index + 1}`, options(index + 1)));
const change = (text: string, name = '00-worker'): PoolAction => ({
  patch: { kind: 'MachineConfig', name },
  merge: { spec: file(text) },
});
const annotate = (name: string, annotations: Readonly<Record<string, string | null>>): PoolAction => ({
  patch: { kind: 'Node', name },
  merge: {
    metadata: {
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [prefix + key, value])),
    },
  },
});
const finish = (name: string, target: string): PoolAction => annotate(name, { currentConfig: target, state: 'Done' });
const spec = (name: string, merge: JsonObject): PoolAction => ({
  patch: { kind: 'MachineConfigPool', name },
  merge: { spec: merge },
});
const ready = (name: string, status: string): PoolAction => ({
  patch: { kind: 'Node', name },
  merge: { status: { conditions: [{ type: 'Ready', status }] } },
  subresource: 'status',
});
const rest = (label: string): PoolAction => ({ rest: label });
/** A pool of workers whose first configuration is rendered. */
const begin = (poolSpec: JsonObject = {}): readonly PoolAction[] => [
  config('00-worker', 'worker', file('one')),
  pool('worker', poolSpec),
  rest('rendered'),
];

function scenario(
  [id, title]: readonly [id: string, title: string],
  rows: readonly string[],
  actions: readonly PoolAction[],
): PoolScenario {
  return { id, title, rows, actions };
}

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

const unit = (name: string, contents: string, more: JsonObject = {}): JsonObject => ({ name, contents, ...more });
const ignition = (more: JsonObject): JsonObject => ({ config: { ignition: { version: '3.2.0' }, ...more } });

const rendering: readonly PoolScenario[] = [
  scenario(
    ['no-configs', 'a pool without MachineConfigs'],
    [],
    [pool('worker'), rest('degraded'), config('00-worker', 'worker', file('one')), rest('rendered')],
  ),
  scenario(
    ['selects-all-configs', 'a pool whose selector of configurations is empty'],
    [],
    [config('00-worker', 'worker', file('one')), pool('worker', { machineConfigSelector: {} }), rest('nothing')],
  ),
  scenario(
    ['merge-files', 'files of several configurations'],
    [],
    [
      config('50-b', 'worker', { config: filesConfig({ '/etc/a': 'later', '/etc/c': 'c' }) }),
      config('00-a', 'worker', { config: filesConfig({ '/etc/a': 'first', '/etc/b': 'b' }) }),
      pool('worker'),
      rest('rendered'),
    ],
  ),
  scenario(
    ['merge-units', 'units and drop-ins of several configurations'],
    [],
    [
      config(
        '00-a',
        'worker',
        ignition({
          systemd: {
            units: [
              unit('web.service', '[Service]\n', { enabled: true, dropins: [{ name: '10-a.conf', contents: 'a' }] }),
            ],
          },
        }),
      ),
      config(
        '50-b',
        'worker',
        ignition({
          systemd: {
            units: [
              {
                name: 'web.service',
                enabled: false,
                dropins: [
                  { name: '10-a.conf', contents: 'b' },
                  { name: '20-b.conf', contents: 'c' },
                ],
              },
              { name: 'bad.service', mask: true },
            ],
          },
        }),
      ),
      pool('worker'),
      rest('rendered'),
    ],
  ),
  scenario(
    ['merge-arguments', 'arguments, extensions, kernel and FIPS'],
    [],
    [
      config('00-a', 'worker', {
        kernelArguments: ['a', 'b'],
        extensions: ['usbguard'],
        kernelType: 'realtime',
        osImageURL: 'example.org/os:1',
      }),
      config('50-b', 'worker', {
        kernelArguments: ['a', 'c'],
        kernelType: 'default',
        fips: true,
        osImageURL: 'example.org/os:2',
      }),
      pool('worker'),
      rest('rendered'),
    ],
  ),
  scenario(
    ['merge-compression', 'contents that replace compressed ones'],
    [],
    [
      config(
        '00-a',
        'worker',
        ignition({
          storage: {
            files: [
              {
                path: '/etc/a',
                contents: { source: 'data:;base64,H4sIAAAAAAAAAwMAAAAAAAAAAAA=', compression: 'gzip' },
              },
            ],
          },
        }),
      ),
      config(
        '50-b',
        'worker',
        ignition({ storage: { files: [{ path: '/etc/a', mode: 420, contents: { source: 'data:,plain' } }] } }),
      ),
      pool('worker'),
      rest('rendered'),
    ],
  ),
  scenario(
    ['custom-over-worker', 'a custom pool that takes the configurations of workers too'],
    [],
    [
      config('99-worker', 'worker', file('worker')),
      config('00-infra', 'infra', file('infra')),
      pool('infra', {
        machineConfigSelector: {
          matchExpressions: [{ key: `${prefix}role`, operator: 'In', values: ['worker', 'infra'] }],
        },
      }),
      rest('rendered'),
    ],
  ),
  scenario(
    ['kernel-type', 'a kernel type that does not exist'],
    [],
    [...begin(), config('50-b', 'worker', { kernelType: 'fast' }), rest('degraded')],
  ),
  scenario(
    ['kernel-devel', 'an extension that does not go with the kernel'],
    [],
    [...begin(), config('50-b', 'worker', { kernelType: 'realtime', extensions: ['kernel-devel'] }), rest('degraded')],
  ),
  scenario(
    ['ignition-version', 'a version of Ignition that does not exist'],
    [],
    [...begin(), config('50-b', 'worker', { config: { ignition: { version: '9.9.9' } } }), rest('degraded')],
  ),
  scenario(
    ['file-mode', 'a file with the bit setuid'],
    [],
    [
      ...begin(),
      config(
        '50-b',
        'worker',
        ignition({ storage: { files: [{ path: '/etc/x', mode: 2541, contents: { source: 'data:,x' } }] } }),
      ),
      rest('degraded'),
    ],
  ),
  scenario(
    ['relative-path', 'a file with a relative path'],
    [],
    [
      ...begin(),
      config('50-b', 'worker', ignition({ storage: { files: [{ path: 'etc/x', contents: { source: 'data:,x' } }] } })),
      rest('degraded'),
    ],
  ),
];

const podOf = (name: string, more: JsonObject = {}): PoolAction => ({
  create: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, labels: { app: 'web' }, ...more },
    spec: { nodeName: 'w1', containers: [{ name: 'main', image: 'example.org/web' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  },
});

const drains: readonly PoolScenario[] = [
  scenario(
    ['drain', 'a node that is drained and uncordoned'],
    ['MP-04'],
    [
      ...begin(),
      node('w1'),
      rest('ready'),
      annotate('w1', { state: 'Working', desiredDrain: 'drain-<1>' }),
      rest('drained'),
      annotate('w1', { desiredDrain: 'uncordon-<1>' }),
      rest('uncordoned'),
    ],
  ),
  scenario(
    ['drain-pod', 'a node with a pod that takes long to end'],
    ['MP-30'],
    [
      ...begin(),
      node('w1'),
      podOf('web'),
      annotate('w1', { state: 'Working', desiredDrain: 'drain-<1>' }),
      rest('draining'),
      { patch: { kind: 'Node', name: 'w1' }, merge: { spec: { unschedulable: false } } },
      rest('cordoned again'),
    ],
  ),
  scenario(
    ['drain-verb', 'a request that does not exist'],
    [],
    [...begin(), node('w1'), annotate('w1', { desiredDrain: 'explode-<1>' }), rest('nothing')],
  ),
  scenario(
    ['uncordon-foreign', 'a node that an administrator has cordoned is to be uncordoned'],
    ['ML-61'],
    [
      ...begin(),
      node('w1', { unschedulable: true }),
      annotate('w1', { desiredDrain: 'uncordon-<1>' }),
      rest('requested'),
    ],
  ),
];

/** What is played on both. */
export const poolScenarios: readonly PoolScenario[] = [...choice, ...degraded, ...pools, ...rendering, ...drains];
