import type { JsonObject } from '../../base/index.ts';
import type { ImageJob } from '../images/image-job.ts';

/** To read the bundle in an image. */
export interface BundleJob extends ImageJob {
  /** Of the bundle: of its ClusterServiceVersion. */
  readonly name: string;
  /** Where its objects go. */
  readonly file: string;
}

/** The objects of a bundle that was read, as they are stored. */
export interface StoredBundle {
  readonly name: string;
  readonly csv: JsonObject;
  readonly objects: readonly JsonObject[];
}

/** What the thread that reads bundles does. */
export interface BundleJobs {
  /** The result is the image by its digest. */
  readonly unpack: { readonly input: BundleJob; readonly result: { readonly image: string } };
}
