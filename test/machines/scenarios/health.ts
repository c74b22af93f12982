import { checkObject, healthCheck, machine, machineObject, running, setReady } from '../objects.ts';
import type { Action, Scenario } from '../scenario.ts';

/** Of a kind that no server knows: the garbage collector deletes what belongs to an object that does not exist. */
const owner = { apiVersion: 'example.com/v1', kind: 'Robot', name: 'owner', uid: '0', controller: true };
const owned = { labels: { 'machine.openshift.io/cluster-api-cluster': 'test', set: 'w' } };
const three = ['a', 'b', 'c'];
const runThree: Action[] = three.flatMap((name) => running(name, { metadata: { ...owned, ownerReferences: [owner] } }));
const breakThem = (...names: readonly string[]): Action[] => names.map((name) => setReady(name, 'False'));

/** Health checks of machines that a controller owns, which does not run: none is replaced. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'check-not-ready',
    title: 'a node is not ready for longer than the timeout',
    rows: ['ML-10'],
    actions: [
      ...runThree,
      { apply: checkObject('check', 'w') },
      { rest: 'healthy', until: { of: healthCheck('check'), has: '"currentHealthy":3' } },
      ...breakThem('b'),
      { rest: 'remediated', until: { of: machine('b'), isAbsent: true } },
    ],
  },
  {
    id: 'check-too-many',
    title: 'more machines are unhealthy than the check allows',
    rows: ['ML-52'],
    actions: [
      ...runThree,
      ...breakThem('a', 'b'),
      { rest: 'broken' },
      { apply: checkObject('check', 'w', { spec: { maxUnhealthy: '40%' } }) },
      { rest: 'restricted', until: { of: healthCheck('check'), has: 'TooManyUnhealthy' } },
    ],
  },
  {
    id: 'check-bad-maximum',
    title: 'the maximum is negative',
    actions: [
      ...runThree,
      ...breakThem('a'),
      { apply: checkObject('check', 'w', { spec: { maxUnhealthy: -3 } }) },
      { rest: 'restricted', until: { of: healthCheck('check'), has: 'TooManyUnhealthy' } },
    ],
  },
  {
    id: 'check-without-owner',
    title: 'an unhealthy machine that no controller owns',
    actions: [
      ...running('a', { metadata: owned }),
      ...breakThem('a'),
      { apply: checkObject('check', 'w') },
      { rest: 'skipped', until: { of: healthCheck('check'), has: '"expectedMachines":1' } },
    ],
  },
  {
    id: 'check-external',
    title: 'the remediation is external',
    actions: [
      ...running('a', { metadata: { ...owned, ownerReferences: [owner] } }),
      ...breakThem('a'),
      {
        apply: checkObject('check', 'w', {
          metadata: { annotations: { 'machine.openshift.io/remediation-strategy': 'external-baremetal' } },
        }),
      },
      { rest: 'marked', until: { of: machine('a'), has: 'external-remediation' } },
    ],
  },
  {
    id: 'check-no-node',
    title: 'a machine has no Node after the startup time',
    actions: [
      { apply: machineObject('a', { metadata: { ...owned, ownerReferences: [owner] } }) },
      { await: { of: machine('a'), has: '"phase":"Provisioned"' } },
      { apply: checkObject('check', 'w', { spec: { nodeStartupTimeout: '2s' } }) },
      { rest: 'remediated', until: { of: machine('a'), isAbsent: true } },
    ],
  },
  {
    id: 'check-failed',
    title: 'a failed machine',
    actions: [
      { provider: 'create', answers: { error: { reason: 'InvalidConfiguration', message: 'no' } } },
      { apply: machineObject('a', { metadata: { ...owned, ownerReferences: [owner] } }) },
      { await: { of: machine('a'), has: '"phase":"Failed"' } },
      { apply: checkObject('check', 'w') },
      { rest: 'remediated', until: { of: machine('a'), isAbsent: true } },
    ],
  },
];
