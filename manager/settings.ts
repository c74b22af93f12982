import type { DependencyPolicy } from '../src/api/index.ts';
import type { ContentLimits, ProxySettings } from '../src/base/index.ts';
import type { ImagePolicy } from '../src/image-policy/index.ts';
import type { RegistryMirror } from '../src/sources/index.ts';

/** A repository where contents of bundles are kept. */
export interface SharedStoreSettings {
  readonly registry: string;
  readonly repository: string;
  readonly loginPath: string | undefined;
}

/** The settings of the controllers, checked. Sizes in bytes. */
export interface ControllerSettings {
  readonly insecureRegistries: readonly string[];
  /** Secrets of git and http sources that name no hosts are for every server. */
  readonly allowsUnnamedHosts: boolean;
  readonly workers: number;
  /** In which every object is reconciled once although nothing changed. */
  readonly resyncMs: number;
  readonly limits: ContentLimits;
  /** Of contents and uploads together. */
  readonly contentStoreBytes: number;
  /** Where contents are kept beside the folder of this process; undefined: nowhere. */
  readonly sharedStore: SharedStoreSettings | undefined;
  /** How long a registry or git server may stay silent. */
  readonly answerDeadlineMs: number;
  /** How long the Bundles of earlier templates stay for an installation that is not healthy. */
  readonly healthDeadlineMs: number;
  /** What is done about dependencies that are not met. */
  readonly dependencyPolicy: DependencyPolicy;
  /** BundleDeployments must name a service account. */
  readonly isAccountRequired: boolean;
  /** Classes of other provisioners. */
  readonly foreignClasses: readonly string[];
  /** ClusterCatalogs can be queried by GraphQL, too. */
  readonly hasCatalogGraphql: boolean;
  /** Of the images of ClusterCatalogs. */
  readonly catalogLimits: ContentLimits;
}

/** A settings file that may change while the process runs. */
export interface Watched<T> {
  readonly read: () => Promise<T>;
  readonly watch: (listener: () => void) => Disposable;
}

/** What registries are asked with, and which images may be used. */
export interface RegistrySettings {
  /** PEM of authorities that are trusted beside the usual ones. */
  readonly authorities: readonly string[];
  readonly mirrors: Watched<readonly RegistryMirror[]>;
  readonly imagePolicy: Watched<ImagePolicy | undefined>;
}

/** What the process has from its environment. */
export interface ProcessEnvironment {
  readonly proxies: ProxySettings;
  /** Where programs are looked for: `PATH`. */
  readonly programPath: string | undefined;
  /** Of this program. */
  readonly version: string;
}
