import type { BundleSource } from '../../src/api/index.ts';
import {
  type ConfigMapFacts,
  definitionOf,
  type SourceFinding,
  type SourceRuleName,
} from '../../src/sources/definitions/index.ts';
import { type AdmissionResult, denyAsRukPak, denyInvalid, mergeResults, warn } from '../review/result.ts';

function resultOf({ effect, text }: SourceFinding): AdmissionResult {
  switch (effect) {
    case 'deny as RukPak':
      return denyAsRukPak(text);
    case 'deny':
      return denyInvalid(text);
    case 'warn':
      return warn([text]);
    default:
      return effect satisfies never;
  }
}

/** A rule of the source's type, from its definition. A type without the rule has no findings. */
export function definedRule(name: SourceRuleName): (source: BundleSource, facts: ConfigMapFacts) => AdmissionResult {
  return (source, facts) => mergeResults((definitionOf(source).rules[name]?.(source, facts) ?? []).map(resultOf));
}
