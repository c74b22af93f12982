import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../../apiserver/index.ts';
import { startTestRegistry } from '../../../test/support/catalog-registry.ts';
import { eventually } from '../../../test/support/index.ts';
import { olmCrd, startOlmCatalogs } from '../../../test/support/olm-catalogs.ts';
import { isJsonObject, type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { KubeClient, KubeObject } from '../../kube/index.ts';
import { indexRegistry } from '../catalog-content/index-registry.ts';

const root = '/apis/packages.operators.coreos.com/v1';
const rbac = 'rbac.authorization.k8s.io';
const stack = new AsyncDisposableStack();
const user = { fieldManager: 'test' };
let server: ApiServer;
let kube: KubeClient;

async function createSource(namespace: string, name: string, address: string): Promise<void> {
  const [apiVersion, kind] = ['operators.coreos.com/v1alpha1', 'CatalogSource'];
  const metadata = { name, namespace, labels: { team: namespace } };
  const spec = { sourceType: 'grpc', address, displayName: `Catalog ${name}`, publisher: 'Acme' };
  await kube.create({ apiVersion, kind, metadata, spec } as unknown as KubeObject, user);
  await eventually(async () => {
    const found = await kube.get({ apiVersion, kind, namespace, name });
    expect(textAt(objectAt(found as JsonObject, 'status', 'connectionState'), 'lastObservedState')).toBe('READY');
  });
}

beforeAll(async () => {
  server = stack.adopt(await startApiServer({ simulation: false, crds: [olmCrd('catalogsources')] }), (one) =>
    one.stop(),
  );
  ({ kube } = stack.use(await startOlmCatalogs(server.kubeconfig, { address: indexRegistry })));
  for (const name of ['olm', 'team', 'other']) {
    await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
  }
  const registry = stack.use(await startTestRegistry());
  const address = `127.0.0.1:${registry.port}`;
  await createSource('olm', 'global', address);
  await createSource('team', 'own', address);
  await untilAvailable();
});

afterAll(() => stack.disposeAsync());

const apiService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  name: 'v1.packages.operators.coreos.com',
};

async function untilAvailable(): Promise<void> {
  await eventually(async () => {
    const found = await kube.get(apiService);
    const conditions = objectsAt(objectAt(found as JsonObject, 'status'), 'conditions');
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Available', status: 'True' }));
  });
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: JsonObject;
  readonly bytes: Buffer;
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  const authorization = `Bearer ${server.adminToken}`;
  const sent = httpsRequest({
    hostname,
    port,
    path,
    ca: server.caCertificatePem,
    agent: false,
    headers: { authorization, ...headers },
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = Buffer.concat((await response.toArray()) as Buffer[]);
  const type = response.headers['content-type'] ?? '';
  const value: unknown = type.startsWith('application/json') ? JSON.parse(bytes.toString()) : {};
  const body = isJsonObject(value as JsonObject) ? (value as JsonObject) : {};
  return { status: response.statusCode ?? 0, type, headers: response.headers, body, bytes };
}

function namesIn({ body }: Answer): readonly string[] {
  return objectsAt(body, 'items').map((item) => {
    const metadata = objectAt(item, 'metadata');
    return `${textAt(metadata, 'namespace')} ${textAt(objectAt(item, 'status'), 'catalogSource')}/${textAt(metadata, 'name')}`;
  });
}

test('a namespace has the packages of its own catalogs and of the global ones, all as its own', async () => {
  expect(namesIn(await ask(`${root}/namespaces/team/packagemanifests`))).toEqual([
    'team own/p',
    'team own/q',
    'team global/p',
    'team global/q',
  ]);
  expect(namesIn(await ask(`${root}/namespaces/other/packagemanifests`))).toEqual(['other global/p', 'other global/q']);
  expect(namesIn(await ask(`${root}/packagemanifests`))).toEqual([
    'olm global/p',
    'olm global/q',
    'team own/p',
    'team own/q',
  ]);
});

test('a package has its channels, the newest version of each, their entries and deprecations', async () => {
  const { status, body } = await ask(`${root}/namespaces/team/packagemanifests/p`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    apiVersion: 'packages.operators.coreos.com/v1',
    kind: 'PackageManifest',
    metadata: { name: 'p', namespace: 'team', labels: { catalog: 'own', 'catalog-namespace': 'team', team: 'team' } },
    status: {
      catalogSource: 'own',
      catalogSourceDisplayName: 'Catalog own',
      catalogSourcePublisher: 'Acme',
      catalogSourceNamespace: 'team',
      packageName: 'p',
      defaultChannel: 'stable',
      deprecation: { message: 'old package' },
    },
  });
  const channels = objectsAt(objectAt(body, 'status'), 'channels');
  expect(channels.map((channel) => `${textAt(channel, 'name')} ${textAt(channel, 'currentCSV')}`)).toEqual([
    'stable p.v1.2.0',
  ]);
  expect(channels[0]).toMatchObject({
    currentCSVDesc: { displayName: 'P', version: '1.2.0', annotations: { a: 'b' }, provider: {} },
    entries: [
      { name: 'p.v1.2.0', version: '1.2.0' },
      { name: 'p.v1.1.0', version: '1.1.0' },
      { name: 'p.v1.0.0', version: '1.0.0', deprecation: { message: 'old bundle' } },
    ],
  });
  expect(JSON.stringify(body)).not.toContain('"icon"');
});

test('a package that does not exist is not found; nothing can be changed or watched', async () => {
  const missing = await ask(`${root}/namespaces/team/packagemanifests/never`);
  expect(missing.body).toMatchObject({
    code: 404,
    reason: 'NotFound',
    message: 'packagemanifests.packages.operators.coreos.com "never" not found',
  });
  const watched = await ask(`${root}/packagemanifests?watch=1`);
  expect(watched.body).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
});

test('lists are filtered by labels and by name', async () => {
  const list = async (query: string): Promise<readonly string[]> =>
    namesIn(await ask(`${root}/namespaces/team/packagemanifests?${query}`));
  expect(await list('labelSelector=catalog%3Dglobal')).toEqual(['team global/p', 'team global/q']);
  expect(await list('labelSelector=catalog%20notin%20(global),!nothing')).toEqual(['team own/p', 'team own/q']);
  expect(await list('fieldSelector=metadata.name%3Dq')).toEqual(['team own/q', 'team global/q']);
  const refused = await ask(`${root}/packagemanifests?fieldSelector=status.packageName%3Dq`);
  expect(refused.body).toMatchObject({ code: 400, message: 'field label not supported: status.packageName=q' });
  expect((await ask(`${root}/packagemanifests?labelSelector=(`)).status).toBe(400);
});

test('kubectl gets a table, and metadata is served alone', async () => {
  const table = await ask(`${root}/namespaces/other/packagemanifests`, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  });
  expect(table.type).toBe('application/json;as=Table;v=v1;g=meta.k8s.io');
  expect(objectsAt(table.body, 'columnDefinitions').map(({ name }) => name)).toEqual(['Name', 'Catalog', 'Age']);
  expect(objectsAt(table.body, 'rows')[0]).toMatchObject({
    cells: ['p', 'Catalog global', expect.stringMatching(/^\d+s$/)],
    object: { kind: 'PartialObjectMetadata', metadata: { name: 'p', namespace: 'other' } },
  });
  const items = await kube.list({
    apiVersion: 'packages.operators.coreos.com/v1',
    kind: 'PackageManifest',
    namespace: 'other',
    isMetadataOnly: true,
  });
  expect(items.items.map(({ metadata }) => metadata.name)).toEqual(['p', 'q']);
  const protobuf = await ask(`${root}/packagemanifests`, { accept: 'application/vnd.kubernetes.protobuf' });
  expect(protobuf.status).toBe(406);
});

test('the icon of a package is served as an image, and a default one where there is none', async () => {
  const icon = await ask(`${root}/namespaces/team/packagemanifests/p/icon`);
  expect([icon.status, icon.type, icon.bytes.toString('base64')]).toEqual([200, 'image/png', 'AAAA']);
  expect(icon.headers['content-security-policy']).toContain('sandbox');
  const same = await ask(`${root}/namespaces/team/packagemanifests/p/icon`, {
    'if-none-match': icon.headers.etag ?? '',
  });
  expect(same.status).toBe(304);
  const none = await ask(`${root}/namespaces/team/packagemanifests/q/icon`);
  expect([none.status, none.type]).toEqual([200, 'image/svg+xml']);
  expect((await ask(`${root}/namespaces/team/packagemanifests/never/icon`)).status).toBe(404);
});

test('users see the packages of namespaces that they may list them in', async () => {
  const role = { apiGroup: rbac, kind: 'Role', name: 'packages' };
  const rules = [
    { apiGroups: ['packages.operators.coreos.com'], resources: ['packagemanifests'], verbs: ['get', 'list'] },
  ];
  const metadata = { name: 'packages', namespace: 'team' };
  await server.client.create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules });
  const subjects = [{ apiGroup: rbac, kind: 'User', name: 'jane' }];
  await server.client.create({ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, roleRef: role, subjects });
  const headers = { 'impersonate-user': 'jane' };
  expect((await ask(`${root}/namespaces/team/packagemanifests`, headers)).status).toBe(200);
  const refused = await ask(`${root}/namespaces/other/packagemanifests`, headers);
  expect(refused.body).toMatchObject({
    code: 403,
    message: expect.stringContaining('User "jane" cannot list resource "packagemanifests"') as string,
  });
  expect((await ask(`${root}/packagemanifests`, headers)).status).toBe(403);
});

test('the registration is restored when it was deleted', async () => {
  await kube.delete(apiService);
  await untilAvailable();
  expect((await ask(`${root}/packagemanifests`)).status).toBe(200);
});
