import { TransientError } from '../../base/index.ts';
import type { Dependency } from '../../constraints/index.ts';
import { preferred } from '../graph/updates.ts';
import type { CatalogBundle, CatalogView } from '../package.ts';
import { Steps } from '../sat/steps.ts';
import { factsOf, isMetBy, packagesFor } from './requirement.ts';

/** A bundle of a catalog that would meet a dependency. */
export interface DependencyOffer {
  readonly catalog: CatalogView;
  readonly bundle: CatalogBundle;
}

interface OfferLimits {
  /** How many offers are enough. */
  readonly maxOffers: number;
  /** The budget of all rules and properties; when it is exhausted, the search ends with what was found. */
  readonly maxSteps?: number;
}

/** Further packages of a catalog are not looked into. */
const maxPackages = 50;
/** Less than a tenth of a second: the caller waits for it. */
const defaultMaxSteps = 200_000;

function* offersIn(
  ranked: readonly CatalogView[],
  dependency: Dependency,
  steps: Steps,
): Generator<DependencyOffer, undefined> {
  const requirement = { text: '', description: '', dependency, steps: 1 };
  const isMeeting = (bundle: CatalogBundle): boolean => {
    steps.take(1 + bundle.properties.length);
    return isMetBy(requirement, factsOf(bundle), (cost) => {
      steps.take(cost);
    });
  };
  for (const catalog of ranked) {
    const names = packagesFor(requirement, (api) => catalog.packagesProviding(api)) ?? [];
    for (const name of names.slice(0, maxPackages)) {
      const bundle = preferred([...(catalog.package(name)?.bundles.values() ?? [])]).find(isMeeting);
      if (bundle !== undefined) yield { catalog, bundle };
    }
  }
}

/** What would meet a dependency: of each package of each catalog the bundle that is preferred, catalogs of higher priority first. */
export function offersFor(
  catalogs: readonly CatalogView[],
  dependency: Dependency,
  { maxOffers, maxSteps = defaultMaxSteps }: OfferLimits,
): readonly DependencyOffer[] {
  const ranked = catalogs.toSorted((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1));
  const offers: DependencyOffer[] = [];
  try {
    for (const offer of offersIn(ranked, dependency, new Steps({ maxSteps }))) {
      offers.push(offer);
      if (offers.length === maxOffers) break;
    }
  } catch (thrown) {
    if (!(thrown instanceof TransientError && thrown.reason === 'ResolutionCancelled')) throw thrown;
  }
  return offers;
}
