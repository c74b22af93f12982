import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../src/base/index.ts';
import { type Expectation, openStage, playScenario } from './play.ts';
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
  /** Takes a line for each scenario that could not be played: that does not stop the others. */
  readonly report: (line: string) => void;
  /** What a scenario is to show. Absent: it shows what it shows. */
  readonly expectationOf?: (id: string) => Expectation;
  readonly onPlayed?: (id: string, recording: Recording) => void;
  /** How many clusters play them. */
  readonly lanes?: number;
}

async function playOn(queue: Scenario[], play: AreaPlay, played: Record<string, Recording>): Promise<void> {
  for (let isOver = false; !isOver; ) {
    await using implementation = await play.start();
    await using stage = await openStage(implementation);
    for (let next = queue.shift(); ; next = queue.shift()) {
      isOver = next === undefined;
      if (next === undefined) break;
      try {
        const recording = await playScenario(stage, next, play.expectationOf?.(next.id));
        played[next.id] = recording;
        play.onPlayed?.(next.id, recording);
      } catch (thrown) {
        play.report(`${next.id} failed: ${errorMessage(thrown)}`);
        // What it has left could disturb the others.
        break;
      }
    }
  }
}

/** Plays scenarios, one after the other on each cluster. */
export async function playArea(scenarios: readonly Scenario[], play: AreaPlay): Promise<Recordings> {
  const queue = [...scenarios];
  const played: Record<string, Recording> = {};
  await Promise.all(Array.from({ length: play.lanes ?? 1 }, () => playOn(queue, play, played)));
  return played;
}
