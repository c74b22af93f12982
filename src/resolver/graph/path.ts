import { TerminalError } from '../../base/index.ts';
import { compareVersions, formatVersion, parseTolerantVersion } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage } from '../package.ts';
import { explainEnd, explainMiss } from './explain.ts';
import type { InstalledBundle } from './steps.ts';
import { firstInstalls, type Hop, isSameBundle, nextUpdates, type Offer, type Update } from './updates.ts';

/** Which updates lead on from what is installed, and why they end where they do. */
export interface UpdatePath {
  readonly start: InstalledBundle;
  readonly hops: readonly Hop[];
  /** Whether it leads to the requested version; always true without such a request. */
  readonly isReached: boolean;
  /** Sentences: why the last is the last, and what is missing to go on. */
  readonly end: readonly string[];
}

function hopOf(from: InstalledBundle, update: Update, others: readonly Update[]): Hop | undefined {
  const { bundle, channel, edge } = update;
  if (edge === undefined || channel === undefined) return undefined;
  const names = others.filter((other) => other !== update && !isSameBundle(other.bundle, from));
  return { from, to: bundle, channel, edge, isPinned: false, others: names.map((other) => other.bundle.name) };
}

/** As updates happen by themselves, until nothing follows or `to` is there. */
function walk(offer: Offer, start: InstalledBundle, to?: CatalogBundle): readonly Hop[] {
  const hops: Hop[] = [];
  const seen = new Set([start.name]);
  let current = start;
  while (current.name !== to?.name) {
    const updates = nextUpdates(offer, current);
    const [best] = updates;
    const hop = best === undefined || isSameBundle(best.bundle, current) ? undefined : hopOf(current, best, updates);
    if (hop === undefined || seen.has(hop.to.name)) break;
    seen.add(hop.to.name);
    hops.push(hop);
    current = hop.to;
  }
  return hops;
}

/** All that can be reached by updates that the policy allows, whichever are preferred, and the hop by which it is reached soonest. */
function explore(offer: Offer, start: InstalledBundle, to?: CatalogBundle): ReadonlyMap<string, Hop> {
  const hops = new Map<string, Hop>();
  const queue: InstalledBundle[] = [start];
  for (const current of queue) {
    const updates = nextUpdates(offer, current);
    for (const [index, update] of updates.entries()) {
      const { name } = update.bundle;
      const hop = name === start.name || hops.has(name) ? undefined : hopOf(current, update, updates);
      if (hop === undefined) continue;
      hops.set(name, { ...hop, isPinned: index > 0 });
      if (name === to?.name) return hops;
      queue.push(update.bundle);
    }
  }
  return hops;
}

function traceBack(hops: ReadonlyMap<string, Hop>, to: CatalogBundle): readonly Hop[] {
  const path: Hop[] = [];
  for (let hop = hops.get(to.name); hop !== undefined; hop = hops.get(hop.from.name)) path.unshift(hop);
  return path;
}

/** The updates from `from` to `to`: those that happen by themselves or, with v1, the fewest that asking for versions one after the other
 *  leads through. Without `to`: as far as updates go. */
export function pathBetween(offer: Offer, from: InstalledBundle, to?: CatalogBundle): UpdatePath {
  const natural = walk(offer, from, to);
  const last = natural.at(-1)?.to ?? from;
  if (to === undefined) return { start: from, hops: natural, isReached: true, end: explainEnd(offer, last) };
  if (last.name === to.name) return { start: from, hops: natural, isReached: true, end: [] };
  const asked = offer.policy === 'v1' ? traceBack(explore(offer, from, to), to) : [];
  if (asked.length > 0) return { start: from, hops: asked, isReached: true, end: [] };
  const end = explainMiss(offer, { from, to, natural });
  return { start: from, hops: natural, isReached: false, end };
}

/** The bundle that a person means: by name, or by version.
 *  @throws TerminalError InvalidVersion */
export function findBundle(from: CatalogPackage, text: string): CatalogBundle | undefined {
  const named = from.bundles.get(text);
  if (named !== undefined) return named;
  const version = parseTolerantVersion(text);
  const same = [...from.bundles.values()].filter((bundle) => compareVersions(bundle.version, version) === 0);
  return same.find((bundle) => formatVersion(bundle.version) === formatVersion(version)) ?? same[0];
}

/** As the package names its bundles, where it names one after its version; else `p.v1.2.3`. */
function usualName({ name, bundles }: CatalogPackage, version: string): string {
  const named = [...bundles.values()].find((bundle) => bundle.name.endsWith(formatVersion(bundle.version)));
  const start = named?.name.slice(0, -formatVersion(named.version).length) ?? `${name}.v`;
  return `${start}${version}`;
}

/** What is selected by a name or a version that is installed. A version that the package does not have is assumed to be named like its bundles.
 *  @throws TerminalError InvalidVersion */
export function findInstalled(from: CatalogPackage, text: string): InstalledBundle {
  const found = from.bundles.has(text) || /^v?[0-9]/.test(text) ? findBundle(from, text) : undefined;
  if (found !== undefined) return found;
  const version = /(?:^|\.)v?([0-9]+(?:\.[0-9]+){0,2}(?:[-+].*)?)$/.exec(text)?.[1];
  if (version === undefined) {
    throw new TerminalError(
      'InvalidVersion',
      `"${text}" is neither a bundle of package ${from.name} nor a version, such as 1.2.3`,
    );
  }
  const parsed = parseTolerantVersion(version);
  return { name: /^v?[0-9]/.test(text) ? usualName(from, formatVersion(parsed)) : text, version: parsed };
}

/** The path of a new installation: what would be installed, and the updates that follow.
 *  @throws TerminalError NothingToInstall */
export function firstInstalled(offer: Offer): CatalogBundle {
  const [first] = firstInstalls(offer);
  if (first !== undefined) return first.bundle;
  throw new TerminalError(
    'NothingToInstall',
    `package ${offer.package.name}: no bundle in the channels that were named`,
  );
}
