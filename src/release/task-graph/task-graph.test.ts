import { describe, expect, test } from 'vitest';
import { manifestOf, type ReleaseManifest } from '../manifest.ts';
import { rotate, shuffleAndRotate } from './shuffle.ts';
import { type ApplyMode, buildTaskGraph } from './task-graph.ts';

const manifest = (name: string, kind = 'Pod'): ReleaseManifest =>
  manifestOf(
    { directory: 'release-manifests', name },
    { apiVersion: kind === 'Job' ? 'batch/v1' : 'v1', kind, metadata: { name } },
    '',
  );
const graphOf = (names: readonly (string | ReleaseManifest)[], mode: ApplyMode): string[] => {
  const manifests = names.map((name) => (typeof name === 'string' ? manifest(name) : name));
  return buildTaskGraph(manifests, mode).nodes.map(
    ({ tasks, needs }) => `${needs.join('+')}>${tasks.map((task) => task.manifest.key.name).join(',')}`,
  );
};
const updating: ApplyMode = { kind: 'Updating' };

test('CV-40: names without a level are one run when updating, and three when installing', () => {
  expect(graphOf(['a', 'b', 'c'], updating)).toEqual(['>a,b,c']);
  expect(graphOf(['a', 'b', 'c'], { kind: 'Initializing' })).toEqual(['>a', '>b', '>c']);
});

test('CV-41: two components of a level are parallel', () => {
  expect(graphOf(['0000_01_a-b-c_file1', '0000_01_x-y-z_file2'], updating)).toEqual([
    '>0000_01_a-b-c_file1',
    '>0000_01_x-y-z_file2',
  ]);
});

test('CV-42: what is alone in its level joins what follows', () => {
  const names = [
    '0000_01_a-b-c_f1',
    '0000_01_x-y-z_f1',
    '0000_01_x-y-z_f2',
    'a',
    '0000_02_x-y-z_f2',
    '0000_03_x-y-z_f3',
  ];
  expect(graphOf(names, updating)).toEqual([
    '>0000_01_a-b-c_f1',
    '>0000_01_x-y-z_f1,0000_01_x-y-z_f2',
    '0+1>a,0000_02_x-y-z_f2,0000_03_x-y-z_f3',
  ]);
});

test('CV-33: an empty node stands between two levels of several components', () => {
  const names = ['0000_10_a_x', '0000_10_b_x', '0000_20_a_x', '0000_20_b_x'];
  expect(graphOf(names, updating)).toEqual(['>0000_10_a_x', '>0000_10_b_x', '0+1>', '2>0000_20_a_x', '2>0000_20_b_x']);
});

describe('CV-43: Jobs are nodes of their own', () => {
  const job = (name: string): ReleaseManifest => manifest(name, 'Job');
  test('between others', () => {
    expect(graphOf(['p1', job('j1'), 'p2', job('j2'), 'p3'], updating)).toEqual([
      '>p1',
      '0>j1',
      '1>p2',
      '2>j2',
      '3>p3',
    ]);
  });
  test('at either end', () => {
    expect(graphOf([job('j1'), 'p', job('j2')], updating)).toEqual(['>j1', '0>p', '1>j2']);
  });
  test('when everything else is parallel', () => {
    expect(graphOf(['a', 'b', job('j'), 'c', 'd'], { kind: 'Initializing' })).toEqual([
      '>a',
      '>b',
      '0+1>j',
      '2>c',
      '2>d',
    ]);
  });
});

test.each([
  { items: [1, 2], step: 1, of: 8, rotated: [2, 1] },
  { items: [1, 2], step: 2, of: 8, rotated: [1, 2] },
  { items: [1, 2, 3], step: 1, of: 2, rotated: [2, 3, 1] },
  { items: [1, 2, 3], step: 2, of: 3, rotated: [3, 1, 2] },
])('CV-44: $items by $step of $of steps is $rotated', ({ items, step, of, rotated }) => {
  expect(rotate(items, step, of)).toEqual(rotated);
});

test('CV-50: eight attempts have one permutation, rotated; the next eight have another', () => {
  const items = Array.from({ length: 40 }, (_, at) => at);
  const orders = Array.from({ length: 16 }, (_, attempt) => shuffleAndRotate(items, attempt));
  const fromZero = (order: readonly number[]): number[] => rotate(order, order.indexOf(0), order.length);
  for (const order of orders) expect(order.toSorted((a, b) => a - b)).toEqual(items);
  for (const order of orders.slice(0, 8)) expect(fromZero(order)).toEqual(fromZero(orders[0] ?? []));
  expect(fromZero(orders[8] ?? [])).not.toEqual(fromZero(orders[0] ?? []));
  expect(new Set(orders.map((order) => order[0])).size).toBeGreaterThan(8);
  expect(shuffleAndRotate(items, 5)).toEqual(orders[5]);
});

test('CV-49: an installation has as many workers as nodes, an update 16, a reconciliation 2', () => {
  const manifests = ['0000_10_a_x', '0000_20_a_x', '0000_30_b_x'].map((name) => manifest(name));
  expect(buildTaskGraph(manifests, { kind: 'Initializing' }).workers).toBe(3);
  expect(buildTaskGraph(manifests, updating).workers).toBe(16);
  expect(buildTaskGraph(manifests, { kind: 'Reconciling', attempt: 0 }).workers).toBe(2);
  expect(buildTaskGraph([], updating)).toEqual({ nodes: [], workers: 16 });
});
