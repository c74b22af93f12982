import { isJsonObject, type JsonObject, objectAt, objectsAt, textAt } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';
import { isCrd, type KindRef } from './kind-list.ts';

const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** Whether the object directs API requests to a server that may not be available yet. */
export function isWebhookConfiguration({ apiVersion, kind }: KindRef): boolean {
  return webhookKinds.includes(kind) && apiVersion.startsWith('admissionregistration.k8s.io/');
}

/** An object as the readers of JSON want it. */
function json(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

/** How a CustomResourceDefinition has its objects converted by a webhook; undefined when no webhook does. */
export function webhookConversion(crd: KubeObject): JsonObject | undefined {
  const conversion = objectAt(json(crd), 'spec', 'conversion');
  return textAt(conversion, 'strategy') === 'Webhook' ? conversion : undefined;
}

function webhooksOf(object: KubeObject): readonly JsonObject[] {
  if (!isCrd(object)) return objectsAt(json(object), 'webhooks');
  const webhook = objectAt(webhookConversion(object), 'webhook');
  return webhook === undefined ? [] : [webhook];
}

/** What the webhooks of an object ask for; whom they trust is another matter. */
export function asks(object: KubeObject): JsonObject[] {
  return webhooksOf(object).map((webhook) => {
    const { caBundle: _trusted, ...clientConfig } = objectAt(webhook, 'clientConfig') ?? {};
    return isJsonObject(clientConfig) ? { ...webhook, clientConfig } : webhook;
  });
}

/** The Services, by namespace and name, that the webhooks of an object ask. */
export function servicesOf(object: KubeObject): readonly { readonly namespace: string; readonly name: string }[] {
  return webhooksOf(object).flatMap((webhook) => {
    const service = objectAt(webhook, 'clientConfig', 'service');
    return service === undefined ? [] : [{ namespace: textAt(service, 'namespace'), name: textAt(service, 'name') }];
  });
}

function selects(selector: JsonObject, labels: JsonObject | undefined): boolean {
  const labelsToMatch = Object.entries(selector);
  return labelsToMatch.length > 0 && labelsToMatch.every(([key, value]) => labels?.[key] === value);
}

/** The Deployments among `all` that answer the webhooks of an object. */
export function serversOf(asking: KubeObject, all: readonly KubeObject[]): readonly KubeObject[] {
  const services = servicesOf(asking);
  return all.filter((object) => {
    if (object.kind !== 'Deployment') return false;
    const { namespace } = object.metadata;
    return services.some((service) => {
      const found = all.find(
        ({ kind, metadata }) =>
          kind === 'Service' && metadata.namespace === namespace && metadata.name === service.name,
      );
      if (found === undefined || service.namespace !== namespace) return false;
      const selector = objectAt(json(found), 'spec', 'selector') ?? {};
      return selects(selector, objectAt(json(object), 'spec', 'template', 'metadata', 'labels'));
    });
  });
}
