import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { podTotals } from './pod-totals.ts';

const asking = (requests: JsonObject, rest: JsonObject = {}): JsonObject => ({
  name: 'c',
  resources: { requests },
  ...rest,
});

test('init containers run one by one, beside those that are restarted, and before all others', () => {
  const restarted = { restartPolicy: 'Always' };
  const initContainers = [
    asking({ cpu: '4', 'example.com/early': '1' }),
    asking({ cpu: '1', 'example.com/proxy': '2' }, restarted),
    asking({ cpu: '5' }),
    asking({ memory: '1Gi' }),
    asking({ cpu: '500m' }, restarted),
  ];
  const containers = [asking({ cpu: '2' }), asking({ cpu: '1', memory: '512Mi' })];
  expect(podTotals({ containers, initContainers }, 'requests')).toEqual({
    cpu: '6',
    memory: '1Gi',
    'example.com/early': '1',
    'example.com/proxy': '2',
  });
  expect(podTotals({ containers }, 'requests')).toEqual({ cpu: '3', memory: '512Mi' });
  expect(podTotals({ containers, initContainers }, 'limits')).toEqual({});
});

test.each([
  ['containers', {}],
  ['initContainers', {}],
  ['initContainers', { restartPolicy: 'Always' }],
])('very many %s with a resource of their own each do not cost the square of them: %j', (field, rest) => {
  const count = 40_000; // to copy what each adds to would take minutes
  const all = Array.from({ length: count }, (_, at) => asking({ [`example.com/r${at}`]: '1' }, rest));
  expect(Object.keys(podTotals({ [field]: all }, 'requests'))).toHaveLength(count);
});
