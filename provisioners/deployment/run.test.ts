import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { requeueAfter, StatusWriter, type StatusWriterOptions } from '../../src/controller/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { continueWith, type DeploymentRun } from './run.ts';

test.each([
  { name: 'the only one', asked: [20], expected: 20 },
  { name: 'the first of several', asked: [20, 10, 30], expected: 10 },
  { name: 'an overdue one at once', asked: [-13], expected: 0 },
  { name: 'an overdue one at once, whatever was asked before', asked: [20, -13, 10], expected: 0 },
])('takes $name', ({ asked, expected }) => {
  const run = {} as DeploymentRun;
  for (const afterMs of asked) requeueAfter(run, afterMs);
  expect(run.requeueAfterMs).toBe(expected);
});

/** A BundleDeployment whose account is that of a generation. */
function deployment(generation: number, metadata: KubeObject['metadata'] = {}): KubeObject {
  const config = { serviceAccount: { namespace: 'default', name: `account-${generation}` } };
  return {
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'BundleDeployment',
    metadata: { name: 'a', uid: 'u', generation, ...metadata },
    spec: { config },
  };
}

/** A run that writes nothing. */
function runOf(object: KubeObject): DeploymentRun {
  const options = { clock: systemClock, fieldManager: 'test' };
  const status = new StatusWriter(object, options as unknown as StatusWriterOptions<DeploymentRun>);
  return { object, status } as unknown as DeploymentRun;
}

test.each([
  { what: 'spec', written: deployment(2) },
  { what: 'annotation of ours', written: deployment(1, { annotations: { 'core.rukpak.io/adopt': 'true' } }) },
  { what: 'object of the name', written: deployment(1, { uid: 'other' }) },
])('a reconcile does not go on with another $what than it began with', ({ written }) => {
  const before = deployment(1);
  const run = runOf(before);
  expect(() => continueWith(run, written)).toThrow('the BundleDeployment changed during the reconcile');
  expect(run.object).toBe(before);
});

test('a reconcile goes on with what its own writes and the annotations of others have changed', () => {
  const run = runOf(deployment(1));
  continueWith(run, deployment(1, { resourceVersion: '7', annotations: { note: 'b' } }));
  expect(run.object).toMatchObject({ metadata: { resourceVersion: '7', annotations: { note: 'b' } } });
});
