import { expect, test } from 'vitest';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { ClusterEvent } from '../core/index.ts';
import { OwnerGraph } from './owner-graph.ts';

const resource = new MemoryCluster().type('configmaps');

function added(uid: string, owners: readonly string[] = []): ClusterEvent {
  const ownerReferences = owners.map((owner) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: owner }));
  const metadata = { name: uid, namespace: 'ns', uid, ownerReferences };
  return { type: 'ADDED', resource, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata }, previous: undefined };
}

test('of references to owners that do not exist, which may be very many, nothing is kept', () => {
  const graph = new OwnerGraph();
  graph.update(added('a'));
  expect(graph.takeUnlinked()).toEqual([]);
  graph.update(added('b', ['a', ...Array.from({ length: 1000 }, (_, index) => `none-${index}`)]));
  expect(graph.node('b')?.owners).toEqual(['a']);
  expect(graph.dependentsOf('a')).toEqual(['b']);
  expect(graph.hasDependents('none-0')).toBe(false);
});

test('an object that is shown before its owner is linked to it later', () => {
  const graph = new OwnerGraph();
  const event = added('b', ['a']);
  graph.update(event);
  graph.update(added('a'));
  expect(graph.takeUnlinked()).toEqual(['b']);
  graph.link('b', event.object);
  expect(graph.dependentsOf('a')).toEqual(['b']);
});
