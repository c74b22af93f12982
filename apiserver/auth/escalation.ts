import { goQuote } from '../../src/base/index.ts';
import { HeldRules, type PolicyRule } from '../../src/rbac/index.ts';

/** Of an error: a role of a few kilobytes lacks as many as it can multiply to. */
const maxLines = 1000;

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

/** What of `requested` the rules in `own` do not allow, printed as one line a resource, sorted; empty when all is covered. Users write the rules of both:
 *  the steps between which others may have a turn are for that.
 *  @see kube-apiserver, the escalation check of RBAC */
export function* missingPermissions(
  own: readonly PolicyRule[],
  requested: readonly PolicyRule[],
): Generator<undefined, readonly string[]> {
  const missing = yield* new HeldRules(own).missingInSteps(requested);
  const lines = [...new Set(missing.slice(0, maxLines).map(describe))].toSorted((a, b) => (a < b ? -1 : 1));
  return missing.length > maxLines ? [...lines, `and ${missing.length - maxLines} more`] : lines;
}
