import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/index.ts';
import {
  becomes,
  bundle,
  cluster,
  count,
  crd,
  crdKind,
  createGroup,
  createPlan,
  namespace,
  planNamed,
  rbac,
  runInstallPlansForEachTest,
  stepsOf,
  user,
} from '../../../test/support/install-plan-cluster.ts';
import type { InstallPlanStep } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';

runInstallPlansForEachTest();

describe('accounts of OperatorGroups', () => {
  const account = { name: 'tenant' };

  test('what the account may not do is retried until it may', async () => {
    await createGroup({ serviceAccountName: 'tenant' });
    await createPlan(stepsOf(bundle()));
    await eventually(async () => {
      const { conditions } = (await planNamed()).status ?? {};
      expect(conditions?.[0]?.message).toBe(
        `please make sure the service account exists. sa=tenant operatorgroup=${namespace}/group`,
      );
    });
    await cluster.kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...account, namespace } }, user);
    const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'group', namespace };
    await cluster.kube.patch(group, { metadata: { labels: { a: 'b' } } }, user);
    await eventually(async () => {
      const { message, phase, attenuatedServiceAccountRef } = (await planNamed()).status ?? {};
      expect([phase, message]).toEqual([
        'Installing',
        expect.stringMatching(
          /^retrying execution due to error: error creating csv boat\.v1: .* cannot create resource/,
        ),
      ]);
      expect(attenuatedServiceAccountRef).toMatchObject({ kind: 'ServiceAccount', name: 'tenant', namespace });
    });
    const subjects = [{ kind: 'ServiceAccount', ...account, namespace }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const metadata = { name: 'tenant', namespace };
    await cluster.kube.create(
      { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: namespace }, roleRef, subjects },
      user,
    );
    await cluster.kube.create({ apiVersion: rbac, kind: 'RoleBinding', metadata, roleRef, subjects }, user);
    await becomes('Complete');
  });
});

/** Lets the account of the OperatorGroup do everything. */
async function createPowerfulAccount(name: string): Promise<void> {
  await cluster.kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }, user);
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const binding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: `all-${namespace}` } };
  await cluster.kube.create({ ...binding, roleRef, subjects }, user);
}

test('with an account, a plan does not have the objects of an existing definition converted', async () => {
  await createPowerfulAccount('tenant');
  await createGroup({ serviceAccountName: 'tenant' });
  const name = `converted-${count}.example.com`;
  await cluster.kube.create(crd(name) as unknown as KubeObject, user);
  const clientConfig = { url: 'https://hostile.example.com/convert' };
  const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
  const definition = crd(name);
  await createPlan(stepsOf(bundle([{ ...definition, spec: { ...(definition['spec'] as JsonObject), conversion } }])));
  await becomes('Complete');
  const { spec } = await cluster.kube.get({ ...crdKind, name: `samples.${name}` });
  expect(spec).toMatchObject({ conversion: { strategy: 'None' } });
});

test('with an account, a plan shows nothing of objects of other namespaces that its definition does not allow', async () => {
  await createPowerfulAccount('tenant');
  await createGroup({ serviceAccountName: 'tenant' });
  const name = `private-${count}.example.com`;
  const versionsOf = (size: JsonObject): never =>
    [{ name: 'v1', schema: { type: 'object', properties: { size: { type: 'string', ...size } } } }] as never;
  await cluster.kube.create(crd(name, versionsOf({})) as unknown as KubeObject, user);
  await eventually(() => cluster.kube.list({ apiVersion: `${name}/v1`, kind: 'Sample' }));
  const sample = (place: string): KubeObject => ({
    apiVersion: `${name}/v1`,
    kind: 'Sample',
    metadata: { name: `of-${place}`, namespace: place },
    size: `secret of ${place}`,
  });
  for (const place of ['default', namespace]) await cluster.kube.create(sample(place), user);
  await createPlan(stepsOf(bundle([crd(name, versionsOf({ pattern: '^$' }))])));
  const { message = '' } = await becomes('Failed');
  expect(message).toContain(`Kind=Sample "${namespace}/of-${namespace}"`);
  expect(message).toContain(`secret of ${namespace}`);
  expect(message).toContain(`Kind=Sample outside of namespace "${namespace}": updated validation is too restrictive`);
  expect(message).not.toContain('secret of default');
  expect(message).not.toContain('of-default');
});

/** An account that may do everything in its namespace, and nothing outside of it. */
async function createAccount(name: string): Promise<void> {
  await cluster.kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }, user);
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const binding = { apiVersion: rbac, kind: 'RoleBinding', metadata: { name, namespace } };
  await cluster.kube.create({ ...binding, roleRef, subjects }, user);
}

describe('definitions that an account is not allowed to change', () => {
  const stored = { type: 'object', properties: { size: { type: 'string' }, depth: { type: 'string' } } };
  const v1 = { name: 'v1', schema: stored };
  const clientConfig = { url: 'https://hostile.example.com/convert' };
  const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };

  async function installed(name: string, place: string): Promise<KubeObject> {
    await createAccount('tenant');
    await createGroup({ serviceAccountName: 'tenant' });
    await cluster.kube.create(crd(name, [v1]) as unknown as KubeObject, user);
    const object = { apiVersion: `${name}/v1`, kind: 'Sample', metadata: { name: 's', namespace: place } };
    return await eventually(() => cluster.kube.create({ ...object, size: 'large', depth: 'deep' }, user));
  }

  const definitionSteps = (definition: JsonObject): readonly InstallPlanStep[] =>
    stepsOf(bundle([definition])).filter(({ resource }) => resource.kind === crdKind.kind);

  const withSpec = (definition: JsonObject, spec: JsonObject): JsonObject => {
    return { ...definition, spec: { ...(definition['spec'] as JsonObject), ...spec } };
  };

  test.each([
    {
      what: 'removes a field',
      versions: [{ ...v1, schema: { type: 'object', properties: { size: { type: 'string' } } } }],
      spec: {},
      why: 'removed field : v1.^.depth',
    },
    {
      what: 'is to be converted by a webhook, which it does not get',
      versions: [{ ...v1, schema: { type: 'object', properties: { depth: { type: 'string' } } } }],
      spec: { conversion },
      why: 'removed field : v1.^.size',
    },
    {
      what: 'does not serve a version any more',
      versions: [
        { ...v1, isServed: false },
        { ...v1, name: 'v2' },
      ],
      spec: {},
      why: 'version v1 is not served any more',
    },
    {
      what: 'stores objects by another schema',
      versions: [{ name: 'v2', schema: { type: 'object' } }, v1],
      spec: {},
      why: 'objects are stored as version v2',
    },
    {
      what: 'has another kind',
      versions: [v1],
      spec: { names: { plural: 'samples', singular: 'sample', kind: 'Other', listKind: 'OtherList' } },
      why: 'spec.names.kind changes',
    },
  ])('one that $what stays as it is, while objects of other namespaces exist', async ({ versions, spec, why }) => {
    const name = `shared-${count}.example.com`;
    const before = await installed(name, 'default');
    const definition = await cluster.kube.get({ ...crdKind, name: `samples.${name}` });
    await createPlan(stepsOf(bundle([withSpec(crd(name, versions as never), spec)])));
    await eventually(async () => {
      const { phase, message } = (await planNamed()).status ?? {};
      expect([phase, message]).toEqual(['Installing', expect.stringContaining(why)]);
      expect(message).toMatch(/cannot update resource "customresourcedefinitions".*must be allowed this change/);
    });
    expect((await cluster.kube.get({ ...crdKind, name: `samples.${name}` }))['spec']).toEqual(definition['spec']);
    expect(await cluster.kube.get({ ...before, name: 's', namespace: 'default' })).toMatchObject({ depth: 'deep' });
  });

  test('one is changed while only objects of its own namespace exist', async () => {
    const name = `own-${count}.example.com`;
    await installed(name, namespace);
    const versions = [{ ...v1, schema: { type: 'object', properties: { size: { type: 'string' } } } }];
    await createPlan(definitionSteps(crd(name, versions)));
    await becomes('Complete');
  });

  test('a compatible change is made, and marks by which others know the definition stay', async () => {
    const name = `compatible-${count}.example.com`;
    await installed(name, 'default');
    const wider = { ...stored, properties: { ...stored.properties, color: { type: 'string' } } };
    const marks = { 'core.rukpak.io/owner-name': 'x', 'cert-manager.io/inject-ca-from': 'x' };
    const definition = crd(name, [{ ...v1, schema: wider }]);
    const metadata = { ...(definition['metadata'] as JsonObject), labels: marks, annotations: marks };
    await createPlan(definitionSteps({ ...definition, metadata }));
    await becomes('Complete');
    const changed = await cluster.kube.get({ ...crdKind, name: `samples.${name}` });
    expect(JSON.stringify(changed['spec'])).toContain('color');
    expect([changed.metadata.labels, changed.metadata.annotations]).toEqual([undefined, undefined]);
  });
});

describe('failed plans of accounts', () => {
  test('P10 such a plan is executed again when permissions of its namespace change', async () => {
    await cluster.kube.create(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'late', namespace } },
      user,
    );
    await createGroup({ serviceAccountName: 'late' });
    await createPlan(stepsOf(bundle()));
    await eventually(async () => {
      expect((await planNamed()).status?.message).toMatch(/cannot create resource/);
    });
    const { metadata } = await planNamed();
    const ref = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace, name: metadata.name };
    await eventually(async () => {
      if ((await planNamed()).status?.phase !== 'Failed') {
        const status = { phase: 'Failed' };
        await cluster.kube.patch(ref, { status }, { ...user, subresource: 'status' });
      }
      expect((await planNamed()).status?.phase).toBe('Failed');
    });
    const subjects = [{ kind: 'ServiceAccount', name: 'late', namespace }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const clusterBinding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: `${namespace}-late` } };
    await cluster.kube.create({ ...clusterBinding, roleRef, subjects }, user);
    const binding = { apiVersion: rbac, kind: 'RoleBinding', metadata: { name: 'late', namespace } };
    await cluster.kube.create({ ...binding, roleRef, subjects }, user);
    await becomes('Complete');
  });
});
