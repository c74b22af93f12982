import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import { digestOf } from './payloads.ts';
import type { Payload, Target } from './scenario.ts';
import signed from './signatures.json' with { type: 'json' };

/** Without it a manifest is left out. */
const included = { 'include.release.openshift.io/self-managed-high-availability': 'true' };

type Texts = Readonly<Record<string, string>>;

/** Parts of a manifest that are seldom given. */
export interface Extra {
  readonly annotations?: Texts;
  readonly labels?: Texts;
}

function metadataOf(name: string, { annotations = {}, labels }: Extra, namespace?: string): JsonObject {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    annotations: { ...included, ...annotations },
    ...(labels === undefined ? {} : { labels: { ...labels } }),
  };
}

const testNamespace: JsonObject = { apiVersion: 'v1', kind: 'Namespace', metadata: metadataOf('test', {}) };

/** In the namespace `test`. */
export function configMap(name: string, data: Texts, extra: Extra = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(name, extra, 'test'), data: { ...data } };
}

/** A ClusterOperator as a release has it. */
export function operator(name: string, version: string, extra: Extra & { readonly operands?: Texts } = {}): JsonObject {
  const operands = Object.entries(extra.operands ?? {}).map(([key, value]) => ({ name: key, version: value }));
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: metadataOf(name, extra),
    spec: {},
    status: {
      versions: [{ name: 'operator', version }, ...operands],
      relatedObjects: [{ group: '', resource: 'namespaces', name: 'test' }],
    },
  };
}

export function deployment(name: string, image: string, extra: Extra = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(name, extra, 'test'),
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image, env: [{ name: 'RELEASE_IMAGE', value: image }] }] },
      },
    },
  };
}

export function job(name: string, image: string, extra: Extra = {}): JsonObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadataOf(name, extra, 'test'),
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { annotations: { ...extra.annotations } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] },
      },
    },
  };
}

export function service(name: string, ports: JsonValue[], extra: Extra = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(name, extra, 'test'),
    spec: { selector: { app: name }, ports },
  };
}

export function role(name: string, verbs: readonly string[], extra: Extra = {}): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: metadataOf(name, extra, 'test'),
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: [...verbs] }],
  };
}

export function roleBinding(name: string, of: string, extra: Extra = {}): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: metadataOf(name, extra, 'test'),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: of },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'test' }],
  };
}

/** Of the kind Widget, whose objects are cluster-scoped. */
export function widgetDefinition(extra: Extra = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: metadataOf('widgets.example.com', extra),
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } },
              },
            },
          },
        },
      ],
    },
  };
}

export function widget(name: string, spec: JsonObject, extra: Extra = {}): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: metadataOf(name, extra), spec };
}

/** Keys and signatures that were made for these scenarios. Their private keys exist no more. */
export const keys: typeof signed.keys = signed.keys;
export const signatures: typeof signed.signatures = signed.signatures;

/** What the engine verifies the next release by. */
export function verification(keys: Texts): JsonObject {
  const texts = Object.entries(keys).map(([name, key]): [string, string] => [`verifier-public-key-${name}`, key]);
  const data = { 'store-none': 'file:///nonexistent', ...Object.fromEntries(texts) };
  return configMap('verification', data, { annotations: { 'release.openshift.io/verification-config-map': '' } });
}

/** A ConfigMap that holds signatures of the payload `second`. */
export function signatureMap(...texts: readonly string[]): JsonObject {
  const prefix = digestOf('second').replace(':', '-');
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'signatures',
      namespace: 'openshift-config-managed',
      labels: { 'release.openshift.io/verification-signatures': '' },
    },
    binaryData: Object.fromEntries(texts.map((text, index) => [`${prefix}-${index + 1}`, text])),
  };
}

/** The payload `second` may be installed. */
export const signedSecond: JsonObject = signatureMap(signatures.second);

/** Asks for the payload `second`. */
export function updateToSecond(version = '4.22.1'): { readonly spec: JsonObject } {
  return { spec: { desiredUpdate: { version, image: '$image/second', force: null } } };
}

export function targetOf(object: JsonObject): Target {
  const { apiVersion, kind, metadata } = object as unknown as {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
  };
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** A release of two components at two levels, each with an operator, and of one without; and what is given. Files that are empty are left out. */
export function release(version: string, files: Payload['files'] = {}, more: Partial<Payload> = {}): Payload {
  return {
    version,
    files: {
      '0000_05_engine_00_namespace.yaml': [testNamespace],
      '0000_05_engine_01_verification.yaml': [verification({ release: keys.release })],
      '0000_10_alpha_01_config.yaml': [configMap('alpha', { version })],
      '0000_10_alpha_02_operator.yaml': [operator('alpha', version)],
      '0000_20_beta_01_config.yaml': [configMap('beta', { version })],
      '0000_20_beta_02_operator.yaml': [operator('beta', version)],
      '0000_20_gamma_01_config.yaml': [configMap('gamma', { version })],
      ...files,
    },
    ...more,
  };
}

/** A small release without operators: nothing waits. */
export function quickRelease(version: string, files: Payload['files'] = {}, more: Partial<Payload> = {}): Payload {
  return {
    version,
    files: {
      '0000_05_engine_00_namespace.yaml': [testNamespace],
      '0000_05_engine_01_verification.yaml': [verification({ release: keys.release })],
      '0000_10_alpha_01_config.yaml': [configMap('alpha', { version })],
      ...files,
    },
    ...more,
  };
}
