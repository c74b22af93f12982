import type { ChannelEntry } from '../../resolver/index.ts';
import type { CatalogRule } from './finding.ts';

/** Why a channel leads nowhere, or to several places. */
export interface ChannelFault {
  readonly rule: CatalogRule;
  readonly message: string;
  readonly advice: string;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

/** Entries that none replaces or skips, themselves included; sorted. */
export function headsOf(entries: readonly ChannelEntry[]): readonly string[] {
  const reached = new Set(
    entries.flatMap(({ replaces, skips }) => [...(replaces === undefined ? [] : [replaces]), ...skips]),
  );
  return [...new Set(entries.map(({ name }) => name))].filter((name) => !reached.has(name)).sort();
}

/** From the head down what it replaces, and what that does; ends before what is skipped and what is no entry. A name that comes again ends it. */
function chainFrom(
  head: string,
  byName: ReadonlyMap<string, ChannelEntry>,
  skipped: ReadonlySet<string>,
): readonly string[] {
  const chain = [head];
  const seen = new Set(chain);
  for (let next = byName.get(head)?.replaces; next !== undefined && byName.has(next) && !skipped.has(next); ) {
    chain.push(next);
    if (seen.has(next)) break;
    seen.add(next);
    next = byName.get(next)?.replaces;
  }
  return chain;
}

function headFault(heads: readonly string[]): ChannelFault | undefined {
  if (heads.length === 1) return undefined;
  if (heads.length === 0) {
    return {
      rule: 'V13',
      message: 'no channel head found in graph',
      advice: 'every entry is replaced or skipped by another one: the newest must be neither',
    };
  }
  return {
    rule: 'V14',
    message: `multiple channel heads found in graph: ${heads.join(', ')}`,
    advice: `one of them must be the newest, and replace or skip the others: ${quoted(heads)}`,
  };
}

/** What keeps the entries of a channel, of which there is at least one, from being one line of updates.
 *  @see docs/spec/catalogs.md#head-rule, docs/spec/catalogs.md#chain-rule */
export function channelFault(entries: readonly ChannelEntry[]): ChannelFault | undefined {
  const heads = headsOf(entries);
  const [head = ''] = heads;
  const fault = headFault(heads);
  if (fault !== undefined) return fault;
  const skipped = new Set(entries.flatMap(({ skips }) => skips));
  const chain = chainFrom(head, new Map(entries.map((entry) => [entry.name, entry])), skipped);
  const last = chain.at(-1) ?? head;
  const [end, again] = [chain.indexOf(last), chain.length - 1];
  if (end < again) {
    return {
      rule: 'V15',
      message: `detected cycle in replaces chain of upgrade graph: ${chain.slice(end).join(' -> ')}`,
      advice: 'let each entry replace an older one',
    };
  }
  const onChain = new Set(chain);
  const stranded = entries
    .map(({ name }) => name)
    .filter((name) => !onChain.has(name) && !skipped.has(name))
    .sort();
  if (stranded.length === 0) return undefined;
  return {
    rule: 'V16',
    message: `channel contains one or more stranded bundles: ${stranded.join(', ')}`,
    advice: `no update leads from there to the head: let ${quoted([head])} skip them, or the last of its chain, ${quoted([last])}, replace the newest of them`,
  };
}
