import type { JsonObject } from '../../../src/base/index.ts';
import { crd, csv, deployment, installModes } from '../../olm/objects.ts';

/** A ClusterServiceVersion that asks for too much, and what becomes of it. */
export interface HostileVersion {
  readonly name: string;
  readonly csv: JsonObject;
  /** What the user made before. */
  readonly before?: readonly JsonObject[];
  /** `phase reason message`, or why the API server refuses it. */
  readonly shows: RegExp;
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const kilobyte = 'x'.repeat(1024);

const apis = (count: number): JsonObject[] =>
  times(count, (index) => ({ name: `k${index}s.example.com`, version: 'v1', kind: `K${index}` }));

const withSpec = (spec: JsonObject): JsonObject => csv({ spec: { customresourcedefinitions: {}, ...spec } });
const withInstall = (install: JsonObject): JsonObject => csv({ install, spec: { customresourcedefinitions: {} } });

const deep = (levels: number): JsonObject => {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
};

const webhook = (options: JsonObject): JsonObject => ({
  type: 'ValidatingAdmissionWebhook',
  generateName: 'w.example.com',
  deploymentName: 'boat',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  rules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }],
  ...options,
});

const term = (index: number): JsonObject => ({
  labelSelector: {
    matchExpressions: times(10, (at) => ({ key: `k${index}-${at}`, operator: 'In', values: ['a', 'b'] })),
  },
  topologyKey: 'kubernetes.io/hostname',
});

/** One for each field that may be long, deep or odd. */
export const hostileVersions: readonly HostileVersion[] = [
  {
    name: 'many required definitions',
    csv: withSpec({ customresourcedefinitions: { required: apis(10_000) } }),
    shows: /^Failed InvalidInstallStrategy .*: 10000 required definitions/,
  },
  {
    name: 'as many required definitions as are allowed',
    csv: withSpec({ customresourcedefinitions: { required: apis(2_000) } }),
    shows: /^Pending RequirementsNotMet/,
  },
  {
    name: 'as many owned definitions as are allowed',
    csv: withSpec({ customresourcedefinitions: { owned: apis(2_000) } }),
    shows: /^Pending RequirementsNotMet/,
  },
  {
    name: 'many native APIs',
    csv: withSpec({
      nativeAPIs: times(10_000, (index) => ({ group: 'example.com', version: 'v1', kind: `K${index}` })),
    }),
    shows: /^Failed InvalidInstallStrategy .*: 10000 nativeAPIs/,
  },
  {
    name: 'many owned APIServices',
    csv: withSpec({
      apiservicedefinitions: {
        owned: times(300, (index) => ({
          name: `k${index}s`,
          group: `g${index}.example.com`,
          version: 'v1',
          kind: `K${index}`,
          deploymentName: 'boat',
        })),
      },
    }),
    shows: /^Failed InvalidInstallStrategy .*: 300 owned APIServices/,
  },
  {
    name: 'many deployments',
    csv: withInstall({ deployments: times(300, (index) => deployment(`d${index}`)) }),
    shows: /^Failed InvalidInstallStrategy .*: 300 deployments/,
  },
  {
    name: 'many permissions',
    csv: withInstall({
      permissions: times(3_500, (index) => ({
        serviceAccountName: `sa${index % 50}`,
        rules: [{ apiGroups: [`g${index}`], resources: ['r'], verbs: ['get'] }],
      })),
    }),
    shows: /^Failed InvalidInstallStrategy .*: 3500 rules of permissions/,
  },
  {
    name: 'rules that multiply',
    csv: withInstall({
      permissions: [
        {
          serviceAccountName: 'boat',
          rules: [
            {
              apiGroups: times(1_000, String),
              resources: times(1_000, String),
              verbs: times(1_000, String),
            },
          ],
        },
      ],
    }),
    shows: /^Failed InvalidInstallStrategy/,
  },
  {
    name: 'a description of a megabyte',
    csv: withSpec({ description: kilobyte.repeat(1_000) }),
    shows: /^Succeeded/,
  },
  {
    name: 'a megabyte of annotations of Pods',
    csv: withInstall({
      deployments: [
        deployment('boat', 'registry.example/boat', {
          metadata: { labels: { app: 'boat' }, annotations: { a: kilobyte.repeat(900) } },
        }),
      ],
    }),
    shows: /^Failed/,
  },
  {
    name: 'a deployment with a path as its name',
    csv: withInstall({ deployments: [deployment('../../../default/deployments/boat')] }),
    shows: /^Failed/,
  },
  {
    name: 'a deployment that is nested deeply',
    csv: withInstall({
      deployments: [{ name: 'boat', spec: { ...(deployment()['spec'] as JsonObject), strategy: deep(80) } }],
    }),
    shows: /^Succeeded/,
  },
  {
    name: 'a deployment without a template',
    csv: withInstall({ deployments: [{ name: 'boat', spec: {} }] }),
    shows: /is invalid: .spec.install.spec.deployments.0..spec.selector: Required/,
  },
  {
    name: 'many webhooks',
    csv: withSpec({
      webhookdefinitions: times(300, (index) =>
        webhook({
          generateName: `w${index}.example.com`,
          rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['as'], operations: ['CREATE'] }],
        }),
      ),
    }),
    shows: /^Failed InvalidInstallStrategy .*: 300 webhookdefinitions/,
  },
  {
    name: 'a webhook that converts many definitions',
    csv: withSpec({
      webhookdefinitions: [
        webhook({ type: 'ConversionWebhook', rules: [], conversionCRDs: times(3_000, () => 'as.example.com') }),
      ],
    }),
    shows: /^Failed InvalidInstallStrategy .*: 3000 conversionCRDs of webhooks/,
  },
  {
    name: 'a webhook with a path as its name',
    csv: withSpec({
      webhookdefinitions: [
        webhook({
          generateName: '../../x',
          rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['as'], operations: ['CREATE'] }],
        }),
      ],
    }),
    shows: /^Failed InstallComponentFailed/,
  },
  {
    name: 'many install modes',
    csv: withSpec({ installModes: times(5_000, () => installModes('OwnNamespace')[0] ?? {}) }),
    shows: /^Failed InvalidInstallModes/,
  },
  {
    name: 'an affinity of many terms',
    csv: withInstall({
      deployments: [
        deployment('boat', 'registry.example/boat', {
          spec: {
            affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: times(1_000, term) } },
          },
        }),
      ],
    }),
    shows: /^Succeeded/,
  },
  { name: 'one that replaces itself', csv: withSpec({ replaces: 'boat.v0.1.0' }), shows: /^Succeeded/ },
  {
    name: 'one that owns the definition of another',
    before: [crd('Boat'), csv({ name: 'first.v1', install: { deployments: [deployment('first')] } })],
    csv: csv(),
    shows: /^Failed OwnerConflict/,
  },
];
