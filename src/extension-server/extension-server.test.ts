import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as httpsRequest, type RequestOptions, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { type Clock, createCertificateAuthority, issueCertificate, systemClock } from '../base/index.ts';
import { createKubeClient, type KubeClient, loadClusterAccess } from '../kube/index.ts';
import { AccessReviews, RequestAuthenticator, readRequestTrust, requestAttributes } from './index.ts';

const group = 'widgets.example.com';
const path = `/apis/${group}/v1/namespaces/default/widgets/a`;
const rbac = 'rbac.authorization.k8s.io';
let server: ApiServer;
let kube: KubeClient;
let extension: Server;
let nowMs = Date.now();
const clock: Clock = { ...systemClock, now: () => nowMs };

/** A user as part of a name. */
function slug(user: string): string {
  return encodeURIComponent(user).replaceAll('%', '-').toLowerCase();
}

async function bind(kind: 'Role' | 'ClusterRole', name: string, user: string): Promise<void> {
  const namespace = kind === 'Role' ? { namespace: 'kube-system' } : {};
  await server.client.create({
    apiVersion: `${rbac}/v1`,
    kind: `${kind}Binding`,
    metadata: { name: `${slug(user)}-${name.replaceAll(':', '-')}`, ...namespace },
    roleRef: { apiGroup: rbac, kind, name },
    subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
  });
}

async function allowWidgets(user: string): Promise<void> {
  const rules = [{ apiGroups: [group], resources: ['widgets'], verbs: ['get'] }];
  const name = `widgets-${slug(user)}`;
  await server.client.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
  await bind('ClusterRole', name, user);
}

/** An extension server that answers every request of a user who may with the user. */
async function startExtension(): Promise<string> {
  const authority = await createCertificateAuthority({ commonName: 'serving-ca', nowMs, lifetimeDays: 1 });
  const names = { dnsNames: ['widgets.default.svc', 'localhost'] };
  const request = { commonName: 'widgets', usage: 'server' as const, ...names, nowMs, lifetimeDays: 1 };
  const { certificatePem: cert, privateKeyPem: key } = await issueCertificate(authority, request);
  const reviews = new AccessReviews({ kube, clock });
  const authenticator = new RequestAuthenticator({ trust: await readRequestTrust(kube), reviews, clock });
  const answer = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    const user = await authenticator.authenticate(asked);
    const attributes = requestAttributes(asked.method ?? '', asked.url ?? '');
    const isDiscovery = attributes.kind === 'path';
    response.statusCode =
      user === undefined ? 401 : isDiscovery || (await reviews.isAllowed(user, attributes)) ? 200 : 403;
    response.end(JSON.stringify(user ?? null));
  };
  extension = createServer({ cert, key, ...authenticator.serverOptions }, (asked, response) => {
    answer(asked, response).catch((thrown: unknown) => response.writeHead(500).end(String(thrown)));
  });
  await new Promise<void>((resolve) => void extension.listen(0, '127.0.0.1', resolve));
  return authority.certificatePem;
}

let servingCaPem = '';

beforeAll(async () => {
  server = await startApiServer();
  const kubeconfig = await server.kubeconfigFor('widgets-server');
  kube = createKubeClient({ access: await loadClusterAccess({ text: kubeconfig }), clock: systemClock });
  await bind('Role', 'extension-apiserver-authentication-reader', 'widgets-server');
  await bind('ClusterRole', 'system:auth-delegator', 'widgets-server');
  servingCaPem = await startExtension();
  const { port } = extension.address() as AddressInfo;
  const spec = { type: 'ExternalName', externalName: 'localhost' };
  await server.client.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'widgets' }, spec });
  const service = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 10,
      versionPriority: 10,
      service: { namespace: 'default', name: 'widgets', port },
      caBundle: Buffer.from(servingCaPem).toString('base64'),
    },
  };
  await server.client.create(service);
  await server.client.until(service, (found) => JSON.stringify(found).includes('"Passed"'));
});

afterAll(async () => {
  kube.close();
  extension.closeAllConnections();
  extension.close();
  await server.stop();
});

interface Answer {
  readonly status: number;
  readonly user: unknown;
}

async function ask(options: RequestOptions): Promise<Answer> {
  const sent = httpsRequest({ path, agent: false, ...options });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = Buffer.concat((await response.toArray()) as Buffer[]).toString();
  return { status: response.statusCode ?? 0, user: text.startsWith('{') || text === 'null' ? JSON.parse(text) : text };
}

/** By way of the API server, as the admin who acts as another. */
function askThrough(headers: RequestOptions['headers']): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  const authorization = `Bearer ${server.adminToken}`;
  return ask({ hostname, port, ca: server.caCertificatePem, headers: { authorization, ...(headers as object) } });
}

function askDirectly(options: RequestOptions): Promise<Answer> {
  const { port } = extension.address() as AddressInfo;
  return ask({ hostname: 'localhost', port, ca: servingCaPem, ...options });
}

async function clientCertificate(issuer: 'cluster' | 'other', commonName: string): Promise<RequestOptions> {
  if (issuer === 'cluster') {
    const access = await loadClusterAccess({ text: await server.kubeconfigFor(commonName, ['makers']) });
    const { cert, key } = await access.tls();
    return { cert, key };
  }
  const authority = await createCertificateAuthority({ commonName: 'front-proxy-ca', nowMs, lifetimeDays: 1 });
  const request = { commonName, usage: 'client' as const, nowMs, lifetimeDays: 1 };
  const { certificatePem: cert, privateKeyPem: key } = await issueCertificate(authority, request);
  return { cert, key };
}

test('a request that the API server forwards is from the user in its headers', async () => {
  await allowWidgets('jane');
  const extra = { 'impersonate-extra-example.com%2Fscopes': ['a, b', 'c'] };
  const named = {
    'impersonate-user': 'jane',
    'impersonate-uid': '7',
    'impersonate-group': ['readers, all', 'b'],
    ...extra,
  };
  expect(await askThrough(named)).toEqual({
    status: 200,
    user: {
      username: 'jane',
      uid: '7',
      groups: ['readers, all', 'b', 'system:authenticated'],
      extra: { 'example.com/scopes': ['a, b', 'c'] },
    },
  });
});

test('a name outside of ASCII arrives as it is', async () => {
  await allowWidgets('zoë');
  const { hostname, port } = new URL(server.url);
  const certificate = await clientCertificate('cluster', 'zoë');
  const { status, user } = await ask({ hostname, port, ca: server.caCertificatePem, ...certificate });
  expect([status, (user as { username: string }).username]).toEqual([200, 'zoë']);
});

test('headers that name a user count on a connection of the API server alone', async () => {
  const headers = { 'x-remote-user': 'jane', 'x-remote-group': 'system:masters' };
  expect(await askDirectly({ headers })).toEqual({
    status: 403,
    user: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
  });
  const forged = await clientCertificate('other', 'front-proxy-client');
  expect((await askDirectly({ headers, ...forged })).status).toBe(401);
  const own = await clientCertificate('cluster', 'front-proxy-client');
  expect((await askDirectly({ headers, ...own })).user).toMatchObject({ username: 'front-proxy-client' });
});

test('a client may come directly, with a certificate or a token of the cluster', async () => {
  await allowWidgets('maker');
  const certified = await askDirectly(await clientCertificate('cluster', 'maker'));
  expect(certified).toEqual({ status: 200, user: { username: 'maker', groups: ['makers', 'system:authenticated'] } });
  const authorization = `Bearer ${server.adminToken}`;
  const tokened = await askDirectly({ headers: { authorization } });
  expect(tokened).toMatchObject({ status: 200, user: { username: 'kubernetes-admin' } });
  expect((await askDirectly({ headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
});

test('the certificate of a connection is read once, whatever number of requests come on it', async () => {
  await allowWidgets('frequent');
  const certificate = await clientCertificate('cluster', 'frequent');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const read = vi.spyOn(TLSSocket.prototype, 'getPeerCertificate');
  for (let index = 0; index < 3; index++) {
    expect((await askDirectly({ ...certificate, agent })).user).toMatchObject({ username: 'frequent' });
  }
  // Clients ask for all certificates, and other servers of this process for those of their clients.
  const subjects = read.mock.calls.flatMap(([isDetailed], index) => {
    const found = read.mock.results[index]?.value as Partial<PeerCertificate> | undefined;
    return isDetailed ? [] : [found?.subject?.CN];
  });
  expect(subjects.filter((subject) => subject === 'frequent')).toHaveLength(1);
  read.mockRestore();
  agent.destroy();
});

test('of tokens that are not valid few of a client are asked about, and one that was valid before still is', async () => {
  const authorization = `Bearer ${server.adminToken}`;
  expect((await askDirectly({ headers: { authorization } })).status).toBe(200);
  nowMs += 61_000;
  const asked = vi.spyOn(kube, 'create');
  for (let index = 0; index < 30; index++) {
    const headers = { authorization: `Bearer guess-${index}` };
    expect((await askDirectly({ headers })).status).toBe(401);
  }
  expect(asked).toHaveBeenCalledTimes(20);
  asked.mockRestore();
  expect((await askDirectly({ headers: { authorization } })).status).toBe(200);
});

test('an answer about permissions is used for ten seconds', async () => {
  const late = await clientCertificate('cluster', 'late');
  expect((await askDirectly(late)).status).toBe(403);
  await allowWidgets('late');
  expect((await askDirectly(late)).status).toBe(403);
  nowMs += 10_001;
  expect((await askDirectly(late)).status).toBe(200);
});

test('an answer about permissions is not used longer because the clock was set back', async () => {
  const early = await clientCertificate('cluster', 'early');
  expect((await askDirectly(early)).status).toBe(403);
  await allowWidgets('early');
  // Within the validity of the certificates.
  nowMs -= 10_001;
  expect((await askDirectly(early)).status).toBe(200);
  nowMs += 10_001;
});
