import type { JsonObject } from '../../../src/base/index.ts';
import type { PoolAction, PoolScenario } from './scenario.ts';
import { annotate, begin, node, rest, scenario } from './scenario-actions.ts';

const podOf = (name: string, more: JsonObject = {}): PoolAction => ({
  create: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, labels: { app: 'web' }, ...more },
    spec: { nodeName: 'w1', containers: [{ name: 'main', image: 'example.org/web' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  },
});

/** How nodes are drained. */
export const drainScenarios: readonly PoolScenario[] = [
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
