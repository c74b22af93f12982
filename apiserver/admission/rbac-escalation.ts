import { goQuote, isJsonEqual, type JsonValue } from '../../src/base/index.ts';
import type { PolicyRule } from '../../src/rbac/index.ts';
import { type Authorizer, missingPermissions } from '../auth/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  forbidden,
  inTurns,
  type KubeObject,
  notFound,
  Turns,
} from '../core/index.ts';

const group = 'rbac.authorization.k8s.io';
const rolePlurals = new Set(['roles', 'clusterroles']);
const bindingPlurals = new Set(['rolebindings', 'clusterrolebindings']);
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

function rulesOf(role: KubeObject): readonly PolicyRule[] {
  return Array.isArray(role['rules']) ? (role['rules'] as unknown as PolicyRule[]) : [];
}

function hasAggregation(role: KubeObject | undefined): boolean {
  const { clusterRoleSelectors } = (role?.['aggregationRule'] ?? {}) as { clusterRoleSelectors?: unknown };
  return Array.isArray(clusterRoleSelectors) && clusterRoleSelectors.length > 0;
}

function referenceOf(binding: KubeObject | undefined): { readonly plural: string; readonly name: string } | undefined {
  const { kind, name } = (binding?.['roleRef'] ?? {}) as { kind?: string; name?: string };
  if (name === undefined || (kind !== 'Role' && kind !== 'ClusterRole')) return undefined;
  return { plural: kind === 'Role' ? 'roles' : 'clusterroles', name };
}

/** Whether a write changes nothing but what garbage collection needs. */
function isCollected({ object, oldObject }: AdmissionRequest): boolean {
  if (object === undefined || oldObject === undefined) return false;
  const plain = ({ metadata, ...rest }: KubeObject): JsonValue => {
    const { finalizers: _f, ownerReferences: _o, managedFields: _m, resourceVersion: _r, ...kept } = metadata;
    return { ...rest, metadata: kept } as unknown as JsonValue;
  };
  return isJsonEqual(plain(object), plain(oldObject));
}

class EscalationCheck {
  readonly #cluster: Cluster;
  readonly #authorizer: Authorizer;
  readonly #turns = new Turns();

  constructor(cluster: Cluster, authorizer: Authorizer) {
    this.#cluster = cluster;
    this.#authorizer = authorizer;
  }

  async check(request: AdmissionRequest): Promise<void> {
    const { resource, user, operation } = request;
    if (operation === 'DELETE' || resource.group !== group || user.groups.includes('system:masters')) return;
    if (isCollected(request)) return;
    if (rolePlurals.has(resource.plural)) await this.#checkRole(request);
    else if (bindingPlurals.has(resource.plural)) await this.#checkBinding(request);
  }

  #may(request: AdmissionRequest, verb: string, target: { readonly resource: string; readonly name: string }): boolean {
    const about = { kind: 'resource' as const, verb, group, subresource: '', namespace: request.namespace, ...target };
    return this.#authorizer.decide(request.user, about).isAllowed;
  }

  async #checkRole(request: AdmissionRequest): Promise<void> {
    const { resource, object, oldObject, operation } = request;
    // From the URL: a create has no name there.
    const name = operation === 'CREATE' ? '' : request.name;
    if (object === undefined || this.#may(request, 'escalate', { resource: resource.plural, name })) return;
    await this.#confirm(request, rulesOf(object));
    if (!hasAggregation(object) && !hasAggregation(oldObject)) return;
    if ((await this.#missing(request, everything)).missing.length === 0) return;
    const why = 'must have cluster-admin privileges to use the aggregationRule';
    throw forbidden({ ...resource, name: object.metadata.name ?? '' }, why);
  }

  async #checkBinding(request: AdmissionRequest): Promise<void> {
    const { resource, object } = request;
    const reference = referenceOf(object);
    if (reference === undefined) return; // validation reports it
    const { plural, name } = reference;
    if (this.#may(request, 'bind', { resource: plural, name })) return;
    const type = this.#cluster.resource(group, plural);
    const namespace = plural === 'roles' ? request.namespace : '';
    const role = type === undefined ? undefined : this.#cluster.get(type, { namespace, name });
    if (role === undefined) throw notFound(resource, name);
    await this.#confirm(request, rulesOf(role));
  }

  /** In turns: users write what is compared. */
  async #missing(
    { user, namespace }: AdmissionRequest,
    requested: readonly PolicyRule[],
  ): Promise<{ readonly missing: readonly string[]; readonly errors: readonly string[] }> {
    const { rules, errors } = this.#authorizer.rulesOf(user, namespace);
    return { missing: await inTurns(missingPermissions(rules, requested), () => this.#turns.take()), errors };
  }

  async #confirm(request: AdmissionRequest, requested: readonly PolicyRule[]): Promise<void> {
    const { missing, errors } = await this.#missing(request, requested);
    if (missing.length === 0) return;
    const { user, resource, object } = request;
    const groups = user.groups.map((name) => goQuote(name)).join(' ');
    const who = `user ${goQuote(user.username)} (groups=[${groups}])`;
    const list = errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`;
    const resolution = errors.length === 0 ? '' : `; resolution errors: [${list}]`;
    const why = `${who} is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}${resolution}`;
    throw forbidden({ ...resource, name: object?.metadata.name ?? '' }, why);
  }
}

/** Users cannot create roles, or bind to roles, with more permissions than their own, unless they may `escalate` or `bind`. */
export function rbacEscalation(cluster: Cluster, authorizer: Authorizer): AdmissionPlugin {
  const check = new EscalationCheck(cluster, authorizer);
  return {
    name: 'RBAC escalation check',
    mutate: async (request) => {
      await check.check(request);
      return undefined;
    },
  };
}
