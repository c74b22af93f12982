import type { ChannelEntry } from '../../resolver/index.ts';
import type { MetaPlace } from '../meta.ts';
import type { BundleRecord } from './record.ts';

/** Why something should no longer be used, and where that is stated. */
export interface ModelDeprecation {
  readonly message: string;
  readonly place: MetaPlace;
}

/** A bundle as a member of a channel. */
export interface ModelBundle {
  readonly name: string;
  readonly packageName: string;
  readonly channelName: string;
  readonly entry: ChannelEntry;
  /** Undefined where the catalog has no such bundle. */
  readonly record?: BundleRecord;
  readonly deprecation?: ModelDeprecation;
}

/** A channel with its bundles, by the names that they are found by. */
export interface ModelChannel {
  readonly name: string;
  readonly packageName: string;
  readonly bundles: ReadonlyMap<string, ModelBundle>;
  readonly deprecation?: ModelDeprecation;
  readonly place: MetaPlace;
  /** What it seems to lack is not reported. */
  readonly isBroken: boolean;
  /** The package names it as its default channel, and nothing else does. */
  readonly isAssumed: boolean;
}

/** A package, put together of documents. */
export interface ModelPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: ReadonlyMap<string, ModelChannel>;
  readonly deprecation?: ModelDeprecation;
  readonly place: MetaPlace;
  readonly isBroken: boolean;
}
