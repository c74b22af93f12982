import { errorMessage, TerminalError } from '../../base/index.ts';
import {
  formatVersion,
  isInRange,
  parseVersionRange,
  type Version,
  type VersionRange,
} from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, Channel, ChannelEntry } from '../package.ts';

/** What is on a cluster, or is thought to be. It need not be in any catalog. */
export interface InstalledBundle {
  readonly name: string;
  readonly version: Version;
  readonly release?: string;
}

/** Why an entry may follow what is installed. */
export type Edge =
  | { readonly kind: 'replaces' | 'skips'; readonly name: string }
  | { readonly kind: 'skipRange'; readonly range: string; readonly version: string };

/** An entry of a channel that can be installed, its edges made ready to be asked often. */
export interface Step {
  readonly entry: ChannelEntry;
  readonly channel: string;
  readonly bundle: CatalogBundle;
  readonly skips: ReadonlySet<string>;
  readonly range?: VersionRange;
}

/** A description of an edge, to follow the name of its entry: `replaces p.v1.0.0`. */
export function describeEdge(edge: Edge): string {
  return edge.kind === 'skipRange' ? `skipRange "${edge.range}" covers ${edge.version}` : `${edge.kind} ${edge.name}`;
}

function rangeOf(entry: ChannelEntry, where: string): VersionRange | undefined {
  if (entry.skipRange === undefined || entry.skipRange === '') return undefined;
  try {
    return parseVersionRange(entry.skipRange);
  } catch (thrown) {
    throw new TerminalError(
      'InvalidChannel',
      `${where}: invalid skipRange "${entry.skipRange}": ${errorMessage(thrown)}`,
    );
  }
}

/** The entries that the package has a bundle for, in the order given.
 *  @throws TerminalError InvalidChannel when a range cannot be read */
export function stepsOf(
  from: CatalogPackage,
  channel: Channel,
  entries: readonly ChannelEntry[] = channel.entries,
): readonly Step[] {
  return entries.flatMap((entry): readonly Step[] => {
    const bundle = from.bundles.get(entry.name);
    if (bundle === undefined) return [];
    const range = rangeOf(entry, `package ${from.name}, channel ${channel.name}, entry ${entry.name}`);
    return [{ entry, channel: channel.name, bundle, skips: new Set(entry.skips), ...(range && { range }) }];
  });
}

/** Why the step may follow what is installed; undefined: it may not. */
export function edgeInto({ entry, skips, range }: Step, { name, version }: InstalledBundle): Edge | undefined {
  if (entry.replaces !== undefined && entry.replaces === name) return { kind: 'replaces', name };
  if (skips.has(name)) return { kind: 'skips', name };
  if (range === undefined || !isInRange(version, range)) return undefined;
  return { kind: 'skipRange', range: range.text, version: formatVersion(version) };
}
