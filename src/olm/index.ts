/** Controllers of the kinds that install operators, one folder each. `addClusterCatalogs` unpacks the images of ClusterCatalogs and keeps an
 *  index of each, to be served and chosen from; `addPlatformOperators` installs packages of theirs by BundleDeployments. `addSubscriptions` resolves the Subscriptions of a namespace. Never writes objects of
 *  other controllers.
 *  @imports src/catalog, src/sources, src/image-policy, src/resolver, src/content, src/controller, src/kube,
 *    src/metrics, src/rbac, src/operators, src/constraints, src/api, src/base */

export type { RegistryTerms, UnpackSettings } from './catalog-content/unpack-job.ts';
export type { CatalogSourceViews, HeldSources, UnavailableSource } from './catalog-source/views.ts';
export { addApiRoles, apiRolesController } from './api-roles/controller.ts';
export {
  addClusterCatalogs,
  type ClusterCatalogs,
  type ClusterCatalogsOptions,
  clusterCatalogController,
} from './cluster-catalog/controller.ts';
export type { CatalogViews, HeldCatalogs } from './cluster-catalog/views.ts';
export {
  addClusterServiceVersions,
  type ClusterServiceVersionsOptions,
  clusterServiceVersionController,
} from './csv/controller.ts';
export {
  addOperatorConditions,
  conditionOwnerController,
  operatorConditionController,
} from './operator-condition/controller.ts';
export { addOperatorGroups, type OperatorGroupsOptions, operatorGroupController } from './operator-group/controller.ts';
export { aggregateController } from './platform-operator/aggregate.ts';
export { addPlatformOperators, platformOperatorController } from './platform-operator/controller.ts';
export { describeOffers } from './platform-operator/offers.ts';
export { addSubscriptions, type SubscriptionsOptions, subscriptionController } from './subscription/controller.ts';
