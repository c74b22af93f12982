import { isJsonObject, type JsonObject, TerminalError } from '../../base/index.ts';
import type { WebhookEntry } from './csv.ts';
import { supportedKinds } from './kinds.ts';
import { servingNames } from './names.ts';
import type { Manifest, RenderedObject } from './registry-bundle.ts';
import { type Rendering, webhooksOf } from './rendering.ts';

function conversionOf(rendering: Rendering, crdName: string): WebhookEntry | undefined {
  const webhooks = webhooksOf(rendering).filter(
    ({ type, conversionCRDs = [] }) => type === 'ConversionWebhook' && conversionCRDs.includes(crdName),
  );
  if (webhooks.length > 1) {
    throw new TerminalError(
      'InvalidBundle',
      `custom resource definition '${crdName}' is referenced by multiple conversion webhook definitions`,
    );
  }
  return webhooks[0];
}

function converted(rendering: Rendering, crd: Manifest, webhook: WebhookEntry): Manifest {
  const spec = isJsonObject(crd['spec']) ? crd['spec'] : {};
  const name = crd.metadata.name ?? '';
  if (spec['preserveUnknownFields'] === true) {
    throw new TerminalError(
      'InvalidBundle',
      `custom resource definition '${name}' must have .spec.preserveUnknownFields set to false to let API Server call webhook to do the conversion`,
    );
  }
  const names = servingNames(webhook.deploymentName ?? '');
  const namespace = rendering.installNamespace;
  const service: JsonObject = {
    namespace,
    name: names.service,
    path: webhook.webhookPath ?? '/',
    port: webhook.containerPort ?? 0,
  };
  const conversion: JsonObject = {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { service },
      conversionReviewVersions: webhook.admissionReviewVersions === null ? null : [...webhook.admissionReviewVersions],
    },
  };
  const object: Manifest = { ...crd, spec: { ...spec, conversion } };
  return rendering.certificates?.injectCa(object, { namespace, names }) ?? object;
}

/** Every CRD of the bundle; the ones that a webhook converts point at it. */
export function generateCrds(rendering: Rendering): readonly RenderedObject[] {
  return rendering.bundle.crds.map((crd) => {
    const webhook = conversionOf(rendering, crd.metadata.name ?? '');
    return (webhook === undefined ? crd : converted(rendering, crd, webhook)) as RenderedObject;
  });
}

/** Other objects as they are written, the namespaced ones in the install namespace. */
export function generateOthers(rendering: Rendering): readonly RenderedObject[] {
  return rendering.bundle.others.map((object) => {
    const kind = supportedKinds.get(object.kind);
    if (kind === undefined) {
      const { name = '' } = object.metadata;
      throw new TerminalError(
        'InvalidBundle',
        `bundle contains unsupported resource: Name: ${name}, Kind: ${object.kind}`,
      );
    }
    if (!kind.isNamespaced) return object as RenderedObject;
    return { ...object, metadata: { ...object.metadata, namespace: rendering.installNamespace } } as RenderedObject;
  });
}
