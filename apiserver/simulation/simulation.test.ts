import { expect, test } from 'vitest';
import { type JsonObject, silentLogger, systemClock } from '../../src/base/index.ts';
import { runForEachTest } from '../../test/support/controllers-for-each-test.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { simulateAnnotation, startSimulation } from './index.ts';

const as = { as: 'test' };
let cluster: MemoryCluster;

runForEachTest((world) => {
  ({ cluster } = world);
  return startSimulation(cluster, { clock: systemClock, log: silentLogger() });
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
  const images = (): unknown[] => pods().map(({ spec }) => ((spec as JsonObject).containers as JsonObject[])[0]?.image);
  await eventually(() => expect(images()).toEqual(['i:2', 'i:2']));
  const sets = cluster.list(cluster.type('replicasets', 'apps'));
  expect(sets.map(({ spec }) => (spec as JsonObject).replicas)).toEqual([0, 2]);
  await cluster.patch(deployments(), key, { spec: { replicas: 0 } }, as);
  await eventually(() => expect(pods()).toHaveLength(0));
});

test.each(['object', 'template'])('pods annotated to fail on the %s keep crashing, and recover', async (place) => {
  const annotations = { [simulateAnnotation]: 'fail' };
  const object =
    place === 'object'
      ? workload('Deployment', { replicas: 1 }, annotations)
      : workload('Deployment', { replicas: 1, template: template('i:1', annotations) });
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

test('a LoadBalancer gets an address', async () => {
  const services = cluster.type('services');
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] };
  await cluster.create(services, { apiVersion: 'v1', kind: 'Service', metadata: { ...key }, spec }, as);
  await eventually(() =>
    expect(cluster.get(services, key)?.status).toMatchObject({ loadBalancer: { ingress: [{ ipMode: 'VIP' }] } }),
  );
});
