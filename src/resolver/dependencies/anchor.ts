import { TerminalError } from '../../base/index.ts';
import { nextUpdates, startingInstalls } from '../graph/updates.ts';
import type { CatalogView } from '../package.ts';
import { type Candidate, formatCatalogName } from './candidate.ts';
import { type PresentBundle, type RequestedPackage, type ResolutionRequest, wordsOf } from './request.ts';
import type { Shelf } from './shelf.ts';

/** A request and its candidates, the preferred first; `missing` is the reason if there are none. */
export interface Anchor {
  readonly requested: RequestedPackage;
  /** Distinguishes it from bundles. */
  readonly id: string;
  readonly candidates: readonly Candidate[];
  readonly missing: Missing | undefined;
  readonly present: Candidate | undefined;
}

/** What was looked for in vain. */
export interface Missing {
  readonly what: 'catalog' | 'package' | 'channel' | 'name' | 'other';
  readonly text: string;
}

/** A requested package while its candidates are looked for. */
interface Search {
  readonly requested: RequestedPackage;
  readonly request: ResolutionRequest;
  readonly shelf: Shelf;
}

function catalogsOf({ requested: { catalog }, shelf }: Search): readonly CatalogView[] {
  if (catalog === undefined) return shelf.catalogs;
  return shelf.catalogs.filter(({ name, namespace }) => name === catalog.name && namespace === catalog.namespace);
}

function offersIn({ requested, shelf }: Search, catalog: CatalogView): ReturnType<Shelf['channels']> {
  const { packageName, channel = '' } = requested;
  return shelf.channels(catalog, packageName).filter((one) => channel === '' || one.channel === channel);
}

/** @throws TerminalError InvalidChannel where the channel that was named, or all channels, have no order */
function updatesIn(search: Search, catalog: CatalogView, present: PresentBundle | undefined): readonly Candidate[] {
  const { shelf, requested } = search;
  const offers = offersIn(search, catalog);
  const found = shelf.package(catalog, requested.packageName);
  if (isStarted(requested) && found !== undefined) {
    const starts = startingInstalls(
      found,
      requested.startingBundle ?? '',
      offers.map(({ channel }) => channel),
    );
    return starts.flatMap(({ bundle, channel }) =>
      channel === undefined ? [] : [shelf.candidates.ofCatalog({ catalog, channel, bundle })],
    );
  }
  const usable = offers.flatMap(({ offer }) => (typeof offer === 'string' ? [] : [offer]));
  const [fault] = offers.flatMap(({ offer }) => (typeof offer === 'string' ? [offer] : []));
  if (usable.length === 0 && fault !== undefined) throw new TerminalError('InvalidChannel', fault);
  return usable.flatMap((offer) => {
    if (present === undefined) return shelf.offered(catalog, offer);
    return nextUpdates(offer, present).flatMap(({ bundle, channel }) =>
      channel === undefined ? [] : [shelf.candidates.ofCatalog({ catalog, channel, bundle })],
    );
  });
}

function hasAnything(catalog: CatalogView): boolean {
  return catalog.packageNames().length > 0;
}

function missingCatalog({ catalog }: RequestedPackage, by: string): Missing {
  if (catalog === undefined) return { what: 'catalog', text: `no operators found from any catalog ${by}` };
  const where = catalog.namespace === undefined ? '' : ` in namespace ${catalog.namespace}`;
  return { what: 'catalog', text: `no operators found from catalog ${catalog.name}${where} ${by}` };
}

/** An entry that cannot be used counts: it is reported elsewhere. */
function hasEntries(search: Search, catalog: CatalogView): boolean {
  return offersIn(search, catalog).some(
    ({ offer }) => typeof offer === 'string' || offer.channels.some(({ entries }) => entries.length > 0),
  );
}

/** What the catalogs have not, from the whole to the part. */
function missingOf(search: Search): Missing | undefined {
  const { requested, shelf, request } = search;
  const { name, packageName, channel = '' } = requested;
  const by = `referenced by ${wordsOf(request).requested} ${name}`;
  const catalogs = catalogsOf(search).filter(hasAnything);
  if (catalogs.length === 0) return missingCatalog(requested, by);
  const stocked = catalogs.filter((one) => shelf.package(one, packageName) !== undefined);
  const inPackage = `in package ${packageName} in the catalog ${by}`;
  if (stocked.length === 0) return { what: 'package', text: `no operators found ${inPackage}` };
  const inChannel = channel === '' ? inPackage : `in channel ${channel} of package ${packageName} in the catalog ${by}`;
  if (!stocked.some((one) => hasEntries(search, one))) {
    return { what: 'channel', text: `no operators found ${inChannel}` };
  }
  const isStartMissing = isStarted(requested) && stocked.every((one) => updatesIn(search, one, undefined).length === 0);
  const start = requested.startingBundle ?? '';
  return isStartMissing ? { what: 'name', text: `no operators found with name ${start} ${inChannel}` } : undefined;
}

/** Whether it matters which bundle is the first. */
function isStarted({ installed, startingBundle = '' }: RequestedPackage): boolean {
  return installed === undefined && startingBundle !== '';
}

function presentOf({ requested, request }: Search): PresentBundle | undefined {
  if (requested.installed === undefined) return undefined;
  return request.installed.find(({ name }) => name === requested.installed);
}

function isRequested({ requested: { versions } }: Search, candidate: Candidate): boolean {
  return versions === undefined || versions.include(candidate.facts.version);
}

function inOrder(search: Search, updates: readonly Candidate[], stay: readonly Candidate[]): readonly Candidate[] {
  switch (search.requested.updates ?? 'always') {
    case 'always':
      return [...updates, ...stay];
    case 'ifNeeded':
      return [...stay, ...updates];
    default:
      return stay;
  }
}

/** Looks for what may be chosen for a requested package.
 *  @throws TerminalError InvalidChannel
 *  @see docs/spec/catalogs.md#v0-updates, docs/spec/catalogs.md#messages */
export function findAnchor(requested: RequestedPackage, request: ResolutionRequest, shelf: Shelf): Anchor {
  const search = { requested, request, shelf };
  const { requested: word } = wordsOf(request);
  const bundle = presentOf(search);
  const present = bundle === undefined ? undefined : shelf.candidates.installed(bundle);
  const id = `${word}:${requested.name}`;
  const missing = missingOf(search);
  const mayStay = present !== undefined && (missing === undefined || requested.staysIfMissing === true);
  const updates =
    missing === undefined ? catalogsOf(search).flatMap((catalog) => updatesIn(search, catalog, bundle)) : [];
  const candidates = inOrder(search, updates, mayStay ? [present] : []).filter((one) => isRequested(search, one));
  if (candidates.length > 0)
    return { requested, id, candidates: [...new Set(candidates)], missing: undefined, present };
  const text = `no operators found matching the criteria of ${word} ${requested.name}`;
  return { requested, id, candidates, missing: missing ?? { what: 'other', text }, present };
}

/** The catalogs that a requested package may come from, in words. */
export function describeCatalogs(requested: RequestedPackage, shelf: Shelf): string {
  const { catalog } = requested;
  if (catalog !== undefined) return `catalog ${formatCatalogName(catalog)}`;
  return `${shelf.catalogs.length === 1 ? 'catalog' : 'catalogs'} ${shelf.catalogs.map(formatCatalogName).join(', ')}`;
}
