import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, mapLimit, objectAt } from '../../src/base/index.ts';
import { type Expectation, openStage, playScenario, type Stage } from './play.ts';
import type { Action, Implementation, Recording, Recordings, Scenario } from './scenario.ts';

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
  /** What a scenario is to show. Absent: it shows what it shows. */
  readonly expectationOf?: (id: string) => Expectation;
}

type Played = Record<string, Recording>;

async function playOn(stage: Stage, scenario: Scenario, { report, expectationOf }: AreaPlay): Promise<Played> {
  try {
    return { [scenario.id]: await playScenario(stage, scenario, expectationOf?.(scenario.id)) };
  } catch (thrown) {
    report(`${scenario.id} failed: ${errorMessage(thrown)}`);
    return {};
  }
}

async function withStage(start: AreaPlay['start'], use: (stage: Stage) => Promise<void>): Promise<void> {
  await using implementation = await start();
  await using stage = await openStage(implementation);
  await use(stage);
}

/** A global group copies to the namespaces of all scenarios. */
function isGlobalGroup(action: Action): boolean {
  if ('patch' in action) return JSON.stringify(action.merge).includes('"targetNamespaces":null');
  if (!('apply' in action) || action.apply['kind'] !== 'OperatorGroup') return false;
  const { targetNamespaces, selector } = objectAt(action.apply, 'spec') ?? {};
  return targetNamespaces === undefined && selector === undefined;
}

/** Whether a scenario is played on a cluster of its own. */
export function needsCluster({ isAlone, actions }: Scenario): boolean {
  return isAlone === true || actions.some(isGlobalGroup);
}

/** Plays scenarios on one cluster, and those that need it on a cluster of their own. */
export async function playArea(scenarios: readonly Scenario[], play: AreaPlay): Promise<Recordings> {
  const played: Played = {};
  const together = scenarios.filter((scenario) => !needsCluster(scenario));
  if (together.length > 0) {
    await withStage(play.start, async (stage) => {
      await mapLimit(together, play.lanes, async (scenario) => {
        Object.assign(played, await playOn(stage, scenario, play));
      });
    });
  }
  const alone = scenarios.filter(needsCluster);
  await mapLimit(alone, Math.ceil(play.lanes / 3), (scenario) =>
    withStage(play.start, async (stage) => {
      Object.assign(played, await playOn(stage, scenario, play));
    }),
  );
  return played;
}
