import { expect, test } from 'vitest';
import { hasDependenciesLabel } from '../src/api/index.ts';
import type { KubeObject } from '../src/kube/index.ts';
import { DependencyWaits } from './dependency-waits.ts';

function bundle(phase: string, labels: Record<string, string> = {}): KubeObject {
  const metadata = { name: 'a', uid: 'u', labels };
  return { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata, status: { phase } };
}

const change = { before: bundle('Pending'), after: bundle('Unpacked') };

test('deployments that wait are reconciled when a Bundle changes in what matters to them', () => {
  const waits = new DependencyWaits('enforce');
  expect(waits.requestsFor(change)).toEqual([]);
  waits.add('one');
  waits.add('two');
  waits.forget('two');
  expect(waits.requestsFor(change)).toEqual([{ namespace: '', name: 'one' }]);
  expect(waits.requestsFor({ before: undefined, after: bundle('Pending') })).toHaveLength(1);
  expect(waits.requestsFor({ before: bundle('Pending'), after: bundle('Pending', { team: 'a' }) })).toEqual([]);
});

test('the first Bundle with dependencies makes the properties of all matter, once', () => {
  const dependent = bundle('Unpacked', { [hasDependenciesLabel]: 'true' });
  const waits = new DependencyWaits('warn');
  expect(waits.isFirstUse(bundle('Unpacked'))).toBe(false);
  expect(waits.isUsed).toBe(false);
  expect(waits.isFirstUse(dependent)).toBe(true);
  expect(waits.isUsed).toBe(true);
  expect(waits.isFirstUse(dependent)).toBe(false);
  expect(new DependencyWaits('off').isFirstUse(dependent)).toBe(false);
});
