import { goQuote } from '../../src/base/index.ts';
import { missingRules, type PolicyRule } from '../../src/rbac/index.ts';

function list(name: string, items: readonly string[] = []): string[] {
  return items.length === 0 ? [] : [`${name}:[${items.map((item) => goQuote(item)).join(' ')}]`];
}

function describe(rule: PolicyRule): string {
  const parts = [
    ...list('APIGroups', rule.apiGroups),
    ...list('Resources', rule.resources),
    ...list('NonResourceURLs', rule.nonResourceURLs),
    ...list('ResourceNames', rule.resourceNames),
    ...list('Verbs', rule.verbs),
  ];
  return `{${parts.join(', ')}}`;
}

/** What of `requested` the rules in `own` do not allow, printed as one line a resource, sorted; empty when all is covered.
 *  @see kube-apiserver, the escalation check of RBAC */
export function missingPermissions(own: readonly PolicyRule[], requested: readonly PolicyRule[]): string[] {
  return [...new Set(missingRules(own, requested).map(describe))].toSorted((a, b) => (a < b ? -1 : 1));
}
