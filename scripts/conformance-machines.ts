/** `npm run conformance:machines`: plays the scenarios of test/machines on the real controllers of machine-api-operator, or on Longshore's own, and
 *  compares with what was recorded, or records again. */
import { parseArgs } from 'node:util';
import { areaNames, playArea, scenariosOf } from '../test/machines/area.ts';
import { findReference } from '../test/machines/binaries.ts';
import { differencesOf } from '../test/machines/compare.ts';
import { expectationFrom, explainedDifferences } from '../test/machines/expectation.ts';
import { oracle } from '../test/machines/oracle.ts';
import { ours } from '../test/machines/ours.ts';
import { readRecordings, writeRecordings } from '../test/machines/recordings.ts';
import type { Implementation, Recording, Recordings } from '../test/machines/scenario.ts';
import type { Difference } from '../test/support/differences.ts';

const usage = `usage: npm run conformance:machines -- [options]
  --area NAME      only test/machines/scenarios/NAME.ts; may be given several times
  --scenario ID    only this scenario; may be given several times
  --ours           on Longshore's controllers instead of the real ones
  --record         write what the real controllers showed to test/machines/seen/
  --lanes N        scenarios at a time (default 3)`;

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    ours: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '3' },
    help: { type: 'boolean', default: false },
  },
});

/** Of ours those that have no explanation yet. */
function differencesFrom(id: string, before: Recording, now: Recording): readonly Difference[] {
  return values.ours ? explainedDifferences(id, before, now).unexplained : differencesOf(before, now);
}

/** How many scenarios differ from their recording. */
function report(recorded: Recordings, played: Recordings): number {
  let differing = 0;
  for (const [id, now] of Object.entries(played)) {
    const before = recorded[id];
    const differences = before === undefined ? [] : differencesFrom(id, before, now);
    if (before === undefined) console.log(`${id}: not recorded yet`);
    if (differences.length > 0) console.log(`\n# ${id}: ${now.title}`);
    for (const { label, path, reference, ours: own } of differences) {
      console.log(
        `  ${label}: ${path}\n      recorded: ${reference ?? '(absent)'}\n      now:      ${own ?? '(absent)'}`,
      );
    }
    if (before === undefined || differences.length > 0) differing += 1;
  }
  return differing;
}

async function playOne(area: string, implementation: Implementation): Promise<void> {
  const recorded = await readRecordings(area);
  const scenarios = (await scenariosOf(area)).filter(({ id }) => values.scenario?.includes(id) ?? true);
  const played = await playArea(scenarios, {
    implementation,
    lanes: Number(values.lanes),
    ...(values.ours ? { expectationOf: expectationFrom(recorded) } : {}),
    report: (line) => {
      process.exitCode = 1;
      console.log(line);
    },
  });
  const differing = report(recorded, played);
  if (values.record && !values.ours) await writeRecordings(area, { ...recorded, ...played });
  else if (differing > 0) process.exitCode = 1;
  console.log(`${area}: ${scenarios.length} scenarios, ${differing} differ from their recording`);
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  const found = values.ours ? undefined : await findReference({ mayBuild: true, report: console.log });
  if (found !== undefined && 'missing' in found) {
    return console.log(`conformance:machines is skipped, for there is no machine-api-operator: ${found.missing}`);
  }
  const implementation = found === undefined ? ours() : oracle(found.program);
  for (const area of values.area ?? (await areaNames())) await playOne(area, implementation);
}

await main();
