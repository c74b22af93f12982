import { afterAll, describe, expect, test } from 'vitest';
import { areaNames, playArea, scenariosOf } from './area.ts';
import type { Difference } from './compare.ts';
import { expectationFrom, explainedDifferences } from './expectation.ts';
import { explanations } from './explained.ts';
import type { Explanation } from './explanation.ts';
import { startOurs } from './ours.ts';
import { readRecordings } from './recordings.ts';
import { rowsOf, specifiedRows, unplayedRows } from './rows.ts';

const areaTimeoutMs = 40 * 60_000;
const lanes = 6;
const areas = await areaNames();
/** Compared by `npm test`; `npm run test:olm` compares all areas, which takes minutes and a machine without other work. */
const quickAreas: readonly string[] = ['olm-config', 'operator-conditions', 'service-accounts', 'webhooks'];
const isWhole = process.env['LONGSHORE_TEST_OLM'] === 'all';
const compared = isWhole ? areas : quickAreas;
const used = new Set<Explanation>();
let comparedAreas = 0;

function lineOf(id: string, { label, path, olm = '(absent)', ours = '(absent)' }: Difference): string {
  return `${id} ${label}: ${path}\n  OLM: ${olm}\n  ours: ${ours}`;
}

/** What differs from the real OLM without a reason. */
async function unexplainedIn(area: string): Promise<readonly string[]> {
  const scenarios = await scenariosOf(area);
  const recorded = await readRecordings(area);
  const failures: string[] = [];
  const played = await playArea(scenarios, {
    start: () => startOurs(),
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
  comparedAreas += 1;
  return [...failures, ...differences];
}

describe('what users see is what the real OLM shows, or differs for a reason that is documented', () => {
  // They wait most of their time, until nothing changes any more.
  test.concurrent.for(compared)('%s', { timeout: areaTimeoutMs }, async (area, { expect }) => {
    expect(await unexplainedIn(area)).toEqual([]);
  });

  test('the areas that are compared exist', () => {
    expect(compared.length).toBeGreaterThan(3);
    expect(areas).toEqual(expect.arrayContaining([...compared]));
  });
});

test('every row of the checklist and of the state machine is played, or there is a reason', async () => {
  const all = await Promise.all(areas.map(scenariosOf));
  const played = new Set(all.flat().flatMap(({ id }) => rowsOf(id)));
  const rows = await specifiedRows();
  expect(rows.length).toBeGreaterThan(200);
  expect(rows.filter((row) => !played.has(row) && unplayedRows[row] === undefined)).toEqual([]);
  expect(Object.keys(unplayedRows).filter((row) => !rows.includes(row))).toEqual([]);
  expect([...played].filter((row) => !rows.includes(row))).toEqual([]);
});

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
