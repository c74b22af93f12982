import { request } from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { type ApiServer, startApiServer } from '../index.ts';

interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ simulation: false });
});
afterAll(async () => {
  await server.stop();
});

function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${server.adminToken}`, ...headers };
    request(`${server.url}${path}`, { ca: server.caCertificatePem, headers: all, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('end', () =>
        resolve({ code: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
      );
    })
      .once('error', reject)
      .end();
  });
}

function json(answer: Answer): JsonObject {
  return JSON.parse(answer.body.toString()) as JsonObject;
}

const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const v2beta1 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

test('W027, W028 the plain documents name versions and groups, the core group not among them', async () => {
  expect(json(await get('/api'))).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  const groups = json(await get('/apis'))['groups'] as JsonObject[];
  expect(groups.map((group) => group['name'])).toContain('apps');
  expect(groups.map((group) => group['name'])).not.toContain('');
  expect(groups[0]?.['name']).toBe('apiregistration.k8s.io');
});

test('W029, W030 a version lists its resources, and subresources of other groups say so', async () => {
  const core = json(await get('/api/v1'));
  expect(core).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
  const apps = json(await get('/apis/apps/v1'))['resources'] as JsonObject[];
  expect(apps.find((entry) => entry['name'] === 'deployments')).toMatchObject({
    shortNames: ['deploy'],
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  });
  expect(apps.find((entry) => entry['name'] === 'deployments/scale')).toMatchObject({
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
  });
});

test.each([
  { name: 'v2 when both are accepted', accept: `${v2},${v2beta1},application/json`, version: 'v2' },
  { name: 'v2beta1 when that alone is accepted', accept: `${v2beta1},application/json`, version: 'v2beta1' },
])('W031, W032 aggregated discovery is $name', async ({ accept, version }) => {
  const answer = await get('/apis', { accept });
  expect(answer.headers['content-type']).toBe(
    `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
  );
  expect(json(answer)['apiVersion']).toBe(`apidiscovery.k8s.io/${version}`);
});

test('W034 aggregated discovery is not sent again to whoever has it', async () => {
  const first = await get('/api', { accept: v2 });
  const again = await get('/api', { accept: v2, 'if-none-match': String(first.headers['etag']) });
  expect(again.code).toBe(304);
  expect(again.body).toHaveLength(0);
});

test('W005 an unknown group is a plain 404', async () => {
  const answer = await get('/apis/no.such/v1');
  expect(answer.code).toBe(404);
  expect(answer.body.toString()).toBe('404 page not found\n');
});

test('W036, W037, W038 OpenAPI documents are found by the index, kept for ever under their hash, and moved under an old one', async () => {
  const index = json(await get('/openapi/v3'))['paths'] as Record<string, JsonObject>;
  const url = index['apis/apps/v1']?.['serverRelativeURL'] as string;
  const document = await get(url);
  expect(document.headers['cache-control']).toBe('public, immutable');
  const stale = await get('/openapi/v3/apis/apps/v1?hash=0');
  expect([stale.code, stale.headers['location']]).toEqual([301, url]);
});

test('W039 the patch of a built-in kind offers field validation and strategic merge', async () => {
  const document = json(await get('/openapi/v3/apis/apps/v1'));
  const paths = document['paths'] as Record<string, Record<string, JsonObject>>;
  const patch = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.['patch'];
  expect(patch).toMatchObject({
    'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
    requestBody: { content: { 'application/strategic-merge-patch+json': {} } },
  });
  const names = ((patch?.['parameters'] ?? []) as JsonObject[]).map((parameter) => parameter['name']);
  expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
});

test('W041 older clients get the protobuf document that they insist on', async () => {
  const answer = await get('/openapi/v2', {
    accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  });
  expect(answer.headers['content-type']).not.toContain('@');
  expect([...answer.body]).toEqual([0x0a, 0x03, 0x32, 0x2e, 0x30]);
});
