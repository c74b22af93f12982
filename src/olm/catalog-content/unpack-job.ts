import type { ImageJob } from '../images/image-job.ts';

export type { RegistryTerms, UnpackSettings } from '../images/image-job.ts';

/** To make the index of one catalog. */
export interface UnpackJob extends ImageJob {
  /** Where the index goes. */
  readonly file: string;
}

/** What a catalog holds, and what is wrong with its packages. */
export interface UnpackedCatalog {
  readonly digest: string;
  readonly metaCount: number;
  readonly lengthBytes: number;
  readonly packageCount: number;
  /** `package: fault` of those that break a rule, some of them. */
  readonly faults: readonly string[];
  /** All of them. */
  readonly faultCount: number;
}

/** What the thread that unpacks does. */
export interface CatalogJobs {
  readonly unpack: { readonly input: UnpackJob; readonly result: UnpackedCatalog };
}
