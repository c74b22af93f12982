import { expect, test } from 'vitest';
import { type JsonObject, silentLogger } from '../../src/base/index.ts';
import { runForEachTest } from '../../test/support/controllers-for-each-test.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { SteppedClock } from '../../test/support/stepped-clock.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { startSimulation } from './index.ts';

const as = { as: 'test' };
const key = { namespace: 'ns', name: 'w' };
const labels = { app: 'a' };
let cluster: MemoryCluster;
let clock: SteppedClock;

runForEachTest((world) => {
  ({ cluster, clock } = world);
  return startSimulation(cluster, { clock, log: silentLogger() });
});

const kinds = [
  { kind: 'DaemonSet', plural: 'daemonsets', spec: {} },
  { kind: 'StatefulSet', plural: 'statefulsets', spec: { replicas: 1 } },
] as const;

function template(image: string): JsonObject {
  return { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } };
}

async function create(kind: string, plural: string, spec: JsonObject): Promise<void> {
  const object = { apiVersion: 'apps/v1', kind, metadata: { ...key } };
  const full = { selector: { matchLabels: labels }, template: template('i:1'), ...spec };
  await cluster.create(cluster.type(plural, 'apps'), { ...object, spec: full }, as);
}

async function change(plural: string, spec: JsonObject): Promise<void> {
  await cluster.patch(cluster.type(plural, 'apps'), key, { spec }, as);
}

const statusOf = (plural: string): unknown => cluster.get(cluster.type(plural, 'apps'), key)?.status;
const revisions = (): readonly KubeObject[] => cluster.list(cluster.type('controllerrevisions', 'apps'));
const history = (): unknown[][] =>
  revisions()
    .map((revision) => [revision['revision'], imageIn(revision['data'] as JsonObject)])
    .toSorted(([a], [b]) => Number(a) - Number(b));
const imageIn = ({ spec }: JsonObject): unknown =>
  ((((spec as JsonObject)['template'] as JsonObject)['spec'] as JsonObject)['containers'] as JsonObject[])[0]?.[
    'image'
  ];
const pods = (): readonly KubeObject[] => cluster.list(cluster.type('pods'), { namespace: 'ns' });
/** `name image` of every pod. */
const images = (): string[] =>
  pods().map(({ metadata, spec }) => {
    const [container] = (spec as JsonObject)['containers'] as JsonObject[];
    return `${metadata.name} ${String(container?.['image'] as string)}`;
  });

test.each(kinds)(
  'a $kind has a ControllerRevision for each template, and goes back to one',
  async ({ kind, plural, spec }) => {
    await create(kind, plural, spec);
    await eventually(() => expect(history()).toEqual([[1, 'i:1']]));
    await change(plural, { template: template('i:2') });
    await eventually(() =>
      expect(history()).toEqual([
        [1, 'i:1'],
        [2, 'i:2'],
      ]),
    );
    await change(plural, { template: template('i:1') });
    await eventually(() =>
      expect(history()).toEqual([
        [2, 'i:2'],
        [3, 'i:1'],
      ]),
    );
    await eventually(() => expect(images().map((line) => line.split(' ')[1])).toEqual(['i:1']));
    expect(revisions()[0]?.metadata.labels).toMatchObject(labels);
    expect(revisions()[0]).toMatchObject({ data: { spec: { template: { $patch: 'replace' } } } });
  },
);

test.each(kinds)('a $kind keeps as many old revisions as it specifies', async ({ kind, plural, spec }) => {
  await create(kind, plural, { ...spec, revisionHistoryLimit: 1 });
  for (const image of ['i:1', 'i:2', 'i:3', 'i:4']) {
    await change(plural, { template: template(image) });
    await eventually(() => expect(images().map((line) => line.split(' ')[1])).toEqual([image]));
  }
  await eventually(() =>
    expect(history()).toEqual([
      [3, 'i:3'],
      [4, 'i:4'],
    ]),
  );
});

test.each(kinds)('a $kind with OnDelete renews a pod when it is deleted', async ({ kind, plural, spec }) => {
  await create(kind, plural, { ...spec, updateStrategy: { type: 'OnDelete' } });
  await eventually(() => expect(images()).toHaveLength(1));
  await change(plural, { template: template('i:2') });
  await eventually(() => expect(statusOf(plural)).toMatchObject({ observedGeneration: 2 }));
  expect(images()).toEqual([expect.stringContaining('i:1')]);
  await cluster.delete(cluster.type('pods'), { namespace: 'ns', name: pods()[0]?.metadata.name ?? '' }, as);
  await eventually(() => expect(images()).toEqual([expect.stringContaining('i:2')]));
});

test('the name of a revision that another object has is not waited for', async () => {
  await create('DaemonSet', 'daemonsets', {});
  await eventually(() => expect(revisions()).toHaveLength(1));
  const name = revisions()[0]?.metadata.name ?? '';
  await cluster.delete(cluster.type('daemonsets', 'apps'), key, as);
  await cluster.delete(cluster.type('controllerrevisions', 'apps'), { namespace: 'ns', name }, as);
  const other = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { namespace: 'ns', name }, revision: 1 };
  await cluster.create(cluster.type('controllerrevisions', 'apps'), other as KubeObject, as);
  await create('DaemonSet', 'daemonsets', {});
  await eventually(() =>
    expect(statusOf('daemonsets')).toMatchObject({ collisionCount: 1, updatedNumberScheduled: 1 }),
  );
});

test('a StatefulSet numbers its pods from the start that it names', async () => {
  await create('StatefulSet', 'statefulsets', { replicas: 2, ordinals: { start: 5 } });
  await eventually(() => expect(statusOf('statefulsets')).toMatchObject({ readyReplicas: 2 }));
  expect(images()).toEqual(['w-5 i:1', 'w-6 i:1']);
  await change('statefulsets', { ordinals: { start: 6 } });
  await eventually(() => expect(images()).toEqual(['w-6 i:1', 'w-7 i:1']));
});

test('a StatefulSet updates the pods from its partition on, and brings the others back as they were', async () => {
  await create('StatefulSet', 'statefulsets', {
    replicas: 3,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
  });
  await eventually(() => expect(statusOf('statefulsets')).toMatchObject({ readyReplicas: 3 }));
  await change('statefulsets', { template: template('i:2') });
  await eventually(() => expect(images().toSorted()).toEqual(['w-0 i:1', 'w-1 i:1', 'w-2 i:2']));
  await eventually(() =>
    expect(statusOf('statefulsets')).toMatchObject({ readyReplicas: 3, currentReplicas: 2, updatedReplicas: 1 }),
  );
  await cluster.delete(cluster.type('pods'), { namespace: 'ns', name: 'w-0' }, as);
  await eventually(() => expect(statusOf('statefulsets')).toMatchObject({ readyReplicas: 3, currentReplicas: 2 }));
  expect(images().toSorted()).toEqual(['w-0 i:1', 'w-1 i:1', 'w-2 i:2']);
  await change('statefulsets', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } });
  await eventually(() => expect(images().toSorted()).toEqual(['w-0 i:2', 'w-1 i:2', 'w-2 i:2']));
});

test('pods of a StatefulSet are available after minReadySeconds, and the next one waits for that', async () => {
  await create('StatefulSet', 'statefulsets', { replicas: 2, minReadySeconds: 10 });
  await eventually(() => expect(statusOf('statefulsets')).toMatchObject({ readyReplicas: 1, availableReplicas: 0 }));
  expect(images()).toEqual(['w-0 i:1']);
  await clock.pass(11_000);
  await eventually(() => expect(images()).toEqual(['w-0 i:1', 'w-1 i:1']));
  await eventually(() => expect(statusOf('statefulsets')).toMatchObject({ readyReplicas: 2, availableReplicas: 1 }));
  await clock.pass(11_000);
  await eventually(() => expect(statusOf('statefulsets')).toMatchObject({ availableReplicas: 2 }));
});

test('the pod of a DaemonSet is available after minReadySeconds', async () => {
  await create('DaemonSet', 'daemonsets', { minReadySeconds: 10 });
  await eventually(() => expect(statusOf('daemonsets')).toMatchObject({ numberReady: 1, numberUnavailable: 1 }));
  await clock.pass(11_000);
  await eventually(() => expect(statusOf('daemonsets')).toMatchObject({ numberAvailable: 1 }));
});

test('a StatefulSet is scaled down from its highest number, one pod after another', async () => {
  await create('StatefulSet', 'statefulsets', { replicas: 3 });
  await eventually(() => expect(statusOf('statefulsets')).toMatchObject({ readyReplicas: 3 }));
  const removed: unknown[] = [];
  using _seen = cluster.subscribe(({ type, resource, object }) => {
    if (type === 'DELETED' && resource.plural === 'pods') removed.push(object.metadata.name);
  });
  await change('statefulsets', { replicas: 0 });
  await eventually(() => expect(removed).toEqual(['w-2', 'w-1', 'w-0']));
});
