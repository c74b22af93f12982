import {
  goQuote,
  isJsonObject,
  type JsonObject,
  objectAt,
  objectsAt,
  TerminalError,
  textAt,
} from '../../src/base/index.ts';
import { type Meta, orderChannel, PackageBuilder } from '../../src/catalog/index.ts';
import type { CatalogPackage, Channel } from '../../src/resolver/index.ts';

/** A line of `catalog list packages`. */
export interface PackageRow {
  readonly name: string;
  /** Empty when no bundle has it. */
  readonly displayName: string;
  readonly defaultChannel: string;
  readonly deprecation?: string;
}

/** A line of `catalog list channels`. */
export interface ChannelRow {
  readonly package: string;
  readonly channel: string;
  readonly head?: string;
  /** Why there is no head. */
  readonly error?: string;
  readonly deprecation?: string;
}

/** A line of `catalog list bundles`: a bundle in a channel. */
export interface BundleRow {
  readonly package: string;
  readonly channel: string;
  readonly bundle: string;
  readonly replaces: string;
  readonly skips: readonly string[];
  readonly skipRange: string;
  readonly image: string;
  readonly deprecation?: string;
}

/** A line of `catalog list images`: what it takes to install and run bundles, and to mirror them. */
export interface ImageRow {
  readonly image: string;
  /** Names of the bundles that need it, sorted; one of them may be the image itself. */
  readonly bundles: readonly string[];
}

/** Properties of a bundle that updates do not depend on. */
interface Described {
  readonly image: string;
  /** Its own and related ones. */
  readonly images: readonly string[];
  readonly displayName: string;
}

function inlinedCsv(property: JsonObject): JsonObject | undefined {
  const data = textAt(objectAt(property, 'value'), 'data');
  const text = Buffer.from(data, 'base64').toString();
  if (!text.includes('ClusterServiceVersion')) return undefined;
  try {
    const document: unknown = JSON.parse(text);
    return isJsonObject(document) && document['kind'] === 'ClusterServiceVersion' ? document : undefined;
  } catch {
    return undefined;
  }
}

function displayNameOf(bundle: JsonObject): string {
  const properties = objectsAt(bundle, 'properties');
  const metadata = properties.find((property) => textAt(property, 'type') === 'olm.csv.metadata');
  if (metadata !== undefined) return textAt(objectAt(metadata, 'value'), 'displayName');
  for (const property of properties) {
    const csv = textAt(property, 'type') === 'olm.bundle.object' ? inlinedCsv(property) : undefined;
    if (csv !== undefined) return textAt(objectAt(csv, 'spec'), 'displayName');
  }
  return '';
}

/** A fault of the graph, in the words of the reference. */
function headOf(channel: Channel): Pick<ChannelRow, 'head' | 'error'> {
  const { heads } = orderChannel(channel);
  const [head] = heads;
  if (head === undefined) return { error: 'no channel head found in graph' };
  if (heads.length > 1) return { error: `multiple channel heads found in graph: ${heads.join(', ')}` };
  return { head };
}

const deprecationOf = ({
  deprecation,
}: { readonly deprecation?: string } | Channel | CatalogPackage): { deprecation?: string } =>
  deprecation === undefined ? {} : { deprecation };

/** What `catalog list` prints of a catalog; keeps little of each document. */
export class Listing {
  readonly #builder = new PackageBuilder();
  readonly #described = new Map<string, Described>();
  #packages: ReadonlyMap<string, CatalogPackage> | undefined;
  readonly #requested: string | undefined;

  /** @param requested the only package that is of interest */
  constructor(requested: string | undefined) {
    this.#requested = requested;
  }

  add(meta: Meta): void {
    const owner = meta.schema === 'olm.package' ? meta.name : meta.package;
    if (this.#requested !== undefined && owner !== this.#requested) return;
    this.#builder.add(meta);
    if (meta.schema !== 'olm.bundle') return;
    const image = textAt(meta.value, 'image');
    const related = objectsAt(meta.value, 'relatedImages').map((one) => textAt(one, 'image'));
    const images = Array.from(new Set([image, ...related])).filter((text) => text !== '');
    this.#described.set(`${owner}/${meta.name}`, { image, images, displayName: displayNameOf(meta.value) });
  }

  packages(): readonly PackageRow[] {
    return this.#all().map((found) => ({
      name: found.name,
      displayName: this.#displayName(found),
      defaultChannel: found.defaultChannel,
      ...deprecationOf(found),
    }));
  }

  channels(): readonly ChannelRow[] {
    return this.#all().flatMap(({ name, channels }) =>
      channels.map((channel) => ({
        package: name,
        channel: channel.name,
        ...headOf(channel),
        ...deprecationOf(channel),
      })),
    );
  }

  bundles(): readonly BundleRow[] {
    return this.#all().flatMap(({ name, channels, bundles }) =>
      channels.flatMap((channel) =>
        channel.entries.map((entry) => ({
          package: name,
          channel: channel.name,
          bundle: entry.name,
          replaces: entry.replaces ?? '',
          skips: entry.skips,
          skipRange: entry.skipRange ?? '',
          image: this.#described.get(`${name}/${entry.name}`)?.image ?? '',
          ...deprecationOf(bundles.get(entry.name) ?? {}),
        })),
      ),
    );
  }

  images(): readonly ImageRow[] {
    const bundles = new Map<string, Set<string>>();
    for (const { name, channels } of this.#all()) {
      for (const entry of channels.flatMap(({ entries }) => entries)) {
        for (const image of this.#described.get(`${name}/${entry.name}`)?.images ?? []) {
          bundles.set(image, (bundles.get(image) ?? new Set()).add(entry.name));
        }
      }
    }
    const rows = Array.from(bundles, ([image, names]) => ({ image, bundles: Array.from(names).sort() }));
    return rows.sort((a, b) => (a.image < b.image ? -1 : 1));
  }

  /** @throws TerminalError NotFound when the requested package is not there */
  #all(): readonly CatalogPackage[] {
    this.#packages ??= this.#builder.build();
    const requested = this.#requested;
    if (requested !== undefined && !this.#packages.has(requested)) {
      throw new TerminalError('NotFound', `package ${goQuote(requested)} not found`);
    }
    return Array.from(this.#packages.values());
  }

  /** That of the default channel's head, else of any bundle. */
  #displayName({ name, defaultChannel, channels, bundles }: CatalogPackage): string {
    const channel = channels.find((candidate) => candidate.name === defaultChannel);
    const heads = channel === undefined ? [] : orderChannel(channel).heads;
    for (const bundle of [...heads, ...bundles.keys()]) {
      const { displayName = '' } = this.#described.get(`${name}/${bundle}`) ?? {};
      if (displayName !== '') return displayName;
    }
    return '';
  }
}
