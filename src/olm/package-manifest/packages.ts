import { setImmediate as turn } from 'node:timers/promises';
import type { JsonObject } from '../../base/index.ts';
import { type CatalogIndex, describeDefaultChannel, describePackage } from '../../catalog/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { ServedSource, ServedSources } from '../catalog-source/views.ts';
import { type Icon, iconOf } from './csv-description.ts';
import type { LabelSelector } from './label-selector.ts';
import { labelsOf, metadataOf, type PackageTraits, packageManifest, traitsOf } from './package-manifest.ts';

/** Which packages are asked for. */
export interface PackageQuery {
  /** Undefined: of all CatalogSources, each in its own namespace. */
  readonly namespace: string | undefined;
  readonly name?: string | undefined;
  readonly selects: LabelSelector;
}

/** A package that was found; what takes time to read is read on request. */
export interface FoundPackage {
  readonly source: KubeObject;
  readonly metadata: JsonObject;
  /** Undefined when it cannot be read any more. */
  readonly manifest: () => JsonObject | undefined;
}

/** The icon of a package, and what identifies it. */
export interface FoundIcon {
  readonly icon: Icon | undefined;
  readonly etag: string;
}

/** By package; undefined for one that cannot be shown. */
type KnownTraits = Map<string, PackageTraits | undefined>;

/** The packages of CatalogSources. Only what their labels are made of is kept in memory: everything else is read from the indexes each time. */
export class Packages {
  readonly #sources: ServedSources;
  readonly #known = new WeakMap<CatalogIndex, KnownTraits>();

  constructor(sources: ServedSources) {
    this.#sources = sources;
  }

  /** The packages, by CatalogSource and name; those of the namespace itself first. Other work runs in between. */
  async *list({ namespace, name, selects }: PackageQuery): AsyncGenerator<FoundPackage> {
    using served = this.#sources.serve(namespace);
    for (const one of served.sources) {
      const names = name === undefined ? one.index.packageNames() : [name];
      for (const packageName of names) {
        const traits = this.#traitsOf(one.index, packageName);
        if (traits === undefined) continue;
        const labels = labelsOf(one.source, traits);
        if (!selects(labels)) continue;
        yield found(one, { name: packageName, labels, namespace: namespace ?? one.source.metadata.namespace ?? '' });
        await turn();
      }
    }
  }

  /** The first of that name. */
  async get(namespace: string, name: string): Promise<JsonObject | undefined> {
    for await (const one of this.list({ namespace, name, selects: () => true })) return one.manifest();
    return undefined;
  }

  /** The icon of the default channel of the first package of that name; undefined where there is no package. */
  icon(namespace: string, name: string): FoundIcon | undefined {
    using served = this.#sources.serve(namespace);
    for (const { index } of served.sources) {
      const channel = describeDefaultChannel(index, name);
      if (channel === undefined) continue;
      const head = channel.entries[0]?.name ?? '';
      return { icon: iconOf(channel.csv), etag: `"${index.digest.slice(-16)}.${name}.${head}"` };
    }
    return undefined;
  }

  #traitsOf(index: CatalogIndex, name: string): PackageTraits | undefined {
    const known: KnownTraits = this.#known.get(index) ?? new Map();
    this.#known.set(index, known);
    if (known.has(name)) return known.get(name);
    // Names of no package would be without end.
    if (index.package(name) === undefined) return undefined;
    const channel = describeDefaultChannel(index, name);
    const traits = channel === undefined ? undefined : traitsOf(channel);
    known.set(name, traits);
    return traits;
  }
}

function found(
  { source, index }: ServedSource,
  place: { name: string; labels: Readonly<Record<string, string>>; namespace: string },
): FoundPackage {
  return {
    source,
    metadata: metadataOf(source, place),
    manifest: () => {
      const described = describePackage(index, place.name);
      return described === undefined ? undefined : packageManifest(source, described, place.namespace);
    },
  };
}
