/** Controllers of the kinds that install operators, one folder each. `addClusterCatalogs` unpacks the images of ClusterCatalogs and keeps an
 *  index of each, to be served and chosen from; `addPlatformOperators` installs packages of theirs by BundleDeployments; `addSubscriptions` resolves
 *  the Subscriptions of each namespace. Never writes objects of other controllers.
 *  @imports src/catalog, src/formats, src/sources, src/image-policy, src/crd-safety, src/operators, src/resolver, src/content,
 *    src/controller, src/kube, src/rbac, src/metrics, src/dependencies, src/constraints, src/api, src/base, src/extension-server */
export { addApiRoles, apiRolesController } from './api-roles/controller.ts';
export { type BundleContentsOptions, openBundleContents } from './bundle-content/contents.ts';
export { readPullSecrets } from './catalog-content/pull-secrets.ts';
export type { RegistryTerms, UnpackSettings } from './catalog-content/unpack-job.ts';
export {
  addCatalogSources,
  type CatalogSources,
  type CatalogSourcesOptions,
  catalogSourceController,
} from './catalog-source/controller.ts';
export {
  type CatalogSourceViews,
  type HeldSources,
  type ServedSources,
  type UnavailableSource,
} from './catalog-source/views.ts';
export {
  addClusterCatalogs,
  type ClusterCatalogs,
  type ClusterCatalogsOptions,
  clusterCatalogController,
} from './cluster-catalog/controller.ts';
export type { CatalogViews, HeldCatalogs } from './cluster-catalog/views.ts';
export {
  addClusterExtensions,
  type ClusterExtensionsOptions,
  clusterExtensionController,
} from './cluster-extension/controller.ts';
export type { CopyOptions } from './copied-csv/context.ts';
export { addCopiedCsvs, copiedCsvController } from './copied-csv/controller.ts';
export {
  addClusterServiceVersions,
  type ClusterServiceVersionsOptions,
  clusterServiceVersionController,
} from './csv/controller.ts';
export { orphanControllers } from './csv/serving/index.ts';
export { addInstallPlans, type InstallPlansOptions, installPlanController } from './install-plan/controller.ts';
export { addOlmConfig, type OlmConfigOptions, olmConfigController } from './olm-config/controller.ts';
export {
  addOperators,
  operatorController,
  operatorSubscriptionController,
  operatorVersionController,
} from './operator/controller.ts';
export {
  addOperatorConditions,
  conditionOwnerController,
  operatorConditionController,
} from './operator-condition/controller.ts';
export { addOperatorGroups, type OperatorGroupsOptions, operatorGroupController } from './operator-group/controller.ts';
export { OtherOlm } from './other-olm.ts';
export {
  addPackageRegistration,
  type PackageRegistrationOptions,
  type PackageService,
  packageRegistrationController,
  removePackageRegistration,
} from './package-manifest/registration.ts';
export { type PackageServer, type PackageServerOptions, startPackageServer } from './package-manifest/server.ts';
export { ResolverThread } from './package-resolver/resolve-thread.ts';
export { aggregateController } from './platform-operator/aggregate.ts';
export { addPlatformOperators, platformOperatorController } from './platform-operator/controller.ts';
export { describeOffers } from './platform-operator/offers.ts';
export { addSubscriptions, type SubscriptionsOptions, subscriptionController } from './subscription/controller.ts';
