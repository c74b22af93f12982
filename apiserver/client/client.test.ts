import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../index.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ simulation: false });
});
afterAll(async () => {
  await server.stop();
});

const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});
const reference = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name });

test('an object is created, read, changed, applied and deleted in the default namespace', async () => {
  const { client } = server;
  const created = await client.create(configMap('life', { a: '1' }));
  expect(await client.get(created)).toMatchObject({ data: { a: '1' } });
  await client.update({ ...created, data: { a: '2' } });
  await client.patch(reference('life'), [{ op: 'add', path: '/data/b', value: '3' }], { type: 'json' });
  const applied = await client.apply(configMap('life', { c: '4' }), { fieldManager: 'x' });
  expect(applied).toMatchObject({ data: { a: '2', b: '3', c: '4' } });
  await client.delete(reference('life'));
  expect(await client.find(reference('life'))).toBeUndefined();
});

test('a refusal is an ApiError with code, reason and words', async () => {
  await expect(server.client.get(reference('none'))).rejects.toMatchObject({
    name: 'ApiError',
    code: 404,
    reason: 'NotFound',
    message: 'configmaps "none" not found',
  });
});

test('lists take selectors, and their items have kind and apiVersion', async () => {
  const { client } = server;
  await client.create({ ...configMap('listed'), metadata: { name: 'listed', labels: { of: 'list' } } });
  const found = await client.list({ apiVersion: 'v1', kind: 'ConfigMap', labelSelector: 'of=list' });
  expect(found).toMatchObject([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'listed' } }]);
});

test('a watch reports every change from its opening on', async () => {
  const { client } = server;
  using watch = await client.watch({ apiVersion: 'v1', kind: 'ConfigMap', fieldSelector: 'metadata.name=seen' });
  await client.create(configMap('seen'));
  await client.delete(reference('seen'));
  const types: string[] = [];
  for await (const event of watch) {
    types.push(event.type);
    if (types.length === 2) break;
  }
  expect(types).toEqual(['ADDED', 'DELETED']);
});

test('until returns the object once it is as expected, and reports its last state when it never is', async () => {
  const { client } = server;
  const expected = client.until(reference('late'), (object) => object !== undefined);
  await client.create(configMap('late', { is: 'here' }));
  expect(await expected).toMatchObject({ data: { is: 'here' } });
  await expect(client.until(reference('late'), (o) => o === undefined, { timeoutMs: 20 })).rejects.toThrow(
    '"is":"here"',
  );
});

test('another user may do what roles allow', async () => {
  const alice = server.client.as('alice', ['dev']);
  await expect(alice.list({ apiVersion: 'v1', kind: 'Secret' })).rejects.toMatchObject({ code: 403 });
  const review = await alice.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  expect(JSON.parse(review.text)).toMatchObject({
    status: { userInfo: { username: 'alice', groups: ['dev', 'system:authenticated'] } },
  });
});
