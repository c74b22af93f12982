import type { ContentLimits, ProxySettings } from '../../base/index.ts';
import type { ImagePolicy } from '../../image-policy/index.ts';
import type { PullSecrets, RegistryMirror } from '../../sources/index.ts';

/** How images of catalogs are fetched and unpacked; crosses threads. */
export interface UnpackSettings {
  /** Of the directory that an image's label names, and of each layer. */
  readonly limits: ContentLimits;
  readonly insecureRegistries: readonly string[];
  readonly registryCaPem: readonly string[];
  readonly proxies?: ProxySettings | undefined;
  readonly answerDeadlineMs: number;
  /** `linux/amd64` */
  readonly platform: string;
  /** Of one catalog, from its first byte to its index. */
  readonly deadlineMs: number;
  readonly heapMebibytes: number;
}

/** What registries are asked with. */
export interface RegistryTerms {
  readonly pullSecrets: PullSecrets | undefined;
  readonly mirrors: readonly RegistryMirror[] | undefined;
  readonly policy: ImagePolicy | undefined;
}

/** To make the index of one catalog. */
export interface UnpackJob extends RegistryTerms {
  readonly settings: UnpackSettings;
  /** By digest. */
  readonly ref: string;
  /** As the catalog's owner wrote it. */
  readonly askedRef: string;
  /** The content was allowed before, and is compared with that. */
  readonly isKnown: boolean;
  /** For temporary files of this job alone. The next attempt reuses what is left there. */
  readonly workDir: string;
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
