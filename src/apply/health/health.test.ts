import { expect, test } from 'vitest';
import type { KubeObject } from '../../kube/index.ts';
import { healthLine, healthOf } from './index.ts';

function object(kind: string, apiVersion: string, rest: Record<string, unknown>): KubeObject {
  return { apiVersion, kind, metadata: { name: 'x', namespace: 'ns', generation: 2 }, ...rest } as KubeObject;
}

const deployment = (status: Record<string, unknown>, spec: Record<string, unknown> = { replicas: 1 }): KubeObject =>
  object('Deployment', 'apps/v1', { spec, status });
const complete = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1, observedGeneration: 2 };
const isTrue = (type: string, reason = ''): Record<string, string> => ({ type, status: 'True', reason });
const daemonSet = {
  desiredNumberScheduled: 1,
  currentNumberScheduled: 1,
  updatedNumberScheduled: 1,
  numberAvailable: 1,
};
const nowMs = Date.UTC(2026, 0, 1);
const statefulSet = { replicas: 1, readyReplicas: 1, currentReplicas: 1, updatedReplicas: 1 };

test.each([
  { name: 'U38 a Service without status', of: object('Service', 'v1', { spec: { type: 'ClusterIP' } }) },
  {
    name: 'U39 a running Pod that is ready',
    of: object('Pod', 'v1', { status: { phase: 'Running', conditions: [isTrue('Ready')] } }),
  },
  { name: 'a Deployment that is rolled out', of: deployment({ ...complete, conditions: [isTrue('Available')] }) },
  {
    name: 'U43 a StatefulSet without conditions but with complete counts',
    of: object('StatefulSet', 'apps/v1', { spec: { replicas: 1 }, status: { ...statefulSet, observedGeneration: 2 } }),
  },
  {
    name: 'U44 a DaemonSet without conditions but with complete counts',
    of: object('DaemonSet', 'apps/v1', { status: { ...daemonSet, numberReady: 1, observedGeneration: 2 } }),
  },
  {
    name: 'U45 a ReplicaSet without conditions but with complete counts',
    of: object('ReplicaSet', 'apps/v1', {
      spec: { replicas: 1 },
      status: { replicas: 1, fullyLabeledReplicas: 1, availableReplicas: 1, readyReplicas: 1 },
    }),
  },
  {
    name: 'U53 a StatefulSet with the OnDelete strategy',
    of: object('StatefulSet', 'apps/v1', { spec: { updateStrategy: { type: 'OnDelete' } }, status: {} }),
  },
  { name: 'an unknown kind without conditions', of: object('Widget', 'example.com/v1', {}) },
])('$name is healthy', ({ of }) => {
  expect(healthOf(of, nowMs)).toEqual({ state: 'Current', message: '' });
});

test.each([
  {
    name: 'U41 a CRD without conditions',
    of: object('CustomResourceDefinition', 'apiextensions.k8s.io/v1', {}),
    message: 'Install in progress',
  },
  { name: 'U42 a Deployment without conditions', of: deployment(complete), message: 'Deployment not Available' },
  {
    name: 'U47 a CRD with an unrelated condition',
    of: object('CustomResourceDefinition', 'apiextensions.k8s.io/v1', { status: { conditions: [isTrue('Other')] } }),
    message: 'Install in progress',
  },
  {
    name: 'U48 a Deployment with an unrelated condition',
    of: deployment({ ...complete, conditions: [isTrue('Other')] }),
    message: 'Deployment not Available',
  },
  {
    name: 'U49 a Pod with an unrelated condition',
    of: object('Pod', 'v1', { status: { phase: 'Running', conditions: [isTrue('Other')] } }),
    message: 'Pod is running but is not Ready',
  },
  {
    name: 'U50 a StatefulSet whose observed generation is behind',
    of: object('StatefulSet', 'apps/v1', { status: { observedGeneration: 1 } }),
    message: 'StatefulSet generation is 2, but latest observed generation is 1',
  },
  {
    name: 'U51 a StatefulSet with nothing ready',
    of: object('StatefulSet', 'apps/v1', { spec: { replicas: 1 }, status: { ...statefulSet, readyReplicas: 0 } }),
    message: 'Ready: 0/1',
  },
  {
    name: 'U52 a StatefulSet whose revisions differ',
    of: object('StatefulSet', 'apps/v1', {
      spec: { replicas: 1 },
      status: { ...statefulSet, currentRevision: 'a', updateRevision: 'b' },
    }),
    message: 'Waiting for updated revision to match current',
  },
  {
    name: 'Q1 a Pod in the phase Unknown',
    of: object('Pod', 'v1', { status: { phase: 'Unknown' } }),
    message: 'Pod is in the Unknown phase',
  },
  {
    name: 'a claim that is not bound',
    of: object('PersistentVolumeClaim', 'v1', { status: { phase: 'Pending' } }),
    message: 'PVC is not Bound. phase: Pending',
  },
  {
    name: 'an unknown kind that is not ready',
    of: object('Widget', 'example.com/v1', {
      status: { conditions: [{ type: 'Ready', status: 'False', message: 'no disk' }] },
    }),
    message: 'no disk',
  },
])('$name is not yet healthy and has a reason', ({ of, message }) => {
  expect(healthOf(of, nowMs)).toEqual({ state: 'InProgress', message });
});

const everyKind: readonly KubeObject[] = [
  deployment({ ...complete, conditions: [isTrue('Available')] }),
  object('StatefulSet', 'apps/v1', { spec: { replicas: 1 }, status: { ...statefulSet, observedGeneration: 2 } }),
  object('DaemonSet', 'apps/v1', { status: { ...daemonSet, numberReady: 1, observedGeneration: 2 } }),
  object('ReplicaSet', 'apps/v1', {
    spec: { replicas: 1 },
    status: { replicas: 1, fullyLabeledReplicas: 1, availableReplicas: 1, readyReplicas: 1 },
  }),
  object('Pod', 'v1', { status: { phase: 'Running', conditions: [isTrue('Ready')] } }),
  object('APIService', 'apiregistration.k8s.io/v1', { status: { conditions: [isTrue('Available')] } }),
  object('CustomResourceDefinition', 'apiextensions.k8s.io/v1', { status: { conditions: [isTrue('Established')] } }),
];
const illKinds = (objects: readonly KubeObject[]): string[] =>
  objects.filter((one) => healthOf(one, nowMs).state !== 'Current').map(({ kind }) => kind);
/** As it was made, with nothing done yet. */
const untouched = (one: KubeObject): KubeObject => ({ ...one, status: {} });

test('U35 one of every kind, all healthy', () => {
  expect(illKinds(everyKind)).toEqual([]);
});

test('U36 one DaemonSet without a ready pod among them', () => {
  const objects = everyKind.map((one) =>
    one.kind === 'DaemonSet' ? { ...one, status: { ...(one['status'] as object), numberReady: 0 } as never } : one,
  );
  expect(illKinds(objects)).toEqual(['DaemonSet']);
});

test('U37 one of every kind, none healthy', () => {
  expect(illKinds(everyKind.map(untouched))).toEqual(everyKind.map(({ kind }) => kind));
});

test('a Deployment past its deadline has failed', () => {
  const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
  expect(healthOf(deployment({ conditions }), nowMs)).toEqual({
    state: 'Failed',
    message: 'Progress deadline exceeded',
  });
});

test('lines name version, kind and place', () => {
  const health = { state: 'InProgress', message: 'Ready: 0/1' } as const;
  expect(healthLine({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns', name: 'x' }, health)).toBe(
    '(apps/v1, Kind=Deployment)(ns/x): object InProgress: Ready: 0/1',
  );
  expect(healthLine({ apiVersion: 'v1', kind: 'Pod', name: 'x' }, health)).toBe(
    '(/v1, Kind=Pod)(x): object InProgress: Ready: 0/1',
  );
});

const apiService = (conditions?: readonly object[]): KubeObject =>
  object('APIService', 'apiregistration.k8s.io/v1', conditions === undefined ? {} : { status: { conditions } });
const pod = (status: Record<string, unknown>): KubeObject => ({
  ...object('Pod', 'v1', { status }),
  metadata: { name: 'x', namespace: 'ns', creationTimestamp: '2025-12-31T23:59:50Z' },
});

test.each([
  { name: 'U40 an APIService without conditions', of: apiService(), message: 'Available condition not found' },
  {
    name: 'U46 an APIService with an unrelated condition',
    of: apiService([isTrue('Other')]),
    message: 'Available condition not found',
  },
  {
    name: 'an APIService that is not available',
    of: apiService([{ type: 'Available', status: 'False', message: 'no endpoints' }]),
    message: 'no endpoints',
  },
])('$name is not healthy, in its own words alone', ({ of, message }) => {
  const health = healthOf(of, nowMs);
  expect(health).toEqual({ state: 'Unavailable', message });
  expect(healthLine({ apiVersion: of.apiVersion, kind: of.kind, name: 'v1.example.com' }, health)).toBe(
    `(apiregistration.k8s.io/v1, Kind=APIService)(v1.example.com): ${message}`,
  );
});

test('an APIService whose availability is unknown, or that is being deleted, is healthy', () => {
  expect(healthOf(apiService([{ type: 'Available', status: 'Unknown' }]), nowMs).state).toBe('Current');
  const going = apiService([isTrue('Available')]);
  going.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  expect(healthOf(going, nowMs).state).toBe('Current');
});

test.each([
  {
    name: 'is being deleted',
    change: { deletionTimestamp: 'now' },
    status: {},
    state: 'Terminating',
    message: 'Resource scheduled for deletion',
  },
  {
    name: 'is being worked on',
    change: {},
    status: { conditions: [{ ...isTrue('Reconciling'), message: 'soon' }] },
    state: 'InProgress',
    message: 'soon',
  },
  {
    name: 'is stuck',
    change: {},
    status: { conditions: [{ ...isTrue('Stalled'), message: 'never' }] },
    state: 'Failed',
    message: 'never',
  },
  {
    name: 'is behind',
    change: {},
    status: { observedGeneration: 1 },
    state: 'InProgress',
    message: 'Service generation is 2, but latest observed generation is 1',
  },
])('an object of any kind that $name is reported so', ({ change, status, state, message }) => {
  const service = object('Service', 'v1', { spec: { type: 'ClusterIP' }, status });
  expect(healthOf({ ...service, metadata: { ...service.metadata, ...change } }, nowMs)).toEqual({ state, message });
});

test.each([
  { name: 'a completed one', status: { phase: 'Succeeded' }, state: 'Current', message: '' },
  {
    name: 'one that has failed',
    status: { phase: 'Failed' },
    state: 'Failed',
    message: 'Pod has completed, but not successfully',
  },
  { name: 'a waiting one', status: { phase: 'Pending' }, state: 'InProgress', message: 'Pod is in the Pending phase' },
  {
    name: 'one in an unknown phase',
    status: { phase: 'Unknown' },
    state: 'InProgress',
    message: 'Pod is in the Unknown phase',
  },
  {
    name: 'one that crashes again and again',
    status: {
      phase: 'Running',
      initContainerStatuses: [{ name: 'prepare', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      containerStatuses: [{ name: 'web', state: { waiting: { reason: 'CrashLoopBackOff' } } }, { name: 'log' }],
    },
    state: 'Failed',
    message: 'Containers in CrashLoop state: prepare,web',
  },
])('of Pods $name is $state', ({ status, state, message }) => {
  expect(healthOf(pod(status), nowMs)).toEqual({ state, message });
});

test('an unschedulable Pod has failed after 15 seconds, and reports when that will be', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
  const homeless = pod({ phase: 'Pending', conditions });
  const untilMs = nowMs + 5_000;
  expect(healthOf(homeless, nowMs)).toEqual({ state: 'InProgress', message: 'Pod has not been scheduled', untilMs });
  expect(healthOf(homeless, untilMs)).toEqual({ state: 'Failed', message: 'Pod could not be scheduled' });
});

test.each([
  {
    name: 'whose names are taken',
    conditions: [{ type: 'NamesAccepted', status: 'False', message: 'taken' }],
    message: 'taken',
  },
  {
    name: 'that is refused',
    conditions: [{ type: 'Established', status: 'False', reason: 'NotAccepted', message: 'no' }],
    message: 'no',
  },
])('a CRD $name has failed', ({ conditions, message }) => {
  const crd = object('CustomResourceDefinition', 'apiextensions.k8s.io/v1', { status: { conditions } });
  expect(healthOf(crd, nowMs)).toEqual({ state: 'Failed', message });
});

test.each([
  { name: 'completed', spec: {}, conditions: [isTrue('Complete')], startTime: 'x', state: 'Current', message: '' },
  { name: 'running', spec: {}, conditions: [], startTime: 'x', state: 'Current', message: '' },
  { name: 'not started', spec: {}, conditions: [], state: 'InProgress', message: 'Job not started' },
  {
    name: 'failed',
    spec: { completions: 3 },
    conditions: [isTrue('Failed')],
    state: 'Failed',
    message: 'Job Failed. failed: 2/3',
  },
  {
    name: 'failed in parallel',
    spec: { parallelism: 4 },
    conditions: [isTrue('Failed')],
    state: 'Failed',
    message: 'Job Failed. failed: 2/4',
  },
])('a Job that is $name is $state', ({ spec, conditions, startTime, state, message }) => {
  const status = { failed: 2, conditions, ...(startTime === undefined ? {} : { startTime }) };
  expect(healthOf(object('Job', 'batch/v1', { spec, status }), nowMs)).toEqual({ state, message });
});

test('a load balancer without an address, and one with', () => {
  const service = (spec: object): KubeObject => object('Service', 'v1', { spec: { type: 'LoadBalancer', ...spec } });
  expect(healthOf(service({}), nowMs).message).toBe('ClusterIP not set. Service type: LoadBalancer');
  expect(healthOf(service({ clusterIP: '10.0.0.1' }), nowMs).state).toBe('Current');
});
