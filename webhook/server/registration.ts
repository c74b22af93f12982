import { isJsonObject, type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { findObject, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import type { WebhookDefinition } from '../review/webhook-definition.ts';
import { webhooks } from '../webhooks.ts';

/** A ValidatingWebhookConfiguration or MutatingWebhookConfiguration as it is applied. */
export type WebhookConfiguration = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: JsonObject[];
};

/** Requests that a registration sends. */
export type RegistrationClient = Pick<KubeClient, 'apply' | 'delete' | 'get' | 'patch'>;

/** Where the API server finds the webhook: a Service in the cluster, or an HTTPS origin such as `https://127.0.0.1:9443`. */
export type WebhookAddress =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } }
  | { readonly origin: string };

/** How the webhook is registered. */
export interface Registration {
  readonly address: WebhookAddress;
  /** PEM of the authority that the API server must trust. */
  readonly caBundlePem: string;
  readonly systemNamespace: string;
  /** False: another program serves ClusterCatalogs, and the API server sends no reviews of them. Default true. */
  readonly hasClusterCatalogs?: boolean;
  /** True: the hooks of Machines are reviewed. Default false. */
  readonly hasMachines?: boolean;
}

/** Kubernetes maintains the first two in every namespace, and deletes the content of a namespace that is being deleted: it must not wait for a webhook
 *  that may have been deleted with the namespace. */
const unguardedConfigMaps: readonly JsonObject[] = [
  {
    name: 'not-kept-by-the-cluster',
    // A request for a collection, or for a generated name, has no name of its own.
    expression:
      "!((object == null ? oldObject : object).metadata.name in ['kube-root-ca.crt', 'openshift-service-ca.crt'])",
  },
  {
    name: 'not-the-end-of-the-namespace',
    expression:
      "!(request.userInfo.username in ['system:serviceaccount:kube-system:namespace-controller', 'system:kube-controller-manager'])",
  },
];

function clientConfig({ address, caBundlePem }: RegistrationOptions, path: string): JsonObject {
  const trust = caBundlePem === undefined ? {} : { caBundle: Buffer.from(caBundlePem).toString('base64') };
  if ('origin' in address) return { ...trust, url: `${address.origin}${path}` };
  return { ...trust, service: { ...address.service, path } };
}

function webhookOf(definition: WebhookDefinition, registration: RegistrationOptions): JsonObject {
  const { systemNamespace } = registration;
  const { name, path, requests, objectLabels, matchConditions, isForSystemNamespace = false } = definition;
  return {
    name,
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfig(registration, path),
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: 10,
    rules: [{ ...requests }] as unknown as JsonObject[],
    ...(isForSystemNamespace
      ? {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': systemNamespace } },
          matchConditions: [...unguardedConfigMaps],
        }
      : {}),
    ...(matchConditions === undefined ? {} : { matchConditions: matchConditions.map((one) => ({ ...one })) }),
    ...(objectLabels === undefined ? {} : { objectSelector: { matchLabels: objectLabels } }),
  };
}

/** A registration with or without a CA bundle. */
type RegistrationOptions = Omit<Registration, 'caBundlePem'> & { readonly caBundlePem?: string };

/** The configurations with all webhooks; without a response, requests are denied (`failurePolicy: Fail`). */
export function webhookConfigurations(registration: RegistrationOptions): readonly WebhookConfiguration[] {
  const { hasClusterCatalogs = true, hasMachines = false } = registration;
  const registered = webhooks.filter(
    ({ isForCatalogs = false, isForMachines = false }) =>
      (hasClusterCatalogs || !isForCatalogs) && (hasMachines || !isForMachines),
  );
  return [...Map.groupBy(registered, ({ configuration }) => configuration)].map(([name, members]) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: members[0]?.isMutating === true ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: members.map((definition) => webhookOf(definition, registration)),
  }));
}

/** Whether the webhook reviews writes of a kind of object in a namespace. */
export function isReviewed(
  { group, plural }: { readonly group: string; readonly plural: string },
  namespace: string,
  systemNamespace: string,
): boolean {
  return webhooks.some(({ requests, isForSystemNamespace = false, isForMachines = false }) => {
    const isInScope = !isForMachines && (!isForSystemNamespace || namespace === systemNamespace);
    return isInScope && requests.apiGroups.includes(group) && requests.resources.includes(plural);
  });
}

const fieldManager = 'rukpak-webhooks';
const undoDeadlineMs = 10_000;

/** A completed registration. */
export interface Registered {
  /** Restores the configurations that existed before, and deletes the others. */
  undo(): Promise<void>;
}

/** The webhooks of `live` with our `clientConfig` where theirs has the other kind of address, or undefined where none has. A webhook has either a URL or
 *  a Service, and server-side apply removes no field that another manager has set. */
function readdressed(live: KubeObject, { webhooks }: WebhookConfiguration): JsonObject[] | undefined {
  const ours = new Map(webhooks.map((webhook) => [textAt(webhook, 'name'), objectAt(webhook, 'clientConfig')]));
  let isChanged = false;
  const all = objectsAt(live as unknown as JsonObject, 'webhooks').map((webhook) => {
    const [theirs, own] = [objectAt(webhook, 'clientConfig'), ours.get(textAt(webhook, 'name'))];
    if (!isJsonObject(theirs) || !isJsonObject(own) || 'url' in theirs === 'url' in own) return webhook;
    isChanged = true;
    return { ...webhook, clientConfig: own };
  });
  return isChanged ? all : undefined;
}

async function restore(kube: RegistrationClient, name: KubeObject, before: KubeObject | undefined): Promise<void> {
  const signal = AbortSignal.timeout(undoDeadlineMs);
  if (before === undefined) await kube.delete(refOf(name), { signal });
  else await kube.patch(refOf(name), { webhooks: before['webhooks'] } as JsonObject, { fieldManager, signal });
}

/** Writes all configurations or none, regardless of their former writers.
 *  @throws errors of the API server */
export async function registerWebhooks(
  kube: RegistrationClient,
  registration: Registration,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Registered> {
  const done: (() => Promise<void>)[] = [];
  const undo = async (): Promise<void> => {
    for (const one of done.splice(0).toReversed()) await one();
  };
  try {
    for (const configuration of webhookConfigurations(registration)) {
      const before = await findObject(kube, refOf(configuration), { signal });
      done.push(() => restore(kube, configuration, before));
      const webhooks = before === undefined ? undefined : readdressed(before, configuration);
      const resourceVersion = before?.metadata.resourceVersion ?? '';
      if (webhooks !== undefined) {
        await kube.patch(refOf(configuration), { metadata: { resourceVersion }, webhooks }, { fieldManager, signal });
      }
      await kube.apply(configuration, { fieldManager, force: true, signal });
    }
  } catch (thrown) {
    // The first failure is reported; a failure to restore the previous state has the same cause.
    await undo().catch(() => undefined);
    throw thrown;
  }
  return { undo };
}
