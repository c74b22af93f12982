import type { DependencyPolicy } from '../src/api/index.ts';
import type { ContentLimits, ProxySettings } from '../src/base/index.ts';
import type { ImagePolicy } from '../src/image-policy/index.ts';
import type { RegistryMirror } from '../src/sources/index.ts';

/** A repository that stores contents of bundles. */
export interface SharedStoreSettings {
  readonly registry: string;
  readonly repository: string;
  readonly loginPath: string | undefined;
}

/** The settings of the controllers, checked. Sizes in bytes. */
export interface ControllerSettings {
  readonly insecureRegistries: readonly string[];
  /** Secrets of git and http sources that do not name hosts are sent to every server. */
  readonly allowsUnnamedHosts: boolean;
  readonly workers: number;
  /** Interval in which every object is reconciled without a change. */
  readonly resyncMs: number;
  readonly limits: ContentLimits;
  /** Of contents and uploads together. */
  readonly contentStoreBytes: number;
  /** Where contents are stored in addition to the folder of this process; undefined: nowhere. */
  readonly sharedStore: SharedStoreSettings | undefined;
  /** Timeout for a registry or git server that sends nothing. */
  readonly answerDeadlineMs: number;
  /** The program that renders charts: a path, or a name that is looked for in PATH. */
  readonly helm: string;
  /** How long the Bundles of earlier templates are retained while an installation is not healthy. */
  readonly healthDeadlineMs: number;
  /** How dependencies that are not met are handled. */
  readonly dependencyPolicy: DependencyPolicy;
  /** BundleDeployments must name a service account. */
  readonly isAccountRequired: boolean;
  /** Classes of other provisioners. */
  readonly foreignClasses: readonly string[];
  /** ClusterCatalogs can also be queried by GraphQL. */
  readonly hasCatalogGraphql: boolean;
  /** Of the images of ClusterCatalogs. */
  readonly catalogLimits: ContentLimits;
}

/** A settings file that may change while the process runs. */
export interface Watched<T> {
  readonly read: () => Promise<T>;
  readonly watch: (listener: () => void) => Disposable;
}

/** How registries are accessed, and which images are allowed. */
export interface RegistrySettings {
  /** PEM of authorities that are trusted beside the usual ones. */
  readonly authorities: readonly string[];
  readonly mirrors: Watched<readonly RegistryMirror[]>;
  readonly imagePolicy: Watched<ImagePolicy | undefined>;
}

/** Settings from the environment of the process. */
export interface ProcessEnvironment {
  readonly proxies: ProxySettings;
  /** `PATH`, to find programs. */
  readonly programPath: string | undefined;
  /** Of this program. */
  readonly version: string;
}

/** The settings of cluster updates. */
export interface ClusterVersionSettings {
  /** What a cluster without a release is installed with: a folder, a tar or the reference of an image. */
  readonly release: string | undefined;
  /** Folders and tars that are read instead of an image. */
  readonly paths: ReadonlyMap<string, string>;
  /** Releases are retrieved by Jobs: a PersistentVolumeClaim, and the folder where this process has its volume. */
  readonly retrievalVolume: { readonly claim: string; readonly folder: string } | undefined;
  /** Update service that is asked instead of that of the ClusterVersion. */
  readonly updateService: string | undefined;
  /** Whether releases are accepted unverified while the running one names no keys. */
  readonly allowsUnsigned: boolean;
  /** Evaluates risks of updates; undefined for none. */
  readonly prometheus: PrometheusSettings | undefined;
}

/** A Prometheus, or what has its API. */
export interface PrometheusSettings {
  readonly url: string;
  /** Bearer token, read before each query. */
  readonly token: (() => Promise<string>) | undefined;
}

/** The settings of Operator Lifecycle Manager. */
export interface OlmSettings {
  /** Namespace whose CatalogSources are visible in all namespaces. */
  readonly globalCatalogNamespace: string;
}

/** A hook that comes with the program. */
export type ReadyHook =
  | { readonly name: 'replacement' | 'ordered-drain' | 'volume-detach' }
  | { readonly name: 'log-flush'; readonly delaySeconds: number };

/** Machines, and the provider that they run on. */
export interface MachinesSettings {
  /** Undefined: a simulated one. */
  readonly provider:
    | { readonly url: string; readonly token: (() => Promise<string>) | undefined }
    | { readonly program: string; readonly environment?: Readonly<Record<string, string | undefined>> }
    | undefined;
  /** What the annotation `delete-machine` does. */
  readonly deleteAnnotation: 'Prioritise' | 'Delete';
  readonly hooks: readonly ReadyHook[];
  /** Version of the release that this program belongs to; undefined: its own version. */
  readonly releaseVersion: string | undefined;
  /** The etcd of the control plane, whose majority is protected; undefined: it is not. */
  readonly etcd:
    | {
        readonly endpoints: readonly string[];
        readonly desiredMembers: number;
        /** PEM texts. */
        readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
      }
    | undefined;
}
