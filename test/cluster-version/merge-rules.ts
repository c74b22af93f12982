import type { JsonObject, JsonValue } from '../../src/base/index.ts';

/** What becomes of a change that someone else makes to an object of a release, found by reading `lib/resourcemerge` and `lib/resourceapply` of the
 *  cluster-version-operator, and `pkg/cvo/internal/generic.go` for kinds that it has no rules for. */
export interface MergeRow {
  /** `kind: what is changed`. */
  readonly title: string;
  /** Without metadata that is the same for all. */
  readonly manifest: JsonObject;
  /** JSON merge patch of someone else. */
  readonly change: JsonObject;
  /** What is compared. */
  readonly at: readonly (string | number)[];
  /** What the reference makes of it; `null` when it is removed. */
  readonly reference: JsonValue;
  /** What Longshore makes of it, and why, where that differs. */
  readonly ours?: JsonValue;
  readonly differs?: string;
}

const unstated =
  'A field that no manifest states belongs to others. The reference resets it to a default, or removes it.';
const keyed =
  'Items with a key that others add stay: containers, variables, volumes, webhooks. The reference removes them.';
const atomic =
  'A list without keys, and the labels of nodes, are replaced as a whole. The reference keeps items that others add.';
const stated = 'Every field that the manifest states is corrected. The reference leaves this one alone.';
const injected =
  'An authority that another program injects stays. The reference knows that for ValidatingWebhookConfigurations and CustomResourceDefinitions only, and overwrites it in others each round.';
const refused =
  'A field that the cluster sets is not part of what is written. The reference writes the spec of the manifest, which the API server refuses for ever.';

const image = 'registry.example.com/beta:1';
const labels = { app: 'beta' };

function podTemplate(spec: JsonObject = {}, container: JsonObject = {}): JsonObject {
  return { metadata: { labels }, spec: { containers: [{ name: 'main', image, ...container }], ...spec } };
}

function deployment(spec: JsonObject = {}, template: JsonObject = podTemplate()): JsonObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', spec: { selector: { matchLabels: labels }, template, ...spec } };
}

/** Changes the pod template of a Deployment. */
function inPods(spec: JsonObject): JsonObject {
  return { spec: { template: { spec } } };
}

function inMain(fields: JsonObject): JsonObject {
  return inPods({ containers: [{ name: 'main', image, ...fields }] });
}

/** A label that the Node has. */
const os = 'kubernetes.io/os';
const pods = ['spec', 'template', 'spec'];
const main = [...pods, 'containers', 0];

const workloads: readonly MergeRow[] = [
  {
    title: 'Deployment: replicas that the manifest states',
    manifest: deployment({ replicas: 2 }),
    change: { spec: { replicas: 5 } },
    at: ['spec', 'replicas'],
    reference: 2,
  },
  {
    title: 'Deployment: replicas that it does not state',
    manifest: deployment(),
    change: { spec: { replicas: 5 } },
    at: ['spec', 'replicas'],
    reference: 1,
    ours: 5,
    differs: unstated,
  },
  {
    title: 'Deployment: strategy',
    manifest: deployment(),
    change: { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } },
    at: ['spec', 'strategy', 'type'],
    reference: 'RollingUpdate',
    ours: 'Recreate',
    differs: unstated,
  },
  {
    title: 'Deployment: a variable is changed',
    manifest: deployment({}, podTemplate({}, { env: [{ name: 'A', value: '1' }] })),
    change: inMain({ env: [{ name: 'A', value: '2' }] }),
    at: [...main, 'env'],
    reference: [{ name: 'A', value: '1' }],
  },
  {
    title: 'Deployment: a variable is added',
    manifest: deployment({}, podTemplate({}, { env: [{ name: 'A', value: '1' }] })),
    change: inMain({
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    }),
    at: [...main, 'env'],
    reference: [{ name: 'A', value: '1' }],
    ours: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
    differs: keyed,
  },
  {
    title: 'Deployment: a volume is added',
    manifest: deployment(),
    change: inPods({ volumes: [{ name: 'mine', emptyDir: {} }] }),
    at: [...pods, 'volumes'],
    reference: null,
    ours: [{ name: 'mine', emptyDir: {} }],
    differs: keyed,
  },
  {
    title: 'Deployment: a volume has another source',
    manifest: deployment({}, podTemplate({ volumes: [{ name: 'data', configMap: { name: 'a', defaultMode: 420 } }] })),
    change: inPods({ volumes: [{ name: 'data', configMap: { name: 'b', defaultMode: 420 } }] }),
    at: [...pods, 'volumes'],
    reference: [{ name: 'data', configMap: { name: 'a', defaultMode: 420 } }],
  },
  {
    title: 'Deployment: arguments that the manifest does not state',
    manifest: deployment(),
    change: inMain({ args: ['--mine'] }),
    at: [...main, 'args'],
    reference: null,
    ours: ['--mine'],
    differs: unstated,
  },
  {
    title: 'Deployment: limits beside the requests of the manifest',
    manifest: deployment({}, podTemplate({}, { resources: { requests: { cpu: '10m' } } })),
    change: inMain({ resources: { requests: { cpu: '20m' }, limits: { cpu: '1' } } }),
    at: [...main, 'resources'],
    reference: { requests: { cpu: '10m' } },
    ours: { requests: { cpu: '10m' }, limits: { cpu: '1' } },
    differs: unstated,
  },
  {
    title: 'Deployment: the network of the host',
    manifest: deployment(),
    change: inPods({ hostNetwork: true }),
    at: [...pods, 'hostNetwork'],
    reference: null,
    ours: true,
    differs: unstated,
  },
  {
    title: 'Deployment: a label of nodes is added',
    manifest: deployment({}, podTemplate({ nodeSelector: { [os]: 'linux' } })),
    change: inPods({ nodeSelector: { [os]: 'windows', b: '2' } }),
    at: [...pods, 'nodeSelector'],
    reference: { [os]: 'linux', b: '2' },
    ours: { [os]: 'linux' },
    differs: atomic,
  },
  {
    title: 'Deployment: a toleration is added',
    manifest: deployment({}, podTemplate({ tolerations: [{ key: 'a', operator: 'Exists' }] })),
    change: inPods({
      tolerations: [
        { key: 'a', operator: 'Exists' },
        { key: 'b', operator: 'Exists' },
      ],
    }),
    at: [...pods, 'tolerations'],
    reference: [
      { key: 'a', operator: 'Exists' },
      { key: 'b', operator: 'Exists' },
    ],
    ours: [{ key: 'a', operator: 'Exists' }],
    differs: atomic,
  },
  {
    title: 'Deployment: an affinity that the manifest does not state',
    manifest: deployment(),
    change: inPods({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }],
        },
      },
    }),
    at: [...pods, 'affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 0, 'topologyKey'],
    reference: 'zone',
  },
  {
    title: 'DaemonSet: update strategy',
    manifest: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      spec: {
        selector: { matchLabels: labels },
        template: podTemplate(),
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      },
    },
    change: { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 3 } } } },
    at: ['spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable'],
    reference: 3,
    ours: 1,
    differs: stated,
  },
  {
    title: 'CronJob: schedule',
    manifest: cronJob(),
    change: { spec: { schedule: '0 0 1 1 *' } },
    at: ['spec', 'schedule'],
    reference: '*/5 * * * *',
  },
  {
    title: 'CronJob: it is suspended',
    manifest: cronJob(),
    change: { spec: { suspend: true } },
    at: ['spec', 'suspend'],
    reference: false,
    ours: true,
    differs: unstated,
  },
  {
    title: 'CronJob: how many Jobs are kept',
    manifest: cronJob(),
    change: { spec: { successfulJobsHistoryLimit: 7 } },
    at: ['spec', 'successfulJobsHistoryLimit'],
    reference: 3,
    ours: 7,
    differs: unstated,
  },
];

function cronJob(): JsonObject {
  const template = podTemplate({ restartPolicy: 'Never' });
  const spec = { schedule: '*/5 * * * *', jobTemplate: { spec: { template } } };
  return { apiVersion: 'batch/v1', kind: 'CronJob', spec };
}

function service(spec: JsonObject = {}): JsonObject {
  const ports = [{ name: 'web', port: 80, protocol: 'TCP', targetPort: 8080 }];
  return { apiVersion: 'v1', kind: 'Service', spec: { selector: labels, ports, ...spec } };
}

const rbac = 'rbac.authorization.k8s.io/v1';
const reader = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' };
const podReader = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

const core: readonly MergeRow[] = [
  {
    title: 'Service: type',
    manifest: service(),
    change: { spec: { type: 'NodePort' } },
    at: ['spec', 'type'],
    reference: 'ClusterIP',
    ours: 'NodePort',
    differs: unstated,
  },
  {
    title: 'Service: an address that the cluster has given',
    manifest: service(),
    change: { spec: { externalIPs: ['192.0.2.1'] } },
    at: ['spec', 'externalIPs'],
    reference: ['192.0.2.1'],
  },
  {
    title: 'Service: selector',
    manifest: service(),
    change: { spec: { selector: { mine: 'yes' } } },
    at: ['spec', 'selector'],
    reference: labels,
  },
  {
    title: 'ServiceAccount: pull secrets',
    manifest: { apiVersion: 'v1', kind: 'ServiceAccount' },
    change: { imagePullSecrets: [{ name: 'mine' }] },
    at: ['imagePullSecrets'],
    reference: [{ name: 'mine' }],
  },
  {
    title: 'ServiceAccount: whether its token is mounted, which the manifest does not state',
    manifest: { apiVersion: 'v1', kind: 'ServiceAccount' },
    change: { automountServiceAccountToken: false },
    at: ['automountServiceAccountToken'],
    reference: null,
    ours: false,
    differs: unstated,
  },
  {
    title: 'ConfigMap: binary data',
    manifest: { apiVersion: 'v1', kind: 'ConfigMap', binaryData: { a: 'AAAA' } },
    change: { binaryData: { a: 'BBBB', b: 'BBBB' } },
    at: ['binaryData'],
    reference: { a: 'AAAA', b: 'BBBB' },
  },
  {
    title: 'PersistentVolumeClaim: a default that the cluster sets',
    manifest: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    change: { metadata: { labels: { mine: 'yes' } } },
    at: ['spec', 'volumeMode'],
    reference: 'Filesystem',
    ours: 'Filesystem',
    differs: refused,
  },
  {
    title: 'ClusterRole: rules',
    manifest: {
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { labels: { aggregated: 'yes' } },
      rules: [podReader],
    },
    change: { rules: [{ ...podReader, verbs: ['*'] }] },
    at: ['rules'],
    reference: [podReader],
  },
  {
    title: 'ClusterRole: rules that the cluster aggregates',
    manifest: {
      apiVersion: rbac,
      kind: 'ClusterRole',
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { aggregated: 'yes' } }] },
      rules: [],
    },
    change: { rules: null },
    at: ['rules'],
    reference: [podReader],
  },
  {
    title: 'ClusterRoleBinding: subjects',
    manifest: {
      apiVersion: rbac,
      kind: 'ClusterRoleBinding',
      subjects: [reader],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    },
    change: { subjects: [reader, { ...reader, name: 'mine' }] },
    at: ['subjects'],
    reference: [reader],
  },
];

const injection = { annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } };

/** The authority of a webhook. */
function authorityOf(der: string): string {
  return Buffer.from(`-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`).toString('base64');
}

const certificate = authorityOf(
  'MIIBbzCCARWgAwIBAgIUDYqQCK6y59ryzF6vmUPLnH2pkXkwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAgFw0yNjExMjgxOTUxMTVaGA8yMTI2MTEwNDE5NTExNVowDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNPA1mTPUww1hmLJYzs9Ro3DIAeUfmOOJleB3mmtXQYZYZvliUp5+erqGseYCj27HiYJZHSFEz7FZpkjVRcS5aijUzBRMB0GA1UdDgQWBBSYFLOcMoP5RiSEfySZSsEG76oxIjAfBgNVHSMEGDAWgBSYFLOcMoP5RiSEfySZSsEG76oxIjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCOjLP9cixdANxIpXOtEfyPOABaDHtp2a01lfv5I/9NuAIgTlU51mBI9GpKPzhPCxVhufFQTfUu8lhnt+I0rQGk2T8=',
);
const placeholder = authorityOf(
  'MIIBbzCCARWgAwIBAgIUQ99x2ZIiEDKwb+Hn4+2YbEGymTgwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYjAgFw0yNjExMjgxOTUxMTVaGA8yMTI2MTEwNDE5NTExNVowDDEKMAgGA1UEAwwBYjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABG1hmNj+Nwnt7tjEnrkQtSgB90asctwFU/z9XTDSLkiorTZ8CkkjWNsfgidSUHXTpLw65TvrV0JWApsGo24yL9OjUzBRMB0GA1UdDgQWBBRAQBkuODfuuH5n1g18dwOX59VknjAfBgNVHSMEGDAWgBRAQBkuODfuuH5n1g18dwOX59VknjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIBitvAQmtEVaDa85NystatgXiDWFUGIFXz2vBaHFH1AgAiEAl2nE2dGR6FgFZuLDKIrK6g3ySE4epl6lKsyjS0baXTI=',
);
const clientConfig = { service: { name: 'beta', namespace: 'quay', path: '/check', port: 443 } };

function webhooks(kind: string, fields: JsonObject, metadata: JsonObject = {}): JsonObject {
  const webhook = { name: 'check.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig };
  const rules = [
    { apiGroups: ['none.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nones'] },
  ];
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata,
    webhooks: [{ ...webhook, rules, ...fields }],
  };
}

/** What is written by someone else: the whole list. */
function webhookChange(kind: string, fields: JsonObject): JsonObject {
  return { webhooks: webhooks(kind, fields)['webhooks'] ?? [] };
}

const [validating, mutating] = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
const authority = ['webhooks', 0, 'clientConfig', 'caBundle'];
const withAuthority = { clientConfig: { ...clientConfig, caBundle: certificate } };
const withPlaceholder = { clientConfig: { ...clientConfig, caBundle: placeholder } };

const admission: readonly MergeRow[] = [
  {
    title: 'ValidatingWebhookConfiguration: an authority that is injected in place of the one of the manifest',
    manifest: webhooks(validating, withPlaceholder, injection),
    change: webhookChange(validating, withAuthority),
    at: authority,
    reference: certificate,
  },
  {
    title: 'ValidatingWebhookConfiguration: an authority without the annotation of an injector',
    manifest: webhooks(validating, {}),
    change: webhookChange(validating, withAuthority),
    at: authority,
    reference: null,
    ours: certificate,
    differs: unstated,
  },
  {
    title: 'ValidatingWebhookConfiguration: the service that is asked',
    manifest: webhooks(validating, {}),
    change: webhookChange(validating, { clientConfig: { service: { ...clientConfig.service, name: 'mine' } } }),
    at: ['webhooks', 0, 'clientConfig', 'service', 'name'],
    reference: 'beta',
  },
  {
    title: 'ValidatingWebhookConfiguration: failure policy',
    manifest: webhooks(validating, {}),
    change: webhookChange(validating, { failurePolicy: 'Ignore' }),
    at: ['webhooks', 0, 'failurePolicy'],
    reference: 'Fail',
    ours: 'Ignore',
    differs: unstated,
  },
  {
    title: 'MutatingWebhookConfiguration: an authority that is injected in place of the one of the manifest',
    manifest: webhooks(mutating, withPlaceholder, injection),
    change: webhookChange(mutating, withAuthority),
    at: authority,
    reference: placeholder,
    ours: certificate,
    differs: injected,
  },
];

function definition(plural: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`;
  const names = { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com`, ...metadata },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema }],
      ...spec,
    },
  };
}

function conversion(caBundle: string): JsonObject {
  return {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { ...clientConfig, caBundle } },
  };
}

const definitions: readonly MergeRow[] = [
  {
    title: 'CustomResourceDefinition: an authority of its conversion that is injected',
    manifest: definition('gears', { conversion: conversion(placeholder) }, injection),
    change: { spec: { conversion: conversion(certificate) } },
    at: ['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'],
    reference: certificate,
  },
  {
    title: 'CustomResourceDefinition: an authority of its conversion without the annotation of an injector',
    manifest: definition('cogs', { conversion: conversion(placeholder) }),
    change: { spec: { conversion: conversion(certificate) } },
    at: ['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'],
    reference: placeholder,
  },
  {
    title: 'CustomResourceDefinition: a short name is added',
    manifest: definition('wheels'),
    change: { spec: { names: { shortNames: ['wh'] } } },
    at: ['spec', 'names', 'shortNames'],
    reference: null,
    ours: ['wh'],
    differs: unstated,
  },
];

const constraints = { apiVersion: 'security.openshift.io/v1', kind: 'SecurityContextConstraints' };
const stream = { apiVersion: 'image.openshift.io/v1', kind: 'ImageStream' };
const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const tag = (name: string, from: string): JsonObject => ({ name, from: { kind: 'DockerImage', name: from } });

const others: readonly MergeRow[] = [
  {
    title: 'SecurityContextConstraints: priority',
    manifest: { ...constraints, volumes: ['secret'] },
    change: { priority: 10 },
    at: ['priority'],
    reference: null,
  },
  {
    title: 'SecurityContextConstraints: volumes',
    manifest: { ...constraints, volumes: ['secret'] },
    change: { volumes: ['secret', 'hostPath'] },
    at: ['volumes'],
    reference: ['secret'],
  },
  {
    title: 'SecurityContextConstraints: privileged containers, which the manifest does not state',
    manifest: { ...constraints, volumes: ['secret'] },
    change: { allowPrivilegedContainer: true },
    at: ['allowPrivilegedContainer'],
    reference: false,
  },
  {
    title: 'SecurityContextConstraints: users, which the manifest does not state',
    manifest: { ...constraints, volumes: ['secret'] },
    change: { users: ['mine'] },
    at: ['users'],
    reference: null,
    ours: ['mine'],
    differs: unstated,
  },
  {
    title: 'ImageStream: a tag is added',
    manifest: { ...stream, spec: { tags: [tag('a', 'one')] } },
    change: { spec: { tags: [tag('a', 'one'), tag('mine', 'two')] } },
    at: ['spec', 'tags'],
    reference: [tag('a', 'one'), tag('mine', 'two')],
  },
  {
    title: 'ImageStream: a tag leads to another image',
    manifest: { ...stream, spec: { tags: [tag('a', 'one')] } },
    change: { spec: { tags: [tag('a', 'two')] } },
    at: ['spec', 'tags'],
    reference: [tag('a', 'one')],
  },
  {
    title: 'OperatorGroup: namespaces',
    manifest: { ...group, spec: { targetNamespaces: ['quay'] } },
    change: { spec: { targetNamespaces: ['mine'] } },
    at: ['spec', 'targetNamespaces'],
    reference: ['quay'],
  },
  {
    title: 'OperatorGroup: service account',
    manifest: { ...group, spec: { targetNamespaces: ['quay'] } },
    change: { spec: { serviceAccountName: 'mine' } },
    at: ['spec', 'serviceAccountName'],
    reference: 'mine',
  },
  {
    title: 'OperatorGroup: upgrade strategy',
    manifest: { ...group, spec: { targetNamespaces: ['quay'] } },
    change: { spec: { upgradeStrategy: 'TechPreviewUnsafeFailForward' } },
    at: ['spec', 'upgradeStrategy'],
    reference: 'Default',
    ours: 'TechPreviewUnsafeFailForward',
    differs: unstated,
  },
];

export const mergeRules: readonly MergeRow[] = [...workloads, ...core, ...admission, ...definitions, ...others];

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const tags = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { ...open, required: ['name'], properties: { name: { type: 'string' } } },
};

function foreignDefinition([apiVersion, kind, plural, schema]: readonly [
  string,
  string,
  string,
  JsonObject,
]): JsonObject {
  const [name = '', version = ''] = apiVersion.split('/');
  const scope = kind === constraints.kind ? 'Cluster' : 'Namespaced';
  const versions = [
    { name: version, served: true, storage: true, schema: { openAPIV3Schema: { ...open, ...schema } } },
  ];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${name}` },
    spec: { group: name, scope, names: { kind, plural }, versions },
  };
}

/** Of the kinds that other components define. */
export const foreignDefinitions: readonly JsonObject[] = (
  [
    [constraints.apiVersion, constraints.kind, 'securitycontextconstraints', {}],
    [group.apiVersion, group.kind, 'operatorgroups', {}],
    [stream.apiVersion, stream.kind, 'imagestreams', { properties: { spec: { ...open, properties: { tags } } } }],
  ] as const
).map(foreignDefinition);
