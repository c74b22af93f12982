import type { JsonValue } from '../../../src/base/index.ts';
import { allow, allowEverywhere, binding, rbacIn, review, role, tokenOf, userSubject } from '../rbac.ts';
import { type Area, area } from '../suite.ts';

const authorization = '/apis/authorization.k8s.io/v1';
const access = `${authorization}/subjectaccessreviews`;
const self = `${authorization}/selfsubjectaccessreviews`;
const rulesReviews = `${authorization}/selfsubjectrulesreviews`;
const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews';
const sar = { kind: 'SubjectAccessReview' };
const ssar = { kind: 'SelfSubjectAccessReview' };
const readPods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

/** Without the order in which the rules of several bindings come. */
function rulesOf(body: JsonValue): unknown {
  const { status } = body as { status: { resourceRules: unknown[]; nonResourceRules: unknown[] } };
  const sorted = (rules: readonly unknown[]): unknown[] =>
    rules.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  const { resourceRules, nonResourceRules, ...rest } = status;
  return { ...rest, resourceRules: sorted(resourceRules), nonResourceRules: sorted(nonResourceRules) };
}

/** Questions about who may do what. */
export const cases: Area = area('Access reviews', (it) => {
  it('AUTH-20 reports whether and why a user may', async (api) => {
    await allow(api, 'alice', [readPods]);
    const { namespace } = api;
    const resourceAttributes = { namespace, verb: 'get', resource: 'pods' };
    await review(api, access, { ...sar, spec: { user: 'alice', resourceAttributes } });
    await review(api, access, { ...sar, spec: { user: 'bob', resourceAttributes } });
    await review(api, access, {
      ...sar,
      spec: {
        user: 'alice',
        groups: ['system:masters'],
        resourceAttributes: { ...resourceAttributes, verb: 'delete' },
      },
    });
    await review(api, access, {
      ...sar,
      spec: { groups: ['system:authenticated'], nonResourceAttributes: { path: '/api', verb: 'get' } },
    });
  });

  it('AUTH-20 names cluster bindings, groups and service accounts in its reason', async (api) => {
    const { roles, bindings } = rbacIn(api);
    await api.setUp('POST', roles, { body: role('reader', [readPods]) });
    const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace: api.namespace }];
    await api.setUp('POST', bindings, {
      body: binding('readers', { role: { kind: 'Role', name: 'reader' }, subjects }),
    });
    await allowEverywhere(api, 'wide', [readPods]);
    const resourceAttributes = { namespace: api.namespace, verb: 'get', resource: 'pods' };
    const user = `system:serviceaccount:${api.namespace}:default`;
    await review(api, access, { ...sar, spec: { user, resourceAttributes } });
    await review(api, access, { ...sar, spec: { user: 'wide', resourceAttributes } });
    const basic = { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectrulesreviews' };
    await review(api, access, {
      ...sar,
      spec: { user: 'u', groups: ['system:authenticated'], resourceAttributes: basic },
    });
  });

  it('AUTH-20 reports a missing role', async (api) => {
    const { bindings } = rbacIn(api);
    for (const name of ['one']) {
      await api.setUp('POST', bindings, {
        body: binding(name, { role: { kind: 'Role', name }, subjects: [userSubject('alice')] }),
      });
    }
    await api.settle();
    const resourceAttributes = { namespace: api.namespace, verb: 'get', resource: 'pods' };
    await review(api, access, { ...sar, spec: { user: 'alice', resourceAttributes } });
  });

  it('AUTH-20 refuses reviews that ask nothing, or too much', async (api) => {
    const resourceAttributes = { verb: 'get', resource: 'pods' };
    const nonResourceAttributes = { path: '/', verb: 'get' };
    await review(api, access, { ...sar, spec: {} });
    await review(api, access, { ...sar, spec: { user: 'a' } });
    await review(api, access, { ...sar, spec: { resourceAttributes } });
    await review(api, access, { ...sar, spec: { user: 'a', resourceAttributes, nonResourceAttributes } });
    await review(api, access, { ...sar });
    await review(api, self, { ...ssar, spec: {} });
    await review(api, self, { ...ssar, spec: { resourceAttributes, nonResourceAttributes } });
    const named = { apiVersion: 'authorization.k8s.io/v1', ...sar, metadata: { name: 'x' } };
    // The message prints the metadata as Go sees it.
    const keep = (found: JsonValue): unknown => (found as { reason: string }).reason;
    await api.ask('POST', access, { body: { ...named, spec: { user: 'a', resourceAttributes } }, keep });
  });

  it('AUTH-20 takes stars and names in a question', async (api) => {
    const asked = [
      { verb: '*', group: '*', resource: '*' },
      { verb: 'get', resource: 'pods', name: 'p', namespace: api.namespace },
      { verb: 'get', resource: 'pods', subresource: 'log' },
      { verb: 'get', group: 'apps', version: '*', resource: 'deployments' },
    ];
    for (const resourceAttributes of asked) {
      await review(api, access, { ...sar, spec: { user: 'alice', resourceAttributes } });
    }
  });

  it('AUTH-20 takes selectors in a question', async (api) => {
    const base = { verb: 'list', resource: 'pods' };
    const ask = (extra: object): Promise<unknown> =>
      review(api, access, { ...sar, spec: { user: 'alice', resourceAttributes: { ...base, ...extra } } });
    await ask({ fieldSelector: { rawSelector: 'spec.nodeName=a' } });
    await ask({ fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['a'] }] } });
    await ask({ fieldSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values: ['a'] }] } });
    await ask({ labelSelector: { requirements: [{ key: 'a', operator: 'Sometimes' }] } });
    await ask({ labelSelector: {} });
  });

  it('AUTH-20 asks about the namespace of the review', async (api) => {
    const path = `${authorization}/namespaces/${api.namespace}/localsubjectaccessreviews`;
    const kind = 'LocalSubjectAccessReview';
    const resourceAttributes = { namespace: api.namespace, verb: 'get', resource: 'pods' };
    await review(api, path, { kind, spec: { user: 'alice', resourceAttributes } });
    await review(api, path, {
      kind,
      spec: { user: 'alice', resourceAttributes: { ...resourceAttributes, namespace: 'default' } },
    });
    await review(api, path, { kind, spec: { user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods' } } });
    await review(api, path, { kind, spec: { user: 'alice', nonResourceAttributes: { path: '/', verb: 'get' } } });
    await review(api, path, { kind, spec: { resourceAttributes } });
  });

  it('AUTH-20 W111 asks about who asks', async (api) => {
    await allow(api, 'alice', [readPods]);
    const resourceAttributes = { namespace: api.namespace, verb: 'list', resource: 'pods' };
    await review(api, self, { ...ssar, spec: { resourceAttributes }, as: { user: 'alice' } });
    await review(api, self, { ...ssar, spec: { resourceAttributes }, as: { user: 'bob' } });
    await review(api, self, {
      ...ssar,
      spec: { nonResourceAttributes: { path: '/metrics', verb: 'get' } },
      as: { user: 'bob' },
    });
    await review(api, self, { ...ssar, spec: { resourceAttributes } });
  });

  it('AUTH-21 lists the rules of who asks', async (api) => {
    await allow(api, 'alice', [
      readPods,
      { verbs: ['get'], apiGroups: ['apps'], resources: ['*'], resourceNames: ['x'] },
    ]);
    await review(api, rulesReviews, {
      kind: 'SelfSubjectRulesReview',
      spec: { namespace: api.namespace },
      keep: rulesOf,
      as: { user: 'alice' },
    });
    await review(api, rulesReviews, {
      kind: 'SelfSubjectRulesReview',
      spec: { namespace: api.namespace },
      keep: rulesOf,
      as: { user: 'root', groups: ['system:masters'] },
    });
    await review(api, rulesReviews, { kind: 'SelfSubjectRulesReview', spec: {}, as: { user: 'alice' } });
  });

  it('AUTH-21 reports that a rule could not be found', async (api) => {
    const { bindings } = rbacIn(api);
    const body = binding('b', { role: { kind: 'Role', name: 'none' }, subjects: [userSubject('alice')] });
    await api.setUp('POST', bindings, { body });
    await api.settle();
    await review(api, rulesReviews, {
      kind: 'SelfSubjectRulesReview',
      spec: { namespace: api.namespace },
      as: { user: 'alice' },
      keep: rulesOf,
    });
  });

  it('AUTH-19 reports the user of a token', async (api) => {
    const token = await tokenOf(api, 'me');
    api.alias(token, 'token');
    const keep = (body: JsonValue): unknown => JSON.parse(JSON.stringify(body).replace(/JTI=[0-9a-f-]{36}/, 'JTI'));
    const ask = (spec: object): Promise<unknown> => review(api, tokenReviews, { kind: 'TokenReview', spec, keep });
    await ask({ token });
    await ask({ token, audiences: ['https://kubernetes.default.svc.cluster.local', 'other'] });
    await ask({ token, audiences: ['other'] });
  });

  it('AUTH-19 reports an invalid token', async (api) => {
    await review(api, tokenReviews, { kind: 'TokenReview', spec: { token: 'nonsense' } });
    await review(api, tokenReviews, { kind: 'TokenReview', spec: { token: '' } });
    await review(api, tokenReviews, { kind: 'TokenReview', spec: {} });
    await review(api, tokenReviews, { kind: 'TokenReview', spec: { token: 'a.b.c' } });
  });

  it('AUTH-20 answers reviews to nothing but a POST', async (api) => {
    await api.ask('GET', access);
    await api.ask('GET', `${access}/x`);
    await api.ask('DELETE', self);
    await api.ask('PUT', `${tokenReviews}/x`, { body: {} });
  });

  it('AUTH-20 answers a dry run as it does any review', async (api) => {
    await api.ask('POST', `${access}?dryRun=All`, {
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        ...sar,
        spec: { user: 'a', nonResourceAttributes: { path: '/', verb: 'get' } },
      },
    });
  });
});
