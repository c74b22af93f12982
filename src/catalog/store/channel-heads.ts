import type { Channel } from '../../resolver/index.ts';
import { headsOf } from '../check/channel-graph.ts';

/** How the entries of a channel stand to its end. */
export interface ChannelOrder {
  /** Entries that no other replaces or skips, sorted; one, in a channel without faults. */
  readonly heads: readonly string[];
  /** By entry: over how many edges at least it is reached down from a head; absent where it is not. */
  readonly distances: ReadonlyMap<string, number>;
}

/** @see docs/spec/catalogs.md#head-rule: an edge of an entry to itself counts too */
export function orderChannel(channel: Channel): ChannelOrder {
  const edges = new Map(channel.entries.map(({ name, replaces, skips }) => [name, [replaces ?? '', ...skips]]));
  const heads = headsOf(channel.entries);
  const distances = new Map<string, number>();
  let level: readonly string[] = heads;
  for (let distance = 0; level.length > 0; distance += 1) {
    // Once each: several edges may lead to one entry, and from there to the next, and so on.
    const fresh = new Set(level.filter((name) => edges.has(name) && !distances.has(name)));
    for (const name of fresh) distances.set(name, distance);
    level = [...fresh].flatMap((name) => edges.get(name) ?? []);
  }
  return { heads, distances };
}
