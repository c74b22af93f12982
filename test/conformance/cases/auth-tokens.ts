import { isJsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

function accounts(api: Probe): string {
  return `/api/v1/namespaces/${api.namespace}/serviceaccounts`;
}

function request(spec: object): unknown {
  return { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
}

/** The claims of a token, without what each one has of its own. */
function claimsOf(token: string): unknown {
  const part = (index: number): Record<string, unknown> =>
    JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString()) as Record<string, unknown>;
  const { exp, iat, nbf, jti, ...claims } = part(1);
  const { kid, alg, ...header } = part(0);
  const lifetime = Number(exp) - Number(iat);
  return { header, claims, lifetime, isNotBefore: nbf === iat, types: [typeof jti, typeof kid, typeof alg] };
}

function keepClaims(body: JsonValue): unknown {
  if (!isJsonObject(body) || !isJsonObject(body['status']) || typeof body['status']['token'] !== 'string') return body;
  return { ...body, status: { ...body['status'], token: claimsOf(body['status']['token']) } };
}

async function issue(api: Probe, spec: object): Promise<string> {
  const { body } = await api.setUp('POST', `${accounts(api)}/me/token`, { body: request(spec) });
  return (body as { status: { token: string } }).status.token;
}

async function makeAccount(api: Probe): Promise<void> {
  const metadata = { name: 'me' };
  await api.setUp('POST', accounts(api), { body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata } });
}

async function makeSecret(api: Probe): Promise<string> {
  const path = `/api/v1/namespaces/${api.namespace}/secrets`;
  const { body } = await api.setUp('POST', path, {
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
  });
  return (body as { metadata: { uid: string } }).metadata.uid;
}

async function ask(api: Probe, spec: object): Promise<void> {
  await api.ask('POST', `${accounts(api)}/me/token`, { body: request(spec), keep: keepClaims });
}

async function askReview(api: Probe, token: string): Promise<void> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
  const keep = (found: JsonValue): unknown => (isJsonObject(found) ? found['status'] : found);
  await api.ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body, keep });
}

/** Tokens of service accounts. */
export const cases: Area = area('Service account tokens', (it) => {
  it('AUTH-17 W110 issues a token for an hour', async (api) => {
    await makeAccount(api);
    await ask(api, {});
    await ask(api, { expirationSeconds: 600 });
    await ask(api, { audiences: ['a', 'b'], expirationSeconds: 7200 });
  });

  it('AUTH-16 refuses lifetimes that are too short or too long', async (api) => {
    await makeAccount(api);
    await ask(api, { expirationSeconds: 60 });
    await ask(api, { expirationSeconds: 599 });
    await ask(api, { expirationSeconds: 4294967297 });
    await ask(api, { expirationSeconds: 0 });
    await ask(api, { expirationSeconds: -1 });
    await ask(api, { expirationSeconds: 'x' });
  });

  it('AUTH-16 refuses a token of another account, and of one that is not there', async (api) => {
    await makeAccount(api);
    const path = `${accounts(api)}/me/token`;
    await api.ask('POST', path, { body: {}, keep: keepClaims });
    await api.ask('POST', `${accounts(api)}/none/token`, { body: request({}) });
    await api.ask('GET', path);
    await api.ask('POST', path, { body: { ...(request({}) as object), metadata: { name: 'other' } } });
    await api.ask('POST', `${path}?dryRun=All`, { body: request({}), keep: keepClaims });
  });

  it('AUTH-17 binds a token to a Secret, and invalidates it when the Secret is deleted', async (api) => {
    await makeAccount(api);
    const uid = await makeSecret(api);
    const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: 's', uid };
    await ask(api, { boundObjectRef });
    await ask(api, { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } });
    await ask(api, { boundObjectRef: { ...boundObjectRef, uid: 'other' } });
    await ask(api, { boundObjectRef: { ...boundObjectRef, name: 'none' } });
    await ask(api, { boundObjectRef: { ...boundObjectRef, kind: 'ConfigMap' } });
    await ask(api, { boundObjectRef: { ...boundObjectRef, kind: 'Node', name: 'none' } });
    const token = await issue(api, { boundObjectRef });
    // A server may remember for a while that a token was good: this one was never shown to it.
    await api.setUp('DELETE', `/api/v1/namespaces/${api.namespace}/secrets/s`);
    await api.settle();
    await api.ask('POST', whoami, { as: { token }, body: self, keep: (body) => body });
  });

  it('AUTH-17 binds a token to a Pod', async (api) => {
    await makeAccount(api);
    const path = `/api/v1/namespaces/${api.namespace}/pods`;
    const spec = { serviceAccountName: 'me', containers: [{ name: 'c', image: 'i' }] };
    const pod = await api.setUp('POST', path, {
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec },
    });
    const { uid } = (pod.body as { metadata: { uid: string } }).metadata;
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'p', uid };
    await api.ask('POST', `${accounts(api)}/me/token`, {
      body: request({ boundObjectRef }),
      keep: (body) => (isJsonObject(body) && isJsonObject(body['spec']) ? body['spec'] : body),
    });
    await api.ask('POST', `${accounts(api)}/default/token`, { body: request({ boundObjectRef }) });
  });

  it('AUTH-18 refuses a token once its account is deleted, or is another of the same name', async (api) => {
    await makeAccount(api);
    const tokens = [await issue(api, {}), await issue(api, {}), await issue(api, {})] as const;
    await api.ask('POST', whoami, { as: { token: tokens[0] }, body: self, keep: () => 'known' });
    await api.setUp('DELETE', `${accounts(api)}/me`);
    await api.settle();
    await api.ask('POST', whoami, { as: { token: tokens[1] }, body: self });
    await askReview(api, tokens[1]);
    await makeAccount(api);
    await api.settle();
    await api.ask('POST', whoami, { as: { token: tokens[2] }, body: self });
    await askReview(api, tokens[2]);
  });

  it('AUTH-17 refuses a token for another audience', async (api) => {
    await makeAccount(api);
    const token = await issue(api, { audiences: ['elsewhere'] });
    await api.ask('POST', whoami, { as: { token }, body: self, keep: (body) => body });
  });

  it('AUTH-17 publishes the keys that tokens are signed with', async (api) => {
    const keep = (body: JsonValue): unknown => (isJsonObject(body) ? Object.keys(body).toSorted() : body);
    await api.ask('GET', '/.well-known/openid-configuration', {
      keep,
      recordHeaders: ['content-type', 'cache-control'],
    });
    await api.ask('GET', '/openid/v1/jwks', { keep, recordHeaders: ['content-type', 'cache-control'] });
    await api.ask('GET', '/openid/v1/jwks', { as: { user: 'alice' } });
  });

  it('AUTH-17 fills a Secret that asks for a token of an account', { needs: 'controllers' }, async (api) => {
    await makeAccount(api);
    const path = `/api/v1/namespaces/${api.namespace}/secrets`;
    const annotations = { 'kubernetes.io/service-account.name': 'me' };
    const type = 'kubernetes.io/service-account-token';
    await api.setUp('POST', path, {
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'held', annotations }, type },
    });
    const keys = (body: JsonValue): string[] =>
      isJsonObject(body) && isJsonObject(body['data']) ? Object.keys(body['data']).toSorted() : [];
    await api.eventually(`${path}/held`, (body) => keys(body).length === 3);
    const { body } = await api.ask('GET', `${path}/held`, {
      keep: (found) => (isJsonObject(found) ? { ...found, data: keys(found) } : found),
    });
    const token = Buffer.from((body as { data: { token: string } }).data.token, 'base64').toString();
    await api.ask('POST', whoami, {
      as: { token },
      body: self,
      keep: (answer) => (answer as { status: unknown }).status,
    });
    await api.setUp('DELETE', `${accounts(api)}/me`);
    await api.untilDeleted(`${path}/held`);
  });
});
