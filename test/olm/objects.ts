import type { JsonObject } from '../../src/base/index.ts';
import type { Action, State, Target } from './scenario.ts';

const olm = 'operators.coreos.com';
/** Short names of namespaces in scenarios are written out in the API. */
export const inNamespace = (name: string): string => `$id-${name}`;

export const csvTarget = (name: string, namespace = 'a'): Target => {
  return { apiVersion: `${olm}/v1alpha1`, kind: 'ClusterServiceVersion', name, namespace: inNamespace(namespace) };
};
export const groupTarget = (name = 'group', namespace = 'a'): Target => {
  return { apiVersion: `${olm}/v1`, kind: 'OperatorGroup', name, namespace: inNamespace(namespace) };
};
export const deploymentTarget = (name = 'boat', namespace = 'a'): Target => {
  return { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: inNamespace(namespace) };
};
export const crdTarget = (plural = 'boats'): Target => {
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `${plural}.$id.example.com` };
};

export const conditionTarget = (name = 'boat.v0.1.0', namespace = 'a'): Target => {
  return { apiVersion: `${olm}/v2`, kind: 'OperatorCondition', name, namespace: inNamespace(namespace) };
};
export const secretTarget = (name: string, namespace = 'a'): Target => {
  return { apiVersion: 'v1', kind: 'Secret', name, namespace: inNamespace(namespace) };
};
export const configMapTarget = (name: string, namespace = 'a'): Target => {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: inNamespace(namespace) };
};
export const namespaceTarget = (name: string): Target => {
  return { apiVersion: 'v1', kind: 'Namespace', name: inNamespace(name) };
};

/** An OperatorGroup; targets are short names of namespaces, none makes it global. */
export function group(
  options: { name?: string; namespace?: string; targets?: readonly string[]; spec?: JsonObject } = {},
): JsonObject {
  const { name = 'group', namespace = 'a', targets = ['a'], spec = {} } = options;
  const targetNamespaces = targets.map(inNamespace);
  return {
    apiVersion: `${olm}/v1`,
    kind: 'OperatorGroup',
    metadata: { name, namespace: inNamespace(namespace) },
    spec: { ...(targets.length === 0 ? {} : { targetNamespaces }), ...spec },
  };
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The CustomResourceDefinition of `Boat`, or of another kind. */
export function crd(kind = 'Boat', versions: readonly string[] = ['v1'], properties?: JsonObject): JsonObject {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: properties === undefined ? anything : { type: 'object', properties } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.$id.example.com` },
    spec: {
      group: '$id.example.com',
      scope: 'Namespaced',
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  };
}

const modeTypes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];

export const installModes = (...supported: readonly string[]): JsonObject[] =>
  modeTypes.map((type) => ({ type, supported: supported.includes(type) }));

export function deployment(name = 'boat', image = 'registry.example/boat', pod: JsonObject = {}): JsonObject {
  const labels = { app: name };
  const { metadata, spec } = pod as { metadata?: JsonObject; spec?: JsonObject };
  const template = {
    metadata: { labels, ...metadata },
    spec: { containers: [{ name: 'operator', image }], ...spec },
  };
  return { name, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
}

/** What differs from the usual ClusterServiceVersion. */
export interface CsvOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly kind?: string;
  readonly spec?: JsonObject;
  readonly install?: JsonObject;
  readonly annotations?: JsonObject;
}

/** A ClusterServiceVersion named `boat.v0.1.0` that owns `Boat`, supports every install mode and has one Deployment. */
export function csv(options: CsvOptions = {}): JsonObject {
  const { name = 'boat.v0.1.0', namespace = 'a', kind = 'Boat', spec = {}, install = {}, annotations } = options;
  const owned = { name: `${kind.toLowerCase()}s.$id.example.com`, version: 'v1', kind, displayName: kind };
  return {
    apiVersion: `${olm}/v1alpha1`,
    kind: 'ClusterServiceVersion',
    metadata: {
      name,
      namespace: inNamespace(namespace),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      displayName: 'Boat',
      version: name.replace(/^.*\.v/, ''),
      installModes: installModes(...modeTypes),
      customresourcedefinitions: { owned: [owned] },
      install: { strategy: 'deployment', spec: { deployments: [deployment()], ...install } },
      ...spec,
    },
  };
}

export const apply = (...objects: readonly JsonObject[]): Action[] => objects.map((object) => ({ apply: object }));
/** A state to wait for first is optional. */
export const rest = (label: string, until?: State): Action => ({
  rest: label,
  ...(until === undefined ? {} : { until }),
});
export const succeeded = (name = 'boat.v0.1.0', namespace = 'a'): State => {
  return { of: csvTarget(name, namespace), is: 'Succeeded' };
};
export const failed = (name = 'boat.v0.1.0', namespace = 'a'): State => {
  return { of: csvTarget(name, namespace), is: 'Failed' };
};
