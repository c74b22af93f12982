import { compareVersions, formatVersion } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, Channel } from '../package.ts';
import { sortChannel } from './channel-order.ts';
import { compareReleases, releaseOf } from './release.ts';
import { type Edge, edgeInto, type InstalledBundle, type Step, stepsOf } from './steps.ts';

/** The policy for updates: OLM v0 walks a channel, OLM v1 selects the highest version that an edge leads to. */
export type Policy = 'v0' | 'v1';

/** What the channels of a package offer, prepared for many lookups of updates. */
export interface Offer {
  readonly policy: Policy;
  readonly package: CatalogPackage;
  /** Of the entries that count: v0 by preference, v1 as they stand. */
  readonly steps: readonly Step[];
  readonly channels: readonly Channel[];
  /** No channel was named: bundles outside of channels count too. */
  readonly isWhole: boolean;
}

/** A bundle that may be installed next. */
export interface Update {
  readonly bundle: CatalogBundle;
  /** Undefined for a bundle of v1 that is in no channel. */
  readonly channel?: string;
  /** Why it may follow; undefined: nothing is installed, or it is what is installed. */
  readonly edge?: Edge;
}

/** One update of a path. */
export interface Hop {
  readonly from: InstalledBundle;
  readonly to: CatalogBundle;
  readonly channel: string;
  readonly edge: Edge;
  /** It is made only when that version is requested: something else is preferred. */
  readonly isPinned: boolean;
  /** What may follow as well, and is not taken. */
  readonly others: readonly string[];
}

/** The selected channels: those named, or all; the default one first. Channels that the package does not have are ignored. */
export function channelsOf(from: CatalogPackage, named: readonly string[] = []): readonly Channel[] {
  const selected = named.length > 0 ? from.channels.filter(({ name }) => named.includes(name)) : from.channels;
  const isDefault = ({ name }: Channel): boolean => name === from.defaultChannel;
  return [...selected.filter(isDefault), ...selected.filter((channel) => !isDefault(channel))];
}

/** Reads the channels once; no names: all.
 *  @throws TerminalError InvalidChannel for a range that cannot be read and, with v0, for a channel that has no order */
export function offerOf(policy: Policy, from: CatalogPackage, named: readonly string[] = []): Offer {
  const channels = channelsOf(from, named);
  const steps = channels.flatMap((channel) =>
    stepsOf(from, channel, policy === 'v0' ? sortChannel(channel, from.name) : channel.entries),
  );
  return { policy, package: from, steps, channels, isWhole: named.length === 0 };
}

/** Not deprecated before deprecated, then the higher version, then the higher release; at last by name, so that one order is certain. */
function byPreference(a: CatalogBundle, b: CatalogBundle): number {
  return (
    Number(a.deprecation !== undefined) - Number(b.deprecation !== undefined) ||
    compareVersions(b.version, a.version) ||
    compareReleases(releaseOf(b), releaseOf(a)) ||
    (a.name < b.name ? -1 : Number(a.name > b.name))
  );
}

/** The bundles as v1 would take them, whatever leads to them. */
export function preferred(bundles: readonly CatalogBundle[]): readonly CatalogBundle[] {
  return bundles.toSorted(byPreference);
}

/** Whether a bundle is what is installed: version, build metadata and release, whatever its name. */
export function isSameBundle(bundle: CatalogBundle, installed: InstalledBundle): boolean {
  const isSameVersion = formatVersion(bundle.version) === formatVersion(installed.version);
  return isSameVersion && releaseOf(bundle) === releaseOf(installed);
}

function successors({ steps, package: { bundles } }: Offer, installed: InstalledBundle): readonly Update[] {
  const found = new Map<string, Update>();
  for (const step of steps) {
    const edge = edgeInto(step, installed);
    if (edge === undefined || found.has(step.bundle.name)) continue;
    found.set(step.bundle.name, { bundle: step.bundle, channel: step.channel, edge });
  }
  for (const bundle of bundles.values()) {
    if (isSameBundle(bundle, installed) && !found.has(bundle.name)) found.set(bundle.name, { bundle });
  }
  return [...found.values()].toSorted((a, b) => byPreference(a.bundle, b.bundle));
}

/** All that may follow what is installed, the preferred first. With v1 what is installed is among them where the package has it; with v0
 *  staying is always possible, and the last choice. One hop: ask again from where it leads.
 *  @see docs/spec/catalogs.md#v0-updates, docs/spec/catalogs.md#v1-updates */
export function nextUpdates(offer: Offer, installed: InstalledBundle): readonly Update[] {
  if (offer.policy === 'v1') return successors(offer, installed);
  return offer.steps.flatMap((step): readonly Update[] => {
    const edge = edgeInto(step, installed);
    return edge === undefined ? [] : [{ bundle: step.bundle, channel: step.channel, edge }];
  });
}

function everything({ package: { bundles, channels } }: Offer): readonly Update[] {
  return [...bundles.values()].toSorted(byPreference).map((bundle) => {
    const channel = channels.find(({ entries }) => entries.some(({ name }) => name === bundle.name))?.name;
    return { bundle, ...(channel !== undefined && { channel }) };
  });
}

function asUpdate({ bundle, channel }: Step): Update {
  return { bundle, channel };
}

/** What may be installed where nothing is, the preferred first. */
export function firstInstalls(offer: Offer): readonly Update[] {
  if (offer.policy === 'v0') return offer.steps.map(asUpdate);
  if (offer.isWhole) return everything(offer);
  const updates = new Map(offer.steps.map((step) => [step.bundle.name, asUpdate(step)]));
  return [...updates.values()].toSorted((a, b) => byPreference(a.bundle, b.bundle));
}

/** The bundle that v0 starts with (`startingCSV`), as the channels have it, also where entries skip it; no names: all channels. */
export function startingInstalls(from: CatalogPackage, name: string, named: readonly string[] = []): readonly Update[] {
  const steps = channelsOf(from, named).flatMap((channel) => stepsOf(from, channel));
  return steps.filter(({ entry }) => entry.name === name).map(asUpdate);
}
