import { type ChannelLayout, type DrawnHop, layOutPackage, type Marks } from '../../../src/catalog/index.ts';
import type { CatalogPackage } from '../../../src/resolver/index.ts';

/** What is marked, with the reasons of the hops and why the path ends. */
export interface GraphMarks extends Marks {
  readonly path?: readonly (DrawnHop & { readonly reason: string })[];
  readonly end?: readonly string[];
}

/** A channel with the place of everything in its drawing; `edges` are those of the entries, whether they are drawn or not. */
function channelDocument({ channel, isDefault, rows, straights, tracks, lanes, leftOut }: ChannelLayout): object {
  const edges = channel.entries.flatMap(({ name: to, replaces, skips, skipRange }) => [
    ...(replaces === undefined ? [] : [{ kind: 'replaces', from: replaces, to }]),
    ...skips.map((from) => ({ kind: 'skips', from, to })),
    ...(skipRange === undefined ? [] : [{ kind: 'skipRange', from: skipRange, to }]),
  ]);
  const { name, deprecation } = channel;
  const note = deprecation === undefined ? {} : { deprecation };
  return { name, ...note, isDefault, rows, straights, tracks, lanes, leftOut, edges };
}

/** The graph for programs that draw it themselves: rows from the newest on, and the lines between them. */
export function graphDocument(
  found: CatalogPackage,
  channels: readonly string[] | undefined,
  marks: GraphMarks,
): object {
  const { path = [], end = [], installed } = marks;
  return {
    package: found.name,
    defaultChannel: found.defaultChannel,
    ...(installed === undefined ? {} : { installed: installed.name }),
    channels: layOutPackage(found, channels, marks).map(channelDocument),
    path,
    end,
  };
}
