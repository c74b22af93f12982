import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, mapLimit } from '../../src/base/index.ts';
import { openStage, playScenario, type Stage } from './play.ts';
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
  readonly start: () => Promise<Implementation>;
  /** How many at a time. */
  readonly lanes: number;
  /** Takes a line for each scenario that could not be played: that does not stop the others. */
  readonly report: (line: string) => void;
}

type Played = Record<string, Recording>;

async function playOn(stage: Stage, scenario: Scenario, { report }: AreaPlay, played: Played): Promise<void> {
  try {
    played[scenario.id] = await playScenario(stage, scenario);
  } catch (thrown) {
    report(`${scenario.id} failed: ${errorMessage(thrown)}`);
  }
}

async function withStage(start: AreaPlay['start'], use: (stage: Stage) => Promise<void>): Promise<void> {
  await using implementation = await start();
  await using stage = await openStage(implementation);
  await use(stage);
}

/** Plays scenarios on one cluster, and those that need it on a cluster of their own. */
export async function playArea(scenarios: readonly Scenario[], play: AreaPlay): Promise<Recordings> {
  const played: Played = {};
  const together = scenarios.filter(({ isAlone }) => isAlone !== true);
  if (together.length > 0) {
    await withStage(play.start, async (stage) => {
      await mapLimit(together, play.lanes, (scenario) => playOn(stage, scenario, play, played));
    });
  }
  const alone = scenarios.filter(({ isAlone }) => isAlone === true);
  await mapLimit(alone, Math.ceil(play.lanes / 4), (scenario) =>
    withStage(play.start, (stage) => playOn(stage, scenario, play, played)),
  );
  return played;
}
