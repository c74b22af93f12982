import type { JsonObject } from '../src/base/index.ts';
import { type Endpoint, endpoints } from './checks.ts';

/** A ValidatingWebhookConfiguration or MutatingWebhookConfiguration as it is applied. */
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
  /** False: ClusterCatalogs are another program's, and nobody asks about them here. Default true. */
  readonly hasClusterCatalogs?: boolean;
}

/** Kubernetes keeps the first two in every namespace, and empties a namespace that is deleted: it shall not wait for a webhook that may have gone
 *  with the namespace. */
const unguardedConfigMaps: readonly JsonObject[] = [
  {
    name: 'not-kept-by-the-cluster',
    // A request for a collection, or for a name that the server makes up, has no name of its own.
    expression:
      "!((object == null ? oldObject : object).metadata.name in ['kube-root-ca.crt', 'openshift-service-ca.crt'])",
  },
  {
    name: 'not-the-end-of-the-namespace',
    expression:
      "!(request.userInfo.username in ['system:serviceaccount:kube-system:namespace-controller', 'system:kube-controller-manager'])",
  },
];

function clientConfig({ address, caBundlePem }: Wish, path: string): JsonObject {
  const trust = caBundlePem === undefined ? {} : { caBundle: Buffer.from(caBundlePem).toString('base64') };
  if ('origin' in address) return { ...trust, url: `${address.origin}${path}` };
  return { ...trust, service: { ...address.service, path } };
}

function webhookOf(endpoint: Endpoint, registration: Wish): JsonObject {
  const { systemNamespace } = registration;
  const { webhook, path, rule, objectLabels } = endpoint;
  return {
    name: webhook,
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfig(registration, path),
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: 10,
    rules: [rule],
    ...(endpoint.isForSystemNamespace
      ? {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': systemNamespace } },
          matchConditions: [...unguardedConfigMaps],
        }
      : {}),
    ...(objectLabels === undefined ? {} : { objectSelector: { matchLabels: objectLabels } }),
  };
}

/** A registration, or one that does not say yet whom to trust. */
type Wish = Omit<Registration, 'caBundlePem'> & { readonly caBundlePem?: string };

/** The configurations with all webhooks; what cannot be asked is refused (`failurePolicy: Fail`). */
export function webhookConfigurations(registration: Wish): readonly WebhookConfiguration[] {
  const { hasClusterCatalogs = true } = registration;
  const asked = endpoints.filter(({ isForCatalogs = false }) => hasClusterCatalogs || !isForCatalogs);
  return [...Map.groupBy(asked, ({ configuration }) => configuration)].map(([name, members]) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: members[0]?.isMutating === true ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: members.map((endpoint) => webhookOf(endpoint, registration)),
  }));
}

/** Writes the configurations, whoever wrote them before. */
export async function registerWebhooks(
  apply: ApplyConfiguration,
  registration: Registration,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  for (const configuration of webhookConfigurations(registration)) {
    await apply(configuration, { fieldManager: 'rukpak-webhooks', force: true, ...options });
  }
}
