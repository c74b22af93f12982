import { errorMessage, TerminalError } from '../../base/index.ts';
import { channelsOf, firstInstalls, type Offer, offerOf } from '../graph/updates.ts';
import type { CatalogPackage, CatalogView } from '../package.ts';
import type { Steps } from '../sat/steps.ts';
import { type Candidate, Candidates, compareTexts, formatCatalogName } from './candidate.ts';
import { readable } from './readable.ts';
import type { ResolutionRequest } from './request.ts';
import { type Facts, isMetBy, packagesFor, type Requirement } from './requirement.ts';

/** A channel, and what it offers; a text is the reason why it offers nothing. */
interface ChannelOffer {
  readonly channel: string;
  readonly isDefault: boolean;
  readonly offer: Offer | string;
}

interface Stock {
  readonly package: CatalogPackage | undefined;
  readonly channels: readonly ChannelOffer[];
}

function tryOffer(found: CatalogPackage, channel: string): Offer | string {
  try {
    return offerOf('v0', found, [channel]);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return errorMessage(thrown);
  }
}

/** What all catalogs of a request have, in the order in which it is preferred. Packages are read when something asks for them, once.
 *  @see docs/spec/catalogs.md#preference-order-of-candidates */
export class Shelf {
  /** Preferred first. */
  readonly catalogs: readonly CatalogView[];
  readonly candidates: Candidates;
  readonly installed: readonly Candidate[];
  readonly #stocks = new Map<CatalogView, Map<string, Stock>>();
  readonly #answers = new Map<string, readonly Candidate[]>();
  readonly #orders = new Map<string, readonly Candidate[]>();
  readonly #faults = new Set<string>();
  readonly #steps: Steps;

  constructor(request: ResolutionRequest, steps: Steps) {
    const { catalogs, namespace, excludesOtherNamespaces = false } = request;
    this.#steps = steps;
    const isOwn = (catalog: CatalogView): boolean => catalog.namespace === namespace;
    const visible = excludesOtherNamespaces ? catalogs.filter(isOwn) : catalogs;
    this.catalogs = visible.toSorted(
      (a, b) =>
        b.priority - a.priority ||
        Number(isOwn(b)) - Number(isOwn(a)) ||
        compareTexts(a.name, b.name) ||
        compareTexts(a.namespace ?? '', b.namespace ?? ''),
    );
    this.candidates = new Candidates(namespace);
    this.installed = readable(request)
      .map((bundle) => this.candidates.installed(bundle))
      .toSorted((a, b) => compareTexts(a.id, b.id));
  }

  /** Channels that could not be used, and why, sorted. */
  get faults(): readonly string[] {
    return [...this.#faults].toSorted(compareTexts);
  }

  package(catalog: CatalogView, name: string): CatalogPackage | undefined {
    return this.#stock(catalog, name).package;
  }

  /** The default channel first, then by name. */
  channels(catalog: CatalogView, packageName: string): readonly ChannelOffer[] {
    return this.#stock(catalog, packageName).channels;
  }

  /** What `look` finds here; undefined where it takes more than so many steps.
   *  @throws TransientError ResolutionCancelled */
  within<T>(maxSteps: number, look: () => T): T | undefined {
    return this.#steps.attempt(maxSteps, look);
  }

  /** All bundles that meet the requirement, the preferred first, when a bundle of `own` asks. The same question has the same list for an
   *  answer. */
  meeting(requirement: Requirement, own: CatalogView | undefined): readonly Candidate[] {
    const key = `${own === undefined ? '' : formatCatalogName(own)} ${requirement.text}`;
    const known = this.#orders.get(key);
    if (known !== undefined) return known;
    const others = this.catalogs.filter((catalog) => catalog !== own);
    const catalogs = own === undefined ? others : [own, ...others];
    const order = [
      ...this.installed.filter(({ facts }) => this.isMet(requirement, facts)),
      ...catalogs.flatMap((catalog) => this.#meetingIn(requirement, catalog)),
    ];
    this.#orders.set(key, order);
    return order;
  }

  /** Whether the bundle itself meets the requirement.
   *  @throws TransientError ResolutionCancelled */
  isMet(requirement: Requirement, facts: Facts): boolean {
    this.#steps.take(requirement.steps);
    return isMetBy(requirement, facts, (cost) => {
      this.#steps.take(cost);
    });
  }

  #meetingIn(requirement: Requirement, catalog: CatalogView): readonly Candidate[] {
    const key = `${formatCatalogName(catalog)} ${requirement.text}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const names = packagesFor(requirement, (api) => catalog.packagesProviding(api)) ?? catalog.packageNames();
    const found = names.toSorted(compareTexts).flatMap((name) => this.#entries(catalog, name, requirement));
    const answer = [...found.filter(({ isDefault }) => isDefault), ...found.filter(({ isDefault }) => !isDefault)].map(
      ({ candidate }) => candidate,
    );
    this.#answers.set(key, answer);
    return answer;
  }

  #entries(
    catalog: CatalogView,
    packageName: string,
    requirement: Requirement,
  ): readonly { readonly candidate: Candidate; readonly isDefault: boolean }[] {
    return this.channels(catalog, packageName).flatMap(({ offer, isDefault }) => {
      if (typeof offer === 'string') return [];
      return this.offered(catalog, offer)
        .filter(({ facts }) => this.isMet(requirement, facts))
        .map((candidate) => ({ candidate, isDefault }));
    });
  }

  /** What may be installed where nothing is. */
  offered(catalog: CatalogView, offer: Offer): readonly Candidate[] {
    return firstInstalls(offer).flatMap(({ bundle, channel }) =>
      channel === undefined ? [] : [this.candidates.ofCatalog({ catalog, channel, bundle })],
    );
  }

  #stock(catalog: CatalogView, name: string): Stock {
    const stocks = this.#stocks.get(catalog) ?? new Map<string, Stock>();
    this.#stocks.set(catalog, stocks);
    const known = stocks.get(name);
    if (known !== undefined) return known;
    // A package takes long to read.
    this.#steps.ask();
    const found = catalog.package(name);
    const stock = { package: found, channels: found === undefined ? [] : this.#offersOf(catalog, found) };
    stocks.set(name, stock);
    return stock;
  }

  #offersOf(catalog: CatalogView, found: CatalogPackage): readonly ChannelOffer[] {
    return channelsOf(found).map(({ name: channel }) => {
      const offer = tryOffer(found, channel);
      if (typeof offer === 'string') {
        this.#faults.add(
          `catalog ${formatCatalogName(catalog)}: channel ${channel} of package ${found.name} is passed over: ${offer}`,
        );
      }
      return { channel, isDefault: channel === found.defaultChannel, offer };
    });
  }
}
