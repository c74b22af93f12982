import { compareVersions, formatVersion } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, CatalogView } from '../package.ts';
import { type Candidate, formatCatalogName } from './candidate.ts';
import type { Clashes } from './clash.ts';
import { factsOf } from './requirement.ts';
import type { Decision } from './search.ts';
import { bundleLabel, explainRules, labelOf, type Story } from './sentences.ts';

/** A decision, and what came before it. */
export interface UpdateDecision {
  readonly decision: Decision;
  readonly before: readonly Decision[];
  readonly clashes: Clashes;
  readonly story: Story;
}

interface Newer {
  readonly catalog: CatalogView;
  readonly package: CatalogPackage;
  readonly bundle: CatalogBundle;
}

type Reason = (newer: Newer, decision: UpdateDecision) => string | undefined;

/** The newest version of the package in the catalogs; undefined: it is the one that was chosen. */
function newestOf({ decision: { chosen }, story: { shelf } }: UpdateDecision): Newer | undefined {
  const { packageName, version } = chosen.facts;
  if (packageName === undefined) return undefined;
  let newest: Newer | undefined;
  for (const catalog of shelf.catalogs) {
    const found = shelf.package(catalog, packageName);
    for (const bundle of found?.bundles.values() ?? []) {
      if (found === undefined || compareVersions(bundle.version, newest?.bundle.version ?? version) <= 0) continue;
      newest = { catalog, package: found, bundle };
    }
  }
  return newest;
}

function whyRefused(refused: Candidate, { before, clashes, story }: UpdateDecision): string {
  const { rules, earlier } = clashes.refusal(refused, before);
  const choices = earlier.map((chosen) => `${labelOf(chosen)} was chosen before it.`);
  return [...choices, ...explainRules(rules, story)].join(' ');
}

function refusedOf({ bundle, catalog }: Newer, { decision: { refused } }: UpdateDecision): Candidate | undefined {
  return refused.find(({ origin }) => origin?.bundle.name === bundle.name && origin.catalog === catalog);
}

function channelsWith({ package: { channels }, bundle }: Newer): readonly string[] {
  return channels.filter(({ entries }) => entries.some(({ name }) => name === bundle.name)).map(({ name }) => name);
}

const notOutOfRange: Reason = ({ bundle }, { decision: { cause }, story: { shelf } }) => {
  if (cause.kind === 'requested') {
    const { versions } = cause.anchor.requested;
    if (versions === undefined || versions.include(bundle.version)) return undefined;
    return `it is not in range ${versions.text}, which was asked for`;
  }
  if (cause.kind !== 'needed' || shelf.isMet(cause.need.requirement, factsOf(bundle))) return undefined;
  return `it is not what ${labelOf(cause.by)} needs: ${cause.need.requirement.description}`;
};

const notMoved: Reason = (_, { decision: { cause, chosen }, story: { words } }) => {
  if (chosen.origin !== undefined) return undefined;
  if (cause.kind === 'fixed') return `no ${words.requested} is about the package, so that what is installed stays`;
  if (cause.kind === 'needed') return 'what is installed does';
  const { updates = 'always' } = cause.anchor.requested;
  return updates === 'always' ? undefined : 'the installed version stays, as no update was requested';
};

const notInChannel: Reason = (newer, { decision: { cause } }) => {
  const holders = channelsWith(newer);
  if (holders.length === 0) return 'it is in no channel';
  const channel = cause.kind === 'requested' ? (cause.anchor.requested.channel ?? '') : '';
  if (channel === '' || holders.includes(channel)) return undefined;
  return `it is not in channel ${channel}, which was asked for, but in ${holders.join(', ')}`;
};

const skipped: Reason = (newer) => {
  const {
    package: { channels },
    bundle,
  } = newer;
  const entries = channels.flatMap((channel) => channel.entries);
  const skipper = entries.find(({ skips }) => skips.includes(bundle.name));
  return skipper === undefined ? undefined : `${skipper.name} skips it`;
};

const noEdge: Reason = (newer, { decision: { cause, chosen } }) => {
  if (cause.kind !== 'requested' || cause.anchor.present === undefined) return undefined;
  const { present, requested, candidates } = cause.anchor;
  const isCandidate = candidates.some(({ origin }) => origin?.bundle.name === newer.bundle.name);
  if (isCandidate) return undefined;
  const version = formatVersion(present.facts.version);
  const channels =
    requested.channel === undefined || requested.channel === '' ? channelsWith(newer) : [requested.channel];
  const next = chosen === present ? '' : `; ask again when ${formatVersion(chosen.facts.version)} is installed`;
  return `no entry of channel ${channels.join(', ')} leads there from ${version}${next}`;
};

const laterCatalog: Reason = ({ catalog }, { decision: { chosen, cause } }) => {
  if (chosen.origin === undefined || chosen.origin.catalog === catalog) return undefined;
  const [here, there] = [formatCatalogName(chosen.origin.catalog), formatCatalogName(catalog)];
  const own = cause.kind === 'needed' && cause.by.origin?.catalog === chosen.origin.catalog;
  const why = own ? `that of ${labelOf(cause.by)}, comes first` : `comes before it`;
  return `it is in catalog ${there}; catalog ${here}${own ? ', ' : ' '}${why}`;
};

const laterChannel: Reason = (newer, { decision: { chosen, cause } }) => {
  const { origin } = chosen;
  const holders = channelsWith(newer);
  if (origin === undefined || holders.includes(origin.channel)) return undefined;
  if (cause.kind === 'requested' && (cause.anchor.requested.startingBundle ?? '') !== '') return undefined;
  const isDefault = origin.channel === newer.package.defaultChannel;
  const why = isDefault ? `, the default of the package, comes first` : ' comes first';
  return `it is only in channel ${holders.join(', ')}; channel ${origin.channel}${why}`;
};

const start: Reason = (_, { decision: { cause, chosen } }) => {
  const isStart = cause.kind === 'requested' && cause.anchor.requested.startingBundle === chosen.name;
  return isStart ? `${chosen.name} was asked for to begin with` : undefined;
};

const nearerHead: Reason = (_, { decision: { chosen } }) => `${chosen.name} is nearer to the head of its channel`;

const reasons: readonly Reason[] = [
  notOutOfRange,
  notMoved,
  notInChannel,
  start,
  noEdge,
  skipped,
  laterCatalog,
  laterChannel,
  nearerHead,
];

const preferred = 'would be preferred, but cannot be had';

/** Why the newest version of the package was not chosen, and, where that is another one, why the one was not that is preferred most of all.
 *  Sentences; none: the newest was chosen.
 *  @throws TransientError ResolutionCancelled */
export function whyNotNewer(decision: UpdateDecision): readonly string[] {
  const newest = newestOf(decision);
  const refusedNewest = newest === undefined ? undefined : refusedOf(newest, decision);
  const best = refusedNewest ?? decision.decision.refused[0];
  const sentences =
    best === undefined
      ? []
      : [`${labelOf(best)} ${best.origin === undefined ? 'cannot stay' : preferred}: ${whyRefused(best, decision)}`];
  if (newest === undefined || refusedNewest !== undefined) return sentences;
  const why = reasons.map((reason) => reason(newest, decision)).find((text) => text !== undefined);
  return [...sentences, `${bundleLabel(newest.bundle)} is newer, but ${why ?? 'it was not requested'}.`];
}
