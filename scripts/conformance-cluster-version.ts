/** `npm run conformance:cluster-version`: plays the scenarios of test/cluster-version on the real cluster-version-operator and compares with what was
 *  recorded, or records again. */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { areaNames, playArea, scenariosOf } from '../test/cluster-version/area.ts';
import { findOperator, type OperatorBinary } from '../test/cluster-version/binaries.ts';
import { playComponents } from '../test/cluster-version/components.ts';
import { oracle } from '../test/cluster-version/oracle.ts';
import { readRecordings, writeRecordings } from '../test/cluster-version/recordings.ts';
import type { Implementation, Recordings } from '../test/cluster-version/scenario.ts';

const usage = `usage: npm run conformance:cluster-version -- [options]
  --area NAME      only test/cluster-version/scenarios/NAME.ts; may be given several times
  --scenario ID    only this scenario; may be given several times
  --record         write what the real cluster-version-operator showed to test/cluster-version/seen/
  --out FOLDER     write what was shown there
  --components     only the ten real components of ../shared/corpus/release
  --missing        only scenarios that were not recorded yet
  --lanes N        scenarios at a time (default 3)`;

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    record: { type: 'boolean', default: false },
    out: { type: 'string' },
    components: { type: 'boolean', default: false },
    missing: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '3' },
    help: { type: 'boolean', default: false },
  },
});

function report(recorded: Recordings, played: Recordings): number {
  const differing = Object.entries(played).filter(([id, now]) => !isDeepStrictEqual(recorded[id], now));
  for (const [id] of differing) console.log(`${id}: ${recorded[id] === undefined ? 'not recorded yet' : 'differs'}`);
  return differing.length;
}

async function playOne(area: string, implementation: Implementation): Promise<void> {
  const recorded = await readRecordings(area);
  const isChosen = (id: string): boolean =>
    (values.scenario?.includes(id) ?? true) && !(values.missing && recorded[id] !== undefined);
  const scenarios = (await scenariosOf(area)).filter(({ id }) => isChosen(id));
  const played = await playArea(scenarios, {
    implementation,
    lanes: Number(values.lanes),
    report: (line) => {
      process.exitCode = 1;
      console.log(line);
    },
  });
  if (values.out !== undefined) await writeRecordings(area, played, values.out);
  const differing = report(recorded, played);
  if (values.record) await writeRecordings(area, { ...recorded, ...played });
  else if (differing > 0) process.exitCode = 1;
  console.log(`${area}: ${scenarios.length} scenarios, ${differing} differ from their recording`);
}

/** Long enough that a round is not cut off. */
const componentsPeriod = '60s';

async function playReal(binary: OperatorBinary): Promise<void> {
  const played = { components: await playComponents(oracle(binary, componentsPeriod)) };
  const differing = report(await readRecordings('components'), played);
  if (values.record) await writeRecordings('components', played);
  else if (differing > 0) process.exitCode = 1;
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  const binary = await findOperator({ mayBuild: true, report: console.log });
  if ('missing' in binary) {
    return console.log(
      `conformance:cluster-version is skipped, for there is no cluster-version-operator: ${binary.missing}`,
    );
  }
  if (values.components) return await playReal(binary);
  for (const area of values.area ?? (await areaNames())) await playOne(area, oracle(binary));
}

await main();
