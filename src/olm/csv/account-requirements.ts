import { type ClusterServiceVersion, clusterServiceVersionResource } from '../../api/index.ts';
import { goJson, type JsonObject, listAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { HeldRules, type PolicyRule } from '../../rbac/index.ts';
import type { Checked, RequirementEntry } from './requirement-entry.ts';

/** Where rules apply: in the namespace of the operator, or in all of them. */
export type RuleScope = 'namespaced' | 'cluster';

/** What the check of service accounts reads of the cluster. */
export interface AccountFacts {
  /** Of the namespace of the operator. */
  account(name: string): KubeObject | undefined;
  rulesOf(account: string, scope: RuleScope): readonly PolicyRule[];
}

type Dependent = NonNullable<RequirementEntry['dependents']>[number];

interface ScopedRule {
  readonly scope: RuleScope;
  readonly rule: JsonObject;
}

/** Rules that multiply to more than that are refused: no operator needs so many, and each is compared with those that are granted. */
const maxCombinations = 200_000;
const members = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;

function invalidRule(rule: JsonObject): string | undefined {
  const [verbs = [], apiGroups = [], resources = [], , paths = []] = members.map((name) => listAt(rule, name));
  if (verbs.length === 0) return 'rule invalid: policy rule must have at least one verb';
  return paths.length > 0 && (apiGroups.length > 0 || resources.length > 0)
    ? 'rule invalid: rule cannot apply to both regular resources and non-resource URLs'
    : undefined;
}

function combinationsOf(rule: JsonObject): number {
  return members.reduce((product, name) => product * Math.max(1, listAt(rule, name).length), 1);
}

/** In the order in which Go writes it. */
function textOf(rule: JsonObject): string {
  const present = members.filter((name) => listAt(rule, name).length > 0);
  return goJson(Object.fromEntries(present.map((name) => [name, rule[name] ?? null])));
}

function rulesByAccount({ spec }: ClusterServiceVersion): ReadonlyMap<string, readonly ScopedRule[]> {
  const { permissions = [], clusterPermissions = [] } = spec.install.spec ?? {};
  const byAccount = new Map<string, ScopedRule[]>();
  const add = (scope: RuleScope, all: typeof permissions): void => {
    for (const { serviceAccountName, rules } of all) {
      const scoped = byAccount.get(serviceAccountName) ?? [];
      for (const rule of rules) scoped.push({ scope, rule });
      byAccount.set(serviceAccountName, scoped);
    }
  };
  add('namespaced', permissions);
  add('cluster', clusterPermissions);
  return byAccount;
}

function isOwnedByAnother({ metadata }: KubeObject, csv: ClusterServiceVersion): boolean {
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === clusterServiceVersionResource.kind);
  return owners.length > 0 && !owners.some(({ uid }) => uid === csv.metadata.uid);
}

function dependentsOf(account: string, rules: readonly ScopedRule[], facts: AccountFacts): readonly Dependent[] {
  const granted = {
    namespaced: new HeldRules(facts.rulesOf(account, 'namespaced')),
    cluster: new HeldRules(facts.rulesOf(account, 'cluster')),
  };
  return rules.map(({ scope, rule }) => {
    const isSatisfied = granted[scope].missing([rule as PolicyRule]).length === 0;
    return {
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      kind: 'PolicyRule',
      status: isSatisfied ? 'Satisfied' : 'NotSatisfied',
      message: `${scope} rule:${textOf(rule)}`,
    };
  });
}

function checkAccount(
  csv: ClusterServiceVersion,
  facts: AccountFacts,
  [name, rules]: readonly [string, readonly ScopedRule[]],
): Checked {
  const what = { group: '', version: 'v1', kind: 'ServiceAccount', name };
  const account = facts.account(name);
  if (account === undefined) {
    const entry = { ...what, status: 'NotPresent', message: 'Service account does not exist' };
    return { entry, isMet: false };
  }
  if (isOwnedByAnother(account, csv)) {
    const message = 'Service account is owned by another ClusterServiceVersion';
    return { entry: { ...what, status: 'PresentNotSatisfied', message }, isMet: false };
  }
  const dependents = dependentsOf(name, rules, facts);
  const isMet = dependents.every(({ status }) => status === 'Satisfied');
  const message = isMet ? '' : 'Policy rule not satisfied for service account';
  return { entry: { ...what, status: isMet ? 'Present' : 'PresentNotSatisfied', message, dependents }, isMet };
}

/** The service accounts of the operator and their permissions; `problem` where a rule is invalid.
 *  @see docs/spec/olm-v0.md#requirement-check */
export function checkAccounts(
  csv: ClusterServiceVersion,
  facts: AccountFacts,
): { readonly checked: readonly Checked[]; readonly problem?: string } {
  const byAccount = rulesByAccount(csv);
  const rules = [...byAccount.values()].flat().map(({ rule }) => rule);
  const combinations = rules.reduce((sum, rule) => sum + combinationsOf(rule), 0);
  const problem =
    combinations > maxCombinations
      ? `rule invalid: the permissions have ${combinations} combinations of verb, group, resource and name, at most ${maxCombinations} are allowed`
      : rules.flatMap((rule) => invalidRule(rule) ?? [])[0];
  if (problem !== undefined) return { checked: [], problem };
  const sorted = [...byAccount].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { checked: sorted.map((entry) => checkAccount(csv, facts, entry)) };
}
