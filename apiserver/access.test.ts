import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonObject, systemClock } from '../src/base/index.ts';
import { Connection } from '../test/conformance/connection.ts';
import { eventually } from '../test/support/eventually.ts';
import { type ApiServer, startApiServer } from './index.ts';

let server: ApiServer;
const open: ClientHttp2Session[] = [];
beforeAll(async () => {
  server = await startApiServer({ simulation: false });
});
afterAll(async () => {
  for (const session of open) session.destroy();
  await server.stop();
});

interface Asked {
  readonly body?: JsonObject;
  readonly headers?: Record<string, string>;
  readonly token?: string;
  /** PEM. */
  readonly client?: { readonly cert: string; readonly key: string };
}

/** One request over HTTP/2. */
async function ask(path: string, asked: Asked = {}): Promise<{ code: number; body: JsonObject }> {
  const { body, client, token } = asked;
  const authorization = client === undefined ? { authorization: `Bearer ${token ?? server.adminToken}` } : {};
  const session = connect(server.url, { ca: server.caCertificatePem, ...client });
  const headers = { ':method': body === undefined ? 'GET' : 'POST', ':path': path, ...authorization, ...asked.headers };
  return await new Promise((resolve, reject) => {
    session.on('error', reject);
    const stream = session.request(headers);
    let code = 0;
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (answer) => {
      code = Number(answer[':status']);
    });
    stream.on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('error', reject);
    stream.on('end', () => {
      session.close();
      resolve({ code, body: JSON.parse(text) as JsonObject });
    });
    stream.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function tokenOf(name: string): Promise<string> {
  await ask('/api/v1/namespaces/default/serviceaccounts', { body: { metadata: { name } } });
  const path = `/api/v1/namespaces/default/serviceaccounts/${name}/token`;
  const { body } = await ask(path, { body: { spec: { expirationSeconds: 3600 } } });
  return (body['status'] as { token: string }).token;
}

test('knows the admin by client certificate', async () => {
  const client = { cert: server.adminCertificatePem, key: server.adminKeyPem };
  const review = await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { client, body: {} });
  expect(review.body).toMatchObject({ status: { userInfo: { username: 'kubernetes-admin' } } });
});

test('AUTH-01 authenticates another user by the certificate of their kubeconfig', async () => {
  const kubeconfig = await server.kubeconfigFor('alice', ['dev', 'ops']);
  const pem = (field: string): string => {
    const [, data = ''] = new RegExp(`${field}: (\\S+)`).exec(kubeconfig) ?? [];
    return Buffer.from(data, 'base64').toString();
  };
  const client = { cert: pem('client-certificate-data'), key: pem('client-key-data') };
  const review = await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { client, body: {} });
  expect(review.body).toMatchObject({
    status: { userInfo: { username: 'alice', groups: ['dev', 'ops', 'system:authenticated'] } },
  });
});

test('a certificate that expires is worth nothing on a connection that stays open', async () => {
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  await using own = await startApiServer({ clock, simulation: false });
  using connection = new Connection(await own.kubeconfigFor('alice', ['dev']));
  const review = async (): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    return (await connection.ask({ method: 'POST', path, headers, body: '{}' })).status;
  };
  expect(await review()).toBe(201);
  aheadMs = 31 * 86_400_000;
  expect(await review()).toBe(401);
  aheadMs = 0;
  expect(await review()).toBe(201);
});

test('gives a service account what is bound to it and nothing else', async () => {
  const token = await tokenOf('reader');
  const path = '/api/v1/namespaces/default/configmaps';
  const refused = await ask(path, { token });
  expect(refused).toMatchObject({ code: 403, body: { reason: 'Forbidden' } });
  expect(refused.body['message']).toBe(
    'configmaps is forbidden: User "system:serviceaccount:default:reader" cannot list resource "configmaps" in API group "" in the namespace "default"',
  );
  await ask('/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
    body: {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
    },
  });
  expect((await ask(path, { token })).code).toBe(200);
  expect((await ask(path, { token, body: { metadata: { name: 'x' } } })).code).toBe(403);
  expect((await ask('/api/v1/namespaces/kube-system/configmaps', { token })).code).toBe(403);
});

test('refuses the token of a deleted service account, and a token that was changed', async () => {
  const token = await tokenOf('gone');
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  expect((await ask(path, { token, body: {} })).code).toBe(201);
  const [header, , signature] = token.split('.');
  const claims = Buffer.from('{"iss":"https://kubernetes.default.svc.cluster.local"}').toString('base64url');
  expect((await ask(path, { token: `${header}.${claims}.${signature}`, body: {} })).code).toBe(401);
  const type = server.cluster.resource('', 'serviceaccounts');
  if (type === undefined) throw new Error('no service accounts');
  await server.cluster.delete(type, { namespace: 'default', name: 'gone' }, { as: 'test' });
  expect((await ask(path, { token, body: {} })).code).toBe(401);
});

test('the token of a Secret is revoked with it, also where another Secret of its name has a new token', async () => {
  await ask('/api/v1/namespaces/default/serviceaccounts', { body: { metadata: { name: 'legacy' } } });
  const secrets = '/api/v1/namespaces/default/secrets';
  const metadata = { name: 'legacy', annotations: { 'kubernetes.io/service-account.name': 'legacy' } };
  const makeToken = async (): Promise<string> => {
    await ask(secrets, { body: { metadata, type: 'kubernetes.io/service-account-token' } });
    return await eventually(async () => {
      const { data } = (await ask(`${secrets}/legacy`)).body as { data?: { token?: string } };
      expect(data?.token).toBeDefined();
      return Buffer.from(data?.token ?? '', 'base64').toString();
    });
  };
  const isGood = async (token: string): Promise<boolean> =>
    (await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { token, body: {} })).code === 201;
  const revoked = await makeToken();
  expect(await isGood(revoked)).toBe(true);
  await server.client.delete({ apiVersion: 'v1', kind: 'Secret', name: 'legacy', namespace: 'default' });
  const current = await makeToken();
  expect([await isGood(revoked), await isGood(current)]).toEqual([false, true]);
});

test('reads impersonated names as UTF-8, and keys of extra values as they are escaped', async () => {
  const asBytes = (text: string): string => Buffer.from(text).toString('latin1');
  const headers = {
    'impersonate-user': asBytes('zoë'),
    'impersonate-group': asBytes('開発'),
    'impersonate-extra-example.com%2F%53copes': asBytes('naïve'),
  };
  const review = await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { headers, body: {} });
  expect(review.body).toMatchObject({
    status: {
      userInfo: {
        username: 'zoë',
        groups: ['開発', 'system:authenticated'],
        extra: { 'example.com/Scopes': ['naïve'] },
      },
    },
  });
});

test('lets the admin impersonate another user, and no one without permission', async () => {
  const headers = { 'impersonate-user': 'bob' };
  const body = { spec: { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' } } };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  expect((await ask(path, { body })).body).toMatchObject({ status: { allowed: true } });
  expect((await ask(path, { body, headers })).body).toMatchObject({ status: { allowed: false } });
  const refused = await ask(path, { body, headers, token: await tokenOf('pretender') });
  expect(refused.code).toBe(403);
  expect(refused.body['message']).toContain('cannot impersonate resource "users"');
});

/** With which codes the server has ended connections. */
const reasons: number[] = [];

/** Opens requests without credentials that never end, and whose responses are not read, until their connection is closed, or there are `count`. */
async function flood(count: number): Promise<'closed' | 'open'> {
  const session = connect(server.url, { ca: server.caCertificatePem, settings: { initialWindowSize: 0 } });
  open.push(session);
  session.on('error', () => undefined).on('goaway', (code: number) => reasons.push(code));
  await once(session, 'remoteSettings');
  for (let index = 0; index < count && !session.closed; index += 1) {
    const stream = session.request({ ':method': 'POST', ':path': '/healthz' }).on('error', () => undefined);
    if (index % 50 < 49) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.once('response', () => resolve()).once('close', resolve);
    await promise;
  }
  return session.closed || session.destroyed ? 'closed' : 'open';
}

test('of clients that read no responses some are disconnected, and no user', async () => {
  const user = connect(server.url, { ca: server.caCertificatePem });
  open.push(user);
  const path = '/api/v1/configmaps?watch=true';
  const watch = user.request({ ':path': path, authorization: `Bearer ${server.adminToken}` }).resume();
  await once(watch, 'response');
  const ends: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) ends.push(await flood(850));
  await eventually(() => expect(open.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0));
  expect(watch.closed).toBe(false);
  expect(ends).toContain('open');
  expect(new Set(reasons)).toEqual(new Set([constants.NGHTTP2_ENHANCE_YOUR_CALM]));
});

test('a user who binds a large role a hundred times has its rules once', async () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'User', name: 'binder', apiGroup }];
  const rules = Array.from({ length: 5000 }, (_, index) => ({
    verbs: ['get'],
    apiGroups: [''],
    resources: ['pods'],
    resourceNames: [`pod-${index}`],
  }));
  await ask(`${rbac}/roles`, { body: { metadata: { name: 'large' }, rules } });
  for (let index = 0; index < 100; index += 1) {
    const roleRef = { apiGroup, kind: 'Role', name: 'large' };
    const bound = await ask(`${rbac}/rolebindings`, {
      body: { metadata: { name: `bind-${index}` }, roleRef, subjects },
    });
    expect(bound.code).toBe(201);
  }
  const headers = { 'impersonate-user': 'binder' };
  const review = await ask('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    body: { spec: { namespace: 'default' } },
    headers,
  });
  const { resourceRules } = review.body['status'] as { resourceRules: JsonObject[] };
  expect(resourceRules.filter((rule) => 'resourceNames' in rule)).toHaveLength(5000);
});

test('the refusal of a role of many permissions names a thousand of them', async () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'User', name: 'author', apiGroup }];
  const own = [{ verbs: ['create'], apiGroups: [apiGroup], resources: ['roles'] }];
  await ask(`${rbac}/roles`, { body: { metadata: { name: 'author' }, rules: own } });
  const roleRef = { apiGroup, kind: 'Role', name: 'author' };
  await ask(`${rbac}/rolebindings`, { body: { metadata: { name: 'author' }, roleRef, subjects } });
  const names = Array.from({ length: 50_000 }, (_, index) => `pod-${index}`);
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: names }];
  const headers = { 'impersonate-user': 'author' };
  const refused = await ask(`${rbac}/roles`, { body: { metadata: { name: 'large' }, rules }, headers });
  const lines = (refused.body['message'] as string).split('\n');
  expect(refused.code).toBe(403);
  expect(lines).toHaveLength(1002);
  expect(lines.at(-1)).toBe('and 49000 more');
});

test('a client without valid credentials that sends hundreds of requests at once is disconnected, and a user is not', async () => {
  const count = 600;
  const statuses = async (authorization: string): Promise<number[]> => {
    const session = connect(server.url, { ca: server.caCertificatePem });
    session.on('error', () => {});
    await once(session, 'remoteSettings');
    const answers = Array.from({ length: count }, async () => {
      const stream = session.request({ ':path': '/version', authorization });
      stream.on('error', () => {}).resume();
      const { promise, resolve } = Promise.withResolvers<number>();
      stream.once('response', (headers) => resolve(Number(headers[':status']))).once('close', () => resolve(0));
      return await promise;
    });
    const found = await Promise.all(answers);
    session.destroy();
    return found;
  };
  expect(new Set(await statuses(`Bearer ${server.adminToken}`))).toEqual(new Set([200]));
  expect(await statuses('Bearer invalid')).toContain(0);
});

test.each([
  { what: 'a thousand frames of one byte is read', frames: 1_000, isEnded: false },
  { what: 'thousands of frames of one byte ends its connection', frames: 5_000, isEnded: true },
])('a body in $what', async ({ frames, isEnded }) => {
  const { adminCertificatePem: cert, adminKeyPem: key, caCertificatePem: ca } = server;
  const session = connect(server.url, { ca, cert, key });
  let reason: unknown;
  session.on('error', () => {});
  session.on('goaway', (code: unknown) => {
    reason = code;
  });
  const path = '/api/v1/namespaces/default/configmaps';
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
  const ended = Promise.withResolvers<unknown>();
  stream.on('error', () => {}).on('close', ended.resolve);
  stream.on('response', (headers) => ended.resolve(headers[':status']));
  for (let count = 0; count < frames && !stream.destroyed; count += 1) {
    stream.write(' ');
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!stream.destroyed) stream.end(JSON.stringify({ metadata: { name: 'small-frames' } }));
  await ended.promise;
  expect(reason === constants.NGHTTP2_ENHANCE_YOUR_CALM).toBe(isEnded);
  session.destroy();
});
