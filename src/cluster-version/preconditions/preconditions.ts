import type { Finding } from '../facts.ts';
import { type RuleFacts, rules } from './rules.ts';

/** Evaluates all preconditions of an update to a release that was loaded. A warning is a finding, too.
 *  @see docs/spec/cluster-version.md#preconditions */
export function evaluatePreconditions(facts: RuleFacts): readonly Finding[] {
  return rules.flatMap(({ name, evaluate }) => {
    const finding = evaluate(facts);
    return finding === undefined ? [] : [{ name, ...finding }];
  });
}

/** What follows from findings. */
export interface PreconditionSummary {
  /** Whether the update is refused. */
  readonly isBlocking: boolean;
  /** For `ReleaseAccepted`, or for `acceptedRisks` when the update starts all the same; empty without findings. */
  readonly message: string;
}

/** Joins findings. `isForced` lets an update start in spite of them, and its message reports so. */
export function summarizePreconditions(findings: readonly Finding[], isForced: boolean): PreconditionSummary {
  const texts = findings.map(
    ({ name, reason, message }) => `Precondition "${name}" failed because of "${reason}": ${message}`,
  );
  const isBlocking = findings.some((finding) => finding.isBlocking);
  const all = texts.length > 1 ? `Multiple precondition checks failed:\n* ${texts.join('\n* ')}` : (texts[0] ?? '');
  if (!isForced || !isBlocking) return { isBlocking, message: all };
  return { isBlocking: false, message: `Forced through blocking failures: ${all}` };
}
