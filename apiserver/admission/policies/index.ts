import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Authorizer } from '../../auth/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  type KubeObject,
  type ResourceType,
  StatusError,
} from '../../core/index.ts';
import { requestLookup } from '../expression-values.ts';
import { refusal } from '../refusal.ts';
import { type MatchCriteria, matchCriteria } from '../webhooks/matching.ts';
import { type Decision, decide } from './decisions.ts';
import { collectParams, Misconfigured, paramResource } from './params.ts';
import { type Binding, type Policy, readBinding, readPolicy } from './policy.ts';

const group = 'admissionregistration.k8s.io';

/** Objects that policies are never asked about: themselves, and questions about permissions. */
const exempt = new Set([
  `validatingadmissionpolicies.${group}`,
  `validatingadmissionpolicybindings.${group}`,
  `mutatingadmissionpolicies.${group}`,
  `mutatingadmissionpolicybindings.${group}`,
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  RequestEntityTooLarge: 413,
};

/** A refusal by a policy, by a binding if it got so far. */
interface Denial extends Decision {
  readonly policy: Policy;
  readonly binding: Binding | undefined;
}

function rulesOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function criteriaOf(resources: JsonObject): MatchCriteria {
  return {
    rules: rulesOf(resources['resourceRules']),
    excluded: rulesOf(resources['excludeResourceRules']),
    matchPolicy: resources['matchPolicy'] === 'Exact' ? 'Exact' : 'Equivalent',
    namespaceSelector: resources['namespaceSelector'],
    objectSelector: resources['objectSelector'],
  };
}

/** Reads an object once a version of it. */
class Reader<T> {
  readonly #known = new WeakMap<KubeObject, T>();
  readonly #read: (object: KubeObject) => T;

  constructor(read: (object: KubeObject) => T) {
    this.#read = read;
  }

  all(cluster: Cluster, plural: string): T[] {
    const type = cluster.resource(group, plural);
    return type === undefined ? [] : cluster.list(type).map((object) => this.#one(object));
  }

  #one(object: KubeObject): T {
    const known = this.#known.get(object) ?? this.#read(object);
    this.#known.set(object, known);
    return known;
  }
}

function denialError(request: AdmissionRequest, { policy, binding, message, reason = 'Invalid' }: Denial): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding.name}'`;
  const text = `ValidatingAdmissionPolicy '${policy.name}'${by} denied request: ${message}`;
  const { failure } = refusal(request, text, [{ message: text }]);
  return new StatusError({ ...failure, reason, code: codes[reason] ?? 422 });
}

class PolicyCheck {
  readonly #cluster: Cluster;
  readonly #authorizer: Authorizer;
  readonly #policies = new Reader(readPolicy);
  readonly #bindings = new Reader(readBinding);

  constructor(cluster: Cluster, authorizer: Authorizer) {
    this.#cluster = cluster;
    this.#authorizer = authorizer;
  }

  async check(request: AdmissionRequest): Promise<void> {
    const { plural, group: own } = request.resource;
    if (exempt.has(`${plural}.${own}`)) return;
    const bindings = this.#bindings.all(this.#cluster, 'validatingadmissionpolicybindings');
    if (bindings.length === 0) return;
    const denials: Denial[] = [];
    for (const policy of this.#policies.all(this.#cluster, 'validatingadmissionpolicies')) {
      const bound = bindings.filter(({ policyName }) => policyName === policy.name);
      if (bound.length > 0) denials.push(...(await this.#askPolicy(policy, bound, request)));
    }
    const [first] = denials;
    if (first !== undefined) throw denialError(request, first);
  }

  async #askPolicy(policy: Policy, bindings: readonly Binding[], request: AdmissionRequest): Promise<Denial[]> {
    const type = matchCriteria(criteriaOf(policy.constraints), request, this.#cluster);
    if (type === undefined) return [];
    const { paramKind } = policy;
    if (paramKind !== undefined && paramResource(paramKind, this.#cluster) === undefined) {
      const [version = '', ownGroup = ''] = paramKind.apiVersion.split('/').toReversed();
      const kind = `${ownGroup}/${version}, Kind=${paramKind.kind}`;
      const message = `failed to configure policy: failed to find resource referenced by paramKind: '${kind}'`;
      return policy.failsClosed ? [{ policy, binding: undefined, message }] : [];
    }
    const denials: Denial[] = [];
    for (const binding of bindings) denials.push(...(await this.#askBinding({ policy, binding, type }, request)));
    return denials;
  }

  async #askBinding(
    { policy, binding, type }: { readonly policy: Policy; readonly binding: Binding; readonly type: ResourceType },
    request: AdmissionRequest,
  ): Promise<Denial[]> {
    const { matchResources } = binding;
    const isMeant =
      matchResources === undefined || matchCriteria(criteriaOf(matchResources), request, this.#cluster) !== undefined;
    if (!isMeant) return [];
    try {
      const params = await collectParams(policy, binding, { cluster: this.#cluster, request });
      const namespace = this.#namespaceOf(request);
      const decisions: Decision[] = [];
      for (const param of params) {
        const lookUp = requestLookup(request, this.#authorizer, { type, params: param, namespace });
        decisions.push(...(await decide(policy, lookUp, () => this.#cluster.takeTurn())));
      }
      return this.#act(decisions, { policy, binding }, request);
    } catch (error) {
      if (!(error instanceof Misconfigured)) throw error;
      const message = `failed to configure binding: ${error.message}`;
      return policy.failsClosed ? [{ policy, binding, message }] : [];
    }
  }

  #namespaceOf({ namespace, resource }: AdmissionRequest): KubeObject | undefined {
    const type = this.#cluster.resource('', 'namespaces');
    if (namespace === '' || resource.storageKey === 'namespaces' || type === undefined) return undefined;
    return this.#cluster.get(type, { namespace: '', name: namespace });
  }

  #act(
    decisions: readonly Decision[],
    by: { readonly policy: Policy; readonly binding: Binding },
    request: AdmissionRequest,
  ): Denial[] {
    const { policy, binding } = by;
    return decisions.flatMap((decision) => {
      if (binding.actions.includes('Warn') && decision.isFinal !== true) {
        const who = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
        request.warn(`Validation failed for ${who}: ${decision.message}`);
      }
      return decision.isFinal === true || binding.actions.includes('Deny') ? [{ ...decision, ...by }] : [];
    });
  }
}

/** Holds what is written against the ValidatingAdmissionPolicies that are bound to it. */
export function validatingPolicies(cluster: Cluster, authorizer: Authorizer): AdmissionPlugin {
  const check = new PolicyCheck(cluster, authorizer);
  return {
    name: 'ValidatingAdmissionPolicy',
    validate: (request) => check.check(request),
  };
}
