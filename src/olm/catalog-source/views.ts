import type { JsonObject } from '../../base/index.ts';
import type { CatalogIndex } from '../../catalog/index.ts';
import type { KubeObject, NamespacedName } from '../../kube/index.ts';
import type { CatalogView } from '../../resolver/index.ts';
import type { IndexPlace } from '../catalog-thread/open-places.ts';

/** A CatalogSource that cannot be read now. */
export interface UnavailableSource extends NamespacedName {
  /** `failed to list bundles: …`, without its name. */
  readonly why: string;
}

/** The CatalogSources that are visible in a namespace, as they are read now: they stay readable until they are released, even if they are replaced
 *  meanwhile. */
export interface HeldSources extends Disposable {
  /** In the order of preference: the namespace's own first among those of equal priority, then by name. Each has its namespace. */
  readonly catalogs: readonly CatalogView[];
  /** Where another thread can read the same catalogs, in the same order; absent where only this one can. */
  readonly places?: readonly IndexPlace[];
  readonly unavailable: readonly UnavailableSource[];
  /** Manifests that the catalog has of a bundle (`olm.bundle.object`); undefined where they are in an image alone. */
  manifestsOf(source: NamespacedName, bundle: string): Promise<readonly JsonObject[] | undefined>;
}

/** What Subscriptions choose from. */
export interface CatalogSourceViews {
  /** Those of `namespace` and of the global namespace for catalogs. */
  hold(namespace: string): HeldSources;
  /** Called with a source that was added, changed or removed; must not work: enqueue. */
  subscribe(listener: (source: NamespacedName) => void): Disposable;
}

/** A CatalogSource and what it serves. */
export interface ServedSource {
  readonly source: KubeObject;
  readonly index: CatalogIndex;
}

/** What packages are listed from. */
export interface ServedSources {
  /** Those of `namespace` and of the global namespace, own ones first; all without it. The indexes are held until this is disposed. */
  serve(namespace?: string): Disposable & { readonly sources: readonly ServedSource[] };
}
