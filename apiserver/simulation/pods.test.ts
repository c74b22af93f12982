import { expect, test } from 'vitest';
import { type JsonObject, silentLogger, systemClock } from '../../src/base/index.ts';
import { runForEachTest } from '../../test/support/controllers-for-each-test.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { MemoryCluster } from '../../test/support/memory-cluster.ts';
import { startSimulation } from './index.ts';

const as = { as: 'test' };
const status = { ...as, subresource: 'status' } as const;
const key = { namespace: 'ns', name: 'p' };
let cluster: MemoryCluster;

runForEachTest((world) => {
  ({ cluster } = world);
  return startSimulation(cluster, { clock: systemClock, log: silentLogger() });
});

async function createPod(spec: JsonObject): Promise<void> {
  const containers = [{ name: 'c', image: 'i' }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...key }, spec: { containers, ...spec } };
  await cluster.create(cluster.type('pods'), pod, as);
}

const conditions = (): JsonObject[] =>
  ((cluster.get(cluster.type('pods'), key)?.status as JsonObject | undefined)?.['conditions'] ?? []) as JsonObject[];
const condition = (type: string): JsonObject | undefined => conditions().find((one) => one['type'] === type);

async function setCondition(type: string, value: string): Promise<void> {
  const others = conditions().filter((one) => one['type'] !== type);
  const set = [...others, { type, status: value }];
  await cluster.patch(cluster.type('pods'), key, { status: { conditions: set } }, status);
}

test('the kubelet leaves conditions alone that another controller set', async () => {
  await createPod({});
  await eventually(() => expect(condition('Ready')).toMatchObject({ status: 'True' }));
  await setCondition('example.com/checked', 'True');
  await cluster.patch(cluster.type('pods'), key, { metadata: { labels: { seen: 'yes' } } }, as);
  // The kubelet sees this last write only after those before it.
  await setCondition('Initialized', 'False');
  await eventually(() => expect(condition('Initialized')).toMatchObject({ status: 'True' }));
  expect(condition('example.com/checked')).toMatchObject({ status: 'True' });
});

test('a pod with readiness gates is ready once their conditions are True', async () => {
  await createPod({ readinessGates: [{ conditionType: 'example.com/gate' }] });
  const refused = { status: 'False', reason: 'ReadinessGatesNotReady' };
  await eventually(() => {
    expect(condition('ContainersReady')).toMatchObject({ status: 'True' });
    expect(condition('Ready')).toMatchObject({
      ...refused,
      message: 'corresponding condition of pod readiness gate "example.com/gate" does not exist.',
    });
  });
  await setCondition('example.com/gate', 'False');
  const message = 'the status of pod readiness gate "example.com/gate" is not "True", but False';
  await eventually(() => expect(condition('Ready')).toMatchObject({ ...refused, message }));
  await setCondition('example.com/gate', 'True');
  await eventually(() => expect(condition('Ready')).toMatchObject({ status: 'True' }));
});
