import { type ClusterServiceVersion, olmFieldManager } from '../../../api/index.ts';
import {
  isJsonObject,
  type JsonObject,
  objectAt,
  splitCertificates,
  TerminalError,
  textAt,
} from '../../../base/index.ts';
import { type KubeObject, preconditionOf, refOf } from '../../../kube/index.ts';
import { isPlatformGroup, versionsAlongside } from '../../../operators/index.ts';
import { covers } from '../../owned-objects.ts';
import type { ServingContext } from './context.ts';
import { portOf, type WebhookDescription, webhooksOf } from './descriptions.ts';
import { predecessors } from './ownership.ts';
import type { ServedWebhook } from './webhooks.ts';

const intro = 'unable to manage conversion webhook';

function refuse(text: string): TerminalError {
  return new TerminalError('InstallComponentFailed', text);
}

function conversionIn(definition: KubeObject): JsonObject | undefined {
  return objectAt(definition as JsonObject, 'spec', 'conversion');
}

function clientConfigIn(definition: KubeObject): JsonObject | undefined {
  return objectAt(conversionIn(definition), 'webhook', 'clientConfig');
}

/** Whether the conversion of a definition works through another operator: with an authority, which manifests of authors do not have. */
function isConvertedElsewhere(definition: KubeObject, namespace: string): boolean {
  const client = clientConfigIn(definition);
  if (textAt(conversionIn(definition), 'strategy') !== 'Webhook' || client === undefined) return false;
  const bundle = Buffer.from(textAt(client, 'caBundle'), 'base64').toString('utf8');
  if (splitCertificates(bundle).length === 0) return false;
  return textAt(objectAt(client, 'service'), 'namespace') !== namespace;
}

/** Whether plans have installed a definition for other operators alone. */
function isInstalledForOthers(context: ServingContext, csv: ClusterServiceVersion, definition: KubeObject): boolean {
  const { namespace = '', name } = csv.metadata;
  const chain = [name, ...predecessors(context, csv).map(({ metadata }) => metadata.name ?? '')];
  const installed = versionsAlongside(definition);
  return installed.length > 0 && !installed.some((value) => chain.some((one) => value === `${namespace}/${one}`));
}

function assertSingleton({ spec }: ClusterServiceVersion, { conversionCRDs = [] }: WebhookDescription): void {
  const modes = spec.installModes ?? [];
  if (modes.some(({ type, supported }) => supported !== (type === 'AllNamespaces'))) {
    throw refuse(`${intro}: CSVs with conversion webhooks must support only AllNamespaces`);
  }
  if (conversionCRDs.length === 0) {
    // The words of OLM, with its slip.
    throw refuse('unable to manager conversion webhook: conversion webhook must have at least one CRD specified');
  }
}

function assertConvertible(
  context: ServingContext,
  csv: ClusterServiceVersion,
  { name, definition }: { readonly name: string; readonly definition: KubeObject },
): void {
  const owned = csv.spec.customresourcedefinitions?.owned ?? [];
  if (!owned.some((one) => one.name === name)) throw refuse(`csv ${csv.metadata.name} does not own CRD ${name}`);
  const spec = objectAt(definition as JsonObject, 'spec');
  if (spec?.['preserveUnknownFields'] === true) {
    throw refuse('crd.Spec.PreserveUnknownFields must be false to let API Server call webhook to do the conversion');
  }
  if (isPlatformGroup(textAt(spec, 'group'))) throw refuse(`${intro}: CRD ${name} belongs to the platform`);
  if (isInstalledForOthers(context, csv, definition)) {
    throw refuse(`${intro}: CRD ${name} was installed for other operators alone`);
  }
  if (isConvertedElsewhere(definition, csv.metadata.namespace ?? '')) {
    const service = objectAt(clientConfigIn(definition), 'service');
    const place = `${textAt(service, 'namespace')}/${textAt(service, 'name')}`;
    throw refuse(`${intro}: CRD ${name} is converted by Service ${place} of another operator`);
  }
}

/** The definitions that a conversion webhook may convert.
 *  @throws TerminalError InstallComponentFailed when one of them may not be converted by it, or does not exist */
function convertible(
  context: ServingContext,
  csv: ClusterServiceVersion,
  description: WebhookDescription,
): readonly KubeObject[] {
  assertSingleton(csv, description);
  return (description.conversionCRDs ?? []).map((name) => {
    const definition = context.caches.definitions.get(name);
    if (definition === undefined) throw refuse(`unable to get CRD ${name} specified in Conversion Webhook: not found`);
    assertConvertible(context, csv, { name, definition });
    return definition;
  });
}

function desiredConversion({ description, served, pair }: ServedWebhook): JsonObject {
  const { webhookPath: path = '/' } = description;
  const service = { name: served.service, namespace: served.namespace, port: portOf(description), path };
  return {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { service, caBundle: Buffer.from(pair.caBundlePem).toString('base64') },
      conversionReviewVersions: [...description.admissionReviewVersions],
    },
  };
}

/** The definitions that later webhooks of the operator convert. A definition has one conversion: as with OLM the last one that is described counts, and the
 *  others are not written, or each would replace that of the other without end. */
function convertedLater(csv: ClusterServiceVersion, description: WebhookDescription): ReadonlySet<string> {
  const all = webhooksOf(csv).filter(({ type }) => type === 'ConversionWebhook');
  return new Set(all.slice(all.indexOf(description) + 1).flatMap(({ conversionCRDs = [] }) => conversionCRDs));
}

/** Lets the API server convert the objects of definitions by a webhook of the operator.
 *  @throws TerminalError InstallComponentFailed */
export async function ensureConversion(
  context: ServingContext,
  csv: ClusterServiceVersion,
  { webhook, signal }: { readonly webhook: ServedWebhook; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const conversion = desiredConversion(webhook);
  const later = convertedLater(csv, webhook.description);
  for (const definition of convertible(context, csv, webhook.description)) {
    const isCurrent = covers(conversionIn(definition), conversion);
    if (isCurrent || later.has(definition.metadata.name ?? '')) continue;
    const patch = { metadata: preconditionOf(definition), spec: { conversion } };
    const written = await context.kube.patch(refOf(definition), patch, { fieldManager: olmFieldManager, signal });
    context.caches.definitions.wrote(written);
  }
}

/** Why the conversion of one of the definitions does not work; undefined if it does.
 *  @see docs/spec/olm-v0.md#state-machine */
export function conversionFault({ caches }: ServingContext, description: WebhookDescription): string | undefined {
  for (const name of description.conversionCRDs ?? []) {
    const definition = caches.definitions.get(name);
    if (definition === undefined) return `customresourcedefinitions.apiextensions.k8s.io "${name}" not found`;
    const isReady = textAt(conversionIn(definition), 'strategy') === 'Webhook';
    if (!isReady || textAt(clientConfigIn(definition), 'caBundle') === '') return 'conversionWebhook not ready';
  }
  return undefined;
}

function isConvertedBy(
  definition: KubeObject,
  service: { readonly namespace: string; readonly name: string },
): boolean {
  const live = objectAt(clientConfigIn(definition), 'service');
  return textAt(live, 'namespace') === service.namespace && textAt(live, 'name') === service.name;
}

function ownsDefinition(version: KubeObject, name: string): boolean {
  const definitions = objectAt(version as JsonObject, 'spec', 'customresourcedefinitions')?.['owned'];
  return Array.isArray(definitions) && definitions.some((one) => isJsonObject(one) && one['name'] === name);
}

/** Ends the conversion of definitions by a Service that is deleted with `csv`, unless another one of the namespace owns them. */
export async function endConversion(
  context: ServingContext,
  csv: ClusterServiceVersion,
  end: { readonly description: WebhookDescription; readonly service: string; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { name: own, namespace = '' } = csv.metadata;
  const { kube, caches } = context;
  const others = caches.versions.values().filter(({ metadata }) => {
    return metadata.namespace === namespace && metadata.name !== own && metadata.deletionTimestamp === undefined;
  });
  for (const name of end.description.conversionCRDs ?? []) {
    const definition = caches.definitions.get(name);
    if (definition === undefined || !isConvertedBy(definition, { namespace, name: end.service })) continue;
    if (others.some((version) => ownsDefinition(version, name))) continue;
    const patch = { metadata: preconditionOf(definition), spec: { conversion: { strategy: 'None', webhook: null } } };
    caches.definitions.wrote(
      await kube.patch(refOf(definition), patch, { fieldManager: olmFieldManager, signal: end.signal }),
    );
  }
}
