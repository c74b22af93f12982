import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import type { Probe } from './probe.ts';

/** `/api/v1/namespaces/NS/configmaps/NAME` of the case's namespace; groups as `apps/v1/deployments`. */
export function pathOf(api: Probe, resource: string, name = ''): string {
  const parts = resource.split('/');
  const plural = parts.pop() ?? '';
  const root = parts.length === 0 ? '/api/v1' : `/apis/${parts.join('/')}`;
  return `${root}/namespaces/${api.namespace}/${plural}${name === '' ? '' : `/${name}`}`;
}

/** A ConfigMap; `rest` is laid over it. */
export function configMap(name: string, rest: JsonObject = {}): JsonObject {
  const { metadata, ...fields } = rest;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(metadata as JsonObject) }, ...fields };
}

/** A pod that no scheduler looks at. */
export function pod(name: string, spec: JsonObject = {}): JsonObject {
  const containers = [{ name: 'a', image: 'registry.example/a:1' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { schedulerName: 'nobody', automountServiceAccountToken: false, containers, ...spec },
  };
}

/** A PodTemplate: a pod's spec that nothing acts on. */
export function podTemplate(name: string, spec: JsonObject = {}): JsonObject {
  const containers = [{ name: 'a', image: 'registry.example/a:1' }];
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers, ...spec } };
  return { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name }, template };
}

/** A Deployment with one container. */
export function deployment(name: string, spec: JsonObject = {}): JsonObject {
  const containers = [{ name: 'a', image: 'registry.example/a:1' }];
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers } };
  const base = { replicas: 1, selector: { matchLabels: { app: 'x' } }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { ...base, ...spec } };
}

/** A Service with one port; `spec` is laid over it. */
export function service(name: string, spec: JsonObject = {}): JsonObject {
  const base = { selector: { app: 'x' }, ports: [{ port: 80 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ...base, ...spec } };
}

const byControllers = /^(kube-controller-manager|[a-z-]+-controller|kubelet)$/;

/** An object without what controllers add to it while a case looks on: status, versions, their own managedFields. */
export function withoutControllers(body: JsonValue): JsonValue {
  const object = body as JsonObject;
  if (object['kind'] === 'Status') return object;
  const { status: _status, ...rest } = object;
  const { resourceVersion: _version, ...metadata } = object['metadata'] as JsonObject;
  const entries = (metadata['managedFields'] ?? []) as JsonObject[];
  const managedFields = entries.filter(({ manager, subresource }) => !isControllers(manager, subresource));
  const annotations = { ...(metadata['annotations'] as JsonObject | undefined) };
  delete annotations['deployment.kubernetes.io/revision'];
  delete annotations['autoscaling.alpha.kubernetes.io/conditions'];
  return { ...rest, metadata: { ...metadata, annotations, managedFields } };
}

function isControllers(manager: JsonValue | undefined, subresource: JsonValue | undefined): boolean {
  return typeof manager === 'string' && byControllers.test(manager) && subresource === 'status';
}

/** A Status without the whole patched object that stands in it in Go's order of fields. */
export function withoutPatched(body: JsonValue): JsonValue {
  if ((body as JsonObject)['kind'] !== 'Status') return body;
  const text = JSON.stringify(body).replaceAll(/Invalid value: \\"\{.*?\}\\": (?=[a-z])/g, 'Invalid value: (object): ');
  return JSON.parse(text) as JsonValue;
}

/** A body without detail: all but metadata, without the managed fields. */
export function metadataOnly(body: JsonValue): JsonValue {
  const object = body as JsonObject;
  if (object['kind'] === 'Status') return object;
  const { managedFields: _dropped, ...metadata } = object['metadata'] as JsonObject;
  return metadata;
}

export const mergePatch = 'application/merge-patch+json';
export const jsonPatch = 'application/json-patch+json';
export const applyPatch = 'application/apply-patch+yaml';
export const strategicPatch = 'application/strategic-merge-patch+json';
