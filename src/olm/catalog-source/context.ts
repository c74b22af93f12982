import type { Clock, Logger } from '../../base/index.ts';
import type { BackgroundWork } from '../../controller/index.ts';
import type { KindCache, KubeClient, NamespacedName } from '../../kube/index.ts';
import type { Metrics } from '../../metrics/index.ts';
import type { CatalogStore } from '../catalog-content/catalog-store.ts';
import type { PinImage } from '../catalog-content/pin.ts';
import type {
  ConfigMapJob,
  RegistryJob,
  RegistryTerms,
  UnpackedCatalog,
  UnpackJob,
  UnpackSettings,
} from '../catalog-content/unpack-job.ts';
import type { ClusterVersion } from './cluster-version.ts';
import type { RegistryConnection } from './registry-connection.ts';
import type { SourceDirectory } from './source-directory.ts';

/** Makes the index of a catalog from each kind of origin. */
export interface CatalogReaders {
  readonly image: (job: UnpackJob, signal: AbortSignal) => Promise<UnpackedCatalog>;
  readonly address: (job: RegistryJob, signal: AbortSignal) => Promise<UnpackedCatalog>;
  readonly configMap: (job: ConfigMapJob, signal: AbortSignal) => Promise<UnpackedCatalog>;
}

/** The server of all catalogs, as others reach it. */
export interface GrpcPlace {
  /** A DNS name. */
  readonly externalName: string;
  readonly port: number;
}

/** The Service of a catalog. */
export interface CatalogService {
  readonly name: string;
  readonly port: number;
}

/** A version of a ConfigMap. */
export interface SeenConfigMap {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What this process has done for a CatalogSource; forgotten with the process. */
export interface Progress {
  /** When the last poll was completed. */
  polledMs?: number;
  /** The connection on which the registry was read last. */
  epoch?: number;
  /** What the content was read from. */
  configMap?: SeenConfigMap;
  /** How often new content was stored. */
  snapshots?: number;
  /** What is wrong with the content that was read last: the same is not worth another try. */
  fault?: { readonly ref: string; readonly error: Error };
}

/** What the reconciles work with. Contents are stored by the uid of the CatalogSource: another object of the same name is another catalog. */
export interface CatalogSourceContext {
  readonly kube: KubeClient;
  readonly sources: KindCache;
  /** Metadata alone. */
  readonly configMaps: KindCache;
  readonly directory: SourceDirectory;
  readonly store: CatalogStore;
  /** By `NAMESPACE/NAME`. */
  readonly work: BackgroundWork;
  readonly metrics: Metrics | undefined;
  readonly settings: UnpackSettings;
  /** Of all indexes; nothing new is stored beyond. */
  readonly maxStoreBytes: number;
  /** Of the catalogs for all namespaces. */
  readonly globalNamespace: string;
  /** Whether this process may write to the cluster. */
  readonly isLeading: () => boolean;
  /** Of all images; the pull secrets are those of the CatalogSource. */
  readonly readTerms: (signal: AbortSignal) => Promise<Omit<RegistryTerms, 'pullSecrets'>>;
  readonly pin: PinImage;
  readonly readers: CatalogReaders;
  readonly version: ClusterVersion;
  /** By `NAMESPACE/NAME`; of the objects that were reconciled last. */
  readonly uids: Map<string, string>;
  /** By uid. */
  readonly progress: Map<string, Progress>;
  /** By uid; of those with an address. */
  readonly connections: Map<string, RegistryConnection>;
  /** Where this process serves catalogs over gRPC; undefined where it does not. */
  readonly grpc: GrpcPlace | undefined;
  readonly services: KindCache;
  /** By uid: why there is no Service though one was requested. */
  readonly serviceProblems: Map<string, string>;
  readonly enqueue: (source: NamespacedName) => void;
  readonly clock: Clock;
  readonly log: Logger;
}
