import { expect, test } from 'vitest';
import { poolObject } from '../../../test/support/pool-cluster.ts';
import { type MachineConfigPool, parseMachineConfigPool } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { nodeConfigReport } from './report.ts';

function pool(
  name: string,
  { updated, target = 'a', spec = {} }: { updated: boolean; target?: string; spec?: JsonObject },
): MachineConfigPool {
  const conditions = [
    { type: 'Updated', status: updated ? 'True' : 'False' },
    { type: 'Degraded', status: 'False' },
  ];
  const status = { machineCount: 3, updatedMachineCount: updated ? 3 : 1, configuration: { name: 'a' }, conditions };
  return parseMachineConfigPool({ ...poolObject(name, { configuration: { name: target }, ...spec }), status });
}

const shown = (pools: readonly MachineConfigPool[]): readonly string[] =>
  nodeConfigReport(pools).conditions.map(({ type, status, message }) => `${type} ${status} ${message}`.trim());

test('the version is reported once the control plane is updated, while workers go on', () => {
  const [master, worker] = [pool('master', { updated: true }), pool('worker', { updated: false })];
  expect(nodeConfigReport([master, worker]).isControlPlaneUpdated).toBe(true);
  expect(shown([master, worker])).toContain('Progressing True 4 of 6 nodes updated');
  expect(nodeConfigReport([pool('master', { updated: false }), worker]).isControlPlaneUpdated).toBe(false);
  expect(nodeConfigReport([pool('master', { updated: true, target: 'b' })]).isControlPlaneUpdated).toBe(false);
});

test('a paused pool keeps the cluster from minor updates', () => {
  expect(shown([pool('worker', { updated: true, spec: { paused: true } })])).toContain(
    'Upgradeable False pools worker are paused',
  );
  expect(shown([pool('worker', { updated: true })])).toContain('Upgradeable True');
});
