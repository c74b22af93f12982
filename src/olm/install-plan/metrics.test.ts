import { expect, test } from 'vitest';
import { planMetrics } from './metrics.ts';

const plan = (phase?: string): { apiVersion: string; kind: string; metadata: { name: string }; status: object } => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: 'install-a' },
  status: phase === undefined ? {} : { phase },
});

test('plans are counted by phase, and by no phase that OLM does not have', () => {
  const plans = [plan(), plan('Complete'), plan('Complete'), plan('RequiresApproval'), plan('from elsewhere')];
  const { install_plan_count: count, longshore_install_plans: rows } = planMetrics({ values: () => plans });
  expect(count).toBe(5);
  expect(rows).toEqual([
    { labels: { phase: 'None' }, value: 2 },
    { labels: { phase: 'Planning' }, value: 0 },
    { labels: { phase: 'RequiresApproval' }, value: 1 },
    { labels: { phase: 'Installing' }, value: 0 },
    { labels: { phase: 'Complete' }, value: 2 },
    { labels: { phase: 'Failed' }, value: 0 },
  ]);
});
