/** `npm run conformance:olm`: plays the scenarios of test/olm on the real OLM and compares with what was recorded, or records again. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage, mapLimit } from '../src/base/index.ts';
import { findOlm, olmVersion } from '../test/olm/binaries.ts';
import { differencesOf } from '../test/olm/compare.ts';
import { startOracle } from '../test/olm/oracle.ts';
import { openStage, playScenario, type Stage } from '../test/olm/play.ts';
import { readRecordings, writeRecordings } from '../test/olm/recordings.ts';
import type { Recording, Recordings, Scenario } from '../test/olm/scenario.ts';

const usage = `usage: npm run conformance:olm -- [options]
  --area NAME      only test/olm/scenarios/NAME.ts; may be given several times
  --scenario ID    only this scenario; may be given several times
  --record         write what the real OLM showed to test/olm/seen/
  --lanes N        scenarios at a time (default 8)`;

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    record: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
});

const scenariosFolder = join(import.meta.dirname, '../test/olm/scenarios');

async function areas(): Promise<readonly string[]> {
  if (values.area !== undefined) return values.area;
  return (await readdir(scenariosFolder)).map((name) => name.replace(/\.ts$/, '')).toSorted();
}

async function scenariosOf(area: string): Promise<readonly Scenario[]> {
  const module = (await import(join(scenariosFolder, `${area}.ts`))) as { scenarios: readonly Scenario[] };
  return module.scenarios.filter(({ id }) => values.scenario === undefined || values.scenario.includes(id));
}

/** Recorded is what was played; a failure of one scenario does not stop the others. */
async function playAll(stage: Stage, scenarios: readonly Scenario[]): Promise<Record<string, Recording>> {
  const played: Record<string, Recording> = {};
  await mapLimit(scenarios, Number(values.lanes), async (scenario) => {
    try {
      played[scenario.id] = await playScenario(stage, scenario);
    } catch (thrown) {
      process.exitCode = 1;
      console.log(`${scenario.id} failed: ${errorMessage(thrown)}`);
    }
  });
  return played;
}

/** How many scenarios differ from their recording. */
function report(recorded: Recordings, played: Recordings): number {
  let differing = 0;
  for (const [id, now] of Object.entries(played)) {
    const before = recorded[id];
    const differences = before === undefined ? [] : differencesOf(before, now);
    if (before === undefined) console.log(`${id}: not recorded yet`);
    if (differences.length > 0) console.log(`\n# ${id} ${now.title}`);
    for (const { label, path, olm, ours } of differences) {
      console.log(`  ${label}: ${path}\n      recorded: ${olm ?? '(absent)'}\n      now:      ${ours ?? '(absent)'}`);
    }
    if (before === undefined || differences.length > 0) differing += 1;
  }
  return differing;
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  const binaries = await findOlm({ mayBuild: true, report: console.log });
  if ('missing' in binaries) return console.log(`conformance:olm is skipped, for there is no OLM: ${binaries.missing}`);
  await using oracle = await startOracle(binaries);
  await using stage = await openStage(oracle);
  for (const area of await areas()) {
    const scenarios = await scenariosOf(area);
    const recorded = await readRecordings(area);
    const played = await playAll(stage, scenarios);
    const differing = report(recorded, played);
    if (values.record) await writeRecordings(area, { ...recorded, ...played });
    else if (differing > 0) process.exitCode = 1;
    console.log(
      `${area}: ${scenarios.length} scenarios on OLM ${olmVersion}, ${differing} differ from their recording`,
    );
  }
}

await main();
