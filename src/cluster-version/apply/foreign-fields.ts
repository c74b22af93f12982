import { isJsonObject, type JsonObject, objectAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';

/** Annotations by which other programs set the certificate authority of webhooks. */
const injectors: Readonly<Record<string, (value: string) => boolean>> = {
  'service.beta.openshift.io/inject-cabundle': (value) => value === 'true',
  'cert-manager.io/inject-ca-from': (value) => value !== '',
  'cert-manager.io/inject-ca-from-secret': (value) => value !== '',
  'cert-manager.io/inject-apiserver-ca': (value) => value === 'true',
};

function isInjected({ metadata: { annotations = {} } }: KubeObject): boolean {
  return Object.entries(injectors).some(([name, isOn]) => isOn(annotations[name] ?? ''));
}

/** `object` without the member that `path` leads to; a list on the way stands for each of its items. */
function without(object: JsonObject, path: readonly string[]): JsonObject {
  const [member = '', ...rest] = path;
  const { [member]: value, ...others } = object;
  if (value === undefined) return object;
  if (rest.length === 0) return others;
  if (Array.isArray(value)) {
    return { ...object, [member]: value.map((item) => (isJsonObject(item) ? without(item, rest) : item)) };
  }
  return isJsonObject(value) ? { ...object, [member]: without(value, rest) } : object;
}

const authorities: Readonly<Record<string, readonly string[]>> = {
  MutatingWebhookConfiguration: ['webhooks', 'clientConfig', 'caBundle'],
  ValidatingWebhookConfiguration: ['webhooks', 'clientConfig', 'caBundle'],
  CustomResourceDefinition: ['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'],
  APIService: ['spec', 'caBundle'],
};

/** The object without fields that the cluster sets: an authority that is injected, whose placeholder in the manifest would replace it, and the rules of an
 *  aggregated ClusterRole. Two writers of one field would change it for ever.
 *  @see docs/spec/cluster-version.md#merge-rules */
export function withoutForeignFields(object: KubeObject): KubeObject {
  const path = authorities[object.kind];
  const isAggregated = object.kind === 'ClusterRole' && objectAt(object as JsonObject, 'aggregationRule') !== undefined;
  if (isAggregated) return without(object as JsonObject, ['rules']) as unknown as KubeObject;
  if (path === undefined || !isInjected(object)) return object;
  return without(object as JsonObject, path) as unknown as KubeObject;
}
