import { expect, test } from 'vitest';
import type { KubeObject } from '../core/index.ts';
import { podGatesText, podReadyText, podRestartsText, podStatusText } from './pod-status.ts';

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

interface Counted {
  readonly items: readonly object[];
  readonly reads: () => number;
}

/** Items that count how often this field of theirs is read. */
function counted(count: number, field: string, value: (index: number) => string): Counted {
  let reads = 0;
  const read = (at: number): string => {
    reads += 1;
    return value(at);
  };
  const items = many(count, (at) =>
    Object.defineProperty({ status: 'True' }, field, { enumerable: true, get: () => read(at) }),
  );
  return { items, reads: () => reads };
}

const podOf = (spec: object, status: object): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec, status }) as unknown as KubeObject;

test('readiness gates are not compared with each condition', () => {
  const { items, reads } = counted(50, 'type', (at) => `c${at}`);
  const readinessGates = many(60, (at) => ({ conditionType: `c${at}` }));
  expect(podGatesText(podOf({ readinessGates }, { conditions: items }))).toBe('50/60');
  expect(reads()).toBe(50);
});

test.each([
  ['status', podStatusText, 'Init:50/50'],
  ['ready containers', podReadyText, '50/50'],
  ['restarts', podRestartsText, '0'],
])('the %s of init containers do not have each of these looked for among all', (_what, textOf, expected) => {
  const { items, reads } = counted(50, 'name', (at) => `i${at}`);
  const initContainers = items.map((item) => Object.defineProperty(item, 'restartPolicy', { value: 'Always' }));
  const started = { ready: true, started: true, state: { running: {} } };
  const initContainerStatuses = [...many(50, (at) => ({ ...started, name: `i${49 - at}` })), { name: 'other' }];
  expect(textOf(podOf({ initContainers }, { initContainerStatuses }), 0)).toBe(expected);
  expect(reads()).toBeLessThanOrEqual(100);
});
