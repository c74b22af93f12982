import type { Channel } from '../../resolver/index.ts';
import { orderChannel } from '../store/channel-heads.ts';

/** The chain of replacement from a head, as far as no entry skips its members.
 *  @see catalogs-and-resolution.md, section 1.7, "Chain rule" */
function spineOf(head: string, { entries }: Channel): readonly string[] {
  const replaced = new Map(entries.map(({ name, replaces }) => [name, replaces]));
  const skipped = new Set(entries.flatMap(({ skips }) => skips));
  const spine = new Set([head]);
  let next = replaced.get(head);
  while (next !== undefined && replaced.has(next) && !skipped.has(next) && !spine.has(next)) {
    spine.add(next);
    next = replaced.get(next);
  }
  return Array.from(spine);
}

/** For each entry the names of those that skip it, the nearest to the head first. */
function skippersOf(channel: Channel, distances: ReadonlyMap<string, number>): ReadonlyMap<string, readonly string[]> {
  const skippers = new Map<string, string[]>();
  const distanceOf = (name: string): number => distances.get(name) ?? Infinity;
  for (const { name, skips } of channel.entries.toSorted((a, b) => distanceOf(a.name) - distanceOf(b.name))) {
    for (const skipped of skips) {
      if (skipped !== name) skippers.set(skipped, [...(skippers.get(skipped) ?? []), name]);
    }
  }
  return skippers;
}

/** The entries that have to stay in a channel when the wanted ones do, so that it stays as valid as it is: its heads, all that lies on the chain
 *  above one that stays, and for what is skipped somebody who skips it. Edges to what goes may stay: they lead in from there. */
export function keptEntries(channel: Channel, wanted: readonly string[]): ReadonlySet<string> {
  const { heads, distances } = orderChannel(channel);
  const spines = heads.map((head) => spineOf(head, channel));
  const skippers = skippersOf(channel, distances);
  const known = new Set(channel.entries.map(({ name }) => name));
  const kept = new Set<string>();
  const pending = [...heads, ...wanted].filter((name) => known.has(name));
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (kept.has(name)) continue;
    kept.add(name);
    for (const spine of spines) {
      const at = spine.indexOf(name);
      if (at > 0) pending.push(...spine.slice(0, at));
    }
    const [nearest, ...others] = skippers.get(name) ?? [];
    if (nearest !== undefined && !others.some((other) => kept.has(other))) pending.push(nearest);
  }
  return kept;
}
