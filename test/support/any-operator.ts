/** Generated operators, for property tests: what published ones have, near every limit, and what no author should write. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/base/index.ts';

/** Manifests and the package of a bundle. */
export interface AnyOperator {
  readonly packageName: string;
  readonly manifests: readonly JsonObject[];
}

/** A member that is there, empty in one of its spellings, or missing. */
function optional<T extends JsonValue>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.constant(undefined) },
  );
}

/** `members` without those that are undefined. */
function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}

function objectOf(members: Readonly<Record<string, fc.Arbitrary<JsonValue | undefined>>>): fc.Arbitrary<JsonObject> {
  return fc.record(members).map((made) => present(made as Readonly<Record<string, JsonValue | undefined>>));
}

const word = fc.constantFrom('acme', 'tide-gauge', 'w', 'manager', 'network-observability', 'a1');
/** Where names are cut, or too long, and one beside. */
const edges = [17, 18, 19, 20, 45, 46, 47, 52, 54, 55, 57, 58, 62, 63];
const longName = fc
  .record({ length: fc.constantFrom(...edges), letter: fc.constantFrom('x', 'y'), last: fc.constantFrom('a', 'b') })
  .map(({ length, letter, last }) => `${letter.repeat(length - 1)}${last}`);
const label = fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: longName });
const dotted = fc.tuple(label, word).map((parts) => parts.join('.'));
const longest = fc.constantFrom(250, 252, 253).map((length) => `${'z.'.repeat(100)}${'z'.repeat(length - 200)}`);
const subdomain = fc.oneof(
  { weight: 6, arbitrary: label },
  { weight: 2, arbitrary: dotted },
  { weight: 1, arbitrary: longest },
);
const account = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('', 'default', 'manager', 'reader') },
  { weight: 10, arbitrary: subdomain },
  { weight: 1, arbitrary: fc.constant('Bad_Name') },
);
const freeText = fc.constantFrom('', 'naïve<é>&"\\', '日本語', '\u2028\u2029', 'a\nb\tc', '{"a": 1}', 'x'.repeat(300));
const someText = fc.oneof(word, freeText);
const annotations = fc.dictionary(
  fc.constantFrom('olm.targetNamespaces', 'olm.operatorNamespace', 'alm-examples', 'note', 'capabilities'),
  someText,
);

const rule = objectOf({
  apiGroups: optional(fc.array(fc.constantFrom('', 'apps', '*', 'a.example'), { maxLength: 2 })),
  resources: optional(fc.array(fc.constantFrom('pods', 'deployments/status', '*', 'naïve<é>'), { maxLength: 2 })),
  resourceNames: optional(fc.array(freeText, { maxLength: 2 })),
  nonResourceURLs: optional(fc.array(fc.constantFrom('/metrics', '*'), { maxLength: 1 })),
  verbs: optional(fc.array(fc.constantFrom('get', 'list', '*'), { maxLength: 3 })),
  description: fc.constantFrom(undefined, 'dropped'),
});
const permission = objectOf({
  serviceAccountName: optional(account),
  rules: optional(fc.array(rule, { maxLength: 3 })),
});
/** Some of them twice. */
const permissions = optional(
  fc
    .record({ list: fc.array(permission, { maxLength: 3 }), isRepeated: fc.boolean() })
    .map(({ list, isRepeated }) => (isRepeated ? [...list, ...list.slice(0, 1)] : list)),
);

const places = ['/tmp/k8s-webhook-server/serving-certs', '/apiserver.local.config/certificates', '/data'];
const volumeNames = ['cert', 'webhook-cert', 'data'];
const mounts = optional(
  fc.uniqueArray(objectOf({ name: fc.constantFrom(...volumeNames), mountPath: fc.constantFrom(...places) }), {
    maxLength: 3,
    selector: ({ mountPath }) => mountPath,
  }),
);
const container = objectOf({
  name: fc.constantFrom('main', 'side'),
  image: fc.constantFrom('registry.example/acme:v1', ''),
  env: optional(fc.constantFrom([{ name: 'A', value: '' }], [], [{ name: 'A', valueFrom: null }])),
  resources: optional(fc.constantFrom<JsonObject>({}, { requests: { cpu: 1, memory: '1024Mi' }, limits: null })),
  volumeMounts: mounts,
});
const allVolumes = volumeNames.map((name) => ({ name, emptyDir: {} }));
const podSpec = objectOf({
  serviceAccountName: optional(account),
  containers: optional(fc.array(container, { maxLength: 2 })),
  initContainers: optional(fc.array(container, { maxLength: 1 })),
  volumes: fc.constant(allVolumes as unknown as JsonValue),
  affinity: optional(fc.constantFrom<JsonObject>({}, { nodeAffinity: {}, podAntiAffinity: null })),
});
const deployment = fc
  .record({
    name: subdomain,
    label: optional(fc.dictionary(word, word)),
    labels: fc.dictionary(fc.constantFrom('app', 'tier'), word, { minKeys: 1 }),
    hasSelector: fc.boolean(),
    annotations: optional(annotations),
    podSpec,
    replicas: optional(fc.nat(5)),
  })
  .map(({ name, label: ownLabels, labels, hasSelector, annotations: noted, podSpec: spec, replicas }) =>
    present({
      name,
      label: ownLabels,
      spec: present({
        replicas,
        ...(hasSelector ? { selector: { matchLabels: labels } } : {}),
        template: { metadata: present({ labels, annotations: noted }), spec },
      }),
    }),
  );

const crdNames = ['gauges.tide.example', 'widgets.acme.example', 'tides.tide.example'];
const webhookRule = objectOf({
  operations: optional(fc.constantFrom(['CREATE'], ['*'], [])),
  apiGroups: optional(fc.constantFrom(['acme.example'], ['apps', ''], [])),
  apiVersions: optional(fc.constantFrom(['v1'], ['*'])),
  resources: optional(fc.constantFrom(['widgets'], ['*'], ['pods/status'])),
  scope: optional(fc.constantFrom('*', 'Namespaced')),
});
const webhook = objectOf({
  type: fc.constantFrom('ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook', 'ConversionWebhook'),
  generateName: fc.tuple(label, fc.constantFrom('acme.example', 'kb.io')).map((parts) => parts.join('.')),
  containerPort: optional(fc.constantFrom(0, 443, 8443)),
  rules: optional(fc.array(webhookRule, { maxLength: 2 })),
  failurePolicy: optional(fc.constantFrom('Fail', 'Ignore')),
  matchPolicy: optional(fc.constantFrom('Exact', 'Equivalent')),
  objectSelector: optional(fc.constantFrom<JsonObject>({}, { matchLabels: { a: 'b' } })),
  sideEffects: fc.constantFrom('None', 'NoneOnDryRun'),
  timeoutSeconds: optional(fc.constantFrom(0, 10)),
  admissionReviewVersions: fc.constantFrom(['v1'], ['v1', 'v1beta1']),
  reinvocationPolicy: optional(fc.constantFrom('Never', 'IfNeeded')),
  webhookPath: optional(fc.constantFrom('', '/validate', '/naïve')),
  deployment: fc.nat(3),
  conversionCRDs: fc.subarray(crdNames),
});
const api = fc.record({
  group: fc.constantFrom('tide.example', 'acme.example'),
  version: fc.constantFrom('v1', 'v1beta1'),
  kind: fc.constantFrom('Tide', 'Gauge'),
  containerPort: fc.constantFrom(undefined, 443, 5443),
  deployment: fc.nat(3),
});

const conversion = fc.constantFrom<JsonObject | undefined>(
  undefined,
  { strategy: 'None' },
  { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://a.example' } } },
);
const crd = fc
  .record({ conversion, annotations: optional(fc.constantFrom({ 'cert-manager.io/inject-ca-from': 'system/cert' })) })
  .map((made) => made);

const rbac = 'rbac.authorization.k8s.io';
const subjects = fc.constantFrom<JsonObject[]>(
  [{ kind: 'ServiceAccount', name: 'manager' }],
  [{ kind: 'ServiceAccount', name: 'manager', namespace: 'system' }],
  [{ kind: 'User', name: 'jane' }],
);
const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'view' };
const shippedKinds: readonly (readonly [string, string])[] = [
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'Service'],
  ['v1', 'ServiceAccount'],
  [`${rbac}/v1`, 'Role'],
  [`${rbac}/v1`, 'ClusterRole'],
  [`${rbac}/v1`, 'RoleBinding'],
  [`${rbac}/v1`, 'ClusterRoleBinding'],
  ['policy/v1', 'PodDisruptionBudget'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
  ['monitoring.coreos.com/v1', 'ServiceMonitor'],
  ['scheduling.k8s.io/v1', 'PriorityClass'],
  ['console.openshift.io/v1', 'ConsoleLink'],
  ['autoscaling.k8s.io/v1', 'VerticalPodAutoscaler'],
];
const shipped = fc
  .record({
    kind: fc.constantFrom(...shippedKinds),
    hasApiVersion: fc.integer({ min: 0, max: 9 }),
    name: fc.constantFrom('manager', 'reader', 'webhook-service'),
    namespace: fc.constantFrom(undefined, 'system'),
    status: optional(fc.constantFrom({})),
    subjects,
  })
  .map(({ kind: [apiVersion, kind], hasApiVersion, name, namespace, status, subjects: bound }) =>
    present({
      apiVersion: hasApiVersion === 0 ? undefined : apiVersion,
      kind,
      metadata: present({ name, namespace }),
      status,
      ...(kind.endsWith('Binding') ? { roleRef, subjects: bound } : {}),
    }),
  );

const allModes = ['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace'];
const modes = fc.oneof(fc.constant(allModes), fc.constant(allModes.slice(0, 1)), fc.subarray(allModes));

interface Shape {
  readonly name: string;
  readonly annotations: JsonValue | undefined;
  readonly modes: readonly string[];
  readonly permissions: JsonValue | undefined;
  readonly clusterPermissions: JsonValue | undefined;
  readonly deployments: readonly JsonObject[];
  readonly webhooks: readonly JsonObject[];
  readonly apis: readonly { readonly deployment: number; readonly group: string; readonly version: string }[];
  readonly crds: Readonly<Record<string, { conversion: JsonObject | undefined; annotations: JsonValue | undefined }>>;
}

/** A CRD is converted by one webhook at most, and by none where more than all namespaces can be watched. */
function webhooksOf({ webhooks, deployments, modes: chosen, crds }: Shape): JsonObject[] {
  const free = new Set(Object.keys(crds));
  const canConvert = chosen.length === 1 && chosen[0] === 'AllNamespaces';
  const fitting = webhooks.filter(({ type }) => type !== 'ConversionWebhook' || canConvert);
  if (deployments.length === 0) return [];
  return fitting.map(({ deployment: index, conversionCRDs, ...rest }) => {
    const claimed = (conversionCRDs as string[]).filter(
      (name) => rest['type'] === 'ConversionWebhook' && free.delete(name),
    );
    const serving = deployments[Number(index) % deployments.length];
    return { ...rest, deploymentName: serving?.['name'] ?? '', conversionCRDs: claimed };
  });
}

function csvOf(shape: Shape): JsonObject {
  const { deployments, apis, crds } = shape;
  const owned = apis
    .filter(() => deployments.length > 0)
    .map(({ deployment: index, ...rest }) =>
      present({ name: 'api', ...rest, deploymentName: deployments[index % deployments.length]?.['name'] ?? '' }),
    );
  const { permissions: namespaced, clusterPermissions } = shape;
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: present({ name: shape.name, annotations: shape.annotations }),
    spec: {
      installModes: shape.modes.map((type) => ({ type, supported: true })),
      install: {
        strategy: 'deployment',
        spec: present({ permissions: namespaced, clusterPermissions, deployments: [...deployments] }),
      },
      customresourcedefinitions: {
        owned: Object.keys(crds).map((name) => ({ name, version: 'v1', kind: 'Any' })),
      },
      apiservicedefinitions: { owned },
      webhookdefinitions: webhooksOf(shape),
    },
  };
}

function crdsOf({ crds }: Shape): JsonObject[] {
  return Object.entries(crds).map(([name, { conversion: own, annotations: noted }]) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: present({ name, annotations: noted }),
    spec: present({
      group: name.slice(name.indexOf('.') + 1),
      scope: 'Namespaced',
      names: { kind: 'Any', plural: name.slice(0, name.indexOf('.')) },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      conversion: own,
    }),
  }));
}

const byIdentity = ({ kind, metadata }: JsonObject): string => JSON.stringify([kind, metadata]);

/** Operators as an author might write them: most can be rendered, and names are near every limit. */
export const anyOperator: fc.Arbitrary<AnyOperator> = fc
  .record({
    packageName: word,
    name: fc
      .tuple(subdomain, fc.constantFrom('', ...Array.from({ length: 9 }, () => '.v1.2.3'), '/v1'))
      .map((parts) => parts.join('')),
    annotations: optional(annotations),
    modes,
    permissions,
    clusterPermissions: permissions,
    deployments: fc.uniqueArray(deployment, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
    webhooks: fc.uniqueArray(webhook, {
      maxLength: 3,
      selector: (one) => JSON.stringify([one['type'], one['generateName']]),
    }),
    apis: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(api, { maxLength: 2 }) },
    ),
    crds: fc.dictionary(fc.constantFrom(...crdNames), crd),
    shipped: fc.uniqueArray(shipped, { maxLength: 4, selector: byIdentity }),
  })
  .map(({ packageName, shipped: others, ...shape }) => ({
    packageName,
    manifests: [csvOf(shape), ...crdsOf(shape), ...others],
  }));

const hostile: readonly (JsonValue | undefined)[] = [
  undefined,
  null,
  '',
  [],
  {},
  [null],
  { a: null },
  -1,
  1e99,
  0.5,
  true,
  'Bad_Name',
  'naïve\u2028',
  'x'.repeat(1000),
  '../../etc',
  { toString: 'x' },
];

function corrupt(value: JsonValue, path: readonly number[], by: JsonValue | undefined): JsonValue | undefined {
  const [step = 0, ...rest] = path;
  if (Array.isArray(value)) {
    if (value.length === 0) return by;
    const index = step % value.length;
    const items = value.map((item, at) => (at === index ? corrupt(item, rest, by) : item));
    return items.filter((item) => item !== undefined);
  }
  if (typeof value !== 'object' || value === null || path.length === 0) return by;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return by;
  return present({ ...value, [key]: corrupt(value[key] ?? null, rest, by) });
}

/** The same with one value somewhere replaced by an invalid one, or removed. */
export const corruptedOperator: fc.Arbitrary<AnyOperator> = fc
  .record({
    operator: anyOperator,
    path: fc.array(fc.nat(20), { minLength: 2, maxLength: 12 }),
    by: fc.constantFrom(...hostile),
  })
  .map(({ operator, path, by }) => {
    const manifests = corrupt([...operator.manifests], path, by);
    return { ...operator, manifests: (Array.isArray(manifests) ? manifests : []) as JsonObject[] };
  });
