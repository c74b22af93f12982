import { isJsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { allowEverywhere, review, tokenOf } from '../rbac.ts';
import { type Area, area } from '../suite.ts';

const authentication = '/apis/authentication.k8s.io/v1';
const whoami = `${authentication}/selfsubjectreviews`;
const self = { kind: 'SelfSubjectReview' };

/** The user of a review, its groups without regard to their order. */
function userOf(body: JsonValue): unknown {
  const { userInfo } = (isJsonObject(body) ? body['status'] : undefined) as { userInfo: { groups?: string[] } };
  return { ...userInfo, groups: userInfo.groups?.toSorted() };
}

async function impersonated(api: Probe, headers: Record<string, string>, user?: string): Promise<void> {
  const all = user === undefined ? headers : { 'impersonate-user': user, ...headers };
  await review(api, whoami, { ...self, headers: all });
}

/** Authentication: tokens, anonymous requests, impersonation. */
export const cases: Area = area('Authentication', (it) => {
  it('AUTH-02 refuses a bearer token that was not issued', async (api) => {
    await api.ask('GET', '/api/v1/namespaces', { as: { token: 'nonsense' } });
    await api.ask('GET', '/version', { as: { token: 'nonsense' } });
  });

  it('AUTH-02 refuses an authorization header of another kind as it does none', async (api) => {
    const headers = { authorization: 'Basic YTpi' };
    await api.ask('GET', '/api/v1/namespaces', { as: 'anonymous', headers });
  });

  it('AUTH-03 knows who comes without credentials as anonymous', async (api) => {
    await api.ask('GET', `/api/v1/namespaces/${api.namespace}/pods`, { as: 'anonymous' });
    await api.ask('GET', '/version', { as: 'anonymous', keep: () => 'a version' });
    await api.ask('GET', '/healthz', { as: 'anonymous' });
    await api.ask('GET', '/readyz', { as: 'anonymous' });
    await api.ask('GET', '/api', { as: 'anonymous' });
    await api.ask('GET', '/openapi/v3', { as: 'anonymous' });
  });

  it('AUTH-10 acts as the user of an impersonation header', async (api) => {
    await impersonated(api, {}, 'bob');
    await impersonated(api, { 'impersonate-group': 'dev' }, 'bob');
    await impersonated(api, { 'impersonate-uid': '42' }, 'bob');
    await impersonated(api, { 'impersonate-extra-scopes': 'view' }, 'bob');
    await impersonated(api, { 'impersonate-extra-example.com%2Fscopes': 'view' }, 'bob');
  });

  it('AUTH-10 takes several groups and extra values, and drops doubles', async (api) => {
    const headers = { 'impersonate-group': ['dev', 'ops', 'dev'], 'impersonate-extra-a': ['x', 'y'] };
    await impersonated(api, headers as unknown as Record<string, string>, 'bob');
  });

  it('AUTH-10 gives system:anonymous the group of the unauthenticated', async (api) => {
    await impersonated(api, {}, 'system:anonymous');
  });

  it('AUTH-10 gives a service account its groups, unless groups are named', async (api) => {
    await impersonated(api, {}, `system:serviceaccount:${api.namespace}:default`);
    await impersonated(api, { 'impersonate-group': 'dev' }, `system:serviceaccount:${api.namespace}:default`);
    await impersonated(api, { 'impersonate-group': 'system:unauthenticated' }, 'bob');
    await impersonated(api, { 'impersonate-group': 'system:authenticated' }, 'bob');
  });

  it('AUTH-09 refuses groups, uid and extra without a user', async (api) => {
    await impersonated(api, { 'impersonate-group': 'dev' });
    await impersonated(api, { 'impersonate-uid': '42' });
    await impersonated(api, { 'impersonate-extra-scopes': 'view' });
  });

  it('AUTH-09 refuses impersonation by those who may not', async (api) => {
    const as = { user: 'alice' };
    await api.ask('GET', whoami, { as });
    const token = await tokenOf(api, 'weak');
    const ask = (headers: Record<string, string>): Promise<unknown> =>
      review(api, whoami, { ...self, as: { token }, headers });
    await ask({ 'impersonate-user': 'bob' });
    await ask({ 'impersonate-user': `system:serviceaccount:${api.namespace}:default` });
    await ask({ 'impersonate-user': 'bob', 'impersonate-group': 'dev' });
  });

  it('AUTH-10 checks user, groups, uid and extra one by one', async (api) => {
    const token = await tokenOf(api, 'proxy');
    const user = `system:serviceaccount:${api.namespace}:proxy`;
    await allowEverywhere(api, user, [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'] }]);
    const ask = (headers: Record<string, string>): Promise<unknown> =>
      review(api, whoami, { ...self, as: { token }, headers: { 'impersonate-user': 'bob', ...headers } });
    await ask({});
    await ask({ 'impersonate-group': 'dev' });
    await ask({ 'impersonate-uid': '42' });
    await ask({ 'impersonate-extra-scopes': 'view' });
  });

  it('AUTH-10 AUTH-17 knows a service account by its token', async (api) => {
    const token = await tokenOf(api, 'me');
    const keep = (body: JsonValue): unknown => {
      const user = userOf(body) as { extra?: Record<string, string[]> };
      const { 'authentication.kubernetes.io/credential-id': id, ...extra } = user.extra ?? {};
      return { ...user, extra, hasCredentialId: /^JTI=[0-9a-f-]{36}$/.test(id?.[0] ?? '') };
    };
    await review(api, whoami, { ...self, as: { token }, keep });
  });
});
