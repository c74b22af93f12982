/** @module-tag long */
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { Difference } from '../support/differences.ts';
import type { Explanation } from '../support/explanation.ts';
import { areaNames, needsCluster, playArea, scenariosOf } from './area.ts';
import { expectationFrom, explainedDifferences } from './expectation.ts';
import { explanations } from './explained.ts';
import { impatient, startOurs } from './ours.ts';
import { readRecordings } from './recordings.ts';
import { rowsOf, specifiedRows, unplayedRows } from './rows.ts';
import type { Recordings, Scenario } from './scenario.ts';

const areaTimeoutMs = 40 * 60_000;
const lanes = 6;
const areas = await areaNames();
/** Compared by `npm run test:long`, on one cluster; `npm run test:olm` compares all areas, which takes minutes. */
const quickAreas: readonly string[] = [
  'csv-states',
  'operator-conditions',
  'service-accounts',
  'subscriptions',
  'webhooks',
];
/** Most of the time of a scenario is its points of rest. */
const quickLanes = 12;
const isWhole = process.env['LONGSHORE_TEST_OLM'] === 'all';
const used = new Set<Explanation>();
let comparedAreas = 0;

function lineOf(id: string, { label, path, reference = '(absent)', ours = '(absent)' }: Difference): string {
  return `${id} ${label}: ${path}\n  OLM: ${reference}\n  ours: ${ours}`;
}

/** What differs from the real OLM without a reason. */
async function unexplainedIn(
  scenarios: readonly Scenario[],
  recorded: Recordings,
  lanes: number,
): Promise<readonly string[]> {
  const failures: string[] = [];
  const played = await playArea(scenarios, {
    start: () => (isWhole ? startOurs() : startOurs(impatient)),
    lanes,
    report: (line) => failures.push(line),
    expectationOf: expectationFrom(recorded),
  });
  const differences = Object.entries(played).flatMap(([id, ours]) => {
    const olm = recorded[id];
    if (olm === undefined) return [`${id} was never recorded`];
    const explained = explainedDifferences(id, olm, ours);
    for (const explanation of explained.used) used.add(explanation);
    return explained.unexplained.map((difference) => lineOf(id, difference));
  });
  return [...failures, ...differences];
}

describe('what users see is what the real OLM shows, or differs for a reason that is documented', () => {
  // They wait most of their time, until nothing changes any more.
  test.skipIf(!isWhole).concurrent.for(areas)('%s', { timeout: areaTimeoutMs }, async (area, { expect }) => {
    expect(await unexplainedIn(await scenariosOf(area), await readRecordings(area), lanes)).toEqual([]);
    comparedAreas += 1;
  });

  test.skipIf(isWhole)('in the areas that are played quickly', { timeout: areaTimeoutMs }, async () => {
    const all = (await Promise.all(quickAreas.map(scenariosOf))).flat();
    const recordings = await Promise.all(quickAreas.map((area) => readRecordings(area)));
    const recorded: Recordings = Object.fromEntries(recordings.flatMap((one) => Object.entries(one)));
    const scenarios = all.filter((scenario) => !needsCluster(scenario));
    expect(scenarios.length).toBeGreaterThan(50);
    expect(await unexplainedIn(scenarios, recorded, quickLanes)).toEqual([]);
  });
});

test('every row of the checklist and of the state machine is played, or there is a reason', async () => {
  const all = await Promise.all(areas.map(scenariosOf));
  const played = new Set(all.flat().flatMap(({ id }) => rowsOf(id)));
  const rows = await specifiedRows();
  expect(rows.length).toBeGreaterThan(200);
  expect(rows.filter((row) => !played.has(row) && unplayedRows[row] === undefined)).toEqual([]);
  expect(Object.keys(unplayedRows).filter((row) => !rows.includes(row))).toEqual([]);
  expect([...played].filter((row) => !rows.includes(row) || unplayedRows[row] !== undefined)).toEqual([]);
});

test.each(Object.entries(unplayedRows))(
  'row %s, which no scenario plays, has a test of that name',
  async (row, unplayed) => {
    const text = await readFile(unplayed.test, 'utf8');
    expect(text).toMatch(new RegExp(`['"\`](?:[CETI]-?\\d+[,–] ?)*${row}\\b`));
  },
);

test('ids of scenarios and their namespaces are unique', async () => {
  const ids = (await Promise.all(areas.map(scenariosOf))).flat().map(({ id }) => id.toLowerCase().replace(/\W/g, ''));
  expect(new Set(ids).size).toBe(ids.length);
});

// Only a run of all areas shows it.
afterAll(() => {
  if (comparedAreas < areas.length) return;
  const unused = explanations.filter((explanation) => explanation.kind !== 'chance' && !used.has(explanation));
  expect(unused.map(({ reason }) => reason)).toEqual([]);
});
