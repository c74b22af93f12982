import { expect, test } from 'vitest';
import { type PoolNodeOptions, poolNodeObject, poolObject } from '../../../test/support/pool-cluster.ts';
import { parseMachineConfigPool } from '../../api/index.ts';
import { chooseNodes } from './choice.ts';
import { maxUnavailableOf, quorumLimit } from './max-unavailable.ts';
import { poolNode } from './pool-node.ts';

const target = 'v1';
const old: PoolNodeOptions = { current: 'v0' };
const done: PoolNodeOptions = { current: target };
const nodesOf = (all: readonly PoolNodeOptions[]) =>
  all.map((options, index) =>
    poolNode(poolNodeObject(`node-${index}`, { created: `2030-01-01T00:00:0${index}Z`, ...options })),
  );

function round(maxUnavailable: number, all: readonly PoolNodeOptions[], more = {}): readonly string[] {
  const { chosen } = chooseNodes({ target, maxUnavailable, nodes: nodesOf(all), ...more });
  return chosen.map(({ name }) => name);
}

const capacity = (maxUnavailable: number, all: readonly PoolNodeOptions[]): number =>
  chooseNodes({ target, maxUnavailable, nodes: nodesOf(all) }).capacity;

test('MP-02: one node at a time by default', () => {
  const pool = parseMachineConfigPool({ ...poolObject('worker') });
  expect(round(maxUnavailableOf(pool, 4), [old, old, old, old])).toEqual(['node-0']);
});

test('MP-03: nodes are started up to the limit', () => {
  expect(round(3, [old, old, old, old, old])).toEqual(['node-0', 'node-1', 'node-2']);
  expect(round(3, [{ current: 'v0', desired: target, state: 'Working' }, old, old, old])).toEqual(['node-1', 'node-2']);
});

test.each([
  { maxUnavailable: undefined, nodes: 4, value: 1 },
  { maxUnavailable: 1, nodes: 4, value: 1 },
  { maxUnavailable: 3, nodes: 5, value: 3 },
  { maxUnavailable: '10%', nodes: 4, value: 1 },
  { maxUnavailable: '50%', nodes: 4, value: 2 },
  { maxUnavailable: '50%', nodes: 5, value: 2 },
  { maxUnavailable: '60%', nodes: 4, value: 2 },
  { maxUnavailable: '100%', nodes: 3, value: 3 },
  { maxUnavailable: 0, nodes: 3, value: 1 },
])('MP-10: maxUnavailable $maxUnavailable of $nodes nodes is $value', ({ maxUnavailable, nodes, value }) => {
  const spec = maxUnavailable === undefined ? {} : { maxUnavailable };
  expect(maxUnavailableOf(parseMachineConfigPool(poolObject('worker', spec)), nodes)).toBe(value);
});

test.each(['60', '50 percent', '40 %', '-10%', '1e3%', -1, '99999999999999999999'])(
  'MP-10: maxUnavailable %j is an error',
  (maxUnavailable) => {
    const pool = parseMachineConfigPool(poolObject('worker', { maxUnavailable }));
    expect(() => maxUnavailableOf(pool, 5)).toThrow(/^maxUnavailable: /);
  },
);

test('MP-09: a control plane of three nodes has one to lose, of five two', () => {
  expect([1, 2, 3, 4, 5, 7].map(quorumLimit)).toEqual([1, 1, 1, 1, 2, 3]);
});

test('MP-11: a node that is not ready takes the capacity', () => {
  expect(capacity(1, [done, done, done])).toBe(1);
  expect(capacity(1, [done, done, { ...done, ready: 'False' }])).toBe(0);
});

test('MP-12: a node that was targeted and has not begun counts', () => {
  expect(round(1, [{ ...old, ready: 'False' }, { current: 'v0', desired: target }, old])).toEqual([]);
  expect(round(1, [{ current: 'v0', desired: target }, old])).toEqual([]);
});

test('MP-13: a node that is not ready is not started, and counts', () => {
  expect(round(2, [{ ...old, ready: 'Unknown' }, old, old])).toEqual(['node-1']);
});

test('MP-14: with a limit of three and two unavailable, one more is started', () => {
  const targeted = { current: 'v0', desired: target };
  expect(round(3, [done, { ...old, ready: 'False' }, targeted, old, old])).toEqual(['node-3']);
});

test('MP-15: none is started while one works', () => {
  expect(round(1, [{ current: 'v0', desired: target, state: 'Working' }, old, old])).toEqual([]);
});

test('MP-16: a node that failed on its way to another configuration may be started', () => {
  const stuck = { current: 'v0.1', desired: 'v0.2', state: 'Degraded' };
  expect(round(1, [done, stuck, { current: 'v0.1' }])).toEqual(['node-1']);
});

test('MP-17: a node that fails at the target stops the pool', () => {
  expect(round(1, [{ current: 'v0', desired: target, state: 'Degraded' }, old, old])).toEqual([]);
  expect(round(1, [{ current: target, desired: target, state: 'Degraded' }, old])).toEqual([]);
});

test('MP-18: a node that is stuck on its way away from the target is brought back', () => {
  expect(round(1, [done, done, { current: target, desired: 'v2', state: 'Degraded' }])).toEqual(['node-2']);
});

test('MP-19: a node that has another target and has not begun counts as unavailable; one that is done there is a candidate', () => {
  expect(round(1, [done, { current: target, desired: 'v2' }])).toEqual([]);
  expect(round(1, [done, { current: 'v2' }])).toEqual(['node-1']);
});

test('MP-20: with a limit of four and nine nodes, two more are started', () => {
  const working = { current: 'v0', desired: target, state: 'Working' };
  const nodes = [done, done, working, old, old, old, { ...done, ready: 'False' as const }, old, old];
  expect(capacity(4, nodes)).toBe(2);
  expect(round(4, nodes)).toEqual(['node-3', 'node-4']);
});

test('MP-21: a node whose images are being rolled back counts', () => {
  const image = (key: string) => ({ [`machineconfiguration.openshift.io/${key}`]: 'example.org/os@sha256:1' });
  const rolledBack = { ...done, annotations: image('currentImage') };
  expect(round(1, [rolledBack, old])).toEqual([]);
  const optedOut = { ...done, annotations: { ...image('currentImage'), ...image('desiredImage') } };
  expect(round(1, [optedOut, done])).toEqual(['node-0']);
});

test('MP-22: zones in their order, the oldest first, nodes without a zone last', () => {
  const nodes = [
    { ...old },
    { ...old, zone: 'b' },
    { ...old, zone: 'a' },
    { ...old, zone: 'a' },
    { ...old, zone: 'b' },
  ];
  expect(round(4, nodes)).toEqual(['node-2', 'node-3', 'node-1', 'node-4']);
});

test('MP-23: the node of the operator goes last', () => {
  const deferred = new Set(['node-0']);
  const choice = chooseNodes({ target, maxUnavailable: 1, nodes: nodesOf([old, old]), deferred });
  expect([choice.chosen.map(({ name }) => name), choice.deferred.map(({ name }) => name)]).toEqual([
    ['node-1'],
    ['node-0'],
  ]);
  expect(round(1, [old, done], { deferred })).toEqual(['node-0']);
});

test('no more nodes of a zone are started than it may have unavailable', () => {
  const [a, b] = [
    { ...old, zone: 'a' },
    { ...old, zone: 'b' },
  ];
  expect(round(4, [a, a, b, b], { maxUnavailablePerZone: 1 })).toEqual(['node-0', 'node-2']);
  expect(round(4, [{ ...a, ready: 'False' as const }, a, b, b], { maxUnavailablePerZone: 1 })).toEqual(['node-2']);
});

test('zone by zone, the next one waits until all nodes of the first one are updated and ready', () => {
  const [a, b] = [
    { ...old, zone: 'a' },
    { ...old, zone: 'b' },
  ];
  const doneIn = (zone: string): PoolNodeOptions => ({ ...done, zone });
  expect(round(4, [a, a, b, b], { zoneByZone: true })).toEqual(['node-0', 'node-1']);
  expect(round(4, [doneIn('a'), { ...doneIn('a'), ready: 'False' }, b, b], { zoneByZone: true })).toEqual([]);
  expect(round(4, [doneIn('a'), doneIn('a'), b, b], { zoneByZone: true })).toEqual(['node-2', 'node-3']);
});

const labelled = (priority: string, zone = 'a'): PoolNodeOptions => ({ ...old, zone, labels: { priority } });
const byLabel = { order: { by: 'LabelPriority', label: 'priority' } };

test('by the value of a label: integers by value, then texts, then nodes without it', () => {
  const nodes = [labelled('late'), old, labelled('10'), labelled('9'), labelled('early')];
  expect(round(5, nodes, byLabel)).toEqual(['node-3', 'node-2', 'node-4', 'node-0', 'node-1']);
});

test('a label that no node has leaves the order of zones and ages', () => {
  const nodes = [
    { ...old, zone: 'b' },
    { ...old, zone: 'a' },
  ];
  expect(round(2, nodes, byLabel)).toEqual(['node-1', 'node-0']);
});

test('zone by zone with a label: zones in the order of their smallest value, each completed although others have smaller ones', () => {
  const nodes = [labelled('1', 'b'), labelled('3', 'b'), labelled('2', 'a')];
  const options = { ...byLabel, zoneByZone: true };
  expect(round(3, nodes, options)).toEqual(['node-0', 'node-1']);
  const [first, ...others] = nodes;
  expect(round(3, [{ ...first, ...done }, ...others], options)).toEqual(['node-1']);
});

test('by name', () => {
  const nodes = [
    { ...old, zone: 'b', created: '2030-01-02T00:00:00Z' },
    { ...old, zone: 'a', created: '2030-01-01T00:00:00Z' },
  ];
  expect(round(2, nodes, { order: { by: 'Name' } })).toEqual(['node-0', 'node-1']);
});

test('no more nodes are started than have a canary, those that have the target counted', () => {
  expect(round(4, [old, old, old, old], { startLimit: 2 })).toEqual(['node-0', 'node-1']);
  expect(round(4, [done, old, old, old], { startLimit: 2 })).toEqual(['node-1']);
  expect(round(4, [done, done, old, old], { startLimit: 2 })).toEqual([]);
});
