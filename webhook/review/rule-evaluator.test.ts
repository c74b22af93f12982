import { expect, test } from 'vitest';
import type { LabelledValue } from '../../src/metrics/index.ts';
import { RuleEvaluator } from './rule-evaluator.ts';

/** Each reading of the clock is a second later. */
function evaluator(): RuleEvaluator {
  let seconds = 0;
  return new RuleEvaluator(() => seconds++ * 1000);
}

function shown(rules: RuleEvaluator): Record<string, number> {
  const rows = Object.entries(rules.metricValues('w')) as [string, readonly LabelledValue[]][];
  const words = {
    longshore_webhook_rule_evaluations_total: 'evaluations',
    longshore_webhook_rule_seconds_total: 'seconds',
  };
  return Object.fromEntries(
    rows.flatMap(([name, metricValues]) =>
      metricValues.map(({ labels: { webhook, rule = '', decision }, value }) => {
        expect(webhook).toBe('w');
        return [`${rule} ${decision ?? words[name as keyof typeof words]}`, value];
      }),
    ),
  );
}

const facts = { configMaps: new Map() };
const source = (ref: { readonly tag?: string; readonly commit?: string }) =>
  ({ type: 'git', git: { repository: 'r', ref } }) as const;

test('evaluations, findings and duration are counted by rule', async () => {
  const rules = evaluator();
  expect(rules.evaluate('git-commit', source({ commit: 'abc' }), facts).denials).toHaveLength(1);
  expect(rules.evaluate('git-commit', source({ tag: 'v1' }), facts)).toEqual({ denials: [], warnings: [] });
  expect(rules.evaluate('moving-reference', source({ tag: 'v1' }), facts).warnings).toHaveLength(1);
  expect(await rules.read('spec-immutable', () => Promise.resolve('facts'))).toBe('facts');
  rules.evaluate('spec-immutable', {}, {});
  expect(shown(rules)).toEqual({
    'git-commit evaluations': 2,
    'git-commit seconds': 2,
    'git-commit denied': 1,
    'git-commit warned': 0,
    'moving-reference evaluations': 1,
    'moving-reference seconds': 1,
    'moving-reference denied': 0,
    'moving-reference warned': 1,
    'spec-immutable evaluations': 1,
    'spec-immutable seconds': 2,
    'spec-immutable denied': 0,
    'spec-immutable warned': 0,
  });
});

test('a rule that denies and warns counts as denied', () => {
  const rules = evaluator();
  const annotations = { 'core.rukpak.io/package-version': 'one' };
  const after = { metadata: { annotations }, spec: { provisionerClassName: 'core-rukpak-io-plain' } };
  expect(rules.evaluate('bundle-annotations', { after }).denials).not.toEqual([]);
  expect(shown(rules)).toMatchObject({ 'bundle-annotations denied': 1, 'bundle-annotations warned': 0 });
});

test('a rule or read that fails is not counted', async () => {
  const rules = evaluator();
  expect(() => rules.evaluate('source-type', null as never)).toThrow(TypeError);
  await expect(rules.read('git-commit', () => Promise.reject(new Error('unreadable')))).rejects.toThrow('unreadable');
  expect(shown(rules)).toEqual({});
});
