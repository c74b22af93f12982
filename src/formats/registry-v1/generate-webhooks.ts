import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { DeploymentEntry, WebhookEntry } from './csv.ts';
import { servingNames, webhookName } from './names.ts';
import type { RenderedObject } from './registry-bundle.ts';
import { type Rendering, servesWebhooks, webhooksOf } from './rendering.ts';
import { isEverywhere } from './targets.ts';

const defaultPort = 443;

function copied(webhook: WebhookEntry, keys: readonly (keyof WebhookEntry)[]): JsonObject {
  const present = keys.filter((key) => webhook[key] !== undefined);
  return Object.fromEntries(present.map((key) => [key, webhook[key] as JsonValue]));
}

function namespaceSelector({ targets }: Rendering): JsonObject {
  if (isEverywhere(targets)) return {};
  const expression = { key: 'kubernetes.io/metadata.name', operator: 'In', values: [...targets] };
  return { namespaceSelector: { matchExpressions: [expression] } };
}

const copiedKeys: readonly (keyof WebhookEntry)[] = [
  'rules',
  'failurePolicy',
  'matchPolicy',
  'objectSelector',
  'sideEffects',
  'timeoutSeconds',
  'admissionReviewVersions',
];

/** What a webhook of a ClusterServiceVersion has in common with one of a configuration; some of it is for one kind of webhook only. */
export const webhookMembers: readonly (keyof WebhookEntry)[] = [...copiedKeys, 'reinvocationPolicy'];

function configuration(
  rendering: Rendering,
  webhook: WebhookEntry,
  form: { readonly kind: string; readonly keys: readonly (keyof WebhookEntry)[] },
): RenderedObject {
  const namespace = rendering.installNamespace;
  const names = servingNames(webhook.deploymentName ?? '');
  const name = webhookName(webhook.generateName);
  const path = webhook.webhookPath === undefined ? {} : { path: webhook.webhookPath };
  const service = { namespace, name: names.service, ...path, port: webhook.containerPort ?? 0 };
  const object: RenderedObject = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: form.kind,
    metadata: { name, namespace },
    webhooks: [{ name, ...copied(webhook, form.keys), clientConfig: { service }, ...namespaceSelector(rendering) }],
  };
  return rendering.certificates?.injectCa(object, { namespace, names }) ?? object;
}

function ofType(rendering: Rendering, type: string): readonly WebhookEntry[] {
  return webhooksOf(rendering).filter((webhook) => webhook.type === type);
}

/** One configuration a validating webhook. */
export function generateValidatingWebhooks(rendering: Rendering): readonly RenderedObject[] {
  return ofType(rendering, 'ValidatingAdmissionWebhook').map((webhook) =>
    configuration(rendering, webhook, { kind: 'ValidatingWebhookConfiguration', keys: copiedKeys }),
  );
}

/** One configuration a mutating webhook. */
export function generateMutatingWebhooks(rendering: Rendering): readonly RenderedObject[] {
  return ofType(rendering, 'MutatingAdmissionWebhook').map((webhook) =>
    configuration(rendering, webhook, {
      kind: 'MutatingWebhookConfiguration',
      keys: webhookMembers,
    }),
  );
}

interface Port {
  readonly port: number;
  readonly targetPort: number | string;
}

function portOf({ containerPort = 0, targetPort }: WebhookEntry): Port {
  const port = containerPort > 0 ? containerPort : defaultPort;
  return { port, targetPort: targetPort ?? port };
}

function byPort(a: Port, b: Port): number {
  const target = ({ targetPort }: Port): number => (typeof targetPort === 'number' ? targetPort : 0);
  return a.port - b.port || target(a) - target(b);
}

function serviceOf(rendering: Rendering, deployment: DeploymentEntry): RenderedObject {
  const names = servingNames(deployment.name);
  const ports = new Map<string, Port>();
  for (const webhook of webhooksOf(rendering)) {
    if (webhook.deploymentName !== deployment.name) continue;
    const port = portOf(webhook);
    ports.set(`${port.port} ${typeof port.targetPort} ${port.targetPort}`, port);
  }
  const selector = isJsonObject(deployment.spec['selector']) ? deployment.spec['selector']['matchLabels'] : undefined;
  const service: RenderedObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: names.service, namespace: rendering.installNamespace },
    spec: {
      ports: [...ports.values()].sort(byPort).map(({ port, targetPort }) => ({ name: String(port), port, targetPort })),
      ...(selector === undefined ? {} : { selector }),
    },
  };
  return rendering.certificates?.serve(service, names) ?? service;
}

function serving(rendering: Rendering): readonly DeploymentEntry[] {
  const { deployments } = rendering.bundle.csv.spec.install.spec;
  return (deployments ?? []).filter(({ name }) => servesWebhooks(rendering, name));
}

/** One Service a Deployment that serves webhooks. */
export function generateServices(rendering: Rendering): readonly RenderedObject[] {
  return serving(rendering).map((deployment) => serviceOf(rendering, deployment));
}

/** What the certificate provider needs for each Service. */
export function generateCertificates(rendering: Rendering): readonly RenderedObject[] {
  const { certificates, installNamespace: namespace } = rendering;
  if (certificates === undefined) return [];
  const names = serving(rendering).map(({ name }) => name);
  return names.sort().flatMap((name) => certificates.extraObjects({ namespace, names: servingNames(name) }));
}
