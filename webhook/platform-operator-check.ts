import { type PlatformOperator, parsePlatformOperator } from '../src/api/index.ts';
import type { FactsReader } from './facts.ts';
import type { ReviewRequest } from './review.ts';
import type { RuleTally } from './rule-tally.ts';
import {
  type PlatformOperatorFacts,
  platformOperatorName,
  platformOperatorPackage,
  platformOperatorPackageImmutable,
  platformOperatorUnique,
} from './rules/platform-operator.ts';
import { type AdmissionResult, allowed, mergeResults } from './rules/rule.ts';

function factsOf({ metadata, spec }: PlatformOperator): PlatformOperatorFacts {
  return { name: metadata.name ?? '', packageName: spec.package.name };
}

/** The result for a new or changed PlatformOperator.
 *  @throws whatever the reader throws */
export async function checkPlatformOperator(
  request: ReviewRequest,
  { facts, rules, signal }: { readonly facts: FactsReader; readonly rules: RuleTally; readonly signal: AbortSignal },
): Promise<AdmissionResult> {
  if (request.operation === 'UPDATE') {
    const [before, after] = [request.oldObject, request.object].map((object) => factsOf(parsePlatformOperator(object)));
    if (before === undefined || after === undefined) return allowed;
    return rules.ask('platform-operator-package-immutable', () => platformOperatorPackageImmutable(after, before));
  }
  if (request.operation !== 'CREATE') return allowed;
  const operator = factsOf(parsePlatformOperator(request.object));
  const others = await rules.read('platform-operator-unique', () => facts.listPlatformOperators({ signal }));
  return mergeResults([
    rules.ask('platform-operator-name', () => platformOperatorName(operator)),
    rules.ask('platform-operator-package', () => platformOperatorPackage(operator)),
    rules.ask('platform-operator-unique', () => platformOperatorUnique(operator, others.map(factsOf))),
  ]);
}
