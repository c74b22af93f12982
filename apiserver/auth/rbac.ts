import { type PolicyRule, withoutStars } from '../../src/rbac/index.ts';
import type { KubeObject, UserInfo } from '../core/index.ts';
import type { AccessDecision, AccessRequest, Authorizer } from './authorizer.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

/** Reads of the RBAC objects as they are now. */
export interface RbacObjects {
  list(plural: 'clusterrolebindings' | 'rolebindings', namespace: string): readonly KubeObject[];
  get(plural: 'clusterroles' | 'roles', namespace: string, name: string): KubeObject | undefined;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface Grant {
  readonly binding: KubeObject;
  readonly subject: Subject;
  readonly role: { readonly kind: string; readonly name: string };
  readonly rules: readonly PolicyRule[];
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}

function matchesResource(rule: PolicyRule, request: Extract<AccessRequest, { kind: 'resource' }>): boolean {
  const { resources } = rule;
  if (resources === undefined || !has(rule.apiGroups, request.group)) return false;
  const full = request.subresource === '' ? request.resource : `${request.resource}/${request.subresource}`;
  const isNamed =
    has(resources, full) || (request.subresource !== '' && resources.includes(`*/${request.subresource}`));
  if (!isNamed) return false;
  return (rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(request.name);
}

function matchesPath(rule: PolicyRule, path: string): boolean {
  return (rule.nonResourceURLs ?? []).some(
    (pattern) =>
      pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(withoutStars(pattern))),
  );
}

/** Whether one rule allows a request. */
function isAllowedByRule(rule: PolicyRule, request: AccessRequest): boolean {
  if (!has(rule.verbs, request.verb)) return false;
  return request.kind === 'path' ? matchesPath(rule, request.path) : matchesResource(rule, request);
}

/** Whom subjects are compared with. */
interface Asker {
  readonly username: string;
  /** A review may name very many, and a binding very many subjects. */
  readonly groups: ReadonlySet<string>;
}

function isSubject(subject: Subject, asker: Asker, bindingNamespace: string): boolean {
  if (subject.kind === 'User') return subject.name === asker.username;
  if (subject.kind === 'Group') return asker.groups.has(subject.name);
  const namespace = subject.namespace ?? bindingNamespace;
  return subject.kind === 'ServiceAccount' && asker.username === `system:serviceaccount:${namespace}:${subject.name}`;
}

function describe(grant: Grant): string {
  const { binding, subject, role } = grant;
  const { namespace } = binding.metadata;
  const name = namespace === undefined ? binding.metadata.name : `${binding.metadata.name}/${namespace}`;
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? namespace}` : subject.name;
  const kind = namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
  return `RBAC: allowed by ${kind} "${name}" of ${role.kind} "${role.name}" to ${subject.kind} "${who}"`;
}

/** Role-based access control over the stored roles and bindings; `system:masters` may do everything. */
export class RbacAuthorizer implements Authorizer {
  readonly #objects: RbacObjects;

  constructor(objects: RbacObjects) {
    this.#objects = objects;
  }

  decide(user: UserInfo, request: AccessRequest): AccessDecision {
    if (user.groups.includes('system:masters')) return { isAllowed: true, reason: '' };
    const errors: string[] = [];
    const namespace = request.kind === 'path' ? '' : request.namespace;
    for (const grant of this.#grants(user, namespace, errors)) {
      if (grant.rules.some((rule) => isAllowedByRule(rule, request)))
        return { isAllowed: true, reason: describe(grant) };
    }
    const list = errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`;
    return { isAllowed: false, reason: errors.length === 0 ? '' : `RBAC: ${list}` };
  }

  rulesOf(
    user: UserInfo,
    namespace: string,
  ): { readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] } {
    const errors: string[] = [];
    const rules = [...this.#grants(user, namespace, errors)].flatMap((grant) => grant.rules);
    return { rules, errors };
  }

  *#grants(user: UserInfo, namespace: string, errors: string[]): Generator<Grant> {
    const bindings = [
      ...this.#objects.list('clusterrolebindings', ''),
      ...(namespace === '' ? [] : this.#objects.list('rolebindings', namespace)),
    ];
    const asker: Asker = { username: user.username, groups: new Set(user.groups) };
    // Of many bindings to one role the first counts: the others would have all of its rules read again.
    const seen = new Set<string>();
    for (const binding of bindings) {
      const subjects = Array.isArray(binding['subjects']) ? (binding['subjects'] as unknown as Subject[]) : [];
      const bindingNamespace = binding.metadata.namespace ?? '';
      const subject = subjects.find((candidate) => isSubject(candidate, asker, bindingNamespace));
      if (subject === undefined) continue;
      const role = binding['roleRef'] as unknown as Grant['role'];
      const key = `${role.kind}/${role.name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const rules = this.#rulesOfRole(role, bindingNamespace, errors);
      if (rules !== undefined) yield { binding, subject, role, rules };
    }
  }

  #rulesOfRole(role: Grant['role'], namespace: string, errors: string[]): readonly PolicyRule[] | undefined {
    const isCluster = role.kind === 'ClusterRole';
    const stored = this.#objects.get(isCluster ? 'clusterroles' : 'roles', isCluster ? '' : namespace, role.name);
    if (stored === undefined) {
      errors.push(`${isCluster ? 'clusterrole' : 'role'}.${rbacGroup} "${role.name}" not found`);
      return undefined;
    }
    return Array.isArray(stored['rules']) ? (stored['rules'] as unknown as PolicyRule[]) : [];
  }
}
