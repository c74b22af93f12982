import { expect, test } from 'vitest';
import type { ClusterOperator, ClusterVersion } from '../../api/index.ts';
import { upgradeableCondition, upgradeRisks } from '../upgradeable/upgradeable.ts';
import { StatusDraft } from './status-draft.ts';

const clusterVersion = {
  metadata: { name: 'version' },
  spec: { clusterID: '' },
  status: { desired: { version: '1.0.0', image: '' } },
} as unknown as ClusterVersion;

function operatorOf(name: string): ClusterOperator {
  const conditions = [{ type: 'Upgradeable', status: 'False', message: 'm'.repeat(2_000_000) }];
  return { metadata: { name }, status: { conditions } } as unknown as ClusterOperator;
}

test('what operators report, of any length, leaves room for the rest of the status', () => {
  const none = { data: {} };
  const facts = { clusterVersion, deletions: [], gates: none, acks: none, operators: ['a', 'b'].map(operatorOf) };
  const condition = upgradeableCondition(upgradeRisks(facts));
  if (condition === undefined) throw new Error('expected a condition');
  const draft = new StatusDraft(clusterVersion, 0);
  draft.set([{ type: 'Upgradeable', ...condition }]);
  expect(draft.find('Upgradeable')?.message?.length).toBe(32_768);
  expect(draft.find('Upgradeable')?.message).toMatch(/^Cluster should not be upgraded .* for multiple reasons:/);
});
