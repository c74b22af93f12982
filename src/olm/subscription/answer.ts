import type { Property } from '../../constraints/index.ts';
import {
  type CatalogPackage,
  type CatalogView,
  type ChosenBundle,
  type Conflict,
  type Origin,
  type ResolutionRequest,
  resolve,
} from '../../resolver/index.ts';
import type { InstalledFrom, NamespaceQuestion, ResolutionQuestion } from './question.ts';

/** A bundle that is to be installed. */
export interface Selected {
  /** Of its ClusterServiceVersion. */
  readonly name: string;
  readonly packageName: string;
  readonly channel: string;
  readonly catalog: { readonly name: string; readonly namespace: string };
  /** Undefined where the catalog has the manifests. */
  readonly image?: string;
  readonly properties: readonly Property[];
  /** What it replaces: what is installed, or else what its entry replaces. */
  readonly replaces?: string;
  /** Names of the Subscriptions that it is for; none: something else needs it. */
  readonly subscriptions: readonly string[];
}

/** What is deprecated of an entry of a catalog. */
export interface Deprecations {
  readonly package?: string;
  readonly channel?: string;
  readonly bundle?: string;
}

/** What the catalogs have. */
export interface NamespaceAnswer {
  readonly resolution: Selection | Refusal | undefined;
  /** By Subscription; absent where no catalog has an entry for what is installed. */
  readonly deprecations: Readonly<Record<string, Deprecations>>;
}

/** All bundles that are to be installed; none: nothing is newer. */
export interface Selection {
  readonly outcome: 'selected';
  readonly bundles: readonly Selected[];
  /** By Subscription: why a bundle that is preferred cannot be installed. */
  readonly passedOver: Readonly<Record<string, string>>;
}

/** Why nothing can be selected. */
export interface Refusal extends Pick<Conflict, 'outcome' | 'reason'> {
  /** The sentence of the original, then what it means. */
  readonly message: string;
}

/** Of the sentence of the original: what it means must have room behind it. */
const maxSentenceCharacters = 20_000;

function replacedBy({ catalog, channel, bundle }: Origin): string | undefined {
  const found = catalog.package(bundle.packageName)?.channels.find(({ name }) => name === channel);
  return found?.entries.find(({ name }) => name === bundle.name)?.replaces;
}

function selectedOf({ origin, updates, requestedBy }: ChosenBundle): readonly Selected[] {
  if (origin === undefined) return [];
  const { bundle, catalog, channel } = origin;
  const { name, packageName, image, properties } = bundle;
  const replaces = updates?.from.name ?? replacedBy(origin);
  return [
    {
      name,
      packageName,
      channel,
      catalog: { name: catalog.name, namespace: catalog.namespace ?? '' },
      ...(image !== undefined && { image }),
      properties,
      ...(replaces !== undefined && { replaces }),
      subscriptions: requestedBy,
    },
  ];
}

/** An option of other callers of the resolver. */
const otherOption = /; if it works without, use installed constraints \w+(?=\.)/;

/** The sentence of the original, and the explanation. */
function messageOf({ message, summary, sentences, action }: Conflict): string {
  const explanation = sentences.filter((sentence) => sentence !== message);
  return [`${message.slice(0, maxSentenceCharacters)}.`, summary, ...explanation, action.replace(otherOption, '')].join(
    ' ',
  );
}

/** What is wrong beside a catalog that cannot be read: correcting that alone may not help. */
function withoutThem({ message, summary }: Conflict): string {
  return ` From the catalogs that can be read: ${message.slice(0, maxSentenceCharacters)}. ${summary}`;
}

function selectionOf(bundles: readonly ChosenBundle[]): Selection {
  const passedOver = bundles.flatMap(({ requestedBy, passedOver: why }): [string, string][] =>
    why === undefined ? [] : requestedBy.map((name) => [name, why]),
  );
  return { outcome: 'selected', bundles: bundles.flatMap(selectedOf), passedOver: Object.fromEntries(passedOver) };
}

/** Whether further catalogs cannot change the choice: no Subscription names one of them, all that is installed is for a Subscription, and each gets what
 *  it prefers. */
function isIndependent(bundles: readonly ChosenBundle[], { requested, unavailable }: ResolutionQuestion): boolean {
  const isNamed = requested.some(({ catalog }) =>
    unavailable.some(({ name, namespace }) => name === catalog?.name && namespace === catalog.namespace),
  );
  const isChoiceOfOne = ({ origin, requestedBy, passedOver }: ChosenBundle): boolean =>
    passedOver === undefined && (origin === undefined || requestedBy.length > 0);
  return !isNamed && bundles.every(isChoiceOfOne);
}

/** A catalog that cannot be read holds up only what it could change. */
function answerResolution(
  question: ResolutionQuestion,
  asked: Pick<ResolutionRequest, 'namespace' | 'catalogs' | 'limits'>,
): Selection | Refusal {
  const { unavailable, ...rest } = question;
  const found = resolve({ ...asked, ...rest });
  if (found.outcome === 'resolved' && (unavailable.length === 0 || isIndependent(found.bundles, question))) {
    return selectionOf(found.bundles);
  }
  const refused = unavailable.length === 0 ? found : resolve({ ...asked, ...question });
  if (refused.outcome === 'resolved') return selectionOf(refused.bundles);
  const more = unavailable.length > 0 && found.outcome === 'conflict' ? withoutThem(found) : '';
  return { outcome: 'conflict', reason: refused.reason, message: `${messageOf(refused)}${more}` };
}

/** The entry of what is installed, in the named channel or any. */
function deprecationsIn(found: CatalogPackage, { channel, installedCSV }: InstalledFrom): Deprecations | undefined {
  const channels = found.channels.filter(({ name }) => channel === '' || name === channel);
  const holding = channels.find(({ entries }) => entries.some(({ name }) => name === installedCSV));
  if (holding === undefined) return undefined;
  const { deprecation: bundle } = found.bundles.get(installedCSV) ?? {};
  return {
    ...(found.deprecation !== undefined && { package: found.deprecation }),
    ...(holding.deprecation !== undefined && { channel: holding.deprecation }),
    ...(bundle !== undefined && { bundle }),
  };
}

function deprecationsOf(
  installed: readonly InstalledFrom[],
  catalogs: readonly CatalogView[],
): Readonly<Record<string, Deprecations>> {
  const entries = installed.flatMap((from): [string, Deprecations][] => {
    const { source, sourceNamespace, packageName } = from;
    const view = catalogs.find(({ name, namespace }) => name === source && namespace === sourceNamespace);
    const found = view?.package(packageName);
    const deprecations = found === undefined ? undefined : deprecationsIn(found, from);
    return deprecations === undefined ? [] : [[from.subscription, deprecations]];
  });
  return Object.fromEntries(entries);
}

/** Answers from the catalogs that are visible in the namespace.
 *  @throws TransientError ResolutionCancelled · TerminalError DuplicateIdentifier */
export function answerNamespace(
  question: NamespaceQuestion,
  catalogs: readonly CatalogView[],
  isCancelled: () => boolean = () => false,
): NamespaceAnswer {
  const { namespace, resolution, installed } = question;
  const asked = { namespace, catalogs, limits: { isCancelled } };
  return {
    resolution: resolution === undefined ? undefined : answerResolution(resolution, asked),
    deprecations: deprecationsOf(installed, catalogs),
  };
}
