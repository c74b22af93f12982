/** Where else the images of a source are, in the order in which to ask. */
export interface RegistryMirror {
  /** Which references it is for: those with a digest, or those with a tag alone. */
  readonly appliesTo: 'digest' | 'tag';
  /** `quay.io`, `quay.io/team`, `quay.io/team/app`, or `*.example.com` for every host of that domain. */
  readonly source: string;
  /** What stands in place of `source`: a host, perhaps with a path. */
  readonly mirrors: readonly string[];
  readonly mayContactSource: boolean;
}

/** A repository in a registry, and the mirror that it is of; `mirror` is absent for the repository that the reference names. */
export interface PullPlace {
  readonly registry: string;
  /** Empty when a mirror that is a host alone stands for a whole repository. */
  readonly repository: string;
  readonly mirror?: string;
}

/** How many characters of `name` the source covers; undefined when it does not fit. */
function coveredLength(source: string, name: string): number | undefined {
  if (!source.startsWith('*.')) return name === source || name.startsWith(`${source}/`) ? source.length : undefined;
  const host = name.slice(0, name.indexOf('/'));
  const domain = source.slice(1);
  const bareHost = host.replace(/:\d+$/, '');
  return bareHost.endsWith(domain) && bareHost.length > domain.length ? host.length : undefined;
}

function isMoreSpecific(source: string, than: string): boolean {
  if (source.length !== than.length) return source.length > than.length;
  return !source.startsWith('*') && than.startsWith('*');
}

function placeAt(name: string, mirror?: string): PullPlace {
  const slash = name.indexOf('/');
  const registry = slash < 0 ? name : name.slice(0, slash);
  const repository = slash < 0 ? '' : name.slice(slash + 1);
  return { registry, repository, ...(mirror === undefined ? {} : { mirror }) };
}

interface Match {
  readonly entry: RegistryMirror;
  readonly length: number;
}

function mostSpecific(mirrors: readonly RegistryMirror[], name: string): Match | undefined {
  return mirrors
    .map((entry) => ({ entry, length: coveredLength(entry.source, name) }))
    .filter((found): found is Match => found.length !== undefined)
    .reduce<Match | undefined>(
      (best, next) => (best === undefined || isMoreSpecific(next.entry.source, best.entry.source) ? next : best),
      undefined,
    );
}

/** Where an image may be pulled from, in order: the mirrors of the most specific source that it lies under, then the repository itself, unless
 *  that must not be contacted. */
export function pullPlaces(
  mirrors: readonly RegistryMirror[],
  image: { readonly registry: string; readonly repository: string; readonly digest?: string },
): readonly PullPlace[] {
  const { registry, repository } = image;
  const name = `${registry}/${repository}`;
  const appliesTo = image.digest === undefined ? 'tag' : 'digest';
  const fitting = mirrors.filter((entry) => entry.appliesTo === appliesTo);
  const best = mostSpecific(fitting, name);
  if (best === undefined) return [{ registry, repository }];
  const { mirrors: elsewhere, mayContactSource } = best.entry;
  const places = elsewhere.map((mirror) => placeAt(`${mirror}${name.slice(best.length)}`, mirror));
  return mayContactSource ? [...places, { registry, repository }] : places;
}
