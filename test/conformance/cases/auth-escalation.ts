import type { Probe } from '../probe.ts';
import { allow, allowEverywhere, binding, type Rule, rbacIn, rbacPath, role, userSubject } from '../rbac.ts';
import { type Area, area } from '../suite.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
const alice = { user: 'alice', groups: ['dev', 'ops'] };
const writeRbac: Rule = {
  verbs: ['create', 'update', 'patch', 'get', 'delete'],
  apiGroups: [rbacGroup],
  resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
};
const readPods: Rule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const readSecrets: Rule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
const mergePatch = 'application/merge-patch+json';

function clusterRoleName(api: Probe, label: string): string {
  const name = api.unique(label);
  api.cleanUp(`${rbacPath}/clusterroles/${name}`);
  return name;
}

/** Users cannot grant permissions that they do not have. */
export const cases: Area = area('RBAC escalation', (it) => {
  it('AUTH-11 refuses a Role with more than its writer may do', async (api) => {
    await allow(api, 'alice', [writeRbac, readPods]);
    const { roles } = rbacIn(api);
    await api.ask('POST', roles, { as: alice, body: role('mine', [readPods]) });
    await api.ask('POST', roles, { as: alice, body: role('more', [readPods, readSecrets]) });
    await api.ask('POST', roles, {
      as: alice,
      body: role('star', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]),
    });
    await api.ask('PATCH', `${roles}/mine`, { as: alice, body: { rules: [readSecrets] }, contentType: mergePatch });
    await api.ask('PUT', `${roles}/mine`, { as: alice, body: role('mine', [readSecrets, readPods]) });
  });

  it('AUTH-11 names each missing rule, cut to what lacks and in order', async (api) => {
    await allow(api, 'alice', [
      writeRbac,
      readPods,
      { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] },
    ]);
    const { roles } = rbacIn(api);
    const ask = (name: string, rules: readonly Rule[]): Promise<unknown> =>
      api.ask('POST', roles, { as: alice, body: role(name, rules) });
    await ask('verbs', [{ ...readPods, verbs: ['get', 'list', 'watch', 'delete'] }]);
    await ask('resources', [{ ...readPods, resources: ['pods', 'services', 'nodes'] }]);
    await ask('groups', [{ ...readPods, apiGroups: ['', 'apps'] }]);
    await ask('names', [
      { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a', 'b', 'c'] },
    ]);
    await ask('unnamed', [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }]);
    await ask('sub', [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log', 'pods'] }]);
    await ask('two', [{ verbs: ['create'], apiGroups: ['batch'], resources: ['jobs'] }, readSecrets]);
    await ask('named', [{ ...readPods, resourceNames: ['p'] }]);
  });

  it('AUTH-11 lets an unchanged role be written by users who do not have its permissions', async (api) => {
    await allow(api, 'alice', [writeRbac]);
    const { roles } = rbacIn(api);
    await api.setUp('POST', roles, { body: role('theirs', [readSecrets]) });
    const labels = { metadata: { labels: { a: 'b' } } };
    await api.ask('PATCH', `${roles}/theirs`, { as: alice, body: labels, contentType: mergePatch });
    const keep = (found: unknown): unknown => (found as { kind: string }).kind;
    await api.ask('PATCH', `${roles}/theirs`, { as: alice, body: { rules: [] }, contentType: mergePatch, keep });
  });

  it('AUTH-11 refuses paths that are no resources', async (api) => {
    await allowEverywhere(api, 'alice', [writeRbac, { verbs: ['get'], nonResourceURLs: ['/logs'] }]);
    const name = clusterRoleName(api, 'paths');
    const rules = [{ verbs: ['get', 'post'], nonResourceURLs: ['/logs', '/metrics', '/logs/*'] }];
    await api.ask('POST', `${rbacPath}/clusterroles`, { as: alice, body: role(name, rules, true) });
  });

  it('AUTH-11 refuses a ClusterRole to a user with the permissions in one namespace alone', async (api) => {
    await allow(api, 'alice', [readSecrets]);
    await allowEverywhere(api, 'alice', [writeRbac]);
    const name = clusterRoleName(api, 'wide');
    await api.ask('POST', `${rbacPath}/clusterroles`, { as: alice, body: role(name, [readSecrets], true) });
  });

  it('AUTH-11 prints names with what a rule holds', async (api) => {
    await allowEverywhere(api, 'alice', [writeRbac]);
    const name = clusterRoleName(api, 'named');
    const rules = [
      { ...readSecrets, resourceNames: ['s"1'] },
      { verbs: ['get'], nonResourceURLs: ['/a'] },
    ];
    await api.ask('POST', `${rbacPath}/clusterroles`, { as: alice, body: role(name, rules, true) });
  });

  it('AUTH-12 lets who has the verb escalate give more', async (api) => {
    await allow(api, 'alice', [writeRbac, { verbs: ['escalate'], apiGroups: [rbacGroup], resources: ['roles'] }]);
    const { roles } = rbacIn(api);
    await api.ask('POST', roles, { as: alice, body: role('more', [readSecrets]) });
  });

  it('AUTH-12 takes escalate for the named role alone', async (api) => {
    const escalate = { verbs: ['escalate'], apiGroups: [rbacGroup], resources: ['roles'], resourceNames: ['this'] };
    await allow(api, 'alice', [writeRbac, escalate]);
    const { roles } = rbacIn(api);
    await api.ask('POST', roles, { as: alice, body: role('this', [readSecrets]) });
    await api.ask('POST', roles, { as: alice, body: role('other', [readSecrets]) });
  });

  it('AUTH-11 wants a cluster admin for an aggregation rule', async (api) => {
    await allowEverywhere(api, 'alice', [writeRbac]);
    const name = clusterRoleName(api, 'sum');
    const clusterRoleSelectors = [{ matchLabels: { a: 'b' } }];
    const body = { ...(role(name, [], true) as object), aggregationRule: { clusterRoleSelectors } };
    await api.ask('POST', `${rbacPath}/clusterroles`, { as: alice, body });
    await api.ask('POST', `${rbacPath}/clusterroles`, { body, keep: () => 'made' });
    const patch = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'c' } }] } };
    await api.ask('PATCH', `${rbacPath}/clusterroles/${name}`, { as: alice, body: patch, contentType: mergePatch });
  });

  it('AUTH-13 refuses a binding to a role with more than its writer may do', async (api) => {
    await allow(api, 'alice', [writeRbac, readPods]);
    const { roles, bindings } = rbacIn(api);
    await api.setUp('POST', roles, { body: role('pods', [readPods]) });
    await api.setUp('POST', roles, { body: role('secrets', [readSecrets]) });
    await api.settle();
    const bind = (name: string, kind: 'Role' | 'ClusterRole', to: string): Promise<unknown> =>
      api.ask('POST', bindings, {
        as: alice,
        body: binding(name, { role: { kind, name: to }, subjects: [userSubject('bob')] }),
      });
    await bind('a', 'Role', 'pods');
    await bind('b', 'Role', 'secrets');
    await bind('c', 'Role', 'none');
    await bind('d', 'ClusterRole', 'none');
    await bind('e', 'ClusterRole', 'system:basic-user');
    await api.ask('PATCH', `${bindings}/a`, { as: alice, body: { subjects: [] }, contentType: mergePatch });
  });

  it('AUTH-13 lets who has the verb bind bind', async (api) => {
    const bind = { verbs: ['bind'], apiGroups: [rbacGroup], resources: ['roles', 'clusterroles'] };
    await allow(api, 'alice', [writeRbac, { ...bind, resourceNames: ['secrets', 'view', 'none'] }]);
    const { roles, bindings } = rbacIn(api);
    await api.setUp('POST', roles, { body: role('secrets', [readSecrets]) });
    for (const [kind, name] of [
      ['Role', 'secrets'],
      ['ClusterRole', 'view'],
      ['ClusterRole', 'edit'],
      ['Role', 'none'],
    ] as const) {
      const body = binding(`to-${name}-${kind.toLowerCase()}`, { role: { kind, name }, subjects: [] });
      await api.ask('POST', bindings, {
        as: alice,
        body,
        keep: (answer) => (answer as { kind: string; message?: string }).message ?? 'bound',
      });
    }
  });

  it('AUTH-13 refuses a ClusterRoleBinding in the same words', async (api) => {
    await allowEverywhere(api, 'alice', [writeRbac]);
    const name = api.unique('wide');
    api.cleanUp(`${rbacPath}/clusterrolebindings/${name}`);
    const body = binding(name, {
      role: { kind: 'ClusterRole', name: 'system:basic-user' },
      subjects: [userSubject('bob')],
      isCluster: true,
    });
    await api.ask('POST', `${rbacPath}/clusterrolebindings`, { as: alice, body });
  });

  it('AUTH-14 keeps the role that a binding refers to', async (api) => {
    const { bindings } = rbacIn(api);
    const body = binding('b', { role: { kind: 'Role', name: 'one' }, subjects: [] });
    await api.ask('POST', bindings, { body });
    const other = { roleRef: { apiGroup: rbacGroup, kind: 'Role', name: 'two' } };
    // What the value is printed as belongs to the rules of the kind.
    const keep = (found: unknown): unknown =>
      (found as { message: string }).message.replace(/value: .*: cannot/, 'value: cannot');
    await api.ask('PATCH', `${bindings}/b`, { body: other, contentType: mergePatch, keep });
  });

  it('AUTH-15 gathers the rules of the roles that an aggregation rule selects', {
    needs: 'controllers',
  }, async (api) => {
    const label = api.unique('label');
    const names = ['sum', 'b-part', 'a-part'].map((part) => clusterRoleName(api, part)) as [string, string, string];
    const [sum, second, first] = names;
    const clusterRoleSelectors = [{ matchLabels: { [label]: 'yes' } }];
    const body = { ...(role(sum, [], true) as object), aggregationRule: { clusterRoleSelectors } };
    await api.setUp('POST', `${rbacPath}/clusterroles`, { body });
    const part = (name: string, rules: readonly Rule[]): Promise<unknown> => {
      const plain = role(name, rules, true) as { metadata: object };
      return api.setUp('POST', `${rbacPath}/clusterroles`, {
        body: { ...plain, metadata: { name, labels: { [label]: 'yes' } } },
      });
    };
    await part(second, [readSecrets]);
    await part(first, [readPods]);
    const rulesOf = (found: unknown): readonly unknown[] => (found as { rules?: unknown[] | null }).rules ?? [];
    await api.eventually(`${rbacPath}/clusterroles/${sum}`, (found) => rulesOf(found).length === 2);
    await api.ask('GET', `${rbacPath}/clusterroles/${sum}`, { keep: rulesOf });
    await api.setUp('DELETE', `${rbacPath}/clusterroles/${second}`);
    await api.eventually(`${rbacPath}/clusterroles/${sum}`, (found) => rulesOf(found).length === 1);
    await api.ask('GET', `${rbacPath}/clusterroles/${sum}`, { keep: rulesOf });
  });
});
