import { expect, test } from 'vitest';
import { describeMissing, listMissing } from './describe.ts';

test('objects of one resource that lack the same verbs share a line with all of their names', () => {
  const missing = Array.from({ length: 7 }, (_, index) => ({
    namespace: 'shop',
    rule: { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: [`web-${index}`] },
    giver: undefined,
  }));
  const path = { namespace: '', rule: { verbs: ['get'], nonResourceURLs: ['/metrics'] }, giver: 'ClusterRole "x"' };
  expect(describeMissing([...missing, path])).toEqual([
    'get deployments.apps "web-0", "web-1", "web-2", "web-3", "web-4", "web-5", "web-6" in namespace "shop"',
    'get /metrics (granted by ClusterRole "x")',
  ]);
});

test('the list is complete as long as a condition has room for it', () => {
  const lines = Array.from({ length: 400 }, (_, index) => `get configmaps "settings-${index}"`);
  expect(listMissing(lines)).toBe(lines.join('; '));
  const text = listMissing(Array.from({ length: 100 }, () => lines).flat());
  expect(text.length).toBeLessThan(20_000);
  expect(text).toMatch(/; get configmaps "settings-\d+" …; the list is too long for a condition$/);
});
