import type { JsonObject } from '../../base/index.ts';
import { type BundleVersion, compareBundleVersions } from './bundle-version.ts';

/** Lines of maturity, lowest first. */
export const archetypes = ['candidate', 'fast', 'stable'] as const;
export type Archetype = (typeof archetypes)[number];

/** What the versions of a channel have in common. */
export type ChannelKind = 'major' | 'minor';

/** A bundle of an archetype. */
export interface VersionedBundle extends BundleVersion {
  readonly name: string;
}

/** A channel that was made. */
export interface GeneratedChannel {
  readonly name: string;
  readonly archetype: Archetype;
  readonly kind: ChannelKind;
  /** By rising version; at least one. */
  readonly bundles: readonly VersionedBundle[];
  /** As an `olm.channel` has them. */
  readonly entries: readonly JsonObject[];
}

interface Edges {
  readonly replaces?: string;
  readonly skips?: string[];
}

function grouped<K extends string>(
  bundles: readonly VersionedBundle[],
  key: (bundle: VersionedBundle) => K,
): ReadonlyMap<K, readonly VersionedBundle[]> {
  return Map.groupBy(bundles, key);
}

/** The edges of one major version: the last bundle of each minor version replaces the last one of the minor version before, and skips all others
 *  below. `bundles` by rising version. */
function edgesOf(bundles: readonly VersionedBundle[]): ReadonlyMap<string, Edges> {
  const edges = new Map<string, Edges>();
  let previous: VersionedBundle | undefined;
  const below: string[] = [];
  for (const minor of grouped(bundles, ({ version }) => `${version.minor}`).values()) {
    const last = minor.at(-1);
    if (last === undefined) continue;
    for (const { name } of minor.slice(0, -1)) below.push(name);
    const skips = below.filter((name) => name !== previous?.name).sort(compareTexts);
    edges.set(last.name, {
      ...(previous === undefined ? {} : { replaces: previous.name }),
      ...(skips.length === 0 ? {} : { skips }),
    });
    below.push(last.name);
    previous = last;
  }
  return edges;
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

const channelKeys: Readonly<Record<ChannelKind, (bundle: VersionedBundle) => string>> = {
  major: ({ version }) => `v${version.major}`,
  minor: ({ version }) => `v${version.major}.${version.minor}`,
};

/** Channels of one archetype and kind. No edge leads from one major version to another.
 *  @see docs/spec/catalogs.md#templates */
export function generateChannels(
  archetype: Archetype,
  kind: ChannelKind,
  bundles: readonly VersionedBundle[],
): readonly GeneratedChannel[] {
  const rising = bundles.toSorted((a, b) => compareBundleVersions(a, b) || compareTexts(a.name, b.name));
  const majors = grouped(rising, channelKeys.major);
  const edges = new Map([...majors.values()].flatMap((major) => [...edgesOf(major)]));
  return [...grouped(rising, channelKeys[kind])].map(([version, members]) => ({
    name: `${archetype}-${version}`,
    archetype,
    kind,
    bundles: members,
    entries: members.map(({ name }) => ({ name, ...edges.get(name) })),
  }));
}

function isPreferred(a: GeneratedChannel, b: GeneratedChannel, preference: ChannelKind): boolean {
  const rank = archetypes.indexOf(a.archetype) - archetypes.indexOf(b.archetype);
  if (rank !== 0) return rank > 0;
  const [first, other] = [a.bundles[0], b.bundles[0]];
  const order = first === undefined || other === undefined ? 0 : compareBundleVersions(first, other);
  if (order !== 0) return order > 0;
  return a.kind === preference && b.kind !== preference;
}

/** The channel that is the default: of the highest archetype the one whose lowest version is highest, then the preferred kind. So with both kinds a later
 *  minor channel comes before the major channel that it belongs to, whatever is preferred: as `opm` chooses, so that catalogs stay what they are. */
export function chooseDefaultChannel(
  channels: readonly GeneratedChannel[],
  preference: ChannelKind,
): GeneratedChannel | undefined {
  let best: GeneratedChannel | undefined;
  for (const channel of channels) if (best === undefined || isPreferred(channel, best, preference)) best = channel;
  return best;
}
