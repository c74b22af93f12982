import { type ClusterServiceVersion, olmLabelPrefixes, olmLabels, parseOperatorGroup } from '../../../api/index.ts';
import { type JsonObject, type ServingPair, sha256Digest, sortedKeys, TerminalError } from '../../../base/index.ts';
import type { KindCache, KubeObject } from '../../../kube/index.ts';
import { isForeignHash, ownHash } from '../../own-hash.ts';
import type { ServingContext } from './context.ts';
import { portOf, type ServedDeployment, type WebhookDescription } from './descriptions.ts';
import { csvLabels } from './objects.ts';
import { isLabelledFor } from './ownership.ts';

const defaultTimeoutSeconds = 10;

/** A webhook with the Deployment that serves it and its certificate. */
export interface ServedWebhook {
  readonly description: WebhookDescription;
  readonly served: ServedDeployment;
  readonly pair: ServingPair;
}

/** Hash of a description, on the configuration that was made for it. */
function descriptionHash(description: WebhookDescription): string {
  const text = JSON.stringify(sortedKeys(description as unknown as JsonObject));
  return ownHash(sha256Digest(text).slice('sha256:'.length, 'sha256:'.length + 40));
}

/** The namespaces whose requests are reviewed: those that the group of the operator targets.
 *  @see docs/spec/olm-v0.md#webhooks
 *  @throws TerminalError without exactly one group */
export function namespaceSelector({ groupsIn }: ServingContext, csv: ClusterServiceVersion): JsonObject {
  const [group, ...others] = groupsIn.get(csv.metadata.namespace ?? '').map(parseOperatorGroup);
  if (group === undefined || others.length > 0) {
    throw new TerminalError('InstallComponentFailed', 'error retrieving OperatorGroup info');
  }
  if ((group.spec?.targetNamespaces ?? []).length === 0) return (group.spec?.selector ?? {}) as JsonObject;
  return { matchLabels: { [`${olmLabelPrefixes.operatorGroupUid}${group.metadata.uid ?? ''}`]: '' } };
}

function ruleOf(rule: JsonObject): JsonObject {
  return { ...rule, scope: rule['scope'] ?? '*' };
}

function webhookOf({ description, served, pair }: ServedWebhook, selector: JsonObject): JsonObject {
  const { generateName, type, webhookPath, rules = [] } = description;
  const path = webhookPath === undefined ? {} : { path: webhookPath };
  const service = { name: served.service, namespace: served.namespace, port: portOf(description), ...path };
  const reinvocationPolicy = description.reinvocationPolicy ?? 'Never';
  return {
    name: generateName,
    admissionReviewVersions: [...description.admissionReviewVersions],
    clientConfig: { service, caBundle: Buffer.from(pair.caBundlePem).toString('base64') },
    failurePolicy: description.failurePolicy ?? 'Fail',
    matchPolicy: description.matchPolicy ?? 'Equivalent',
    namespaceSelector: selector,
    objectSelector: description.objectSelector ?? {},
    rules: rules.map(ruleOf),
    sideEffects: description.sideEffects,
    timeoutSeconds: description.timeoutSeconds ?? defaultTimeoutSeconds,
    ...(type === 'MutatingAdmissionWebhook' && { reinvocationPolicy }),
  };
}

/** The configuration of an admission webhook, without a name: the API server generates it. */
export function desiredConfiguration(
  csv: ClusterServiceVersion,
  webhook: ServedWebhook,
  selector: JsonObject,
): KubeObject {
  const { generateName, type } = webhook.description;
  const labels = {
    ...csvLabels(csv),
    [olmLabels.webhookGenerateName]: generateName,
    [olmLabels.webhookHash]: descriptionHash(webhook.description),
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: type === 'MutatingAdmissionWebhook' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { generateName: `${generateName}-`, labels },
    webhooks: [webhookOf(webhook, selector)],
  };
}

/** The cache that has the configuration of a webhook; undefined for conversion. */
export function cacheOf({ caches }: ServingContext, { type }: WebhookDescription): KindCache | undefined {
  if (type === 'ConversionWebhook') return undefined;
  return type === 'MutatingAdmissionWebhook' ? caches.mutatingWebhooks : caches.validatingWebhooks;
}

function isGenerated({ metadata }: KubeObject, generateName: string): boolean {
  const prefix = `${generateName}-`;
  return metadata.generateName === prefix && metadata.name?.startsWith(prefix) === true;
}

function byAge(a: KubeObject, b: KubeObject): number {
  const [first, second] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp ?? ''} ${metadata.name ?? ''}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

/** The configurations that were made for a webhook of `csv`, the oldest first. One with the labels alone, and another name, is not. */
export function configurationsOf(
  cache: KindCache,
  csv: ClusterServiceVersion,
  { generateName }: WebhookDescription,
): readonly KubeObject[] {
  const labelled = cache.labelled(olmLabels.webhookGenerateName, generateName);
  return labelled.filter((one) => isLabelledFor(one, csv) && isGenerated(one, generateName)).toSorted(byAge);
}

/** Whether a configuration was made for the description as it is now. One of the real OLM may have been: it is corrected in place. */
export function hasCurrentDescription({ metadata }: KubeObject, description: WebhookDescription): boolean {
  const found = metadata.labels?.[olmLabels.webhookHash];
  return isForeignHash(found) || found === descriptionHash(description);
}

/** Configurations that were made for `csv`, for whichever description. */
export function allConfigurationsOf(cache: KindCache, csv: ClusterServiceVersion): readonly KubeObject[] {
  return cache.labelled(olmLabels.owner, csv.metadata.name).filter((one) => {
    const generateName = one.metadata.labels?.[olmLabels.webhookGenerateName];
    return generateName !== undefined && isLabelledFor(one, csv) && isGenerated(one, generateName);
  });
}
