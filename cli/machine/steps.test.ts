import { expect, test } from 'vitest';
import { type Machine, parseMachine } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { deletionSteps, holderOf } from './steps.ts';

const deletionTimestamp = '2030-01-01T00:00:00Z';

function machine(spec: JsonObject, status: JsonObject, metadata: JsonObject = { deletionTimestamp }): Machine {
  return parseMachine({
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Machine',
    metadata: { namespace: 'm', name: 'a', ...metadata },
    spec,
    status,
  });
}

const drained = { type: 'Drained', status: 'True', lastTransitionTime: '2030-01-01T01:00:00Z' };
const states = (one: Machine): string =>
  deletionSteps(one)
    .map(({ state }) => state[0])
    .join('');

test('a hook before the drain holds the deletion, with its owner and since when', () => {
  const held = machine(
    { lifecycleHooks: { preDrain: [{ name: 'Backup', owner: 'backup-controller' }] } },
    { phase: 'Deleting' },
  );
  expect(states(held)).toBe('ddhwdw');
  expect(holderOf(held)).toBe('waits for Backup of backup-controller to remove the hook, since 2030-01-01T00:00:00Z');
});

test('of many hooks, five are named', () => {
  const preDrain = Array.from({ length: 256 }, (_, index) => ({ name: `Hook${index}`, owner: 'one' }));
  const held = holderOf(machine({ lifecycleHooks: { preDrain } }, { phase: 'Deleting' }));
  expect(held).toContain('Hook4 of one and 251 others to remove the hooks');
});

test('pods that cannot go are listed with their causes', () => {
  const blocking = [{ pod: 'web/a', cause: 'PodDisruptionBudget web' }];
  const held = machine({}, { phase: 'Deleting', drain: { remaining: 2, blocking } });
  expect(states(held)).toBe('dddhdw');
  expect(deletionSteps(held)[3]?.why).toBe('2 pods are still there\n    web/a: PodDisruptionBudget web');
  expect(holderOf(held)).toBe('2 pods are still there');
});

test('after the drain, hooks before the termination hold it, then the provider', () => {
  const preTerminate = [
    { name: 'Detach', owner: 'storage' },
    { name: 'Flush', owner: 'logs' },
  ];
  const status = { phase: 'Deleting', conditions: [drained] };
  expect(states(machine({ lifecycleHooks: { preTerminate } }, status))).toBe('ddddhw');
  expect(holderOf(machine({ lifecycleHooks: { preTerminate } }, status))).toContain(
    'Detach of storage, Flush of logs to remove the hooks, since 2030-01-01T01:00:00Z',
  );
  expect(states(machine({}, status))).toBe('dddddh');
  expect(holderOf(machine({}, status))).toBe('the provider terminates the instance');
  const message = 'the provider does not end the instance: locked';
  const failing = {
    type: 'DeletionHeld',
    status: 'True',
    reason: 'ProviderFailed',
    message,
    lastTransitionTime: '2030-01-01T02:00:00Z',
  };
  const held = machine({}, { ...status, conditions: [drained, failing] });
  expect(holderOf(held)).toBe(`${message}, since 2030-01-01T02:00:00Z`);
});

test('nothing holds a machine that is not being deleted', () => {
  const preDrain = [{ name: 'Backup', owner: 'backup-controller' }];
  expect(holderOf(machine({ lifecycleHooks: { preDrain } }, { phase: 'Running' }, {}))).toBe('');
});
