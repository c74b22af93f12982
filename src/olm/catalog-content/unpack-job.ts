import type { ImageJob, UnpackSettings } from '../images/image-job.ts';

/** Reason of an error about the content of a catalog: there must be another content before it is worth another try. */
export const contentFault = 'CatalogContentFault';

export type { RegistryTerms, UnpackSettings } from '../images/image-job.ts';

/** To make the index of one catalog. */
export interface UnpackJob extends ImageJob {
  /** Where the image has the catalog; else its label names the directory. */
  readonly directory?: string | undefined;
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

/** To make the index of what a registry serves over gRPC. */
export interface RegistryJob {
  readonly settings: Pick<UnpackSettings, 'deadlineMs'>;
  /** As that of an image. */
  readonly group: string;
  /** `HOST:PORT` */
  readonly address: string;
  /** Where the index goes. */
  readonly file: string;
}

/** To make the index of a catalog in a ConfigMap. */
export interface ConfigMapJob {
  readonly settings: Pick<UnpackSettings, 'deadlineMs'>;
  /** As that of an image. */
  readonly group: string;
  /** `NAMESPACE/NAME`, for messages. */
  readonly configMap: string;
  readonly data: Readonly<Record<string, string>>;
  /** Where the index goes. */
  readonly file: string;
}

/** What the thread that unpacks does. */
export interface CatalogJobs {
  readonly unpack: { readonly input: UnpackJob; readonly result: UnpackedCatalog };
  readonly registry: { readonly input: RegistryJob; readonly result: UnpackedCatalog };
  readonly configMap: { readonly input: ConfigMapJob; readonly result: UnpackedCatalog };
}
