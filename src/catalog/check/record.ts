import type { Version } from '../../constraints/index.ts';
import type { ChannelEntry } from '../../resolver/index.ts';
import type { MetaPlace } from '../meta.ts';
import type { DecodedDeprecation } from './decode.ts';
import type { CatalogFinding } from './finding.ts';

/** What is kept of a document while the others are read: little, because there may be a hundred thousand of them. */
interface Kept {
  readonly name: string;
  readonly packageName: string;
  readonly place: MetaPlace;
  /** It could not be decoded whole: what it seems to lack is not reported as well. */
  readonly isBroken: boolean;
}

/** Of an `olm.package`; `packageName` is its own name. */
export interface PackageRecord extends Kept {
  readonly defaultChannel: string;
}

/** Of an `olm.channel`. */
export interface ChannelRecord extends Kept {
  readonly entries: readonly ChannelEntry[];
}

/** Of an `olm.bundle`. */
export interface BundleRecord extends Kept {
  /** Undefined where the bundle states none, or none that can be read. */
  readonly version?: Version;
  readonly release: string;
  readonly hasImage: boolean;
  readonly hasObjects: boolean;
  /** How often the bundle states its package. */
  readonly packageProperties: number;
  /** What is wrong with the document alone. */
  readonly faults: readonly CatalogFinding[];
}

/** Of an `olm.deprecations`. */
export interface DeprecationsRecord extends Kept {
  readonly entries: readonly DecodedDeprecation[];
}

/** A copy that keeps no document alive: parts of a text may hold the whole of it. */
export function detached(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
