import type { ClusterServiceVersion } from '../../api/index.ts';
import { isJsonObject, type JsonObject, listOfTexts } from '../../base/index.ts';
import { HeldRules, type PolicyRule } from '../../rbac/index.ts';

const members = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;

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

/** Those of the rules of a Role that the operator requests, and requests that the Role allows as parts of wider rules: what a Role allows beyond the
 *  request is for its own namespace, where its author could give it, and must not reach other namespaces. */
export function permittedRules(role: readonly PolicyRule[], requested: readonly PolicyRule[]): readonly PolicyRule[] {
  const texts = new Set(requested.map(textOf));
  const asked = new HeldRules(requested);
  const kept = role.filter((rule) => texts.has(textOf(rule)) || asked.missing([rule]).length === 0);
  if (kept.length === role.length) return kept;
  const keptRules = new Set(kept);
  const rest = new HeldRules(role.filter((rule) => !keptRules.has(rule)));
  const keptTexts = new Set(kept.map(textOf));
  const parts = requested.filter((rule) => !keptTexts.has(textOf(rule)) && rest.missing([rule]).length === 0);
  return [...kept, ...parts];
}

/** Whether the ServiceAccounts of an operator have all that it requests in namespaces by its cluster permissions already. */
export function isClusterWide({ spec }: ClusterServiceVersion): boolean {
  const { permissions = [], clusterPermissions = [] } = spec.install.spec ?? {};
  const byAccount = Map.groupBy(clusterPermissions, ({ serviceAccountName }) => serviceAccountName);
  const held = new Map(
    [...byAccount].map(([name, own]) => [name, new HeldRules(own.flatMap(({ rules }) => rules.map(readRule)))]),
  );
  return permissions.every(({ serviceAccountName, rules }) => {
    const own = held.get(serviceAccountName) ?? new HeldRules([]);
    return own.missing(rules.map(readRule)).length === 0;
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
