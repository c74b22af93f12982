import type { GroupVersionKind, Property, Version } from '../constraints/index.ts';

/** A member of a channel, and the edges that lead into it. */
export interface ChannelEntry {
  /** Of a bundle. */
  readonly name: string;
  /** May name no entry of the channel. */
  readonly replaces?: string;
  readonly skips: readonly string[];
  /** In the notation of version ranges; an edge from every version inside. */
  readonly skipRange?: string;
}

/** A line of updates. */
export interface Channel {
  readonly name: string;
  readonly entries: readonly ChannelEntry[];
  /** Why it should no longer be used. */
  readonly deprecation?: string;
}

/** A version of an operator, as a catalog has it. */
export interface CatalogBundle {
  readonly name: string;
  readonly packageName: string;
  readonly version: Version;
  /** Orders bundles of one version, where it is given. */
  readonly release?: string;
  /** Undefined where the manifests are in the catalog itself. */
  readonly image?: string;
  /** Without manifests and what only user interfaces need: `olm.bundle.object`, `olm.csv.metadata`. */
  readonly properties: readonly Property[];
  readonly deprecation?: string;
}

/** An operator in a catalog. */
export interface CatalogPackage {
  readonly name: string;
  readonly defaultChannel: string;
  /** By name. */
  readonly channels: readonly Channel[];
  readonly bundles: ReadonlyMap<string, CatalogBundle>;
  readonly deprecation?: string;
}

/** The view of a catalog for the selection of bundles. Reads come from memory or from a local file. */
export interface CatalogView {
  readonly name: string;
  /** Of a catalog of a namespace; undefined: of the cluster. */
  readonly namespace?: string;
  /** Higher is preferred. */
  readonly priority: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Sorted. */
  packageNames(): readonly string[];
  package(name: string): CatalogPackage | undefined;
  /** Names of packages some bundle of which provides the API, sorted. */
  packagesProviding(api: GroupVersionKind): readonly string[];
  /** Names of packages that have a bundle of that name, sorted; absent: that is only known by reading them. */
  packagesWith?(bundle: string): readonly string[];
}
