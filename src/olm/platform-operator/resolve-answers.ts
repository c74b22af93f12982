import type { CatalogPackage, CatalogView } from '../../resolver/index.ts';
import { installedBy, type PlacedChoice } from './choice.ts';
import type { CatalogDeprecations } from './conditions.ts';
import { type Plan, planFor } from './plan.ts';
import { presentBeside, type Standing, standingNeeds } from './present.ts';

/** Asks the catalogs for the next bundle of a PlatformOperator. Questions and answers are plain data. */
export interface NextQuestion {
  /** Of the PlatformOperator. */
  readonly name: string;
  readonly packageName: string;
  /** The present choice. */
  readonly main: PlacedChoice | undefined;
  /** The present choice could not be installed: any other may replace it. */
  readonly isFreshStart: boolean;
  readonly standing: readonly Standing[];
}

/** The next bundle, and the deprecations of the present one. */
export interface NextAnswer {
  readonly plan: Plan;
  /** Undefined: no catalog has the package. */
  readonly deprecations: CatalogDeprecations | undefined;
}

/** Asks which BundleDeployments a bundle depends on. */
export interface NeedsQuestion {
  readonly main: PlacedChoice;
  readonly standing: readonly Standing[];
}

/** The catalog that was chosen from, or else the first that has the package. */
function packageIn(catalogs: readonly CatalogView[], { packageName, main }: NextQuestion): CatalogPackage | undefined {
  const chosen = catalogs.find(({ name }) => name === main?.catalog.name)?.package(packageName);
  return chosen ?? catalogs.map((catalog) => catalog.package(packageName)).find((found) => found !== undefined);
}

function deprecationsOf(catalogs: readonly CatalogView[], question: NextQuestion): CatalogDeprecations | undefined {
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

/** Plans the next bundle.
 *  @throws TransientError ResolutionCancelled · TerminalError InvalidVersion */
export function answerNext(question: NextQuestion, catalogs: readonly CatalogView[]): NextAnswer {
  const { name, packageName, main, isFreshStart, standing } = question;
  const installed = main === undefined || isFreshStart ? undefined : installedBy(main);
  const beside = presentBeside(standing, packageName, catalogs);
  const plan = planFor({ catalogs, name, packageName, installed, ...beside });
  return { plan, deprecations: deprecationsOf(catalogs, question) };
}

/** The BundleDeployments that a bundle depends on, directly or not. */
export function answerNeeds(
  { main, standing }: NeedsQuestion,
  catalogs: readonly CatalogView[],
): readonly PlacedChoice[] {
  return standingNeeds(standing, main, catalogs);
}
