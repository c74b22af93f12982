import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { namespace } from './contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const rule = 'expr: up == 0\nsummary: "{{ $labels.instance }} is down, {{ if .Values.x }}since{{ end }} {{- now }}"\n';
const configMap = (metadata: object, data: object): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'verbatim', ...metadata }, data });

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

describe('manifests', () => {
  test('Q5 are applied as they are written: braces stay, and a hook is an object like any other', async () => {
    const files = {
      'manifests/00-namespace.yaml': namespace('verbatim'),
      'manifests/10-rules.json': configMap({ name: 'rules' }, { 'rules.yaml': rule }),
      'manifests/20-hook.json': configMap({ name: 'hook', annotations: { 'helm.sh/hook': 'pre-install' } }, {}),
    };
    await world.kube.create(bundleDeployment('verbatim', world.imageSource('verbatim:v1', files)), {
      fieldManager: 'test',
    });
    await world.deploymentWith('verbatim', installed);
    expect((await world.get('ConfigMap', 'rules', 'verbatim'))['data']).toEqual({ 'rules.yaml': rule });
    const hook = await world.get('ConfigMap', 'hook', 'verbatim');
    expect(hook.metadata.ownerReferences).toMatchObject([{ kind: 'BundleDeployment', name: 'verbatim' }]);
    await world.kube.delete({ apiVersion, kind: 'BundleDeployment', name: 'verbatim' });
    await eventually(async () => {
      expect(isNotFound(await errorOf(world.get('ConfigMap', 'hook', 'verbatim')))).toBe(true);
      expect(isNotFound(await errorOf(world.get('BundleDeployment', 'verbatim')))).toBe(true);
    });
  });
});

describe('the status', () => {
  test('Q29 keeps a condition that somebody else wrote, through a pivot', async () => {
    const files = (version: string): Record<string, string> => ({
      'manifests/a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: patched, namespace: default}\ndata: {version: "${version}"}\n`,
    });
    await world.kube.create(bundleDeployment('patched', world.imageSource('patched:v1', files('1'))), {
      fieldManager: 'test',
    });
    const before = await world.deploymentWith('patched', installed);
    const ref = { apiVersion, kind: 'BundleDeployment', name: 'patched' };
    const foreign = {
      type: 'Approved',
      status: 'True',
      reason: 'ByHand',
      message: 'looked at',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const conditions = [...(statusOf(before)['conditions'] as object[]), foreign];
    await world.kube.patch(
      ref,
      { status: { conditions: conditions as never } },
      {
        fieldManager: 'somebody',
        subresource: 'status',
      },
    );
    const source = world.imageSource('patched:v2', files('2'));
    await world.kube.patch(ref, { spec: { template: { spec: { source } } } }, { fieldManager: 'test' });
    await eventually(async () => {
      const after = await world.deploymentWith('patched', installed);
      expect(statusOf(after)['activeBundle']).not.toBe(statusOf(before)['activeBundle']);
      expect(conditionOf(after, 'Approved')).toEqual(foreign);
    });
  });
});
