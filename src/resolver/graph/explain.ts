import { compareVersions, formatVersion } from '../../constraints/index.ts';
import type { CatalogBundle } from '../package.ts';
import { describeEdge, type InstalledBundle } from './steps.ts';
import { type Hop, isSameBundle, nextUpdates, type Offer } from './updates.ts';

interface Miss {
  readonly from: InstalledBundle;
  readonly to: CatalogBundle;
  readonly natural: readonly Hop[];
}

/** More ways into a version are not listed. */
const maxWaysIn = 5;

function channelNames({ channels }: Offer): string {
  const names = channels.map(({ name }) => name);
  if (names.length === 0) return 'no channel';
  return `${names.length === 1 ? 'channel' : 'channels'} ${names.join(', ')}`;
}

function describeInstalled({ name, version }: InstalledBundle): string {
  const text = formatVersion(version);
  return name.includes(text) ? name : `${name} (${text})`;
}

/** Why no update leads on from there. */
export function explainEnd(offer: Offer, last: InstalledBundle): readonly string[] {
  const name = describeInstalled(last);
  const heads = offer.channels
    .filter(
      (channel) =>
        offer.policy === 'v0' && offer.steps.find((step) => step.channel === channel.name)?.entry.name === last.name,
    )
    .map((channel) => `${name} is the head of channel ${channel.name}.`);
  if (heads.length > 0) return heads;
  const updates = nextUpdates(offer, last);
  const others = updates.filter(({ bundle }) => !isSameBundle(bundle, last));
  const [other] = others;
  if (other !== undefined) return [`${name} stays: it is preferred to ${other.bundle.name}${why(other.bundle, last)}.`];
  const nothing = `no entry of ${channelNames(offer)} replaces, skips or covers ${name}`;
  if (updates.length > 0) return [`${name} is the last: ${nothing}.`];
  return [
    offer.policy === 'v1'
      ? `Nothing leads on: ${nothing}, and it is not in the catalog itself; with policy v1 that is an error, and nothing changes.`
      : `Nothing leads on: ${nothing}; with policy v0 it stays as it is, without a notice.`,
  ];
}

function why({ deprecation, version }: CatalogBundle, last: InstalledBundle): string {
  if (deprecation !== undefined) return ', which is deprecated';
  return compareVersions(version, last.version) < 0 ? ', which is older' : '';
}

/** The ways into a bundle, as its entries have them. */
function waysInto({ channels }: Offer, to: CatalogBundle): readonly string[] {
  const ways = channels.flatMap((channel) =>
    channel.entries
      .filter(({ name }) => name === to.name)
      .flatMap(({ replaces, skips, skipRange }) => [
        ...(replaces === undefined ? [] : [`it replaces ${replaces}`]),
        ...skips.map((name) => `it skips ${name}`),
        ...(skipRange === undefined ? [] : [`its skipRange covers ${skipRange}`]),
      ]),
  );
  const unique = [...new Set(ways)];
  return unique.length > maxWaysIn ? [...unique.slice(0, maxWaysIn), `${unique.length - maxWaysIn} more`] : unique;
}

/** Why the bundle is nothing that updates stop at. */
function explainPlace(offer: Offer, { from, to, natural }: Miss): readonly string[] {
  const holders = offer.package.channels.filter(({ entries }) => entries.some(({ name }) => name === to.name));
  const meant = holders.filter((holder) => offer.channels.some(({ name }) => name === holder.name));
  if (meant.length === 0) {
    const others = holders.length === 0 ? 'no channel' : `${holders.map(({ name }) => name).join(', ')}`;
    return [`It is not in ${channelNames(offer)}; it is in ${others}.`];
  }
  if (compareVersions(to.version, from.version) < 0) {
    return [`It is older than ${describeInstalled(from)}: updates lead back only if an entry allows it.`];
  }
  const entries = meant.flatMap((channel) => channel.entries);
  const skipper = entries.find(({ skips }) => skips.includes(to.name));
  if (offer.policy === 'v0' && skipper !== undefined) {
    return [`${skipper.name} skips it: it is installed only where a subscription starts with it, never by an update.`];
  }
  const passing = natural.find((hop) => hop.others.includes(to.name));
  if (passing === undefined) return [];
  const edge = describeEdge(passing.edge);
  return [
    `From ${describeInstalled(passing.from)} the update goes to ${passing.to.name} (${edge}): the nearest to the head is taken.`,
  ];
}

/** Why updates do not lead to `to`, and what an entry would need so that they did. */
export function explainMiss(offer: Offer, miss: Miss): readonly string[] {
  const { from, to, natural } = miss;
  const last = natural.at(-1)?.to ?? from;
  const version = formatVersion(last.version);
  const place = explainPlace(offer, miss);
  const title = `${formatVersion(to.version)} is not reachable`;
  const nothing = `no entry replaces, skips or covers ${version}`;
  const isPast = natural.length > 0 && compareVersions(last.version, to.version) > 0;
  const isStuck = !isPast && nextUpdates(offer, last).every(({ bundle }) => isSameBundle(bundle, last));
  const sentences = [isStuck ? `${title}: ${nothing}.` : `${title} from ${formatVersion(from.version)}.`, ...place];
  const ways = waysInto(offer, to);
  if (ways.length > 0) sentences.push(`What leads to ${to.name}: ${ways.join('; ')}.`);
  if (place.length > 0) return sentences;
  const request = ways.length > 0 ? ` An entry between them, or` : '';
  const needed = `an entry of ${to.name} with "skips: [${last.name}]" or a skipRange that covers ${version}`;
  return [...sentences, `${request} ${needed} would do.`.trim().replace(/^an/, 'An')];
}
