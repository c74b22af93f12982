import { expect, test } from 'vitest';
import { type PoolNodeOptions, poolNodeObject, poolObject } from '../../../test/support/pool-cluster.ts';
import { parseMachineConfigPool } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { canaryState } from './canary.ts';
import { poolNode } from './pool-node.ts';

const nowMs = Date.parse('2030-01-01T12:00:00Z');
const old: PoolNodeOptions = { current: 'v0' };
const done: PoolNodeOptions = { current: 'v1' };
const working: PoolNodeOptions = { current: 'v0', desired: 'v1', state: 'Working' };

interface Options {
  readonly canary?: JsonObject;
  readonly record?: JsonObject;
  readonly reached?: string;
  readonly isSkipped?: boolean;
}

function stateOf(nodes: readonly PoolNodeOptions[], options: Options = {}) {
  const { canary = { count: 2, bake: '30m' }, record, reached, isSkipped = false } = options;
  const status = {
    ...(reached === undefined ? {} : { configuration: { name: reached } }),
    ...(record === undefined ? {} : { rollout: { configuration: 'v1', canary: record } }),
  };
  const pool = parseMachineConfigPool({ ...poolObject('worker', { rollout: { canary } }), status });
  const read = nodes.map((node, index) => poolNode(poolNodeObject(`w${index}`, node)));
  return canaryState({ pool, target: 'v1', nodes: read, isSkipped, nowMs });
}

test('as many nodes as the canary has may be started', () => {
  const state = stateOf([working, old, old, old]);
  expect([state.limit, state.hold?.message]).toEqual([2, 'canary: node w0 is being updated']);
});

test('others wait until all canary nodes have been updated and ready for the time of the bake', () => {
  const first = stateOf([done, done, old]);
  expect(first.status).toEqual({ nodes: ['w0', 'w1'], readySince: '2030-01-01T12:00:00Z' });
  expect(first.hold?.message).toBe('canary: w0, w1 updated and ready; other nodes are started at 2030-01-01T12:30:00Z');
  expect(first.againMs).toBe(1_800_000);
  expect(stateOf([done, done, old], { record: { readySince: '2030-01-01T11:31:00Z' } }).againMs).toBe(60_000);
  const passed = stateOf([done, done, old], { record: { nodes: ['w0', 'w1'], readySince: '2030-01-01T11:30:00Z' } });
  expect(passed).toEqual({ status: { nodes: ['w0', 'w1'], passed: true } });
});

test.each<{ name: string; node: PoolNodeOptions; text: string }>([
  {
    name: 'degraded',
    node: { ...working, state: 'Degraded', reason: 'no space' },
    text: 'node w1 is degraded: no space',
  },
  { name: 'not ready', node: { ...done, ready: 'False' }, text: 'node w1 is reporting NotReady=False' },
  { name: 'cordoned', node: { ...done, unschedulable: true }, text: 'node w1 is reporting Unschedulable' },
])('a canary node that is $name holds the update, and its bake begins again', ({ node, text }) => {
  const state = stateOf([done, node, old], { record: { readySince: '2030-01-01T11:00:00Z' } });
  expect(state).toMatchObject({ limit: 2, hold: { message: `canary: ${text}` }, status: { nodes: ['w0', 'w1'] } });
  expect(state.status).not.toHaveProperty('readySince');
});

test('a canary that has passed stays so while other nodes are updated, and not for another configuration', () => {
  expect(stateOf([done, working, working, old], { record: { passed: true } }).limit).toBeUndefined();
  expect(stateOf([working, old, old]).limit).toBe(2);
});

test('the configuration that all nodes had last needs no canary, nor does one that is skipped', () => {
  expect(stateOf([old, old, old], { reached: 'v1' }).limit).toBeUndefined();
  expect(stateOf([old, old, old], { isSkipped: true }).limit).toBeUndefined();
});

test('without a canary there is no limit; a canary of more nodes than there are takes them all', () => {
  const pool = parseMachineConfigPool(poolObject('worker'));
  expect(canaryState({ pool, target: 'v1', nodes: [], isSkipped: false, nowMs })).toEqual({});
  expect(stateOf([done, old], { canary: { count: 5 } }).hold?.message).toBe('canary: 1 of 5 canary nodes are started');
});

test('a clock that was set back makes a bake no longer than it is', () => {
  const again = stateOf([done, done, old], { record: { readySince: '2031-01-01T00:00:00Z' } });
  expect(again.againMs).toBe(1_800_000);
  // The next look at it is not another beginning.
  expect(again.status?.readySince).toBe('2030-01-01T12:00:00Z');
});

test.each(['200h', 'tomorrow', '-5m'])('a bake of %s is an error', (bake) => {
  expect(() => stateOf([old], { canary: { count: 1, bake } })).toThrow(
    /^canary: bake ".*" must be a duration of at most 168h/,
  );
});
