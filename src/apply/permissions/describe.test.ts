import { expect, test } from 'vitest';
import { describeMissing } from './describe.ts';

test('objects of one resource that lack the same verbs share a line with five of their names', () => {
  const missing = Array.from({ length: 7 }, (_, index) => ({
    namespace: 'shop',
    rule: { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: [`web-${index}`] },
    giver: undefined,
  }));
  const path = { namespace: '', rule: { verbs: ['get'], nonResourceURLs: ['/metrics'] }, giver: 'ClusterRole "x"' };
  expect(describeMissing([...missing, path])).toEqual([
    'get deployments.apps "web-0", "web-1", "web-2", "web-3", "web-4" and 2 more in namespace "shop"',
    'get /metrics (granted by ClusterRole "x")',
  ]);
});
