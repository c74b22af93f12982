import { expect, test } from 'vitest';
import { poolNodeObject, poolObject } from '../../../test/support/pool-cluster.ts';
import { parseMachineConfigPool } from '../../api/index.ts';
import { poolsOfNode } from './membership.ts';

const pools = ['master', 'worker', 'infra', 'gpu', 'everything'].map((name) =>
  parseMachineConfigPool(poolObject(name, name === 'everything' ? { nodeSelector: {} } : {})),
);

const namesOf = (role: readonly string[], labels = {}): readonly string[] =>
  poolsOfNode(poolNodeObject('n', { role, labels }), pools).map(({ metadata }) => metadata.name);

test('MP-24: the pool of a node', () => {
  expect(namesOf(['master', 'infra'])).toEqual(['master']);
  expect(namesOf(['master', 'worker'])).toEqual(['master']);
  expect(namesOf(['infra', 'worker'])).toEqual(['infra', 'worker']);
  expect(namesOf(['worker'])).toEqual(['worker']);
  expect(namesOf([])).toEqual([]);
  expect(namesOf(['worker'], { 'kubernetes.io/os': 'windows' })).toEqual([]);
  const message = 'node n belongs to 2 custom roles, cannot proceed with this Node';
  expect(() => namesOf(['infra', 'gpu', 'worker'])).toThrow(message);
  expect(() => namesOf(['infra', 'gpu', 'master'])).toThrow(message);
});
