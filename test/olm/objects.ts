import type { JsonObject } from '../../src/base/index.ts';
import type { Action, State, Target } from './scenario.ts';

const olm = 'operators.coreos.com';
/** Short names of namespaces in scenarios are written out in the API. */
const inNamespace = (name: string): string => `$id-${name}`;

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

/** The CustomResourceDefinition of `Boat`, or of another kind. */
export function crd(kind = 'Boat'): JsonObject {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.$id.example.com` },
    spec: {
      group: '$id.example.com',
      scope: 'Namespaced',
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

const modeTypes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];

export const installModes = (...supported: readonly string[]): JsonObject[] =>
  modeTypes.map((type) => ({ type, supported: supported.includes(type) }));

export function deployment(name = 'boat', image = 'registry.example/boat'): JsonObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'operator', image }] } };
  return { name, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
}

interface CsvOptions {
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

/** One entry of a channel, and the bundle behind it. */
export interface Release {
  readonly version: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
  readonly csv?: CsvOptions;
}

/** The object is encoded when the catalog is served: until then its texts may hold `$id`. */
const inlined = (data: JsonObject): JsonObject => ({ type: 'olm.bundle.object', value: { data } });

function bundleOf({ version, replaces, skips, skipRange, csv: options }: Release): JsonObject {
  const name = `boat.v${version}`;
  const annotations = skipRange === undefined ? {} : { annotations: { 'olm.skipRange': skipRange } };
  const edges = {
    ...(replaces === undefined ? {} : { replaces: `boat.v${replaces}` }),
    ...(skips === undefined ? {} : { skips: skips.map((skipped) => `boat.v${skipped}`) }),
  };
  const { metadata, ...rest } = csv({ name, ...annotations, ...options, spec: { ...edges, ...options?.spec } });
  const { namespace: _written, ...named } = metadata as JsonObject;
  const properties = [
    { type: 'olm.package', value: { packageName: 'boat', version } },
    { type: 'olm.gvk', value: { group: '$id.example.com', version: 'v1', kind: 'Boat' } },
    inlined({ ...rest, metadata: named }),
    inlined(crd()),
  ];
  // With an image, OLM would start a Job that unpacks it.
  return { schema: 'olm.bundle', package: 'boat', name, image: '', properties };
}

/** A catalog of the package `boat` with one channel, `stable`. */
export function catalog(...releases: readonly Release[]): JsonObject[] {
  const entries = releases.map(({ version, replaces, skips, skipRange }) => ({
    name: `boat.v${version}`,
    ...(replaces === undefined ? {} : { replaces: `boat.v${replaces}` }),
    ...(skips === undefined ? {} : { skips: skips.map((skipped) => `boat.v${skipped}`) }),
    ...(skipRange === undefined ? {} : { skipRange }),
  }));
  return [
    { schema: 'olm.package', name: 'boat', defaultChannel: 'stable' },
    { schema: 'olm.channel', package: 'boat', name: 'stable', entries },
    ...releases.map(bundleOf),
  ];
}

export function catalogSource(served: string): JsonObject {
  return {
    apiVersion: `${olm}/v1alpha1`,
    kind: 'CatalogSource',
    metadata: { name: 'shop', namespace: inNamespace('a') },
    spec: { sourceType: 'grpc', address: `$catalog/${served}` },
  };
}

export function subscription(spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: `${olm}/v1alpha1`,
    kind: 'Subscription',
    metadata: { name: 'boat', namespace: inNamespace('a') },
    spec: { name: 'boat', channel: 'stable', source: 'shop', sourceNamespace: inNamespace('a'), ...spec },
  };
}

export const apply = (...objects: readonly JsonObject[]): Action[] => objects.map((object) => ({ apply: object }));
/** A state to wait for first is optional. */
export const rest = (label: string, until?: State): Action => ({
  rest: label,
  ...(until === undefined ? {} : { until }),
});
export const succeeded = (name: string): State => ({ of: csvTarget(name), is: 'Succeeded' });
