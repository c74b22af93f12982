import type { JsonObject } from '../base/index.ts';

/** Where a document of a catalog stands. */
export interface MetaPlace {
  /** Relative to the catalog's root, with `/`. */
  readonly file: string;
  /** Of its first line, from 1. */
  readonly line: number;
}

/** One document of a catalog. The three names are read whatever their letters' case; '' where there is none.
 *  @see docs/spec/catalogs.md#the-meta-blob */
export interface Meta {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
  /** The whole document. */
  readonly value: JsonObject;
  readonly place: MetaPlace;
}
