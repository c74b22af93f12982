import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JsonObject, silentLogger, systemClock } from '../../src/base/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { simulateAnnotation, startSimulation } from './index.ts';

const as = { as: 'test' };
let cluster: MemoryCluster;
let running: AsyncDisposable;

beforeEach(() => {
  cluster = new MemoryCluster();
  running = startSimulation(cluster, { clock: systemClock, log: silentLogger() });
});

afterEach(async () => {
  await running[Symbol.asyncDispose]();
});

function template(image = 'i:1', annotations: Record<string, string> = {}): JsonObject {
  return { metadata: { labels: { app: 'a' }, annotations }, spec: { containers: [{ name: 'c', image }] } };
}

function workload(kind: string, spec: JsonObject, annotations: Record<string, string> = {}): KubeObject {
  const selector = { matchLabels: { app: 'a' } };
  const apiVersion = kind === 'Job' ? 'batch/v1' : 'apps/v1';
  const metadata = { name: 'w', namespace: 'ns', annotations };
  return { apiVersion, kind, metadata, spec: { selector, template: template(), ...spec } };
}

const key = { namespace: 'ns', name: 'w' };
const read = (plural: string, group: string): KubeObject | undefined => cluster.get(cluster.type(plural, group), key);
const pods = (): readonly KubeObject[] => cluster.list(cluster.type('pods'), { namespace: 'ns' });
const deployments = (): ReturnType<MemoryCluster['type']> => cluster.type('deployments', 'apps');
const condition = (type: string, rest: JsonObject): unknown => expect.objectContaining({ type, ...rest });

test('a Deployment becomes available, with the status that rollout status waits for', async () => {
  await cluster.create(deployments(), workload('Deployment', { replicas: 3 }), as);
  await eventually(() =>
    expect(read('deployments', 'apps')?.status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      conditions: [
        condition('Available', { status: 'True', reason: 'MinimumReplicasAvailable' }),
        condition('Progressing', { status: 'True', reason: 'NewReplicaSetAvailable' }),
      ],
    }),
  );
  expect(pods().map(({ status }) => (status as JsonObject).phase)).toEqual(['Running', 'Running', 'Running']);
  expect(pods()[0]?.spec).toMatchObject({ nodeName: 'longshore' });
});

test('a changed template rolls out to a new ReplicaSet, and scaling follows', async () => {
  await cluster.create(deployments(), workload('Deployment', { replicas: 2 }), as);
  await eventually(() => expect(read('deployments', 'apps')?.status).toMatchObject({ availableReplicas: 2 }));
  await cluster.patch(deployments(), key, { spec: { template: template('i:2') } }, as);
  await eventually(() => {
    const deployment = read('deployments', 'apps');
    expect(deployment?.status).toMatchObject({
      observedGeneration: 2,
      replicas: 2,
      updatedReplicas: 2,
      availableReplicas: 2,
    });
    expect(deployment?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
  });
  const images = pods().map(({ spec }) => ((spec as JsonObject).containers as JsonObject[])[0]?.image);
  expect(images).toEqual(['i:2', 'i:2']);
  const sets = cluster.list(cluster.type('replicasets', 'apps'));
  expect(sets.map(({ spec }) => (spec as JsonObject).replicas)).toEqual([0, 2]);
  await cluster.patch(deployments(), key, { spec: { replicas: 0 } }, as);
  await eventually(() => expect(pods()).toHaveLength(0));
});

test.each(['object', 'template'])('what is told to fail on its %s keeps crashing, and recovers', async (place) => {
  const told = { [simulateAnnotation]: 'fail' };
  const object =
    place === 'object'
      ? workload('Deployment', { replicas: 1 }, told)
      : workload('Deployment', { replicas: 1, template: template('i:1', told) });
  await cluster.create(deployments(), object, as);
  await eventually(() => {
    expect(read('deployments', 'apps')?.status).toMatchObject({
      unavailableReplicas: 1,
      conditions: [
        condition('Available', { status: 'False', reason: 'MinimumReplicasUnavailable' }),
        condition('Progressing', { status: 'False', reason: 'ProgressDeadlineExceeded' }),
      ],
    });
    expect(pods()[0]?.status).toMatchObject({
      containerStatuses: [{ ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
    });
  });
  const free = { annotations: { [simulateAnnotation]: null } };
  const patch = place === 'object' ? { metadata: free } : { spec: { template: { metadata: free } } };
  await cluster.patch(deployments(), key, patch, as);
  await eventually(() =>
    expect(read('deployments', 'apps')?.status).toMatchObject({ availableReplicas: 1, replicas: 1 }),
  );
});

test('a StatefulSet makes its pods one after another, with claims that are bound, and replaces them on a change', async () => {
  const claim = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '2Gi' } } } };
  const sets = cluster.type('statefulsets', 'apps');
  await cluster.create(sets, workload('StatefulSet', { replicas: 2, volumeClaimTemplates: [claim] }), as);
  await eventually(() =>
    expect(read('statefulsets', 'apps')?.status).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2 }),
  );
  expect(pods().map(({ metadata }) => metadata.name)).toEqual(['w-0', 'w-1']);
  const claims = cluster.list(cluster.type('persistentvolumeclaims'));
  await eventually(() =>
    expect(cluster.list(cluster.type('persistentvolumeclaims')).map(({ status }) => status)).toMatchObject([
      { phase: 'Bound', capacity: { storage: '2Gi' } },
      { phase: 'Bound' },
    ]),
  );
  expect(claims.map(({ metadata }) => metadata.name)).toEqual(['data-w-0', 'data-w-1']);
  await cluster.patch(sets, key, { spec: { template: template('i:2') } }, as);
  await eventually(() => {
    const { status = {} } = read('statefulsets', 'apps') ?? ({} as KubeObject);
    expect(status).toMatchObject({ observedGeneration: 2, updatedReplicas: 2, readyReplicas: 2, currentReplicas: 2 });
  });
});

test('a DaemonSet runs once on the one Node', async () => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
  await cluster.create(cluster.type('namespaces'), namespace, as);
  await cluster.create(cluster.type('daemonsets', 'apps'), workload('DaemonSet', {}), as);
  await eventually(() =>
    expect(read('daemonsets', 'apps')?.status).toMatchObject({ desiredNumberScheduled: 1, numberAvailable: 1 }),
  );
  await eventually(() => expect(cluster.list(cluster.type('nodes'))[0]?.status).toHaveProperty('conditions'));
});

test('a Job completes, or fails when it is told to', async () => {
  const jobs = cluster.type('jobs', 'batch');
  await cluster.create(jobs, workload('Job', { completions: 3, parallelism: 2 }), as);
  await eventually(() =>
    expect(read('jobs', 'batch')?.status).toMatchObject({
      succeeded: 3,
      conditions: [condition('SuccessCriteriaMet', {}), condition('Complete', { status: 'True' })],
    }),
  );
  const bad = workload('Job', {}, { [simulateAnnotation]: 'fail' });
  await cluster.create(jobs, { ...bad, metadata: { ...bad.metadata, name: 'bad' } }, as);
  await eventually(() =>
    expect(cluster.get(jobs, { namespace: 'ns', name: 'bad' })?.status).toMatchObject({
      conditions: [condition('FailureTarget', {}), condition('Failed', { reason: 'BackoffLimitExceeded' })],
    }),
  );
});

test('a LoadBalancer gets an address', async () => {
  const services = cluster.type('services');
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] };
  await cluster.create(services, { apiVersion: 'v1', kind: 'Service', metadata: { ...key }, spec }, as);
  await eventually(() =>
    expect(cluster.get(services, key)?.status).toMatchObject({ loadBalancer: { ingress: [{ ipMode: 'VIP' }] } }),
  );
});
