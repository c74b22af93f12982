import { expect, test } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { isDisrupted } from './disruption.ts';

const nowMs = Date.parse('2030-01-01T00:10:00Z');
const young = '2030-01-01T00:09:00Z';

function pod(status: JsonObject, metadata: JsonObject = {}): Parameters<typeof isDisrupted>[0] {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { creationTimestamp: young, ...metadata }, status };
}

const waiting = (reason: string): JsonObject => ({ containerStatuses: [{ state: { waiting: { reason } } }] });
const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };

test.each([
  { name: 'is being deleted', given: pod({}, { deletionTimestamp: young }), expected: true },
  { name: 'creates its containers', given: pod({ phase: 'Pending', ...waiting('ContainerCreating') }), expected: true },
  { name: 'restarts a container', given: pod({ phase: 'Running', ...waiting('PodInitializing') }), expected: true },
  { name: 'has just been created', given: pod({ phase: 'Pending' }), expected: true },
  { name: 'runs', given: pod({ phase: 'Running', containerStatuses: [{ state: {} }] }), expected: false },
  { name: 'crashes', given: pod({ phase: 'Running', ...waiting('CrashLoopBackOff') }), expected: false },
  {
    name: 'lacks the image of its init container',
    given: pod({ phase: 'Pending', initContainerStatuses: [{ state: { waiting: { reason: 'ErrImagePull' } } }] }),
    expected: false,
  },
  {
    name: 'fits on no node',
    given: pod({ phase: 'Pending', conditions: [unschedulable] }),
    expected: false,
  },
  {
    name: 'has been starting for more than five minutes',
    given: pod({ phase: 'Pending' }, { creationTimestamp: '2030-01-01T00:04:59Z' }),
    expected: false,
  },
])('I4 a Pod that $name: $expected', ({ given, expected }) => {
  expect(isDisrupted(given, nowMs)).toBe(expected);
});
