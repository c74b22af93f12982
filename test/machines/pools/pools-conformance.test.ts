/** @module-tag long */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mapLimit } from '../../../src/base/index.ts';
import { type PoolDifference, poolDifferences } from './compare.ts';
import { formatPoolDocument } from './document.ts';
import { reasonOf } from './explained.ts';
import { ours } from './implementations.ts';
import { playPools } from './play.ts';
import type { PoolRecordings, PoolScenario, PoolSnapshot } from './scenario.ts';
import { poolScenarios } from './scenarios.ts';

const seen = JSON.parse(await readFile(join(import.meta.dirname, 'seen.json'), 'utf8')) as PoolRecordings;

function open(
  id: string,
  reference: readonly PoolSnapshot[],
  shown: readonly PoolSnapshot[],
): readonly PoolDifference[] {
  return poolDifferences(reference, shown).filter((difference) => reasonOf(id, difference) === undefined);
}

/** What differs without a reason. */
async function unexplained(scenario: PoolScenario): Promise<readonly string[]> {
  const { id } = scenario;
  const reference = seen[id] ?? [];
  const played = await playPools(ours, scenario, (point, shown) => {
    return open(id, reference.slice(point, point + 1), [shown]).length === 0;
  });
  return open(id, reference, played).map(
    ({ label, path, reference: expected, ours: own }) =>
      `${id}, ${label}: ${path}: ${JSON.stringify(expected)}, ours: ${JSON.stringify(own)}`,
  );
}

test('pools show what those of the machine-config-operator show, but for what has a reason', {
  timeout: 300_000,
}, async () => {
  const found = await mapLimit(poolScenarios, 4, unexplained);
  expect(found.flat()).toEqual([]);
});

test('every scenario is recorded', () => {
  expect(Object.keys(seen).toSorted()).toEqual(poolScenarios.map(({ id }) => id).toSorted());
});

test('docs/pool-conformance.md is the page of the recordings', async () => {
  expect(await readFile('docs/pool-conformance.md', 'utf8')).toBe(formatPoolDocument());
});
