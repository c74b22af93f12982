import type { DeploymentConfig } from '../../operators/index.ts';
import type { CertificateProvider } from './certificates.ts';
import type { WebhookEntry } from './csv.ts';
import type { RegistryBundle } from './registry-bundle.ts';

/** What the generators work from. */
export interface Rendering {
  readonly bundle: RegistryBundle;
  readonly installNamespace: string;
  /** Checked; `[""]` for all namespaces. */
  readonly targets: readonly string[];
  readonly certificates: CertificateProvider | undefined;
  readonly deploymentConfig: DeploymentConfig | undefined;
}

/** The webhooks of the bundle, in the order of the ClusterServiceVersion. */
export function webhooksOf({ bundle }: Rendering): readonly WebhookEntry[] {
  return bundle.csv.spec.webhookdefinitions ?? [];
}

/** Whether a webhook of any type is served by the Deployment. */
export function servesWebhooks(rendering: Rendering, deploymentName: string): boolean {
  return webhooksOf(rendering).some((webhook) => webhook.deploymentName === deploymentName);
}

/** Whether an aggregated API that the operator owns is served by the Deployment. */
export function servesApis({ bundle }: Rendering, deploymentName: string): boolean {
  const owned = bundle.csv.spec.apiservicedefinitions.owned ?? [];
  return owned.some((api) => api.deploymentName === deploymentName);
}
