import type { Property, Version } from '../../constraints/index.ts';
import type { InstalledBundle } from '../graph/steps.ts';
import type { CatalogView } from '../package.ts';
import type { SearchLimits, Steps } from '../sat/steps.ts';

/** Identifies a catalog. */
export interface CatalogName {
  readonly name: string;
  readonly namespace?: string;
}

/** Requested versions. */
export interface RequestedVersions {
  /** As it was written. */
  readonly text: string;
  readonly include: (version: Version) => boolean;
}

/** A requested package: a subscription, a platform operator, an argument of a command. */
export interface RequestedPackage {
  /** Name of the requester; unique. Earlier names choose before later ones. */
  readonly name: string;
  readonly packageName: string;
  /** Only from there; absent: from any, in the order of catalogs. */
  readonly catalog?: CatalogName;
  /** Absent or empty: any, the default one first. */
  readonly channel?: string;
  readonly versions?: RequestedVersions;
  /** Bundle to start with (`startingCSV`); ignored once something is installed. */
  readonly startingBundle?: string;
  /** Name of the installed bundle that this is about; one of `installed`. */
  readonly installed?: string;
  /** What may follow it. `always`: the best update that there is, as subscriptions do; `ifNeeded`: it stays where it can; `never`: it stays.
   *  `always` when absent. */
  readonly updates?: 'always' | 'ifNeeded' | 'never';
  /** It may stay if the catalogs do not have the package, the channel or the catalog itself any more. */
  readonly staysIfMissing?: boolean;
}

/** A bundle that is installed. One that no `RequestedPackage` is about stays whatever happens. */
export interface PresentBundle extends InstalledBundle {
  /** Undefined: unknown. */
  readonly packageName?: string;
  readonly properties: readonly Property[];
  /** Nothing but its author's word stands for what it provides: it may meet requirements, and keeps nothing else from being installed. */
  readonly isClaim?: boolean;
}

/** How the two are called in messages. */
export interface RequestWords {
  readonly requested: string;
  readonly installed: string;
  /** The packages have no requester: sentences do not name one. */
  readonly isAnonymous?: boolean;
}

/** Whether the requirements of installed bundles must be met. `Required`: as those of all others, as the reference has it. `BestEffort`: one that
 *  nothing installed meets is met where that is possible, and stands against nothing; nor do installed bundles stand against each other. */
export type InstalledConstraints = 'Required' | 'BestEffort';

/** The requested packages, the installed bundles, and the catalogs. */
export interface ResolutionRequest {
  readonly catalogs: readonly CatalogView[];
  /** Where the bundles go; its own catalogs come before others of equal priority. */
  readonly namespace?: string;
  /** Only the namespace's own catalogs count. */
  readonly excludesOtherNamespaces?: boolean;
  /** Catalogs that should be there and cannot be asked; one of them is enough to fail. */
  readonly unavailable?: readonly (CatalogName & { readonly why: string })[];
  readonly requested: readonly RequestedPackage[];
  readonly installed: readonly PresentBundle[];
  /** `Required` when absent. */
  readonly installedConstraints?: InstalledConstraints;
  /** `subscription` and `clusterserviceversion` when absent. */
  readonly words?: RequestWords;
  readonly limits?: SearchLimits;
  /** In place of limits: what several requests may take together. */
  readonly steps?: Steps;
}

const defaultWords: RequestWords = { requested: 'subscription', installed: 'clusterserviceversion' };

/** As the request calls them. */
export function wordsOf({ words = defaultWords }: ResolutionRequest): RequestWords {
  return words;
}
