import type { CatalogSource, Subscription } from '../../api/index.ts';
import { givenUp, type PresentBundle, type RequestedPackage } from '../../resolver/index.ts';
import type { HeldSources, UnavailableSource } from '../catalog-source/views.ts';
import { packagesOf, presentBundle } from './present.ts';
import { isReadable } from './report-catalogs.ts';
import { isFailForward, isGlobalExcluded, type Situation } from './situation.ts';

/** What the catalogs are asked for a namespace; plain data. */
export interface NamespaceQuestion {
  readonly namespace: string;
  /** Undefined: only deprecations. */
  readonly resolution: ResolutionQuestion | undefined;
  /** What is installed by each Subscription. */
  readonly installed: readonly InstalledFrom[];
}

/** What is to be resolved. */
export interface ResolutionQuestion {
  readonly excludesOtherNamespaces: boolean;
  readonly unavailable: readonly UnavailableSource[];
  readonly requested: readonly RequestedPackage[];
  readonly installed: readonly PresentBundle[];
}

/** Where a Subscription has what is installed from. */
export interface InstalledFrom {
  readonly subscription: string;
  readonly packageName: string;
  readonly channel: string;
  readonly source: string;
  readonly sourceNamespace: string;
  readonly installedCSV: string;
}

function requestOf({ metadata, spec, status }: Subscription, present: ReadonlySet<string>): RequestedPackage {
  const { installedCSV = '' } = status ?? {};
  return {
    name: metadata.name,
    packageName: spec.name,
    catalog: { name: spec.source, namespace: spec.sourceNamespace },
    channel: spec.channel ?? '',
    startingBundle: spec.startingCSV ?? '',
    ...(present.has(installedCSV) && { installed: installedCSV }),
  };
}

/** Those that nothing can be chosen from: the whole answer would be in doubt. One whose content was never read is among them. */
function unavailableIn(situation: Situation, held: HeldSources): readonly UnavailableSource[] {
  const isKnown = ({ metadata }: CatalogSource): boolean =>
    held.unavailable.some(({ name, namespace }) => name === metadata.name && namespace === metadata.namespace);
  const unread = situation.sources.filter((source) => !isReadable(source, held) && !isKnown(source));
  const all = [
    ...held.unavailable,
    ...unread.map(({ metadata: { name, namespace = '' } }): UnavailableSource => {
      return { name, namespace, why: `no registry client established for catalogsource ${namespace}/${name}` };
    }),
  ];
  return isGlobalExcluded(situation) ? all.filter(({ namespace }) => namespace === situation.namespace) : all;
}

function presentIn(situation: Situation): readonly PresentBundle[] {
  const { namespace, csvs, subscriptions } = situation;
  const states = csvs.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    phase: status?.phase ?? '',
    ...(spec.replaces !== undefined && spec.replaces !== '' && { replaces: spec.replaces }),
  }));
  const packages = packagesOf(subscriptions);
  const left = isFailForward(situation) ? givenUp(states, namespace) : new Set<string>();
  return csvs
    .filter(({ metadata }) => !left.has(metadata.name))
    .map((csv) => presentBundle(csv, packages.get(csv.metadata.name)));
}

/** States the question of a namespace whose Subscriptions have the status that they are to have.
 *  @throws TerminalError InvalidReplacement */
export function questionOf(situation: Situation, held: HeldSources, isDue: boolean): NamespaceQuestion {
  const { namespace, subscriptions } = situation;
  const installed = subscriptions.flatMap(({ metadata, spec, status }): InstalledFrom[] => {
    const { installedCSV = '' } = status ?? {};
    if (installedCSV === '') return [];
    const { source, sourceNamespace, channel = '' } = spec;
    const place = { packageName: spec.name, channel, source, sourceNamespace };
    return [{ subscription: metadata.name, ...place, installedCSV }];
  });
  if (!isDue) return { namespace, installed, resolution: undefined };
  const present = presentIn(situation);
  const names = new Set(present.map(({ name }) => name));
  const resolution: ResolutionQuestion = {
    excludesOtherNamespaces: isGlobalExcluded(situation),
    unavailable: unavailableIn(situation, held),
    requested: subscriptions.map((subscription) => requestOf(subscription, names)),
    installed: present,
  };
  return { namespace, installed, resolution };
}
