import type { LabelledValue, MetricValues } from '../src/metrics/index.ts';
import type { RuleName } from './rules/names.ts';
import { type AdmissionResult, mergeResults } from './rules/rule.ts';

interface Count {
  asked: number;
  denied: number;
  warned: number;
  tookMs: number;
}

/** Asks the rules of one webhook, and counts what they do. In memory, because a review asks ten rules in some microseconds: metrics are made of
 *  it when metrics are read. */
export class RuleTally {
  readonly #counts = new Map<RuleName, Count>();
  readonly #now: () => number;

  /** `now` in milliseconds, from whenever. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The result of the rule; not counted when it throws. */
  ask(rule: RuleName, evaluate: () => AdmissionResult): AdmissionResult {
    const startedMs = this.#now();
    return this.#noted(rule, evaluate(), startedMs);
  }

  /** The same of a rule that reads what it needs itself. */
  async askPatiently(rule: RuleName, evaluate: () => Promise<AdmissionResult>): Promise<AdmissionResult> {
    const startedMs = this.#now();
    return this.#noted(rule, await evaluate(), startedMs);
  }

  /** Asks rules in their order. */
  askAll<Rule>(
    rules: Readonly<Partial<Record<RuleName, Rule>>>,
    ask: (rule: Rule) => AdmissionResult,
  ): AdmissionResult {
    const rows = Object.entries(rules) as [RuleName, Rule][];
    return mergeResults(rows.map(([name, rule]) => this.ask(name, () => ask(rule))));
  }

  /** Reads what a rule is about to be asked of: it counts as the rule's time. */
  async read<T>(rule: RuleName, read: () => Promise<T>): Promise<T> {
    const startedMs = this.#now();
    const facts = await read();
    this.#countOf(rule).tookMs += this.#now() - startedMs;
    return facts;
  }

  /** The current values. */
  metricValues(webhook: string): MetricValues {
    const rows = [...this.#counts];
    const each = (value: (count: Count) => number, more = {}): readonly LabelledValue[] =>
      rows.map(([rule, count]) => ({ labels: { webhook, rule, ...more }, value: value(count) }));
    return {
      longshore_webhook_rule_evaluations_total: each(({ asked }) => asked),
      longshore_webhook_rule_seconds_total: each(({ tookMs }) => tookMs / 1000),
      longshore_webhook_findings_total: [
        ...each(({ denied }) => denied, { decision: 'denied' }),
        ...each(({ warned }) => warned, { decision: 'warned' }),
      ],
    };
  }

  #countOf(rule: RuleName): Count {
    const known = this.#counts.get(rule);
    if (known !== undefined) return known;
    const count = { asked: 0, denied: 0, warned: 0, tookMs: 0 };
    this.#counts.set(rule, count);
    return count;
  }

  #noted(rule: RuleName, result: AdmissionResult, startedMs: number): AdmissionResult {
    const count = this.#countOf(rule);
    count.asked += 1;
    count.tookMs += this.#now() - startedMs;
    if (result.denials.length > 0) count.denied += 1;
    else if (result.warnings.length > 0) count.warned += 1;
    return result;
  }
}
