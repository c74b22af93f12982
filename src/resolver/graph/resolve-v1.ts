import { errorMessage, goQuote, isSelected, type LabelSelector, TerminalError } from '../../base/index.ts';
import {
  formatVersion,
  isChosen,
  parseVersionChoice,
  parseVersionRange,
  type VersionChoice,
} from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, CatalogView } from '../package.ts';

import type { InstalledBundle } from './steps.ts';
import { firstInstalls, isSameBundle, nextUpdates, offerOf, type Update } from './updates.ts';

/** What is requested of which catalogs. */
export interface V1Request {
  readonly packageName: string;
  /** A choice of versions, such as `1.x`. */
  readonly version?: string;
  /** None: all of them. */
  readonly channels?: readonly string[];
  readonly selector?: LabelSelector;
  /** `SelfCertified` leaves the edges out: any version may follow any other. */
  readonly upgradeConstraintPolicy?: 'CatalogProvided' | 'SelfCertified';
  readonly installed?: InstalledBundle;
  /** Bundles that need others are refused, unless the caller resolves dependencies. */
  readonly mayDepend?: boolean;
}

/** What is to be installed, or stays. */
export interface V1Choice extends Update {
  readonly catalog: CatalogView;
  readonly package: CatalogPackage;
  readonly isInstalled: boolean;
  /** What would be chosen were it not for this one, in order. */
  readonly others: readonly Update[];
  /** Catalogs that could not be read, and could not have changed the choice. */
  readonly warnings: readonly string[];
}

interface Retained {
  readonly catalog: CatalogView;
  readonly package: CatalogPackage;
  readonly update: Update;
  readonly others: readonly Update[];
}

interface Failure {
  readonly catalog: CatalogView;
  readonly text: string;
}

const dependencyTypes = ['olm.gvk.required', 'olm.package.required', 'olm.constraint'];

function refuse(text: string): never {
  throw new TerminalError('ResolutionFailed', text);
}

/** @throws TerminalError ResolutionFailed when the bundle needs others
 *  @see docs/spec/catalogs.md#v1-updates */
function refuseDependencies({ name, properties }: CatalogBundle): void {
  const property = properties.find(({ type }) => dependencyTypes.includes(type));
  if (property === undefined) return;
  const quoted = goQuote(name);
  refuse(
    `validating bundle ${quoted}: bundle ${quoted} has a dependency declared via property ${goQuote(property.type)} which is currently not supported`,
  );
}

function readVersion(text: string | undefined): VersionChoice | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return parseVersionChoice(text);
  } catch (thrown) {
    return refuse(`desired version range ${goQuote(text)} is invalid: ${errorMessage(thrown)}`);
  }
}

function selectCatalogs(catalogs: readonly CatalogView[], selector: LabelSelector): readonly CatalogView[] {
  try {
    return catalogs.filter(({ labels }) => isSelected(selector, labels));
  } catch (thrown) {
    return refuse(`desired catalog selector is invalid: ${errorMessage(thrown)}`);
  }
}

/** A range that cannot be read covers nothing; it is the author who learns of it, when the catalog is validated. */
function withReadableRanges(from: CatalogPackage): CatalogPackage {
  const channels = from.channels.map((channel) => ({
    ...channel,
    entries: channel.entries.map(({ skipRange, ...entry }) => ({
      ...entry,
      ...(skipRange !== undefined && isReadable(skipRange) && { skipRange }),
    })),
  }));
  return { ...from, channels };
}

function isReadable(range: string): boolean {
  try {
    parseVersionRange(range);
    return true;
  } catch {
    return false;
  }
}

function updatesIn(from: CatalogPackage, request: V1Request): readonly Update[] {
  const offer = offerOf('v1', withReadableRanges(from), request.channels);
  const { installed, upgradeConstraintPolicy } = request;
  if (installed === undefined || upgradeConstraintPolicy === 'SelfCertified') return firstInstalls(offer);
  const updates = nextUpdates(offer, installed);
  if (offer.isWhole) return updates;
  return updates.filter(({ bundle }) => offer.steps.some((step) => step.bundle.name === bundle.name));
}

function bestOf(
  catalog: CatalogView,
  request: V1Request,
  version: VersionChoice | undefined,
): Retained | Failure | undefined {
  try {
    const found = catalog.package(request.packageName);
    if (found === undefined) return undefined;
    const [update, ...others] = updatesIn(found, request).filter(
      ({ bundle }) => version === undefined || isChosen(bundle.version, version),
    );
    return update && { catalog, package: found, update, others };
  } catch (thrown) {
    const names = `package ${goQuote(request.packageName)} from catalog ${goQuote(catalog.name)}`;
    return { catalog, text: `error getting ${names}: ${errorMessage(thrown)}` };
  }
}

function isDeprecated({ update }: Retained): boolean {
  return update.bundle.deprecation !== undefined;
}

/** Those that are not deprecated, if there are any. */
function candidatesOf(retained: readonly Retained[]): readonly Retained[] {
  const sound = retained.filter((one) => !isDeprecated(one));
  return sound.length > 0 ? sound : retained;
}

/** Those of the highest priority. */
function winnersOf(left: readonly Retained[]): readonly Retained[] {
  const top = left.reduce((highest, { catalog }) => Math.max(highest, catalog.priority), Number.NEGATIVE_INFINITY);
  return left.filter(({ catalog }) => catalog.priority === top);
}

function describeNone(
  { packageName, version, channels = [], installed }: V1Request,
  candidates: readonly Retained[],
): string {
  const names = candidates.map(({ catalog }) => catalog.name).toSorted();
  return [
    installed && `error upgrading from currently installed version ${goQuote(formatVersion(installed.version))}:`,
    `${names.length > 1 ? 'found bundles' : 'no bundles found'} for package ${goQuote(packageName)}`,
    version !== undefined && version !== '' && `matching version ${goQuote(version)}`,
    channels.length > 0 && `in channels [${channels.join(' ')}]`,
    names.length > 1 && `in multiple catalogs with the same priority [${names.join(' ')}]`,
  ]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

/** A catalog that cannot be read matters, unless what was found wins against whatever it holds. */
function warningsOf(failures: readonly Failure[], winner: Retained | undefined): readonly string[] {
  const isCertain = ({ catalog }: Failure): boolean =>
    winner !== undefined && !isDeprecated(winner) && catalog.priority < winner.catalog.priority;
  const fatal = failures.filter((failure) => !isCertain(failure));
  if (fatal.length > 0) refuse(`error walking catalogs: ${fatal.map(({ text }) => text).join('\n')}`);
  return failures.map(({ text }) => text);
}

/** The one bundle that a package is to be at, chosen as the lifecycle manager's second generation does; `catalogs` are those that are
 *  available, in any order. What is installed may stay only if it is chosen too.
 *  @throws TerminalError ResolutionFailed with the reference's texts
 *  @see docs/spec/catalogs.md#v1-updates */
export function resolveV1(catalogs: readonly CatalogView[], request: V1Request): V1Choice {
  const version = readVersion(request.version);
  const results = selectCatalogs(catalogs, request.selector ?? {}).flatMap(
    (catalog) => bestOf(catalog, request, version) ?? [],
  );
  const candidates = candidatesOf(results.filter((result) => 'update' in result));
  const winners = winnersOf(candidates);
  const warnings = warningsOf(
    results.filter((result) => 'text' in result),
    winners[0],
  );
  const [winner] = winners;
  if (winner === undefined || winners.length > 1) return refuse(describeNone(request, candidates));
  const { update, others, catalog } = winner;
  if (request.mayDepend !== true) refuseDependencies(update.bundle);
  const isInstalled = request.installed !== undefined && isSameBundle(update.bundle, request.installed);
  return { ...update, catalog, package: winner.package, isInstalled, others, warnings };
}
