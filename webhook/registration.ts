import type { JsonObject } from '../src/base/index.ts';
import { endpoints } from './checks.ts';

/** Name of the ValidatingWebhookConfiguration. */
export const webhookConfigurationName = 'rukpak-validating-webhook-configuration';

/** A ValidatingWebhookConfiguration as it is applied. */
export type WebhookConfiguration = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: JsonObject[];
};

/** Server-side apply; the client of `src/kube` satisfies it. */
export type ApplyConfiguration = (
  configuration: WebhookConfiguration,
  options: { readonly fieldManager: string; readonly force: boolean; readonly signal?: AbortSignal | undefined },
) => Promise<unknown>;

/** Where the API server finds the webhook: a Service in the cluster, or an HTTPS origin such as `https://127.0.0.1:9443`. */
export type WebhookAddress =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } }
  | { readonly origin: string };

/** How the webhook is registered. */
export interface Registration {
  readonly address: WebhookAddress;
  /** PEM of the authority that the API server is to trust. */
  readonly caBundlePem: string;
  readonly systemNamespace: string;
}

function clientConfig({ address, caBundlePem }: Registration, path: string): JsonObject {
  const caBundle = Buffer.from(caBundlePem).toString('base64');
  if ('origin' in address) return { caBundle, url: `${address.origin}${path}` };
  return { caBundle, service: { ...address.service, path } };
}

/** The configuration with all webhooks; what cannot be asked is refused (`failurePolicy: Fail`). */
export function webhookConfiguration(registration: Registration): WebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: webhookConfigurationName },
    webhooks: endpoints.map(({ webhook, path, rule, isForSystemNamespace }) => ({
      name: webhook,
      admissionReviewVersions: ['v1'],
      clientConfig: clientConfig(registration, path),
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      timeoutSeconds: 10,
      rules: [rule],
      ...(isForSystemNamespace
        ? { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': registration.systemNamespace } } }
        : {}),
    })),
  };
}

/** Writes the configuration, whoever wrote it before. */
export async function registerWebhooks(
  apply: ApplyConfiguration,
  registration: Registration,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  await apply(webhookConfiguration(registration), { fieldManager: 'rukpak-webhooks', force: true, ...options });
}
