import { errorMessage, goQuote, nearest, TerminalError } from '../../base/index.ts';
import { compareVersions, formatVersion } from '../../constraints/index.ts';
import {
  type CatalogBundle,
  type CatalogView,
  type ChosenBundle,
  type Conflict,
  describeEdge,
  type InstalledBundle,
  isMetBy,
  type PresentBundle,
  type RequestedPackage,
  type Resolution,
  resolve,
  resolveV1,
  type SearchLimits,
  Steps,
  type Update,
  type V1Choice,
} from '../../resolver/index.ts';
import { type Choice, installedBy, type Resolved } from './choice.ts';

/** What a PlatformOperator requests: the next bundle of its package, and all dependencies. */
export interface PlanRequest {
  readonly catalogs: readonly CatalogView[];
  /** Of the PlatformOperator. */
  readonly name: string;
  readonly packageName: string;
  readonly installed: InstalledBundle | undefined;
  /** Everything else that is installed. */
  readonly others: readonly PresentBundle[];
  /** Names of those among them that are there only because something needs them: they may be updated for this. */
  readonly movable: ReadonlySet<string>;
  readonly limits?: SearchLimits;
  /** What explanations call the one who asks. Default: a PlatformOperator. */
  readonly requester?: string;
}

/** A bundle to be installed. */
export type Planned = Choice;

/** A bundle that the plan counts on, and why. */
export interface Needed {
  readonly packageName: string;
  readonly reason: string;
  /** Undefined: what is installed will do. */
  readonly planned: Planned | undefined;
}

/** Bundles to be installed. */
export interface Change {
  readonly outcome: 'change';
  readonly main: Planned;
  readonly needed: readonly Needed[];
}

/** What is to be done; plain data. */
export type Plan =
  | Change
  /** The installed version is the newest available. */
  | { readonly outcome: 'stay' }
  /** There is something newer, and it cannot be installed. */
  | { readonly outcome: 'blocked'; readonly text: string }
  | { readonly outcome: 'none'; readonly text: string };

/** Further candidates are not tried. */
const maxCandidates = 8;
/** Longer reasons are cut: a choice is kept in an annotation. */
const maxReasonCharacters = 8_000;
/** What status.resolved has room for. */
const maxCharacters = { name: 253, image: 1_000, version: 1_024, release: 1_024, channel: 1_024 };
/** Of a package that a BundleDeployment is to be named after. */
const maxPackageCharacters = 63;
const packagePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
/** Further catalogs are counted. */
const maxNamed = 5;
/** Further names are not compared with a wrong one. */
const maxCompared = 2_000;

/** Of a package that no catalog has: the words of the original where nothing is installed.
 *  @see docs/spec/olm-v0.md#reconcile */
function nothingFound(request: PlanRequest): string {
  const { packageName, installed } = request;
  if (installed === undefined) {
    return `failed to find candidate olm.bundles from the ${packageName} package: ${whyNowhere(request)}`;
  }
  return `${installed.name} stays installed; updates of package ${packageName} are unknown: ${whyNowhere(request)}`;
}

function whyNowhere({ catalogs, packageName }: PlanRequest): string {
  if (catalogs.length === 0) return `no ClusterCatalog is served`;
  const known = new Set(catalogs.flatMap((catalog) => catalog.packageNames()));
  const nameable = [...known].filter((name) => name.length <= maxPackageCharacters && packagePattern.test(name));
  const guess = nearest(packageName, nameable.slice(0, maxCompared));
  const names = catalogs.slice(0, maxNamed).map(({ name }) => name);
  const where = [...names, ...(catalogs.length > maxNamed ? [`${catalogs.length - maxNamed} more`] : [])].join(', ');
  return `no catalog that is served (${where}) has it${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}

function chooseOf(request: PlanRequest): V1Choice | string {
  const { catalogs, packageName, installed } = request;
  try {
    return resolveV1(catalogs, { packageName, mayDepend: true, ...(installed && { installed }) });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const isKnown = catalogs.some((catalog) => catalog.package(packageName) !== undefined);
    return isKnown ? errorMessage(thrown) : nothingFound(request);
  }
}

function requestedPackages(request: PlanRequest, catalog: CatalogView, update: Update): readonly RequestedPackage[] {
  const { name, packageName, others, movable } = request;
  const main: RequestedPackage = {
    name,
    packageName,
    catalog: { name: catalog.name },
    channel: update.channel ?? '',
    startingBundle: update.bundle.name,
  };
  const dependencies = others.flatMap((other): readonly RequestedPackage[] => {
    if (!movable.has(other.name) || other.packageName === undefined || other.packageName === packageName) return [];
    const dependency = {
      name: `dependency ${other.packageName}`,
      packageName: other.packageName,
      installed: other.name,
    };
    return [{ ...dependency, updates: 'ifNeeded', staysIfMissing: true }];
  });
  return [main, ...dependencies];
}

function plannedOf({ origin }: ChosenBundle, reason: string): Planned | string {
  return origin === undefined ? 'is installed' : describeChoice(origin, reason);
}

/** What is recorded of a bundle that was chosen, or why it cannot be. */
export function describeChoice(
  {
    bundle,
    catalog,
    channel,
  }: { bundle: CatalogBundle; catalog: Pick<CatalogView, 'name'>; channel?: string | undefined },
  reason: string,
): Planned | string {
  const { image } = bundle;
  if (image === undefined) return `bundle ${bundle.name} has no image`;
  const { name, packageName, version, release } = bundle;
  return (
    tooLong(bundle, channel) ?? {
      package: packageName,
      bundle: name,
      version: formatVersion(version),
      ...(release !== undefined && { release }),
      image,
      ...(channel !== undefined && { channel }),
      catalog: { name: catalog.name },
      reason: reason.slice(0, maxReasonCharacters),
    }
  );
}

/** A catalog may hold anything; what cannot be recorded is not chosen. */
function tooLong({ name, image = '', version, release = '' }: CatalogBundle, channel = ''): string | undefined {
  const texts = { name, image, version: formatVersion(version), release, channel };
  const found = Object.entries(maxCharacters).find(([what, max]) => texts[what as keyof typeof texts].length > max);
  return found && `bundle ${name.slice(0, maxCharacters.name)}: its ${found[0]} has more than ${found[1]} characters`;
}

/** A package that is needed gives its BundleDeployment its name. */
function nameFault(packageName: string): string | undefined {
  if (packageName.length <= maxPackageCharacters && packagePattern.test(packageName)) return undefined;
  const shown = goQuote(packageName.slice(0, maxPackageCharacters));
  return `it needs package ${shown}, whose name no object can have: expected up to ${maxPackageCharacters} lower case letters, digits and hyphens`;
}

/** All that the main bundle needs of what was chosen with it, and what that needs in turn. */
function neededBy(main: ChosenBundle, all: readonly ChosenBundle[]): ReadonlyMap<ChosenBundle, string> {
  const needed = new Map<ChosenBundle, string>();
  const queue = [main];
  for (const user of queue) {
    for (const requirement of user.candidate.facts.requirements) {
      const able = all.filter(({ candidate }) => isMetBy(requirement, candidate.facts));
      const [provider] = able;
      if (provider === undefined || able.includes(user) || able.some((one) => needed.has(one) || one === main))
        continue;
      needed.set(provider, `${user.candidate.name} needs ${requirement.description}`);
      queue.push(provider);
    }
  }
  return needed;
}

function changeOf(resolution: Resolution, update: Update, reason: string): Plan | string {
  const { bundles } = resolution;
  const main = bundles.find(({ origin }) => origin?.bundle.name === update.bundle.name);
  if (main === undefined) return `bundle ${update.bundle.name} was not chosen`;
  const planned = plannedOf(main, reason);
  if (typeof planned === 'string') return planned;
  const needed: Needed[] = [];
  for (const [chosen, why] of neededBy(main, bundles)) {
    const { packageName } = chosen.candidate.facts;
    if (packageName === undefined) continue;
    const one = chosen.origin === undefined ? undefined : (nameFault(packageName) ?? plannedOf(chosen, why));
    if (typeof one === 'string') return one;
    needed.push({ packageName, reason: why, planned: one });
  }
  return { outcome: 'change', main: planned, needed };
}

function whyNot({ summary, sentences, action }: Conflict): string {
  return [summary, ...sentences, action].join(' ');
}

/** Why an update was chosen. */
export function reasonOf(
  { bundle, edge, channel }: Update,
  catalog: CatalogView,
  passed: readonly string[] = [],
): string {
  const version = formatVersion(bundle.version);
  const why =
    edge === undefined
      ? `${version} is the highest version of package ${bundle.packageName} in catalog ${catalog.name}`
      : `${bundle.name} ${describeEdge(edge)} in channel ${channel ?? ''} of catalog ${catalog.name}`;
  return passed.length === 0 ? why : `${why} that can be installed: ${passed.join('; ')}`;
}

/** What it takes to install one bundle, or why that is not possible. */
export function tryUpdate(
  request: PlanRequest,
  choice: Pick<V1Choice, 'catalog'>,
  step: { readonly update: Update; readonly passed: readonly string[]; readonly steps: Steps },
): Plan | string {
  const { update, passed, steps } = step;
  const { name } = update.bundle;
  if (update.channel === undefined) return `${name} is in no channel`;
  if (update.bundle.image === undefined) return `${name} has no image`;
  const { packageName, catalogs, others } = request;
  const resolution = resolve({
    catalogs,
    requested: requestedPackages(request, choice.catalog, update),
    installed: others.filter((other) => other.packageName !== packageName),
    // All packages of the cluster share one resolution: a bundle with an unmet requirement must not stop the packages of others.
    installedConstraints: 'BestEffort',
    words: { requested: request.requester ?? 'platformoperator', installed: 'bundle' },
    steps,
  });
  if (resolution.outcome === 'conflict') return `${name} cannot be installed: ${whyNot(resolution)}`;
  return changeOf(resolution, update, reasonOf(update, choice.catalog, passed));
}

function isInstalled({ bundle }: Update, { installed }: PlanRequest): boolean {
  return bundle.name === installed?.name;
}

/** Decides on the next bundle of a package: the highest that updates lead to, or where nothing is installed the highest of all, whose needs can
 *  be met. What cannot be installed is passed over. All that is tried shares one budget of steps.
 *  @throws TransientError ResolutionCancelled */
export function planFor(request: PlanRequest): Plan {
  const choice = chooseOf(request);
  if (typeof choice === 'string') return { outcome: 'none', text: choice };
  const passed: string[] = [];
  const steps = new Steps(request.limits);
  for (const update of [choice, ...choice.others].slice(0, maxCandidates)) {
    if (isInstalled(update, request)) break;
    const plan = tryUpdate(request, choice, { update, passed, steps });
    if (typeof plan !== 'string') return plan;
    passed.push(plan);
  }
  return passed.length === 0 ? { outcome: 'stay' } : { outcome: 'blocked', text: passed.join('\n') };
}

/** Whether a choice has something newer than an earlier one had, or the same as another image, and nothing older. */
export function isNewer({ main, needed }: Change, { main: before, dependencies }: Resolved): boolean {
  const pairs: readonly (readonly [Choice, Choice])[] = [
    [main, before],
    ...needed.flatMap(({ packageName, planned }): [Choice, Choice][] => {
      const same = dependencies.find((one) => one.package === packageName);
      return planned === undefined || same === undefined ? [] : [[planned, same]];
    }),
  ];
  const versionOf = (choice: Choice) => installedBy(choice).version;
  const isOlder = pairs.some(([next, old]) => compareVersions(versionOf(next), versionOf(old)) < 0);
  return !isOlder && pairs.some(([next, old]) => next.bundle !== old.bundle || next.image !== old.image);
}
