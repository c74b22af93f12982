import { expect, test } from 'vitest';
import { areaNames, playArea, scenariosOf } from './area.ts';
import { expectationFrom, explainedDifferences } from './expectation.ts';
import { ours } from './ours.ts';
import { readRecordings } from './recordings.ts';

const timeoutMs = 10 * 60_000;
const lanes = 7;
/** Of an area that is played quickly. `npm run conformance:machines -- --ours` compares all areas. */
const quickArea = 'health';

test('a health check shows what the real one shows, or differs for a reason that is documented', {
  tags: 'long',
  timeout: timeoutMs,
}, async () => {
  const recorded = await readRecordings(quickArea);
  const failures: string[] = [];
  const played = await playArea(await scenariosOf(quickArea), {
    implementation: ours(),
    lanes,
    report: (line) => failures.push(line),
    expectationOf: expectationFrom(recorded),
  });
  expect(Object.keys(played).length).toBeGreaterThan(5);
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
    expect(new Set(Object.keys(await readRecordings(area)))).toEqual(new Set(own));
    ids.push(...own);
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(40);
});
