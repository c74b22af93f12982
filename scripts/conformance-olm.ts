/** `npm run conformance:olm`: plays the scenarios of test/olm on the real OLM, or on Longshore's own controllers, and compares with what was recorded, or
 *  records again. */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { areaNames, playArea, scenariosOf } from '../test/olm/area.ts';
import { findOlm, olmVersion } from '../test/olm/binaries.ts';
import { comparable } from '../test/olm/comparable.ts';
import { differencesOf } from '../test/olm/compare.ts';
import { expectationFrom, explainedDifferences } from '../test/olm/expectation.ts';
import { playFamilies, readFamilies, writeFamilies } from '../test/olm/metric-families.ts';
import { startOracle } from '../test/olm/oracle.ts';
import { startOurs } from '../test/olm/ours.ts';
import { readRecordings, writeRecordings } from '../test/olm/recordings.ts';
import type { Implementation, Recording } from '../test/olm/scenario.ts';
import { recordTakeover } from '../test/olm/takeover/record.ts';
import type { Difference } from '../test/support/differences.ts';
import type { NoPrograms } from '../test/support/go-programs.ts';
import { reportDifferences } from './report-differences.ts';

const usage = `usage: npm run conformance:olm -- [options]
  --area NAME      only test/olm/scenarios/NAME.ts; may be given several times
  --scenario ID    only this scenario; may be given several times
  --ours           on Longshore's controllers instead of the real OLM
  --record         write what the real OLM showed to test/olm/seen/
  --out FOLDER     write what was shown there
  --metrics        only the names, types and labels of metrics
  --missing        only scenarios that were not recorded yet
  --lanes N        scenarios at a time (default 8)
  --takeover       record what it leaves for a takeover instead`;

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    ours: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    out: { type: 'string' },
    metrics: { type: 'boolean', default: false },
    missing: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '8' },
    takeover: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Of ours those that have no explanation yet. */
function differencesFrom(id: string, before: Recording, now: Recording): readonly Difference[] {
  if (values.ours) return explainedDifferences(id, before, now).unexplained;
  return differencesOf(comparable(before), comparable(now));
}

async function starter(): Promise<(() => Promise<Implementation>) | NoPrograms> {
  if (values.ours) return () => startOurs();
  const binaries = await findOlm({ mayBuild: true, report: console.log });
  return 'missing' in binaries ? binaries : () => startOracle(binaries);
}

async function playOne(area: string, start: () => Promise<Implementation>): Promise<void> {
  const recorded = await readRecordings(area);
  const isChosen = (id: string): boolean =>
    (values.scenario?.includes(id) ?? true) && !(values.missing && recorded[id] !== undefined);
  const scenarios = (await scenariosOf(area)).filter(({ id }) => isChosen(id));
  const played = await playArea(scenarios, {
    start,
    lanes: Number(values.lanes),
    ...(values.ours ? { expectationOf: expectationFrom(recorded) } : {}),
    report: (line) => {
      process.exitCode = 1;
      console.log(line);
    },
  });
  if (values.out !== undefined) await writeRecordings(area, played, values.out);
  const differing = reportDifferences(recorded, played, differencesFrom);
  if (values.record && !values.ours) await writeRecordings(area, { ...recorded, ...played });
  else if (differing > 0) process.exitCode = 1;
  const name = values.ours ? 'Longshore' : `OLM ${olmVersion}`;
  console.log(`${area}: ${scenarios.length} scenarios on ${name}, ${differing} differ from their recording`);
}

async function playMetrics(start: () => Promise<Implementation>): Promise<void> {
  await using implementation = await start();
  const families = await playFamilies(implementation);
  if (values.record && !values.ours) return await writeFamilies(families);
  const isSame = isDeepStrictEqual(families, await readFamilies());
  if (!isSame) process.exitCode = 1;
  console.log(isSame ? 'metrics: as recorded' : JSON.stringify(families, undefined, 2));
}

async function recordLeft(): Promise<void> {
  const binaries = await findOlm({ mayBuild: true, report: console.log });
  if ('missing' in binaries) return console.log(`nothing is recorded, for there is no OLM: ${binaries.missing}`);
  await recordTakeover(binaries);
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  if (values.takeover) return await recordLeft();
  const start = await starter();
  if ('missing' in start) return console.log(`conformance:olm is skipped, for there is no OLM: ${start.missing}`);
  if (values.metrics) return await playMetrics(start);
  for (const area of values.area ?? (await areaNames())) await playOne(area, start);
}

await main();
