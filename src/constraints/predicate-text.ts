import { goQuote } from '../base/index.ts';
import type { Constraint } from './constraint.ts';

/** What a bundle must be like to meet the constraint, in the words that messages of resolution have for it.
 *  @see docs/spec/catalogs.md#olm-constraint */
export function formatPredicate(constraint: Constraint): string {
  switch (constraint.kind) {
    case 'gvk': {
      const { group, version, kind } = constraint.api;
      return `providing an API with group: ${group}, version: ${version}, kind: ${kind}`;
    }
    case 'package':
      return `with package: ${constraint.packageName} and with version in range: ${constraint.range.text}`;
    case 'cel':
      return celText(constraint.rule.text, constraint.failureMessage);
    case 'all':
      return joined(constraint.constraints, ' and ') ?? 'predicate is true';
    case 'any':
      return joined(constraint.constraints, ' or ') ?? 'predicate is false';
    case 'not':
      return `not ${joined(constraint.constraints, ' or ') ?? 'predicate is false'}`;
    default:
      return constraint satisfies never;
  }
}

function joined(constraints: readonly Constraint[], word: string): string | undefined {
  return constraints.length === 0 ? undefined : constraints.map(formatPredicate).join(word);
}

function celText(rule: string, message = ''): string {
  return `with constraint: ${goQuote(rule)} and message: ${goQuote(message)}`;
}
