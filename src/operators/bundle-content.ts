import type { JsonObject } from '../base/index.ts';
import type { UnpackTerms } from './unpack-terms.ts';

/** A bundle of a catalog, and where its manifests are. Its image may take 10 minutes by default, from the first time it is requested. */
export interface BundleReference extends UnpackTerms {
  readonly catalog: { readonly namespace: string; readonly name: string };
  /** Of its ClusterServiceVersion. */
  readonly name: string;
  /** Undefined where the catalog has the manifests. */
  readonly image?: string;
  /** Of the content that was read before: nothing else is accepted. */
  readonly digest?: string;
}

/** The objects of a bundle. */
export interface BundleContent {
  readonly name: string;
  readonly csv: JsonObject;
  /** Beside the ClusterServiceVersion, in the order of the bundle. */
  readonly objects: readonly JsonObject[];
  /** Identifies the content: of its image, or of the manifests in the catalog. */
  readonly digest?: string;
  /** Pinned by its digest; undefined where the catalog has the manifests. */
  readonly image?: string;
}

/** Reads bundles that were chosen. */
export interface BundleContents {
  /** @throws WaitingError BundleUnpacking while the image is fetched · TransientError as sources have it · TerminalError for content that cannot be used */
  read(bundle: BundleReference, signal: AbortSignal): Promise<BundleContent>;
}
