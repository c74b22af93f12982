/** `npm run conformance:cluster-version`: plays the scenarios of test/cluster-version on the real cluster-version-operator, or on Longshore's own engine,
 *  and compares with what was recorded, or records again. */
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { areaNames, playArea, scenariosOf } from '../test/cluster-version/area.ts';
import { findOperator } from '../test/cluster-version/binaries.ts';
import { playComponents } from '../test/cluster-version/components.ts';
import { expectationFrom, explainedDifferences, repeatedDifferences } from '../test/cluster-version/expectation.ts';
import { oracle } from '../test/cluster-version/oracle.ts';
import { ours } from '../test/cluster-version/ours.ts';
import { readRecordings, writeRecordings } from '../test/cluster-version/recordings.ts';
import type { Implementation, Recording } from '../test/cluster-version/scenario.ts';
import type { Difference } from '../test/support/differences.ts';
import type { NoPrograms } from '../test/support/go-programs.ts';
import { reportDifferences } from './report-differences.ts';

const usage = `usage: npm run conformance:cluster-version -- [options]
  --area NAME      only test/cluster-version/scenarios/NAME.ts; may be given several times
  --scenario ID    only this scenario; may be given several times
  --ours           on Longshore's engine instead of the real cluster-version-operator
  --record         write what the real cluster-version-operator showed to test/cluster-version/seen/
  --out FOLDER     write what was shown there
  --components     only the ten real components of ../shared/corpus/release
  --missing        only scenarios that were not recorded yet
  --lanes N        scenarios at a time (default 3)`;

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    ours: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    out: { type: 'string' },
    components: { type: 'boolean', default: false },
    missing: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '3' },
    help: { type: 'boolean', default: false },
  },
});

/** Those that have no explanation yet; of the reference, by chance alone. */
function differencesFrom(id: string, before: Recording, now: Recording): readonly Difference[] {
  const explained = values.ours ? explainedDifferences : repeatedDifferences;
  return explained(id, before, now).unexplained;
}

async function playOne(area: string, implementation: Implementation): Promise<void> {
  const recorded = await readRecordings(area);
  const isChosen = (id: string): boolean =>
    (values.scenario?.includes(id) ?? true) && !(values.missing && recorded[id] !== undefined);
  const scenarios = (await scenariosOf(area)).filter(({ id }) => isChosen(id));
  const played = await playArea(scenarios, {
    implementation,
    lanes: Number(values.lanes),
    ...(values.ours ? { expectationOf: expectationFrom(recorded) } : {}),
    report: (line) => {
      process.exitCode = 1;
      console.log(line);
    },
  });
  if (values.out !== undefined) {
    await mkdir(values.out, { recursive: true });
    await writeRecordings(area, played, values.out);
  }
  const differing = reportDifferences(recorded, played, differencesFrom);
  if (values.record && !values.ours) await writeRecordings(area, { ...recorded, ...played });
  else if (differing > 0) process.exitCode = 1;
  console.log(`${area}: ${scenarios.length} scenarios, ${differing} differ from their recording`);
}

/** Long enough that a round is not cut off. */
const componentsPeriod = '60s';

async function playReal(implementation: Implementation): Promise<void> {
  const played = { components: await playComponents(implementation) };
  const differing = reportDifferences(await readRecordings('components'), played, differencesFrom);
  if (values.record && !values.ours) await writeRecordings('components', played);
  else if (differing > 0) process.exitCode = 1;
}

async function implementation(): Promise<Implementation | NoPrograms> {
  if (values.ours) return await ours();
  const binary = await findOperator({ mayBuild: true, report: console.log });
  if ('missing' in binary) return binary;
  return values.components ? oracle(binary, componentsPeriod) : oracle(binary);
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  const found = await implementation();
  if ('missing' in found) {
    const why = `there is no cluster-version-operator: ${found.missing}`;
    return console.log(`conformance:cluster-version is skipped, for ${why}`);
  }
  if (values.components) return await playReal(found);
  for (const area of values.area ?? (await areaNames())) await playOne(area, found);
}

await main();
