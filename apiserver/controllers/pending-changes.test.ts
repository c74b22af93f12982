import { expect, test } from 'vitest';
import type { Clock, JsonObject } from '../../src/base/index.ts';
import type { Cluster, ClusterEvent, KubeObject } from '../core/index.ts';
import { accountSecrets } from './account-secrets.ts';
import { autoscalers } from './autoscalers.ts';
import { serviceEndpoints } from './endpoints/index.ts';
import { PendingChanges } from './pending-changes.ts';

test('changes of a namespace are remembered once each, until they are taken', () => {
  const changes = new PendingChanges<{ app: string }>();
  const keys = ['a', 'b', 'a'].map((app) => changes.add('ns', { app }));
  expect(new Set(keys)).toEqual(new Set(['ns/']));
  expect(changes.add('other', { app: 'c' })).toBe('other/');
  expect(changes.take('ns')).toEqual([{ app: 'a' }, { app: 'b' }]);
  expect(changes.take('ns')).toEqual([]);
  expect(changes.take('other')).toEqual([{ app: 'c' }]);
});

test('changes that are too large together are not kept: everything is concerned', () => {
  const changes = new PendingChanges<string>();
  for (const letter of ['a', 'b', 'c']) changes.add('ns', letter.repeat(60_000));
  expect(changes.take('ns')).toBeUndefined();
  expect(changes.take('ns')).toEqual([]);
});

// Reads nothing: whatever they are asked for fails.
const cluster = {} as Cluster;
const filling = { authorityPem: '', issue: () => '' };

test.each([
  { name: 'Services', plural: 'pods', controller: serviceEndpoints(cluster) },
  { name: 'autoscalers', plural: 'deployments', controller: autoscalers(cluster, {} as Clock) },
  { name: 'Secrets', plural: 'serviceaccounts', controller: accountSecrets(cluster, filling) },
])('of $name none is read for each change in a namespace, but once for all', ({ plural, controller }) => {
  const eventOf = (name: string): ClusterEvent => {
    const metadata = { namespace: 'a', name, labels: { app: name } };
    const object = { apiVersion: 'v1', kind: 'A', metadata, spec: {} as JsonObject } as KubeObject;
    const resource = { storageKey: plural, subresources: [{ name: 'scale' }] };
    return { type: 'ADDED', resource, object, previous: undefined } as unknown as ClusterEvent;
  };
  const keys = ['p1', 'p2', 'p3'].flatMap((name) => [...controller.keysOf(eventOf(name))]);
  expect(new Set(keys)).toEqual(new Set(['a/']));
});
