import type { LabelledValue, MetricValues } from '../../src/metrics/index.ts';
import { type RuleInputs, type RuleName, rules } from '../rules.ts';
import type { AdmissionResult } from './result.ts';

interface Count {
  evaluations: number;
  denied: number;
  warned: number;
  tookMs: number;
}

/** Evaluates the rules of one webhook, and counts their findings. In memory, because a review evaluates ten rules in some microseconds: metrics are
 *  derived from the counts when they are read. */
export class RuleEvaluator {
  readonly #counts = new Map<RuleName, Count>();
  readonly #nowMs: () => number;

  /** `nowMs`: a monotonic clock. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** The result of the rule; not counted when it throws. */
  evaluate<Name extends RuleName>(name: Name, ...input: RuleInputs[Name]): AdmissionResult {
    const startedMs = this.#nowMs();
    const result = rules[name].evaluate(...input);
    const count = this.#countOf(name);
    count.evaluations += 1;
    count.tookMs += this.#nowMs() - startedMs;
    if (result.denials.length > 0) count.denied += 1;
    else if (result.warnings.length > 0) count.warned += 1;
    return result;
  }

  /** Reads the facts of a rule: counts as time of the rule. */
  async read<T>(name: RuleName, read: () => Promise<T>): Promise<T> {
    const startedMs = this.#nowMs();
    const facts = await read();
    this.#countOf(name).tookMs += this.#nowMs() - startedMs;
    return facts;
  }

  /** The current values. */
  metricValues(webhook: string): MetricValues {
    const rows = [...this.#counts];
    const each = (value: (count: Count) => number, more = {}): readonly LabelledValue[] =>
      rows.map(([rule, count]) => ({ labels: { webhook, rule, ...more }, value: value(count) }));
    return {
      longshore_webhook_rule_evaluations_total: each(({ evaluations }) => evaluations),
      longshore_webhook_rule_seconds_total: each(({ tookMs }) => tookMs / 1000),
      longshore_webhook_findings_total: [
        ...each(({ denied }) => denied, { decision: 'denied' }),
        ...each(({ warned }) => warned, { decision: 'warned' }),
      ],
    };
  }

  #countOf(name: RuleName): Count {
    const known = this.#counts.get(name);
    if (known !== undefined) return known;
    const count = { evaluations: 0, denied: 0, warned: 0, tookMs: 0 };
    this.#counts.set(name, count);
    return count;
  }
}
