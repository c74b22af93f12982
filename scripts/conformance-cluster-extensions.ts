/** `npm run conformance:cluster-extensions`: plays the scenarios of test/cluster-extensions on the real operator-controller and catalogd, or on
 *  Longshore, and compares with what was recorded, or records again. */
import { parseArgs } from 'node:util';
import { areaNames, playArea, scenariosOf } from '../test/cluster-extensions/area.ts';
import { findOperatorController, operatorControllerVersion } from '../test/cluster-extensions/binaries.ts';
import { differencesOf, expectationFrom, explainedDifferences } from '../test/cluster-extensions/compare.ts';
import { startOracle } from '../test/cluster-extensions/oracle.ts';
import { startOurs } from '../test/cluster-extensions/ours.ts';
import { readRecordings, writeRecordings } from '../test/cluster-extensions/recordings.ts';
import type { Implementation, Recording } from '../test/cluster-extensions/scenario.ts';

const usage = `usage: npm run conformance:cluster-extensions -- [options]
  --area NAME      only test/cluster-extensions/scenarios/NAME.ts; may be given several times
  --scenario ID    only this scenario; may be given several times
  --ours           on Longshore instead of the real programs
  --record         write what the real programs showed to test/cluster-extensions/seen/
  --missing        only scenarios that were not recorded yet
  --lanes N        clusters at a time (default 2)`;

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    ours: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    missing: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});

/** Whether a scenario differs from its recording; ours without an explanation. */
function report(id: string, before: Recording | undefined, now: Recording): boolean {
  if (before === undefined) {
    console.log(`${id}: not recorded yet`);
    return false;
  }
  const found = values.ours ? explainedDifferences(id, before, now).unexplained : differencesOf(before, now);
  if (found.length === 0) return false;
  console.log(`\n# ${id} ${now.title}`);
  for (const { label, path, reference = '(absent)', ours = '(absent)' } of found) {
    console.log(`  ${label}: ${path}\n      recorded: ${reference}\n      now:      ${ours}`);
  }
  return true;
}

async function playOne(area: string, start: () => Promise<Implementation>): Promise<void> {
  const recorded = await readRecordings(area);
  const isChosen = (id: string): boolean =>
    (values.scenario?.includes(id) ?? true) && !(values.missing && recorded[id] !== undefined);
  const scenarios = (await scenariosOf(area)).filter(({ id }) => isChosen(id));
  if (scenarios.length === 0) return;
  let differing = 0;
  const played = await playArea(scenarios, {
    start,
    lanes: Number(values.lanes),
    ...(values.ours ? { expectationOf: expectationFrom(recorded) } : {}),
    onPlayed: (id, now) => {
      if (report(id, recorded[id], now)) differing += 1;
    },
    report: (line) => {
      process.exitCode = 1;
      console.log(line);
    },
  });
  if (values.record && !values.ours) await writeRecordings(area, { ...recorded, ...played });
  else if (differing > 0) process.exitCode = 1;
  const name = values.ours ? 'Longshore' : `operator-controller ${operatorControllerVersion}`;
  console.log(`${area}: ${scenarios.length} scenarios on ${name}, ${differing} differ from their recording`);
}

async function starter(): Promise<(() => Promise<Implementation>) | { readonly missing: string }> {
  if (values.ours) return startOurs;
  const binaries = await findOperatorController({ mayBuild: true, report: console.log });
  return 'missing' in binaries ? binaries : () => startOracle(binaries);
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  const start = await starter();
  if ('missing' in start) return console.log(`skipped, for there is no operator-controller: ${start.missing}`);
  for (const area of values.area ?? (await areaNames())) await playOne(area, start);
}

await main();
