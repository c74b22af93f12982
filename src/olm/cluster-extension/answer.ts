import { errorMessage, TerminalError } from '../../base/index.ts';
import { compareVersions } from '../../constraints/index.ts';
import {
  type CatalogPackage,
  type CatalogView,
  resolveV1,
  Steps,
  type V1Choice,
  type V1Request,
} from '../../resolver/index.ts';
import { type Choice, installedBy } from '../platform-operator/choice.ts';
import { describeChoice, type Needed, reasonOf, tryUpdate } from '../platform-operator/plan.ts';
import { presentBeside, type Standing } from '../platform-operator/present.ts';

/** A ClusterCatalog of the cluster whose content is not there. */
export interface UnservedCatalog {
  readonly name: string;
  readonly priority: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Asks the catalogs for the bundle of a ClusterExtension; plain data. */
export interface ExtensionQuestion {
  /** Of the ClusterExtension. */
  readonly name: string;
  readonly request: Omit<V1Request, 'installed' | 'mayDepend'>;
  readonly installed: Pick<Choice, 'bundle' | 'version' | 'release'> | undefined;
  readonly standing: readonly Standing[];
  readonly unserved: readonly UnservedCatalog[];
}

/** What the catalog reports as deprecated; the messages of a type in their order. */
export interface Deprecations {
  readonly package: readonly string[];
  readonly channels: readonly string[];
  /** By the name of the bundle. */
  readonly bundles: Readonly<Record<string, string>>;
}

/** The bundle to install, or why there is none. */
export type ExtensionAnswer =
  | {
      readonly outcome: 'chosen';
      readonly main: Choice;
      /** Bundles that it depends on. */
      readonly needed: readonly Needed[];
      readonly deprecations: Deprecations;
    }
  | { readonly outcome: 'none'; readonly text: string };

/** Stands for a catalog that cannot be read: it matters as far as what it may hold could change the choice. */
function viewOf({ name, priority, labels }: UnservedCatalog): CatalogView {
  return {
    name,
    priority,
    labels,
    packageNames: () => [],
    package: () => {
      throw new TerminalError('CatalogNotServed', `catalog ${JSON.stringify(name)} is not being served`);
    },
    packagesProviding: () => [],
  };
}

function present(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text) => text !== undefined && text !== '') as string[];
}

function deprecationsOf(found: CatalogPackage, channels: readonly string[], names: readonly string[]): Deprecations {
  const used = found.channels.filter(({ name }) => channels.length === 0 || channels.includes(name));
  const bundles = names.flatMap((name): [string, string][] => {
    const text = found.bundles.get(name)?.deprecation;
    return text === undefined ? [] : [[name, text]];
  });
  return {
    package: present([found.deprecation]),
    channels: present(used.map(({ deprecation }) => deprecation)),
    bundles: Object.fromEntries(bundles),
  };
}

const dependencyTypes: ReadonlySet<string> = new Set(['olm.gvk.required', 'olm.package.required', 'olm.constraint']);

/** What stays was chosen by no channel. */
function channelOf({ channel, package: { channels }, bundle }: V1Choice): { readonly channel?: string } {
  const found = channel ?? channels.find(({ entries }) => entries.some(({ name }) => name === bundle.name))?.name;
  return found === undefined ? {} : { channel: found };
}

/** What the bundle depends on that is not there; or why it cannot be had. */
function neededFor(
  { name, request: { packageName }, standing, installed }: ExtensionQuestion,
  choice: V1Choice,
  catalogs: readonly CatalogView[],
): readonly Needed[] | string {
  if (!choice.bundle.properties.some(({ type }) => dependencyTypes.has(type))) return [];
  const beside = presentBeside(standing, packageName, catalogs);
  const before = installed === undefined ? undefined : installedBy({ ...installed } as Choice);
  const request = { catalogs, name, packageName, installed: before, requester: 'clusterextension', ...beside };
  const update = { ...choice, ...channelOf(choice) };
  const plan = tryUpdate(request, choice, { update, passed: [], steps: new Steps() });
  if (typeof plan === 'string') return plan;
  return plan.outcome === 'change' ? plan.needed : [];
}

/** The highest version that is not the chosen one, and why it is not chosen: it stands against the question why nothing newer is installed. */
function reasonFor(choice: V1Choice, { request, installed }: ExtensionQuestion): string {
  const why = reasonOf(choice, choice.catalog);
  const highest = [...choice.package.bundles.values()].toSorted((a, b) => compareVersions(b.version, a.version))[0];
  if (highest === undefined || compareVersions(highest.version, choice.bundle.version) <= 0) return why;
  const newer = `${highest.name} is newer`;
  if (request.version !== undefined && request.version !== '')
    return `${why}; ${newer}, but spec.source.catalog.version is ${request.version}`;
  if (highest.deprecation !== undefined) return `${why}; ${newer}, but deprecated`;
  if (installed === undefined) return why;
  return `${why}; ${newer}, but no update leads to it from ${installed.bundle}`;
}

/** Chooses as Operator Lifecycle Manager 1 does, in its words; dependencies, which it refuses, are chosen too.
 *  @throws TransientError ResolutionCancelled
 *  @see docs/spec/catalogs.md#v1-updates */
export function answerExtension(question: ExtensionQuestion, served: readonly CatalogView[]): ExtensionAnswer {
  const { request, installed, unserved } = question;
  try {
    const known = { ...(installed !== undefined && { installed: installedBy(installed as Choice) }) };
    const choice = resolveV1([...served, ...unserved.map(viewOf)], { ...request, ...known, mayDepend: true });
    const main = describeChoice(choice, reasonFor(choice, question));
    if (typeof main === 'string') return { outcome: 'none', text: main };
    const needed = neededFor(question, choice, served);
    if (typeof needed === 'string') return { outcome: 'none', text: needed };
    const names = [choice.bundle.name, ...(installed === undefined ? [] : [installed.bundle])];
    return {
      outcome: 'chosen',
      main,
      needed,
      deprecations: deprecationsOf(choice.package, request.channels ?? [], names),
    };
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return { outcome: 'none', text: errorMessage(thrown) };
  }
}
