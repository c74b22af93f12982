/** The admission webhook: an HTTPS server that answers AdmissionReview v1 for Bundles, BundleDeployments, the ConfigMaps of the
 *  system namespace, CustomResourceDefinitions, PlatformOperators, ClusterCatalogs and Machines, and its webhook configurations. Main type: `WebhookServer`.
 *  Never fetches anything from outside the cluster, and writes nothing but its own configurations.
 *  @imports src/sources/definitions, src/formats, src/dependencies, src/crd-safety, src/controller, src/kube, src/metrics,
 *    src/rbac, src/constraints, src/api, src/base
 *  @packages fastify */

export type { FactsReader } from './review/facts.ts';
export { buildWebhook, type TlsFiles, type WebhookDeps } from './server/app.ts';
export { type KeepRegisteredOptions, keepRegistered } from './server/keep-registered.ts';
export type { MetricsAccess } from './server/metrics-route.ts';
export { webhookPermissions } from './server/permissions.ts';
export {
  isReviewed,
  type Registered,
  type Registration,
  type RegistrationClient,
  registerWebhooks,
  type WebhookAddress,
  type WebhookConfiguration,
  webhookConfigurations,
} from './server/registration.ts';
export { startWebhookServer, type WebhookServer, type WebhookServerOptions } from './server/server.ts';
