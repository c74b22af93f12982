import { expect, test } from 'vitest';
import type { LabelledValue } from '../src/metrics/index.ts';
import { RuleTally } from './rule-tally.ts';
import { type AdmissionResult, allowed, deny, warn } from './rules/rule.ts';

/** Each look at the clock is a second later. */
function tally(): RuleTally {
  let seconds = 0;
  return new RuleTally(() => seconds++ * 1000);
}

function shown(rules: RuleTally): Record<string, number> {
  const rows = Object.entries(rules.metricValues('w')) as [string, readonly LabelledValue[]][];
  const words = { longshore_webhook_rule_evaluations_total: 'asked', longshore_webhook_rule_seconds_total: 'seconds' };
  return Object.fromEntries(
    rows.flatMap(([name, metricValues]) =>
      metricValues.map(({ labels: { webhook, rule = '', decision }, value }) => {
        expect(webhook).toBe('w');
        return [`${rule} ${decision ?? words[name as keyof typeof words]}`, value];
      }),
    ),
  );
}

test('evaluations, findings and duration are counted by rule', async () => {
  const rules = tally();
  const both: AdmissionResult = { ...deny('no'), warnings: ['beware'] };
  for (const result of [allowed, warn(['beware']), both]) {
    expect(rules.ask('git-commit', () => result)).toBe(result);
  }
  expect(await rules.askPatiently('service-account', () => Promise.resolve(deny('no')))).toEqual(deny('no'));
  expect(await rules.read('required', () => Promise.resolve('facts'))).toBe('facts');
  rules.ask('required', () => allowed);
  expect(shown(rules)).toEqual({
    'git-commit asked': 3,
    'git-commit seconds': 3,
    'git-commit denied': 1,
    'git-commit warned': 1,
    'service-account asked': 1,
    'service-account seconds': 1,
    'service-account denied': 1,
    'service-account warned': 0,
    'required asked': 1,
    'required seconds': 2,
    'required denied': 0,
    'required warned': 0,
  });
});

test('several rules are evaluated in order, and all findings are reported', () => {
  const rules = tally();
  const result = rules.askAll({ 'source-type': 'one', 'git-commit': 'two' }, (text) => deny(text));
  expect(result.denials.map(({ text }) => text)).toEqual(['one', 'two']);
  expect(shown(rules)).toMatchObject({ 'source-type denied': 1, 'git-commit denied': 1 });
});

test('a rule that fails has no findings', async () => {
  const rules = tally();
  const fail = (): never => {
    throw new Error('unreadable');
  };
  expect(() => rules.ask('git-commit', fail)).toThrow('unreadable');
  await expect(rules.askPatiently('git-commit', () => Promise.reject(new Error('unreadable')))).rejects.toThrow();
  expect(shown(rules)).toEqual({});
});
