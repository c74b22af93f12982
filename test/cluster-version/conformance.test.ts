/** @module-tag long */
import { expect, test } from 'vitest';
import { areaNames, playArea, scenariosOf } from './area.ts';
import { expectationFrom, explainedDifferences } from './expectation.ts';
import { ours } from './ours.ts';
import { readRecordings } from './recordings.ts';

const timeoutMs = 20 * 60_000;
const lanes = 6;
/** Of an area that is played quickly: installations. `npm run conformance:cluster-version -- --ours` compares all areas. */
const quickArea = 'install';

test('an installation shows what the real cluster-version-operator shows, or differs for a reason that is documented', {
  timeout: timeoutMs,
}, async () => {
  const recorded = await readRecordings(quickArea);
  // With a second release, more than the installation is played.
  const scenarios = (await scenariosOf(quickArea)).filter(({ payloads }) => Object.keys(payloads).length === 1);
  expect(scenarios.length).toBeGreaterThan(20);
  const failures: string[] = [];
  const played = await playArea(scenarios, {
    implementation: await ours(),
    lanes,
    report: (line) => failures.push(line),
    expectationOf: expectationFrom(recorded),
  });
  for (const [id, now] of Object.entries(played)) {
    const before = recorded[id];
    if (before === undefined) failures.push(`${id} was never recorded`);
    else {
      const { unexplained } = explainedDifferences(id, before, now);
      failures.push(...unexplained.map((difference) => `${id}: ${JSON.stringify(difference)}`));
    }
  }
  expect(failures).toEqual([]);
});

test('every scenario has an id of its own and is recorded, and every recording has its scenario', async () => {
  const ids: string[] = [];
  for (const area of await areaNames()) {
    const own = (await scenariosOf(area)).map(({ id }) => id);
    expect(Object.keys(await readRecordings(area)).toSorted()).toEqual(own.toSorted());
    ids.push(...own);
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(100);
});
