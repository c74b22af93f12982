import { expect, test } from 'vitest';
import type { JsonObject } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';
import { machineMetrics } from './metrics.ts';

const nowMs = Date.parse('2030-01-01T02:00:00Z');
const deletionTimestamp = '2030-01-01T00:00:00Z';

function machine(spec: JsonObject, status: JsonObject, metadata: JsonObject = {}): KubeObject {
  const kind = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine' };
  return { ...kind, metadata: { namespace: 'm', name: 'a', ...metadata }, spec, status };
}

const cacheOf = (...objects: KubeObject[]) => ({ values: () => objects });

test('machines are counted by phase, and what holds deletions by its age', () => {
  const hook = [{ name: 'Backup', owner: 'backup-controller' }];
  const drained = { type: 'Drained', status: 'True', lastTransitionTime: '2030-01-01T01:30:00Z' };
  const machines = cacheOf(
    machine({}, {}),
    machine({}, { phase: 'Elsewhere' }),
    machine({ lifecycleHooks: { preDrain: hook } }, { phase: 'Running' }),
    machine({ lifecycleHooks: { preDrain: hook } }, { phase: 'Deleting' }, { deletionTimestamp }),
    machine(
      { lifecycleHooks: { preTerminate: hook } },
      { phase: 'Deleting', conditions: [drained] },
      { deletionTimestamp },
    ),
    machine({}, { phase: 'Deleting', conditions: [{ ...drained, status: 'False' }] }, { deletionTimestamp }),
    machine({}, { phase: 'Deleting' }, { deletionTimestamp: '2040-01-01T00:00:00Z' }),
  );
  expect(machineMetrics({ machines, sets: cacheOf() }, nowMs)).toMatchObject({
    mapi_machine_items: 7,
    mapi_machineset_items: 0,
    longshore_machines: [
      { labels: { phase: 'None' }, value: 1 },
      { labels: { phase: 'Provisioning' }, value: 0 },
      { labels: { phase: 'Provisioned' }, value: 0 },
      { labels: { phase: 'Running' }, value: 1 },
      { labels: { phase: 'Deleting' }, value: 4 },
      { labels: { phase: 'Failed' }, value: 0 },
    ],
    longshore_machine_deletion_oldest_seconds: 7200,
    longshore_machine_hook_oldest_seconds: [
      { labels: { stage: 'preDrain' }, value: 7200 },
      { labels: { stage: 'preTerminate' }, value: 1800 },
    ],
    longshore_machine_drains_blocked: 1,
  });
});
