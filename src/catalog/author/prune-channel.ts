import type { Channel } from '../../resolver/index.ts';
import { orderChannel } from '../store/channel-heads.ts';

/** For each entry those right above it on the chains of replacement from the heads, as far as no entry skips their members.
 *  @see docs/spec/catalogs.md#chain-rule */
function aboveOf(heads: readonly string[], { entries }: Channel): ReadonlyMap<string, readonly string[]> {
  const replaced = new Map(entries.map(({ name, replaces }) => [name, replaces]));
  const skipped = new Set(entries.flatMap(({ skips }) => skips));
  const above = new Map<string, string[]>();
  const walked = new Set<string>();
  for (const head of heads) {
    const chain = new Set<string>();
    // Where chains meet, the rest is walked already.
    for (let name = head; !walked.has(name); ) {
      walked.add(name);
      chain.add(name);
      const next = replaced.get(name);
      if (next === undefined || !replaced.has(next) || skipped.has(next) || chain.has(next)) break;
      addTo(above, next, name);
      name = next;
    }
  }
  return above;
}

function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** For each entry the names of those that skip it, the nearest to the head first. */
function skippersOf(channel: Channel, distances: ReadonlyMap<string, number>): ReadonlyMap<string, readonly string[]> {
  const skippers = new Map<string, string[]>();
  const distanceOf = (name: string): number => distances.get(name) ?? Infinity;
  for (const { name, skips } of channel.entries.toSorted((a, b) => distanceOf(a.name) - distanceOf(b.name))) {
    for (const skipped of skips) {
      if (skipped !== name) addTo(skippers, skipped, name);
    }
  }
  return skippers;
}

/** The entries that have to stay in a channel when the requested ones do, so that it stays as valid as it is: its heads, all that lies on the chain
 *  above one that stays, and for what is skipped an entry that skips it. Edges to what goes may stay: they lead in from there. */
export function retainedEntries(channel: Channel, requested: readonly string[]): ReadonlySet<string> {
  const { heads, distances } = orderChannel(channel);
  const above = aboveOf(heads, channel);
  const skippers = skippersOf(channel, distances);
  const known = new Set(channel.entries.map(({ name }) => name));
  const retained = new Set<string>();
  const pending = [...heads, ...requested].filter((name) => known.has(name));
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (retained.has(name)) continue;
    retained.add(name);
    for (const other of above.get(name) ?? []) pending.push(other);
    const [nearest, ...others] = skippers.get(name) ?? [];
    if (nearest !== undefined && !others.some((other) => retained.has(other))) pending.push(nearest);
  }
  return retained;
}
