import type { Exposure, UpdateRisk } from '../../update-graph/index.ts';
import type { RuleResult } from './rule-results.ts';

/** Several texts as the reference joins them: each once. */
function joined(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
}

/** Whether a cluster is exposed to a risk: the first rule that can be evaluated decides.
 *  @see docs/spec/cluster-version.md#risks */
export function exposureOf({ matchingRules }: UpdateRisk, resultOf: (promql: string) => RuleResult): Exposure {
  const problems: string[] = [];
  for (const { type, promql } of matchingRules) {
    const result = type === 'Always' ? { isMatch: true } : resultOf(promql ?? '');
    if ('isMatch' in result) return { status: result.isMatch ? 'exposed' : 'not exposed' };
    problems.push(result.problem);
  }
  return { status: 'unknown', problem: joined(problems) };
}
