import type { ClusterServiceVersion } from '../../api/index.ts';
import { isJsonObject, type JsonObject, listOfTexts } from '../../base/index.ts';
import { missingRules, type PolicyRule } from '../../rbac/index.ts';

const members = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;
/** Rules that multiply to more are compared as they are written. */
const maxComparisons = 50_000;

/** The rules that a ClusterServiceVersion requests in namespaces, in their order. */
export function requestedRules({ spec }: ClusterServiceVersion): readonly PolicyRule[] {
  return (spec.install.spec?.permissions ?? []).flatMap(({ rules }) => rules.map((rule) => readRule(rule)));
}

/** A rule without members that are empty. */
export function readRule(rule: unknown): PolicyRule {
  if (!isJsonObject(rule)) return {};
  const lists = members.map((member) => [member, listOfTexts(rule, member)] as const);
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0));
}

function textOf(rule: PolicyRule): string {
  return JSON.stringify(members.map((member) => [...(rule[member] ?? [])].toSorted()));
}

function sizeOf(rule: PolicyRule): number {
  const [verbs = 1, groups = 1, resources = 1, names = 1, urls = 1] = members.map((member) =>
    Math.max(1, rule[member]?.length ?? 0),
  );
  return verbs * (groups * resources * names + urls);
}

/** Compares rules as long as that stays cheap; then none is allowed by others. */
class Comparison {
  #left = maxComparisons;

  isAllowed(rule: PolicyRule, by: readonly PolicyRule[]): boolean {
    this.#left -= sizeOf(rule) * by.length;
    return this.#left >= 0 && missingRules(by, [rule]).length === 0;
  }
}

/** Those of the rules of a Role that the operator requests, and requests that the Role allows as parts of wider rules: what a Role allows beyond the
 *  request is for its own namespace, where its author could give it, and must not reach other namespaces. */
export function permittedRules(role: readonly PolicyRule[], requested: readonly PolicyRule[]): readonly PolicyRule[] {
  const comparison = new Comparison();
  const texts = new Set(requested.map(textOf));
  const kept = role.filter((rule) => texts.has(textOf(rule)) || comparison.isAllowed(rule, requested));
  const rest = role.filter((rule) => !kept.includes(rule));
  if (rest.length === 0) return kept;
  const keptTexts = new Set(kept.map(textOf));
  return [...kept, ...requested.filter((rule) => !keptTexts.has(textOf(rule)) && comparison.isAllowed(rule, rest))];
}

/** Whether the ServiceAccounts of an operator have all that it requests in namespaces by its cluster permissions already. */
export function isClusterWide({ spec }: ClusterServiceVersion): boolean {
  const { permissions = [], clusterPermissions = [] } = spec.install.spec ?? {};
  const comparison = new Comparison();
  return permissions.every(({ serviceAccountName, rules }) => {
    const own = clusterPermissions.filter((permission) => permission.serviceAccountName === serviceAccountName);
    const ownRules = own.flatMap((permission) => permission.rules.map(readRule));
    return rules.map(readRule).every((rule) => comparison.isAllowed(rule, ownRules));
  });
}

/** The ServiceAccounts among the subjects of a binding that the operator names, with their namespace. Others are bound for the namespace of the
 *  operator alone. */
export function permittedSubjects(csv: ClusterServiceVersion, subjects: readonly JsonObject[]): readonly JsonObject[] {
  const { permissions = [], clusterPermissions = [] } = csv.spec.install.spec ?? {};
  const accounts = new Set([...permissions, ...clusterPermissions].map((one) => one.serviceAccountName));
  const { namespace = '' } = csv.metadata;
  return subjects
    .filter(({ kind, name, namespace: place = namespace }) => {
      return kind === 'ServiceAccount' && typeof name === 'string' && accounts.has(name) && place === namespace;
    })
    .map(({ name = '' }) => ({ kind: 'ServiceAccount', name, namespace }));
}
