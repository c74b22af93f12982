import { goQuote, TerminalError } from '../../base/index.ts';
import type { Channel, ChannelEntry } from '../package.ts';

interface Links {
  readonly byName: ReadonlyMap<string, ChannelEntry>;
  readonly replaced: ReadonlySet<string>;
  readonly skipped: ReadonlySet<string>;
}

function linksOf(entries: readonly ChannelEntry[]): Links {
  return {
    byName: new Map(entries.map((entry) => [entry.name, entry])),
    replaced: new Set(entries.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces]))),
    skipped: new Set(entries.flatMap(({ skips }) => skips)),
  };
}

/** Undefined where the walk meets an entry again. */
function chainOf(head: ChannelEntry, { byName, skipped }: Links): readonly ChannelEntry[] | undefined {
  const seen = new Set<string>();
  const chain: ChannelEntry[] = [];
  let current: ChannelEntry | undefined = head;
  while (current !== undefined) {
    if (seen.has(current.name)) return undefined;
    seen.add(current.name);
    if (!skipped.has(current.name)) chain.push(current);
    current = current.replaces === undefined ? undefined : byName.get(current.replaces);
  }
  return chain;
}

function describeChain(chain: readonly ChannelEntry[]): string {
  const [first, last] = [chain[0], chain.at(-1)];
  if (first === undefined || last === undefined) return '[]';
  return chain.length === 1 ? first.name : `${first.name}...${last.name}`;
}

/** The entries that updates stop at, the nearest to the head first: the one chain of replacement, without what any entry skips. Ranges
 *  play no part.
 *  @throws TerminalError InvalidChannel for no head, for a cycle, and for more than one chain
 *  @see docs/spec/catalogs.md#v0-updates */
export function sortChannel(channel: Channel, packageName: string): readonly ChannelEntry[] {
  const where = `in channel ${goQuote(channel.name)} of package ${goQuote(packageName)}`;
  const refuse = (text: string): never => {
    throw new TerminalError('InvalidChannel', text);
  };
  const entries = channel.entries.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  const links = linksOf(entries);
  const heads = entries.filter(({ name }) => !links.replaced.has(name) && !links.skipped.has(name));
  if (heads.length === 0) return refuse(`no channel heads (entries not replaced by another entry) found ${where}`);
  const chains = heads.map(
    (head) =>
      chainOf(head, links) ??
      refuse(`a cycle exists in the chain of replacement beginning with ${goQuote(head.name)} ${where}`),
  );
  const [chain, ...more] = chains;
  if (chain !== undefined && more.length === 0) return chain;
  return refuse(
    `a unique replacement chain within a channel is required to determine the relative order between channel entries, but ${chains.length} replacement chains were found ${where}: ${chains.map(describeChain).join(', ')}`,
  );
}
