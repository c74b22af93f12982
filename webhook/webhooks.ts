import { bundleDeploymentWebhook } from './bundle-deployments/webhook.ts';
import { bundleWebhook } from './bundles/webhook.ts';
import { catalogWebhook } from './catalogs/webhook.ts';
import { clusterExtensionWebhook } from './cluster-extensions/webhook.ts';
import { configMapWebhook } from './config-maps/webhook.ts';
import { crdWebhook } from './crds/webhook.ts';
import { machineWebhook } from './machines/webhook.ts';
import { platformOperatorWebhook } from './platform-operators/webhook.ts';
import type { WebhookDefinition } from './review/webhook-definition.ts';

/** Every webhook: the server has a route for each, and the configurations that it registers are made of the same rows. */
export const webhooks: readonly WebhookDefinition[] = [
  bundleWebhook,
  bundleDeploymentWebhook,
  configMapWebhook,
  platformOperatorWebhook,
  clusterExtensionWebhook,
  crdWebhook,
  catalogWebhook,
  machineWebhook,
];
