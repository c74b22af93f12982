import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound } from '../../src/kube/index.ts';
import { Connection } from '../conformance/connection.ts';
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

/** The text of an object as the API server sends it. */
async function textOf(path: string): Promise<string> {
  using connection = new Connection(await readFile(world.platform.kubeconfigPath, 'utf8'));
  const answer = await connection.open({ method: 'GET', path, headers: {} }, AbortSignal.timeout(30_000));
  return Buffer.concat((await answer.toArray()) as Buffer[]).toString();
}

describe('manifests', () => {
  test('keep every digit of whole numbers of 64 bits, and nothing is corrected repeatedly for them', async () => {
    const limit = { type: 'integer', format: 'int64' };
    const spec = { type: 'object', properties: { limit } };
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    };
    const names = { kind: 'Quota', listKind: 'QuotaList', plural: 'quotas', singular: 'quota' };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'quotas.digits.example.com' },
      spec: { group: 'digits.example.com', names, scope: 'Cluster', versions: [version] },
    };
    const quota =
      'apiVersion: digits.example.com/v1\nkind: Quota\nmetadata: {name: large}\nspec: {limit: 9007199254740993}\n';
    const files = { 'manifests/crd.json': JSON.stringify(definition), 'manifests/quota.yaml': quota };
    await world.kube.create(bundleDeployment('digits', world.imageSource('digits:v1', files)), {
      fieldManager: 'test',
    });
    await world.deploymentWith('digits', installed);
    await world.deploymentWith('digits', { type: 'Healthy', status: 'True' });
    const text = await textOf('/apis/digits.example.com/v1/quotas/large');
    // The embedded server has the numbers of JavaScript.
    expect(text).toContain(
      `"limit":${world.platform.apiServer === undefined ? '9007199254740993' : '9007199254740992'}`,
    );
    await world.kube.patch(
      { apiVersion: 'digits.example.com/v1', kind: 'Quota', name: 'large' },
      { spec: { limit: 5 } },
      { fieldManager: 'someone' },
    );
    await eventually(async () =>
      expect(await textOf('/apis/digits.example.com/v1/quotas/large')).not.toContain('"limit":5'),
    );
    expect(await textOf('/apis/digits.example.com/v1/quotas/large')).toContain('"generation":3');
  });

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
  test('Q29 retains a condition that another writer added, through a pivot', async () => {
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
        fieldManager: 'someone',
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
