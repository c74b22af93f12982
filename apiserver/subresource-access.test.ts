import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../src/base/index.ts';
import { eventually } from '../test/support/eventually.ts';
import { sampleCrd } from '../test/support/sample-crd.ts';
import { type ApiServer, type KubeObject, startApiServer } from './index.ts';

let server: ApiServer;
const rbac = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io/v1';
/** Has every permission in the namespace `default`, and a policy denies everything. */
const guarded = 'guarded';
const definition = sampleCrd([{ name: 'v1', schema: { type: 'object' } }]);
const pods = '/api/v1/namespaces/default/pods';

async function create(object: JsonObject): Promise<KubeObject> {
  return await server.client.create(object as unknown as KubeObject);
}

async function grant(user: string, rules: readonly JsonObject[]): Promise<void> {
  const apiVersion = `${rbac}/v1`;
  await create({ apiVersion, kind: 'ClusterRole', metadata: { name: user }, rules: [...rules] });
  await create({
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: user },
    subjects: [{ kind: 'User', name: user }],
  });
}

async function createPod(name: string): Promise<string> {
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await create({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec });
  return `${pods}/${name}`;
}

interface Asked {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly body?: JsonObject;
}

async function askAs(
  user: string,
  { path, method, body }: Asked,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  return await server.client.as(user).request({ path, method, headers, ...(body !== undefined && { body }) });
}

/** An owner that does not exist: the garbage collector deletes what only has such owners. */
const lostOwner = [{ apiVersion: 'v1', kind: 'Node', name: 'lost', uid: '00000000-0000-0000-0000-000000000000' }];

beforeAll(async () => {
  server = await startApiServer({ simulation: false });
  await create(definition);
  await grant(guarded, [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
  const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'] };
  const guardedResources = [
    'serviceaccounts/token',
    'pods/binding',
    'bindings',
    'pods',
    'pods/status',
    'pods/ephemeralcontainers',
    'pods/portforward',
    'deployments/scale',
  ];
  await create({
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: guarded },
    spec: {
      matchConstraints: {
        resourceRules: guardedResources.map((resource) => ({
          ...rule,
          resources: [resource],
          // As they are written: a Binding and a TokenRequest are created.
          operations: /token|binding/.test(resource) ? ['CREATE'] : ['*'],
        })),
      },
      validations: [{ expression: `request.userInfo.username != '${guarded}'`, message: 'denied by the policy' }],
    },
  });
  await create({
    apiVersion: admission,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: guarded },
    spec: { policyName: guarded, validationActions: ['Deny'] },
  });
});
afterAll(async () => {
  await server.stop();
});

describe('policies for what is posted to subresources', () => {
  test('apply to requests for tokens of service accounts', async () => {
    await create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'app', namespace: 'default' } });
    const path = '/api/v1/namespaces/default/serviceaccounts/app/token';
    const refused = await askAs(guarded, { path, method: 'POST', body: { spec: {} } });
    expect(refused.text).toContain('denied by the policy');
    expect(refused.text).not.toContain('"token"');
  });

  test.each(['pods/NAME/binding', 'bindings'])('apply to Bindings: %s', async (resource) => {
    const name = resource === 'bindings' ? 'bound-a' : 'bound-b';
    const pod = await createPod(name);
    const path = `/api/v1/namespaces/default/${resource.replace('NAME', name)}`;
    const body = { metadata: { name }, target: { kind: 'Node', name: 'n' } };
    const refused = await askAs(guarded, { path, method: 'POST', body });
    expect(refused.text).toContain('denied by the policy');
    expect((await server.client.request({ path: pod })).text).not.toContain('nodeName');
  });
});

const furtherPaths: readonly (readonly [string, JsonObject])[] = [
  ['status', { metadata: { labels: { changed: 'yes' } } }],
  ['ephemeralcontainers', { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } }],
];
test.each(furtherPaths)(
  'a path that goes on after %s is none, whatever policies are about',
  async (subresource, body) => {
    const pod = await createPod(`further-${subresource}`);
    const before = (await server.client.request({ path: pod })).text;
    const path = `${pod}/${subresource}/further`;
    expect((await askAs(guarded, { path, method: 'PATCH', body })).status).toBe(404);
    expect((await askAs(guarded, { path: `${pod}/portforward/further`, method: 'GET' })).status).toBe(404);
    expect((await server.client.request({ path: pod })).text).toBe(before);
  },
);

test('who may add ephemeral containers alone cannot label or delete the pod', async () => {
  await grant('debugger', [{ apiGroups: [''], resources: ['pods/ephemeralcontainers'], verbs: ['patch'] }]);
  const pod = await createPod('debugged');
  const before = JSON.parse((await server.client.request({ path: pod })).text) as KubeObject;
  const metadata = {
    labels: { app: 'web' },
    annotations: { a: 'b' },
    finalizers: ['a.io/b'],
    ownerReferences: lostOwner,
  };
  const spec = { ephemeralContainers: [{ name: 'e', image: 'i' }] };
  const path = `${pod}/ephemeralcontainers`;
  expect((await askAs('debugger', { path, method: 'PATCH', body: { metadata, spec } })).status).toBe(200);
  const after = JSON.parse((await server.client.request({ path: pod })).text) as KubeObject;
  expect(after).toMatchObject({ spec });
  for (const key of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    expect(after.metadata[key]).toEqual(before.metadata[key]);
  }
});

test('who may write the status of definitions alone cannot have the garbage collector delete one', async () => {
  await grant('reporter', [
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions/status'], verbs: ['patch'] },
  ]);
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/samples.samples.example.com';
  const body = { metadata: { ownerReferences: lostOwner } };
  expect((await askAs('reporter', { path: `${path}/status`, method: 'PATCH', body })).status).toBe(200);
  // What was written before is collected before this.
  const marker = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm', namespace: 'default', ownerReferences: lostOwner },
  };
  await create(marker as unknown as JsonObject);
  await eventually(async () => {
    expect((await server.client.request({ path: '/api/v1/namespaces/default/configmaps/m' })).status).toBe(404);
  });
  const kept = JSON.parse((await server.client.request({ path })).text) as KubeObject;
  expect(kept.metadata.name).toBe('samples.samples.example.com');
  expect(kept.metadata.deletionTimestamp).toBeUndefined();
  expect(kept.metadata.ownerReferences).toBeUndefined();
});
