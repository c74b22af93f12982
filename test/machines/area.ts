import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, mapLimit } from '../../src/base/index.ts';
import { type Expectation, playScenario } from './play.ts';
import type { Implementation, Recording, Recordings, Scenario } from './scenario.ts';

const folder = join(import.meta.dirname, 'scenarios');

/** Names of the areas, each a file of scenarios. */
export async function areaNames(): Promise<readonly string[]> {
  return (await readdir(folder)).map((name) => name.replace(/\.ts$/, '')).toSorted();
}

/** The scenarios of an area, in their order. */
export async function scenariosOf(area: string): Promise<readonly Scenario[]> {
  const module = (await import(join(folder, `${area}.ts`))) as { scenarios: readonly Scenario[] };
  return module.scenarios;
}

/** Scenarios to play, and what with. */
export interface AreaPlay {
  readonly implementation: Implementation;
  /** How many at a time, each on a cluster of its own. */
  readonly lanes: number;
  /** Takes a line for each scenario that could not be played: that does not stop the others. */
  readonly report: (line: string) => void;
  /** What a scenario is to show. Absent: it shows what it shows. */
  readonly expectationOf?: (id: string) => Expectation;
}

/** Plays scenarios. */
export async function playArea(scenarios: readonly Scenario[], play: AreaPlay): Promise<Recordings> {
  const { implementation, lanes, report, expectationOf } = play;
  const played: Record<string, Recording> = {};
  await mapLimit(scenarios, lanes, async (scenario) => {
    try {
      played[scenario.id] = await playScenario(implementation, scenario, expectationOf?.(scenario.id));
    } catch (thrown) {
      report(`${scenario.id} failed: ${errorMessage(thrown)}`);
    }
  });
  return played;
}
