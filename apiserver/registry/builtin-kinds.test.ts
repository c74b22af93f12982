import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../core/object-meta.ts';
import type { ResourceType } from '../core/resource-type.ts';
import { builtinResourceTypes } from './builtin-resources.ts';

const types = builtinResourceTypes();

function typeOf(apiVersion: string, kind: string): ResourceType {
  const found = types.find(
    (type) => [type.group, type.version].filter(Boolean).join('/') === apiVersion && type.kind === kind,
  );
  if (found === undefined) throw new Error(`${apiVersion} ${kind}: not in the table`);
  return found;
}

function created(apiVersion: string, kind: string, fields: JsonObject): KubeObject {
  const object: KubeObject = { apiVersion, kind, metadata: { name: 'x', uid: 'u' }, ...structuredClone(fields) };
  const { strategy } = typeOf(apiVersion, kind);
  strategy.applyDefaults(object);
  strategy.prepareForCreate(object);
  return object;
}

function errors(object: KubeObject, old?: KubeObject): string[] {
  const { strategy } = typeOf(object.apiVersion, object.kind);
  return strategy.validate(object, old, undefined).map((error) => `${error.field}: ${error.message}`);
}

const container = { name: 'c', image: 'x' };
const template = (spec: JsonObject = {}, labels: JsonObject = { a: 'b' }): JsonObject => ({
  metadata: { labels },
  spec: { containers: [container], ...spec },
});
const selector = { matchLabels: { a: 'b' } };
const deployment = (spec: JsonObject): KubeObject =>
  created('apps/v1', 'Deployment', { spec: { selector, template: template(), ...spec } });
const job = (spec: JsonObject): KubeObject =>
  created('batch/v1', 'Job', { spec: { template: template({ restartPolicy: 'Never' }), ...spec } });
const service = (spec: JsonObject): KubeObject => created('v1', 'Service', { spec });
const pod = (spec: JsonObject): KubeObject => created('v1', 'Pod', { spec: { containers: [container], ...spec } });

test('every row has a schema, and one storage version a key', () => {
  const keys = types.filter((type) => type.isStorageVersion).map((type) => type.storageKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(types.filter((type) => type.schema === undefined).map((type) => type.kind)).toEqual([]);
});

test('TYPE-01: a minimal deployment gets the defaults of kube-apiserver', () => {
  expect(deployment({})).toMatchObject({
    spec: {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      template: {
        metadata: { creationTimestamp: null },
        spec: {
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          terminationGracePeriodSeconds: 30,
          securityContext: {},
          containers: [{ imagePullPolicy: 'Always', resources: {}, terminationMessagePolicy: 'File' }],
        },
      },
    },
  });
});

const rows: { name: string; object: KubeObject; refusals: string[] }[] = [
  { name: 'nothing of a minimal deployment', object: deployment({}), refusals: [] },
  {
    name: 'TYPE-02: a selector that its template does not meet',
    object: deployment({ selector: { matchLabels: { a: 'c' } } }),
    refusals: [
      'spec.template.metadata.labels: Invalid value: map[string]string{"a":"b"}: `selector` does not match template `labels`',
    ],
  },
  {
    name: 'TYPE-06: a job that restarts for ever',
    object: job({ template: template() }),
    refusals: ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  },
  {
    name: 'TYPE-08: a schedule that is none',
    object: created('batch/v1', 'CronJob', {
      spec: { schedule: 'x', jobTemplate: { spec: { template: template({ restartPolicy: 'Never' }) } } },
    }),
    refusals: ['spec.schedule: Invalid value: "x": expected exactly 5 fields, found 1: [x]'],
  },
  { name: 'TYPE-10: a service without ports', object: service({}), refusals: ['spec.ports: Required value'] },
  {
    name: 'TYPE-11: two ports without names',
    object: service({ ports: [{ port: 80 }, { port: 81 }] }),
    refusals: ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
  },
  {
    name: 'TYPE-15: a key with a space',
    object: created('v1', 'ConfigMap', { data: { 'a b': 'x' } }),
    refusals: [
      expect.stringContaining(
        'data[a b]: Invalid value: "a b": a valid config key must consist of',
      ) as unknown as string,
    ],
  },
  {
    name: 'a ConfigMap over its limit',
    object: created('v1', 'ConfigMap', { data: { a: 'x'.repeat(1_048_577) } }),
    refusals: ['[]: Too long: may not be more than 1048576 bytes'],
  },
  {
    name: 'TYPE-18: a TLS secret without key',
    object: created('v1', 'Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': 'YQ==' } }),
    refusals: ['data[tls.key]: Required value'],
  },
  {
    name: 'TYPE-21: a request above its limit',
    object: pod({ containers: [{ ...container, resources: { requests: { cpu: '1500m' }, limits: { cpu: '1' } } }] }),
    refusals: [
      'spec.containers[0].resources.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1',
    ],
  },
  {
    name: 'TYPE-24: a path without type',
    object: created('networking.k8s.io/v1', 'Ingress', {
      spec: { rules: [{ http: { paths: [{ path: '/', backend: {} }] } }] },
    }),
    refusals: ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
  },
  {
    name: 'ADM-29: a webhook name of two parts',
    object: created('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', {
      webhooks: [
        { name: 'a.b', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig: { url: 'https://x' } },
      ],
    }),
    refusals: [
      'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
    ],
  },
];

test.each(rows)('refuses $name', ({ object, refusals }) => expect(errors(object)).toEqual(refusals));

test('TYPE-16, TYPE-19: immutable contents and types', () => {
  const config = (a: string): KubeObject => created('v1', 'ConfigMap', { data: { a }, immutable: true });
  expect(errors(config('2'), config('1'))).toEqual(['data: Forbidden: field is immutable when `immutable` is set']);
  expect(errors(config('1'), config('1'))).toEqual([]);
  const secret = (type: string): KubeObject => created('v1', 'Secret', { type });
  expect(errors(secret('b'), secret('a'))).toEqual(['type: Invalid value: "b": field is immutable']);
});

test('TYPE-17: stringData is folded into data', () => {
  const secret = created('v1', 'Secret', { stringData: { a: 'b' }, data: { c: 'ZA==' } });
  expect(secret).toMatchObject({ type: 'Opaque', data: { a: 'Yg==', c: 'ZA==' } });
  expect(Object.hasOwn(secret, 'stringData')).toBe(false);
});

test('TYPE-20: of a pod only images may change', () => {
  const other = (fields: JsonObject): KubeObject =>
    pod({ containers: [{ ...container, imagePullPolicy: 'Always', ...fields }] });
  expect(errors(other({ image: 'y' }), other({}))).toEqual([]);
  expect(errors(other({ command: ['y'] }), other({}))[0]).toContain(
    'spec: Forbidden: pod updates may not change fields other than',
  );
});

test('a service keeps its address on a PUT that leaves it out, and TYPE-09 may not change it', () => {
  const { strategy } = typeOf('v1', 'Service');
  const old = service({ ports: [{ port: 80 }] });
  const put: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'x', uid: 'u' },
    spec: { ports: [{ port: 81 }] },
  };
  strategy.applyDefaults(put);
  strategy.prepareForUpdate(put, old);
  expect(put['spec']).toMatchObject({
    clusterIP: (old['spec'] as JsonObject)['clusterIP'],
    ports: [{ port: 81, targetPort: 81 }],
  });
  const moved = service({ clusterIP: '10.96.0.99', ports: [{ port: 80 }] });
  expect(errors(moved, old)).toEqual([
    'spec.clusterIPs[0]: Invalid value: []string{"10.96.0.99"}: may not change once set',
  ]);
});

test('TYPE-29: an event written in one group is read in the other', () => {
  const type = typeOf('events.k8s.io/v1', 'Event');
  const event: KubeObject = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'x' },
    note: 'n',
    regarding: { kind: 'Pod' },
  };
  const stored = type.toStorage(event);
  expect(stored).toMatchObject({ apiVersion: 'v1', message: 'n', involvedObject: { kind: 'Pod' } });
  expect(type.toServed(stored)).toEqual(event);
});

test('an autoscaler goes from v1 to v2 and back', () => {
  const type = typeOf('autoscaling/v1', 'HorizontalPodAutoscaler');
  const spec = {
    maxReplicas: 3,
    scaleTargetRef: { kind: 'Deployment', name: 'x' },
    targetCPUUtilizationPercentage: 50,
  };
  const object: KubeObject = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'x' },
    spec,
  };
  const stored = type.toStorage(object);
  expect(stored['spec']).toMatchObject({
    metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 50 } } }],
  });
  expect(type.toServed(stored)).toEqual(object);
});

test('metadata rules', () => {
  const { strategy } = typeOf('v1', 'ConfigMap');
  const nameProblems = (name: string): string[] => strategy.nameProblems(name);
  const facts = { namespaced: true, isCustom: false, nameProblems };
  const refused = validateObjectMeta({ name: 'A', labels: { 'a b': 'c' }, finalizers: ['x'] }, facts).map(
    (error) => error.field,
  );
  expect(refused).toEqual(['metadata.name', 'metadata.namespace', 'metadata.labels', 'metadata.finalizers[0]']);
  const old = { name: 'a', namespace: 'n', deletionTimestamp: 't', finalizers: ['a/b'] };
  const [error] = validateObjectMetaUpdate({ ...old, finalizers: ['a/b', 'c/d'] }, old, facts);
  expect(error?.message).toBe(
    'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}',
  );
});

test('a quota has an error for each limit that a scope does not cover, as far as an answer has room', () => {
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, at) => make(at));
  const quota = (count: number, rest: JsonObject): KubeObject =>
    created('v1', 'ResourceQuota', {
      spec: { hard: Object.fromEntries(many(count, (index) => [`hugepages-${index + 1}Ki`, '1'])), ...rest },
    });
  const expression = { scopeName: 'BestEffort', operator: 'Exists' };
  const error =
    'spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort"}: unsupported scope applied to resource';
  expect(errors(quota(2, { scopes: ['BestEffort'] }))).toEqual([error, error]);
  const scopes = many(2000, () => 'BestEffort');
  expect(errors(quota(2000, { scopes }))).toHaveLength(20_000);
  const scopeSelector = { matchExpressions: many(2000, () => expression) };
  expect(errors(quota(2000, { scopeSelector }))).toHaveLength(20_000);
});
