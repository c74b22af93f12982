import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../core/index.ts';
import { scopeMatcher } from './scopes.ts';

const quotaOf = (spec: JsonObject): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec }) as KubeObject;
const podOf = (spec: JsonObject): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec }) as KubeObject;

test('all scopes and expressions must select a pod', () => {
  const expression = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] };
  const quota = quotaOf({ scopes: ['BestEffort'], scopeSelector: { matchExpressions: [expression] } });
  const matches = scopeMatcher(quota);
  expect(matches('pods', podOf({ priorityClassName: 'high' }))).toBe(true);
  expect(matches('pods', podOf({ priorityClassName: 'low' }))).toBe(false);
  const containers = [{ name: 'c', resources: { requests: { cpu: '1' } } }];
  expect(matches('pods', podOf({ priorityClassName: 'high', containers }))).toBe(false);
  expect(matches('configmaps', podOf({}))).toBe(false);
  expect(scopeMatcher(quotaOf({}))('configmaps', podOf({}))).toBe(true);
  expect(scopeMatcher(quotaOf({ scopes: ['VolumeAttributesClass'] }))('pods', podOf({}))).toBe(false);
});

test('a scope that a quota names again and again looks at the containers of a pod once', () => {
  const matchExpressions = Array.from({ length: 1000 }, () => ({ scopeName: 'BestEffort', operator: 'Exists' }));
  let reads = 0;
  const pod = podOf(
    Object.defineProperty({}, 'containers', {
      get: () => {
        reads += 1;
        return [{ name: 'c' }];
      },
    }),
  );
  expect(scopeMatcher(quotaOf({ scopeSelector: { matchExpressions } }))('pods', pod)).toBe(true);
  expect(reads).toBe(1);
});
