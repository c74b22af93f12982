import type { CatalogPackage, CatalogView } from '../../resolver/index.ts';
import { installedBy, type PlacedChoice } from './choice.ts';
import type { CatalogWord } from './conditions.ts';
import { type Plan, planFor } from './plan.ts';
import { presentBeside, type Standing, standingNeeds } from './present.ts';

/** What a PlatformOperator asks the catalogs: what comes next. Questions and answers are plain data. */
export interface NextQuestion {
  /** Of the PlatformOperator. */
  readonly name: string;
  readonly packageName: string;
  /** What was chosen before. */
  readonly main: PlacedChoice | undefined;
  /** What was chosen before is not installed: any other may take its place. */
  readonly isAnew: boolean;
  readonly standing: readonly Standing[];
}

/** The next bundle, and what is said against the one that there is. */
export interface NextAnswer {
  readonly plan: Plan;
  /** Undefined: no catalog has the package. */
  readonly word: CatalogWord | undefined;
}

/** What is there for the sake of a bundle that was chosen before? */
export interface NeedsQuestion {
  readonly main: PlacedChoice;
  readonly standing: readonly Standing[];
}

/** The catalog that was chosen from, or else the first that has the package. */
function packageIn(catalogs: readonly CatalogView[], { packageName, main }: NextQuestion): CatalogPackage | undefined {
  const chosen = catalogs.find(({ name }) => name === main?.catalog.name)?.package(packageName);
  return chosen ?? catalogs.map((catalog) => catalog.package(packageName)).find((found) => found !== undefined);
}

function wordOf(catalogs: readonly CatalogView[], question: NextQuestion): CatalogWord | undefined {
  const { main } = question;
  const found = packageIn(catalogs, question);
  if (found === undefined) return undefined;
  const channels = found.channels.filter(({ name }) => main?.channel === undefined || name === main.channel);
  const ofChannels = channels.flatMap(({ deprecation }) => (deprecation === undefined ? [] : [deprecation]));
  return {
    package: found.deprecation,
    channel: ofChannels.length === 0 ? undefined : ofChannels.join('\n'),
    bundle: found.bundles.get(main?.bundle ?? '')?.deprecation,
  };
}

/** Finds out what comes next.
 *  @throws TransientError ResolutionCancelled · TerminalError InvalidVersion */
export function answerNext(question: NextQuestion, catalogs: readonly CatalogView[]): NextAnswer {
  const { name, packageName, main, isAnew, standing } = question;
  const installed = main === undefined || isAnew ? undefined : installedBy(main);
  const beside = presentBeside(standing, packageName, catalogs);
  const plan = planFor({ catalogs, name, packageName, installed, ...beside });
  return { plan, word: wordOf(catalogs, question) };
}

/** Finds out what a bundle needs of what there is. */
export function answerNeeds(
  { main, standing }: NeedsQuestion,
  catalogs: readonly CatalogView[],
): readonly PlacedChoice[] {
  return standingNeeds(standing, main, catalogs);
}
