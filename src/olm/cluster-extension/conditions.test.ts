import { expect, test } from 'vitest';
import type { KubeObject } from '../../kube/index.ts';
import { progressOf, progressOfAll } from './conditions.ts';

/** A BundleDeployment of the ClusterExtension `tide` that could not be installed. */
function failed(name: string, message: string): KubeObject {
  const owner = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', name: 'tide', uid: 'u' };
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const conditions = [
    { type: 'HasValidBundle', status: 'True', reason: 'UnpackSuccessful', message: '', lastTransitionTime },
    { type: 'Installed', status: 'False', reason: 'PermissionsMissing', message, lastTransitionTime },
  ];
  return {
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'BundleDeployment',
    metadata: { name, ownerReferences: [{ ...owner, controller: true }] },
    spec: { provisionerClassName: 'c', template: { spec: { provisionerClassName: 'c', source: { type: 'image' } } } },
    status: { conditions },
  } as unknown as KubeObject;
}

test.each([
  {
    name: 'tide',
    message: 'serviceaccount "x" not found in namespace "y" (spec.config.serviceAccount): create it',
    shown: 'serviceaccount "x" not found in namespace "y" (spec.serviceAccount): create it',
  },
  {
    name: 'tide',
    message: 'lacks permissions (longshore permissions bd/tide prints them)',
    shown: 'lacks permissions (longshore permissions clusterextension/tide prints them)',
  },
  {
    name: 'tide-gauge-1234',
    message: 'lacks permissions (longshore permissions bd/tide-gauge-1234 prints them)',
    shown: 'lacks permissions (longshore permissions bd/tide-gauge-1234 prints them)',
  },
])('a problem of BundleDeployment $name names what its user has written: $shown', ({ name, message, shown }) => {
  expect(progressOf(failed(name, message))).toEqual({ reason: 'Retrying', message: shown });
});

test('what the package and its dependencies lack is listed together', () => {
  const [main, needed] = [failed('tide', 'x lacks permissions: a'), failed('tide-gauge-1', 'x lacks permissions: b')];
  expect(progressOfAll(main, [needed])).toEqual({
    reason: 'Retrying',
    message: 'dependency : x lacks permissions: b\nx lacks permissions: a',
  });
  const waiting = failed('tide', 'dependency is not met');
  expect(progressOfAll(waiting, [needed]).message).toBe('dependency : x lacks permissions: b');
});
