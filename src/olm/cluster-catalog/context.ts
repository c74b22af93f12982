import type { Clock, Logger } from '../../base/index.ts';
import type { BackgroundWork } from '../../controller/index.ts';
import type { EventRecorder, KindCache, KubeClient } from '../../kube/index.ts';
import type { Metrics } from '../../metrics/index.ts';
import type { CatalogStore } from '../catalog-content/catalog-store.ts';
import type { PinImage } from '../catalog-content/pin.ts';
import type { RegistryTerms, UnpackedCatalog, UnpackJob, UnpackSettings } from '../catalog-content/unpack-job.ts';
import type { Poll } from './plan.ts';

/** What the reconciles work with. */
export interface CatalogContext {
  readonly kube: KubeClient;
  readonly catalogs: KindCache;
  readonly store: CatalogStore;
  /** Fetches and unpacks images. */
  readonly unpacks: BackgroundWork;
  readonly events: EventRecorder;
  readonly metrics: Metrics | undefined;
  readonly settings: UnpackSettings;
  /** Start of `status.urls.base`: `https://host`. */
  readonly baseUrl: string;
  /** Whether this process may write. */
  readonly isLeading: () => boolean;
  readonly readTerms: (signal: AbortSignal) => Promise<RegistryTerms>;
  readonly pin: PinImage;
  readonly unpack: (job: UnpackJob, signal: AbortSignal) => Promise<UnpackedCatalog>;
  readonly polls: Map<string, Poll>;
  /** What is wrong with the image that was unpacked last, by name of the catalog: the same image is not worth another try. */
  readonly faulty: Map<string, { readonly ref: string; readonly error: Error }>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Field manager of the writes to ClusterCatalogs. */
export const fieldManager = 'longshore';
