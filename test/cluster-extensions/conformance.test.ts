/** @module-tag long */
import { expect, test } from 'vitest';
import type { Difference } from '../support/differences.ts';
import { areaNames, playArea, scenariosOf } from './area.ts';
import { expectationFrom, explainedDifferences } from './compare.ts';
import { explanations } from './explained.ts';
import { startOurs } from './ours.ts';
import { readRecordings } from './recordings.ts';
import type { Recordings } from './scenario.ts';

const timeoutMs = 20 * 60_000;
/** Compared by `npm run test:long`; `npm run conformance:cluster-extensions -- --ours` compares all areas. */
const quickAreas: readonly string[] = ['admission', 'catalogs', 'deprecations'];

function lineOf(id: string, { label, path, reference = '(absent)', ours = '(absent)' }: Difference): string {
  return `${id} ${label}: ${path}\n  operator-controller: ${reference}\n  ours: ${ours}`;
}

test('what users see is what operator-controller shows, or differs for a reason that is documented', {
  timeout: timeoutMs,
}, async () => {
  const scenarios = (await Promise.all(quickAreas.map(scenariosOf))).flat();
  const recordings = await Promise.all(quickAreas.map((area) => readRecordings(area)));
  const recorded: Recordings = Object.fromEntries(recordings.flatMap((one) => Object.entries(one)));
  const failures: string[] = [];
  const played = await playArea(scenarios, {
    start: startOurs,
    report: (line) => failures.push(line),
    expectationOf: expectationFrom(recorded),
  });
  const differences = Object.entries(played).flatMap(([id, ours]) => {
    const theirs = recorded[id];
    if (theirs === undefined) return [`${id} was never recorded`];
    return explainedDifferences(id, theirs, ours).unexplained.map((difference) => lineOf(id, difference));
  });
  expect(scenarios.length).toBeGreaterThan(30);
  expect([...failures, ...differences]).toEqual([]);
});

test('every scenario was recorded, and each explanation names scenarios that exist', async () => {
  const ids = new Set<string>();
  for (const area of await areaNames()) {
    const recorded = await readRecordings(area);
    for (const { id } of await scenariosOf(area)) {
      expect(ids.has(id), `${id} is unique`).toBe(false);
      ids.add(id);
      expect(recorded[id], `${id} was recorded`).toBeDefined();
    }
  }
  const named = explanations.flatMap(({ scenarios = [] }) => scenarios);
  expect(named.filter((id) => !ids.has(id))).toEqual([]);
});
