/** Controllers of the kinds that bring operators into a cluster, a folder each. `ClusterCatalogs` unpacks the images of ClusterCatalogs and keeps an
 *  index of each, for whoever serves them or chooses from them; `PlatformOperators` installs packages of theirs by BundleDeployments. Never writes what others look after.
 *  @imports src/catalog, src/sources, src/image-policy, src/resolver, src/content, src/controller, src/kube,
 *    src/metrics, src/constraints, src/api, src/base */
export { type ClusterCatalogs, type ClusterCatalogsOptions, startClusterCatalogs } from './cluster-catalog/start.ts';
export type { RegistryTerms, UnpackSettings } from './cluster-catalog/unpack-job.ts';
export type { CatalogViews, HeldCatalogs } from './cluster-catalog/views.ts';
export { describeOffers } from './platform-operator/offers.ts';
export {
  type PlatformOperators,
  type PlatformOperatorsOptions,
  startPlatformOperators,
} from './platform-operator/start.ts';
