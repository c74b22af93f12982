/** `npm run conformance:pools`: plays the scenarios of test/machines/pools on the real controllers of the machine-config-operator, and compares with what
 *  was recorded, or records again. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isJsonEqual, type JsonValue, mapLimit } from '../src/base/index.ts';
import { findControllers } from '../test/machines/pools/binaries.ts';
import { reference } from '../test/machines/pools/implementations.ts';
import { playPools } from '../test/machines/pools/play.ts';
import type { PoolRecordings, PoolSnapshot } from '../test/machines/pools/scenario.ts';
import { poolScenarios } from '../test/machines/pools/scenarios.ts';

const seenFile = join(import.meta.dirname, '../test/machines/pools/seen.json');

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', multiple: true },
    record: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '3' },
  },
});

const found = await findControllers({ mayBuild: true, report: console.log });
if ('missing' in found) {
  console.log(
    `conformance:pools is skipped, for there are no controllers of machine-config-operator: ${found.missing}`,
  );
} else {
  const seen = JSON.parse(await readFile(seenFile, 'utf8').catch(() => '{}')) as PoolRecordings;
  const played: Record<string, readonly PoolSnapshot[]> = {};
  const scenarios = poolScenarios.filter(({ id }) => values.scenario?.includes(id) ?? true);
  await mapLimit(scenarios, Number(values.lanes), async (scenario) => {
    played[scenario.id] = await playPools(reference(found.program), scenario);
    const isSame = isJsonEqual(
      (seen[scenario.id] ?? null) as unknown as JsonValue,
      played[scenario.id] as unknown as JsonValue,
    );
    console.log(`${scenario.id}: ${isSame ? 'as recorded' : 'differs from its recording'}`);
    if (!isSame && !values.record) process.exitCode = 1;
  });
  if (values.record) {
    const all = { ...seen, ...played };
    const ordered = Object.fromEntries(
      poolScenarios.flatMap(({ id }) => (all[id] === undefined ? [] : [[id, all[id]]])),
    );
    await writeFile(seenFile, `${JSON.stringify(ordered, null, 1)}\n`);
  }
}
