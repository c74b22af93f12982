import type { JsonObject } from '../../../src/base/index.ts';
import {
  checkObject,
  clusterLabel,
  healthCheck,
  machine,
  machineObject,
  machineSet,
  setObject,
  setReady,
} from '../objects.ts';
import type { Action, Scenario, State } from '../scenario.ts';

const scale = (replicas: number): Action => ({ patch: machineSet('workers'), merge: { spec: { replicas } } });
const run = (count: number): State => ({ of: machineSet('workers'), has: `"readyReplicas":${count}` });
const hooks: JsonObject = { lifecycleHooks: { preDrain: [{ name: 'Backup', owner: 'backup-controller' }] } };

/** Sets of machines. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'set-scale',
    title: 'a set is created, scaled up and down to nothing',
    rows: ['ML-08'],
    hasNodes: true,
    actions: [
      { apply: setObject('workers', 1) },
      { rest: 'one', until: run(1) },
      scale(2),
      { rest: 'two', until: run(2) },
      scale(0),
      { rest: 'none', until: { machines: 0 } },
    ],
  },
  {
    id: 'set-template-hooks',
    title: 'machines get the hooks of the template',
    rows: ['ML-20'],
    hasNodes: true,
    actions: [{ apply: setObject('workers', 2, { template: hooks }) }, { rest: 'two', until: run(2) }],
  },
  {
    id: 'set-adoption',
    title: 'a machine that the set selects and no one owns is adopted',
    hasNodes: true,
    actions: [
      {
        apply: machineObject('orphan', {
          metadata: { labels: { 'machine.openshift.io/cluster-api-cluster': 'test', set: 'workers' } },
        }),
      },
      { rest: 'alone', until: { machines: 1, phase: 'Running' } },
      { apply: setObject('workers', 1) },
      { rest: 'adopted', until: run(1) },
    ],
  },
  {
    id: 'set-negative',
    title: 'a set whose selector does not select its template',
    actions: [
      { apply: setObject('workers', 1, { spec: { selector: { matchLabels: { other: 'x' } } } }) },
      { rest: 'refused' },
    ],
  },
  {
    id: 'check-none',
    title: 'a health check without machines',
    actions: [{ apply: checkObject('check', 'nothing') }, { rest: 'checked' }],
  },
  {
    id: 'check-healthy',
    title: 'a health check of healthy machines',
    hasNodes: true,
    actions: [
      { apply: setObject('workers', 2) },
      { await: run(2) },
      { apply: checkObject('check', 'workers') },
      { rest: 'checked', until: { of: healthCheck('check'), has: '"currentHealthy":2' } },
    ],
  },
  {
    id: 'check-paused',
    title: 'a paused health check',
    rows: ['ML-53'],
    hasNodes: true,
    actions: [
      { apply: setObject('workers', 1) },
      { await: run(1) },
      { apply: checkObject('check', 'workers', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } }) },
      { rest: 'paused' },
    ],
  },
  {
    id: 'check-replaced',
    title: 'the node of a machine of a set is not ready for longer than the timeout',
    rows: ['ML-10'],
    hasNodes: true,
    actions: [
      { apply: machineObject('a', { metadata: { labels: { ...clusterLabel, set: 'workers' } } }) },
      { await: { machines: 1, phase: 'Running' } },
      { apply: setObject('workers', 2) },
      { await: run(2) },
      { apply: checkObject('check', 'workers') },
      { rest: 'healthy', until: { of: healthCheck('check'), has: '"currentHealthy":2' } },
      setReady('a', 'False'),
      { await: { of: machine('a'), isAbsent: true } },
      { rest: 'replaced', until: run(2) },
    ],
  },
];
