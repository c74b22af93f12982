import { allow, allowEverywhere, binding, rbacIn, rbacPath, role, userSubject } from '../rbac.ts';
import { type Area, area } from '../suite.ts';

const alice = { user: 'alice' };
const pods = { apiGroups: [''], resources: ['pods'] };

/** What RBAC lets users do, and in which words it refuses. */
export const cases: Area = area('Authorisation', (it) => {
  it('AUTH-04 refuses in words that name user, verb, resource and place', async (api) => {
    const core = `/api/v1/namespaces/${api.namespace}`;
    await api.ask('GET', `${core}/pods`, { as: alice });
    await api.ask('GET', `${core}/pods/p`, { as: alice });
    await api.ask('GET', `${core}/pods/p/log`, { as: alice });
    await api.ask('GET', `${core}/pods?watch=true`, { as: alice });
    await api.ask('POST', `${core}/pods`, { as: alice, body: {} });
    await api.ask('PUT', `${core}/pods/p`, { as: alice, body: {} });
    await api.ask('PATCH', `${core}/pods/p`, { as: alice, body: {}, contentType: 'application/merge-patch+json' });
    await api.ask('DELETE', `${core}/pods/p`, { as: alice });
    await api.ask('DELETE', `${core}/pods`, { as: alice });
    await api.ask('GET', `/apis/apps/v1/namespaces/${api.namespace}/deployments/d/scale`, { as: alice });
    await api.ask('GET', '/api/v1/nodes', { as: alice });
    await api.ask('GET', `/api/v1/namespaces/${api.namespace}`, { as: alice });
    await api.ask('DELETE', `/api/v1/namespaces/${api.namespace}`, { as: alice });
    await api.ask('PUT', `/api/v1/namespaces/${api.namespace}/finalize`, { as: alice, body: {} });
  });

  it('AUTH-05 refuses paths that are no resources', async (api) => {
    await api.ask('GET', '/metrics', { as: alice });
    await api.ask('POST', '/metrics', { as: alice, body: {} });
    await api.ask('GET', '/nowhere', { as: alice });
    await api.ask('GET', '/api', { as: alice, keep: () => 'served' });
    await api.ask('GET', '/version', { as: alice, keep: () => 'served' });
    await api.ask('GET', '/livez/ping', { as: alice });
    await api.ask('GET', '/apis/apps/v1', { as: alice, keep: () => 'served' });
  });

  it('AUTH-04 refuses before it looks whether a resource is there', async (api) => {
    await api.ask('GET', '/apis/nobody.example.com/v1/things', { as: alice });
    await api.ask('GET', `/api/v1/namespaces/${api.namespace}/gizmos/g`, { as: alice });
    await api.ask('GET', '/apis/nobody.example.com/v1/things');
  });

  it('AUTH-04 escapes what a browser might take for markup', async (api) => {
    await api.ask('GET', `/api/v1/namespaces/${api.namespace}/pods`, { as: { user: '<b>&"al' } });
    await api.ask('GET', '/x<y>&z', { as: alice });
  });

  it('AUTH-06 names the role that a binding refers to and that is not there', async (api) => {
    const { bindings } = rbacIn(api);
    for (const kind of ['Role', 'ClusterRole'] as const) {
      const body = binding(`to-${kind.toLowerCase()}`, {
        role: { kind, name: 'none' },
        subjects: [userSubject('alice')],
      });
      await api.setUp('POST', bindings, { body });
      await api.settle();
      await api.ask('GET', `/api/v1/namespaces/${api.namespace}/pods`, { as: alice });
      await api.setUp('DELETE', `${bindings}/to-${kind.toLowerCase()}`);
      await api.settle();
    }
  });

  it('AUTH-07 allows named objects alone', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    await api.setUp('POST', path, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } });
    const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] };
    await allow(api, 'alice', [{ verbs: ['get', 'list', 'watch', 'create', 'delete'], ...rule }]);
    const keep = (): string => 'allowed';
    await api.ask('GET', `${path}/a`, { as: alice, keep });
    await api.ask('GET', `${path}/b`, { as: alice });
    await api.ask('GET', path, { as: alice });
    await api.ask('GET', `${path}?fieldSelector=metadata.name%3Da`, { as: alice, keep });
    await api.ask('GET', `${path}?fieldSelector=metadata.name%3Db`, { as: alice });
    await api.ask('GET', `${path}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Da`, { as: alice, keep });
    await api.ask('GET', `${path}?watch=true&timeoutSeconds=1`, { as: alice });
    await api.ask('POST', path, { as: alice, body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } });
    await api.ask('DELETE', `${path}?fieldSelector=metadata.name%3Da`, { as: alice });
  });

  it('AUTH-08 keeps resources and their subresources apart', async (api) => {
    await allow(api, 'alice', [{ verbs: ['get'], ...pods }]);
    const path = `/api/v1/namespaces/${api.namespace}/pods`;
    await api.ask('GET', `${path}/p`, { as: alice });
    await api.ask('GET', `${path}/p/log`, { as: alice });
    await api.ask('GET', `${path}/p/status`, { as: alice });
  });

  it('AUTH-08 lets rules name a subresource of all resources', async (api) => {
    await allow(api, 'alice', [{ verbs: ['get'], apiGroups: ['*'], resources: ['*/scale'] }]);
    const path = `/apis/apps/v1/namespaces/${api.namespace}`;
    await api.ask('GET', `${path}/deployments/d/scale`, { as: alice });
    await api.ask('GET', `${path}/deployments/d`, { as: alice });
    await api.ask('GET', `${path}/deployments/d/status`, { as: alice });
  });

  it('AUTH-08 takes a star for all resources, subresources too', async (api) => {
    await allow(api, 'alice', [{ verbs: ['*'], apiGroups: ['apps'], resources: ['*'] }]);
    const path = `/apis/apps/v1/namespaces/${api.namespace}`;
    await api.ask('GET', `${path}/deployments/d/scale`, { as: alice });
    await api.ask('DELETE', `${path}/deployments`, { as: alice });
    await api.ask('GET', `/apis/batch/v1/namespaces/${api.namespace}/jobs`, { as: alice });
    await api.ask('GET', '/apis/apps/v1/deployments', { as: alice });
  });

  it('AUTH-05 takes paths with a star at their end', async (api) => {
    await allowEverywhere(api, 'path-reader', [{ verbs: ['get'], nonResourceURLs: ['/healthz/*', '/logs'] }]);
    const as = { user: 'path-reader' };
    await api.ask('GET', '/healthz/ping', { as });
    await api.ask('GET', '/logs/', { as });
    await api.ask('GET', '/readyz/ping', { as });
  });

  it('AUTH-22 lets system:masters do anything', async (api) => {
    const as = { user: 'root', groups: ['system:masters'] };
    await api.ask('GET', `/api/v1/namespaces/${api.namespace}/pods`, { as, keep: () => 'allowed' });
    await api.ask('GET', '/nowhere', { as });
  });

  it('AUTH-07 asks for create where an apply or a PUT makes an object', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps/made`;
    await allow(api, 'alice', [{ verbs: ['patch', 'update'], apiGroups: [''], resources: ['configmaps'] }]);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } };
    const contentType = 'application/apply-patch+yaml';
    await api.ask('PATCH', `${path}?fieldManager=a`, { as: alice, body, contentType });
    const lease = `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`;
    await allow(api, 'bob', [{ verbs: ['update'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }]);
    const leaseBody = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'made' } };
    await api.ask('PUT', `${lease}/made`, { as: { user: 'bob' }, body: leaseBody });
  });

  it('AUTH-04 binds groups and service accounts', async (api) => {
    const { roles, bindings } = rbacIn(api);
    await api.setUp('POST', roles, { body: role('reader', [{ verbs: ['list'], ...pods }]) });
    const subjects = [
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'dev' },
      { kind: 'ServiceAccount', name: 'default', namespace: api.namespace },
    ];
    const body = binding('readers', { role: { kind: 'Role', name: 'reader' }, subjects });
    await api.setUp('POST', bindings, { body });
    await api.settle();
    const path = `/api/v1/namespaces/${api.namespace}/pods`;
    const keep = (answer: unknown): unknown => (answer as { kind: string }).kind;
    await api.ask('GET', path, { as: { user: 'x', groups: ['dev'] }, keep });
    await api.ask('GET', path, { as: { user: `system:serviceaccount:${api.namespace}:default` }, keep });
    await api.ask('GET', path, { as: { user: `system:serviceaccount:${api.namespace}:other` }, keep });
    await api.ask('GET', '/api/v1/namespaces/default/pods', { as: { user: 'x', groups: ['dev'] }, keep });
  });

  it('AUTH-23 has the default roles and bindings of a fresh cluster', async (api) => {
    const keep = (list: unknown): unknown =>
      (list as { items: { metadata: { labels?: Record<string, string> } }[] }).items
        .filter(({ metadata }) => metadata.labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults')
        .map(({ metadata, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, resourceVersion: '', managedFields: [] },
        }));
    for (const plural of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']) {
      await api.ask('GET', `${rbacPath}/${plural}`, { keep });
    }
  });
});
