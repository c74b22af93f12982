import type { MetaPlace } from '../meta.ts';

/** Rules have the ids of docs/spec/catalogs.md#structural-validation (`S1` … `S29`) and docs/spec/catalogs.md#model-validation (`V2` … `V25`),
 *  and `parse` for docs/spec/catalogs.md#the-meta-blob; all others only warn. */
export type CatalogRule =
  | 'parse'
  | `S${number}`
  | `V${number}`
  | 'empty'
  | 'equal-versions'
  | 'head'
  | 'icon'
  | 'property'
  | 'range'
  | 'typo'
  | 'unknown-name'
  | 'unreachable';

/** A finding of a rule about a catalog. */
export interface CatalogFinding {
  readonly rule: CatalogRule;
  /** An error keeps the catalog from being valid. */
  readonly severity: 'error' | 'warning';
  /** For rules of the reference its text, byte for byte. */
  readonly message: string;
  /** Of the document that is to be changed; without a line where a whole file is meant. */
  readonly place?: Pick<MetaPlace, 'file'> & Partial<MetaPlace>;
  readonly package?: string;
  readonly channel?: string;
  readonly bundle?: string;
  /** What to do, or what the message leaves out. */
  readonly advice?: string;
}

/** What is wrong with a catalog. */
export interface CatalogReport {
  /** Faults of documents and of how they fit together first, in the order of the rules; then faults of each package's graph, by name; then warnings. */
  readonly findings: readonly CatalogFinding[];
  /** Findings beyond the limit: they are counted alone. */
  readonly more: number;
  readonly packages: number;
  readonly channels: number;
  readonly bundles: number;
}
