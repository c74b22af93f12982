import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import {
  type AdmissionRequest,
  type Cluster,
  type KubeObject,
  type Labels,
  matchesLabelSelector,
  notFound,
  type ResourceType,
} from '../../core/index.ts';
import type { Hook } from './hook.ts';

/** Which requests a webhook or policy wants to be asked about. */
export interface MatchCriteria {
  /** Those of policies may name objects. No rules at all match everything. */
  readonly rules: readonly JsonObject[];
  readonly excluded?: readonly JsonObject[];
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly namespaceSelector: JsonValue | undefined;
  readonly objectSelector: JsonValue | undefined;
}

function listOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function includes(list: readonly string[], text: string): boolean {
  return list.includes('*') || list.includes(text);
}

function matchesResource(patterns: readonly string[], plural: string, subresource: string | undefined): boolean {
  return patterns.some((pattern) => {
    const [resource = '', sub] = pattern.split('/');
    const isResource = resource === '*' || resource === plural;
    if (subresource === undefined) return isResource && (sub === undefined || sub === '*');
    return isResource && (sub === '*' || sub === subresource);
  });
}

function matchesScope(scope: JsonValue | undefined, type: ResourceType): boolean {
  if (scope === undefined || scope === '*') return true;
  return scope === (type.namespaced ? 'Namespaced' : 'Cluster');
}

function matchesName(names: readonly string[], { name }: AdmissionRequest): boolean {
  return names.length === 0 || names.includes(name);
}

function matchesRule(rule: JsonObject, request: AdmissionRequest, type: ResourceType): boolean {
  return (
    matchesName(listOf(rule.resourceNames), request) &&
    includes(listOf(rule.operations), request.operation) &&
    includes(listOf(rule.apiGroups), type.group) &&
    includes(listOf(rule.apiVersions), type.version) &&
    matchesResource(listOf(rule.resources), type.plural, request.subresource) &&
    matchesScope(rule.scope, type)
  );
}

/** The version under which rules ask for this request: the requested one, else (matchPolicy Equivalent) another one of the same objects. */
function matchedType(
  { rules, matchPolicy }: Pick<MatchCriteria, 'rules' | 'matchPolicy'>,
  request: AdmissionRequest,
  cluster: Cluster,
): ResourceType | undefined {
  const { resource, subresource } = request;
  if (rules.some((rule) => matchesRule(rule, request, resource))) return resource;
  if (matchPolicy === 'Exact') return undefined;
  const hasSubresource = (type: ResourceType): boolean =>
    subresource === undefined || type.subresources.some(({ name }) => name === subresource);
  return cluster
    .versionsOf(resource)
    .find((type) => hasSubresource(type) && rules.some((rule) => matchesRule(rule, request, type)));
}

function isEverything(selector: JsonValue | undefined): boolean {
  return selector === undefined || selector === null || JSON.stringify(selector) === '{}';
}

function labelsOf(object: KubeObject | undefined): Labels {
  return object?.metadata?.labels;
}

function matchesNamespace(
  { namespaceSelector: selector }: MatchCriteria,
  request: AdmissionRequest,
  cluster: Cluster,
): boolean {
  if (isEverything(selector)) return true;
  const { resource, subresource, operation } = request;
  if (resource.storageKey === 'namespaces') {
    const isNew = operation !== 'DELETE' && subresource === undefined;
    return matchesLabelSelector(selector, labelsOf(isNew ? request.object : request.oldObject));
  }
  if (!resource.namespaced) return true;
  const type = cluster.resource('', 'namespaces');
  const namespace = type === undefined ? undefined : cluster.get(type, { namespace: '', name: request.namespace });
  if (namespace === undefined) throw notFound({ group: '', plural: 'namespaces' }, request.namespace);
  return matchesLabelSelector(selector, labelsOf(namespace));
}

function matchesObject(selector: JsonValue | undefined, request: AdmissionRequest): boolean {
  if (isEverything(selector)) return true;
  const present = [request.object, request.oldObject].filter((object) => object?.metadata !== undefined);
  return present.some((object) => matchesLabelSelector(selector, labelsOf(object)));
}

/** Kinds that decide about admission are never themselves put before a webhook. */
function isExempt({ resource }: AdmissionRequest): boolean {
  return resource.group === 'admissionregistration.k8s.io';
}

/** A hook that is to be called, and the version in which it wants the object. */
export interface MatchedHook {
  readonly hook: Hook;
  readonly type: ResourceType;
}

/** The version in which the webhook expects a request that matches; undefined when it does not match.
 *  @throws StatusError 404 for an object whose namespace is missing and matters */
export function matchCriteria(
  criteria: MatchCriteria,
  request: AdmissionRequest,
  cluster: Cluster,
): ResourceType | undefined {
  const { rules, excluded = [], matchPolicy } = criteria;
  if (matchedType({ rules: excluded, matchPolicy }, request, cluster) !== undefined) return undefined;
  const isOpen = criteria.excluded !== undefined && rules.length === 0;
  const type = isOpen ? request.resource : matchedType(criteria, request, cluster);
  const isMeant =
    type !== undefined &&
    matchesNamespace(criteria, request, cluster) &&
    matchesObject(criteria.objectSelector, request);
  return isMeant ? type : undefined;
}

/** Which of `hooks` are to be called for this request, in order.
 *  @throws StatusError 404 for an object whose namespace is missing and matters */
export function matchHooks(hooks: readonly Hook[], request: AdmissionRequest, cluster: Cluster): MatchedHook[] {
  if (isExempt(request)) return [];
  return hooks.flatMap((hook) => {
    const type = matchCriteria(hook, request, cluster);
    return type === undefined ? [] : [{ hook, type }];
  });
}
