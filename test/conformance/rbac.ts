import type { Answer } from './connection.ts';
import type { AskOptions, Probe } from './probe.ts';

const group = 'rbac.authorization.k8s.io';
export const rbacPath: string = `/apis/${group}/v1`;

/** One rule of a role. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Paths of the RBAC collections in the case's namespace. */
export function rbacIn(api: Probe): { readonly roles: string; readonly bindings: string } {
  const inNamespace = `${rbacPath}/namespaces/${api.namespace}`;
  return { roles: `${inNamespace}/roles`, bindings: `${inNamespace}/rolebindings` };
}

/** A Role, or with `isCluster` a ClusterRole. */
export function role(name: string, rules: readonly Rule[], isCluster = false): unknown {
  return { apiVersion: `${group}/v1`, kind: isCluster ? 'ClusterRole' : 'Role', metadata: { name }, rules };
}

export interface BindingOptions {
  readonly role: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string };
  readonly subjects: readonly unknown[];
  readonly isCluster?: boolean;
}

/** A RoleBinding, or with `isCluster` a ClusterRoleBinding. */
export function binding(name: string, options: BindingOptions): unknown {
  return {
    apiVersion: `${group}/v1`,
    kind: options.isCluster === true ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: group, ...options.role },
    subjects: options.subjects,
  };
}

export const userSubject = (name: string): unknown => ({ apiGroup: group, kind: 'User', name });

/** Lets `user` do what `rules` allow in the case's namespace. */
export async function allow(api: Probe, user: string, rules: readonly Rule[]): Promise<void> {
  const { roles, bindings } = rbacIn(api);
  const name = `of-${user}`;
  await api.setUp('POST', roles, { body: role(name, rules) });
  const body = binding(name, { role: { kind: 'Role', name }, subjects: [userSubject(user)] });
  await api.setUp('POST', bindings, { body });
  await untilAllowed(api, user, rules[0] as Rule);
}

/** The same in all namespaces and at the cluster scope. */
export async function allowEverywhere(api: Probe, user: string, rules: readonly Rule[]): Promise<void> {
  const name = api.unique(`of-${user.replaceAll(':', '-')}`);
  api.cleanUp(`${rbacPath}/clusterroles/${name}`);
  api.cleanUp(`${rbacPath}/clusterrolebindings/${name}`);
  await api.setUp('POST', `${rbacPath}/clusterroles`, { body: role(name, rules, true) });
  const body = binding(name, {
    role: { kind: 'ClusterRole', name },
    subjects: [userSubject(user)],
    isCluster: true,
  });
  await api.setUp('POST', `${rbacPath}/clusterrolebindings`, { body });
  await untilAllowed(api, user, rules[0] as Rule);
}

/** A server with caches needs a moment to know of a new binding. */
async function untilAllowed(api: Probe, user: string, rule: Rule): Promise<void> {
  const spec = rule.nonResourceURLs === undefined ? resourceAccess(api, rule) : pathAccess(rule);
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: { user, ...spec } };
  for (let tries = 0; tries < 100; tries += 1) {
    const review = await api.setUp('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body });
    if ((review.body as { status: { allowed: boolean } }).status.allowed) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${user} is never allowed ${JSON.stringify(rule)}`);
}

function resourceAccess(api: Probe, rule: Rule): object {
  const [verb, group = '', full = '', name = ''] = [
    rule.verbs[0],
    rule.apiGroups?.[0],
    rule.resources?.[0],
    rule.resourceNames?.[0],
  ];
  const [resource, subresource = ''] = full.split('/');
  const resourceAttributes = { verb, group, resource, subresource, name, namespace: api.namespace };
  return { resourceAttributes };
}

function pathAccess(rule: Rule): object {
  return { nonResourceAttributes: { verb: rule.verbs[0], path: rule.nonResourceURLs?.[0] } };
}

/** Asks for a review and records its status. */
export function review(
  api: Probe,
  path: string,
  options: AskOptions & { readonly kind: string; readonly spec?: unknown },
): Promise<Answer> {
  const { kind, spec, ...rest } = options;
  const apiVersion = path.startsWith('/apis/authentication') ? 'authentication.k8s.io/v1' : 'authorization.k8s.io/v1';
  return api.ask('POST', path, { body: { apiVersion, kind, ...(spec === undefined ? {} : { spec }) }, ...rest });
}

/** A token of a new service account of the case's namespace. */
export async function tokenOf(api: Probe, name: string, spec: object = {}): Promise<string> {
  const accounts = `/api/v1/namespaces/${api.namespace}/serviceaccounts`;
  await api.setUp('POST', accounts, { body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } } });
  const { body } = await api.setUp('POST', `${accounts}/${name}/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
  });
  return (body as { status: { token: string } }).status.token;
}
