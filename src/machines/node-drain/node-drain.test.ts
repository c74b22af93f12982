import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { endJob } from '../../../test/support/ended-job.ts';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { openMachineCluster, runPod, stopPod } from '../../../test/support/machine-cluster.ts';
import { runControllers, temporaryNamespace } from '../../../test/support/olm-cluster.ts';
import { createPoolNode, poolObject, poolRef } from '../../../test/support/pool-cluster.ts';
import { nodeUpdateAnnotations } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import type { DrainTimes } from './context.ts';
import { addNodeDrains, nodeDrainController } from './controller.ts';

const user = { fieldManager: 'test' };
const keys = nodeUpdateAnnotations;
const nodeRef = { apiVersion: 'v1', kind: 'Node', name: 'w1' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  cluster = await openMachineCluster();
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  stack.use(await temporaryNamespace(cluster.kube, 'machines'));
  stack.defer(async () => {
    const budgets = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: 'machines' };
    for (const { metadata } of (await cluster.kube.list(budgets)).items)
      await cluster.kube.delete({ ...budgets, name: metadata.name ?? '' });
    await cluster.kube.evict({ namespace: 'machines', name: 'web' }, { gracePeriodSeconds: 0 }).catch(() => undefined);
    await cluster.kube.delete(nodeRef);
  });
});

afterEach(() => stack.disposeAsync());

async function use({
  times = {},
  kube,
}: {
  times?: Partial<DrainTimes>;
  kube?: (real: KubeClient) => KubeClient;
} = {}): Promise<void> {
  const add = (manager: Manager): void => {
    addNodeDrains(
      kube === undefined ? manager : { ...manager, kube: kube(manager.kube), add: manager.add.bind(manager) },
      { times },
    );
  };
  stack.use(await runControllers(cluster.kube, add, [nodeDrainController]));
}

async function annotate(annotations: Record<string, string | null>): Promise<void> {
  await cluster.kube.patch(nodeRef, { metadata: { annotations } }, user);
}

async function annotation(key: string): Promise<string> {
  return (await cluster.kube.get(nodeRef)).metadata.annotations?.[key] ?? '';
}

async function eventsOf(name: string): Promise<readonly string[]> {
  const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event' });
  const own = items.filter(({ involvedObject }) => (involvedObject as JsonObject)['name'] === name);
  return own.map(({ reason, message }) => `${reason as string}: ${message as string}`);
}

test('MP-29: a drain that fails for long is reported, and goes on', async () => {
  await use({ times: { thresholdMs: 300, failedMs: 1_500, slowRetryMs: 500 } });
  await createPoolNode(cluster.kube, 'w1', { current: 'a' });
  await runPod(cluster.kube, 'w1', { name: 'web', labels: { app: 'web' } });
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: 'machines', name: 'keep' };
  await cluster.kube.create(
    { apiVersion: budget.apiVersion, kind: budget.kind, metadata: { namespace: 'machines', name: 'keep' }, spec },
    user,
  );
  await annotate({ [keys.desiredDrain]: 'drain-b' });
  await eventually(async () => {
    const texts = await eventsOf('w1');
    const blocked = /^DrainThresholdExceeded: Drain failed\..*machines\/web \(PodDisruptionBudget keep\)/;
    expect(texts).toEqual(expect.arrayContaining([expect.stringMatching(blocked)]));
    expect(texts).toContain('DrainFailed: node w1: drain exceeded timeout: 0h0m0s. Will continue to retry.');
  });
  await eventually(async () =>
    expect(await annotation(keys.drainBlocked)).toBe('machines/web (PodDisruptionBudget keep)'),
  );
  expect(await annotation(keys.lastAppliedDrain)).toBe('');
  await cluster.kube.delete(budget);
  await stopPod(cluster.kube, 'web');
  await eventually(async () => expect(await annotation(keys.lastAppliedDrain)).toBe('drain-b'));
  expect(await annotation(keys.drainBlocked)).toBe('');
});

test('MP-31: a node that is schedulable although it was cordoned is cordoned again', async () => {
  let tries = 0;
  const kube = (real: KubeClient): KubeClient =>
    new Proxy(real, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'patch') return member.bind(target) as unknown;
        return async (ref: never, patch: JsonObject, options: never): Promise<unknown> => {
          const { spec, ...rest } = patch;
          const isCordon = (spec as JsonObject | undefined)?.['unschedulable'] === true;
          if (isCordon) tries += 1;
          // The server reports success, and another writer has undone it.
          return await target.patch(ref, isCordon && tries < 4 ? rest : patch, options);
        };
      },
    });
  await use({ kube });
  await createPoolNode(cluster.kube, 'w1', { current: 'a' });
  await annotate({ [keys.desiredDrain]: 'drain-b' });
  await eventually(async () => expect(await annotation(keys.lastAppliedDrain)).toBe('drain-b'));
  expect(tries).toBe(4);
  const { spec } = await cluster.kube.get(nodeRef);
  expect((spec as JsonObject)['unschedulable']).toBe(true);
});

test('a request that does not exist changes nothing', async () => {
  await use();
  await createPoolNode(cluster.kube, 'w1', { current: 'a' });
  await annotate({ [keys.desiredDrain]: 'explode-b' });
  await eventually(async () =>
    expect(await eventsOf('w1')).toContain('UnknownDrainVerb: node w1: non-recognized drain verb detected explode'),
  );
  expect(await annotation(keys.lastAppliedDrain)).toBe('');
});

/** A node that has been updated, and whose agent requests that it is uncordoned, in a pool with a check. */
async function updatedNode(check: JsonObject): Promise<void> {
  const checks = [{ name: 'smoke', when: 'AfterNode', ...check }];
  await cluster.kube.create(poolObject('worker', { rollout: { gates: { timeout: '5m', checks } } }), user);
  stack.defer(() => cluster.kube.delete(poolRef('worker')).then(() => undefined));
  await createPoolNode(cluster.kube, 'w1', { current: 'a', desired: 'b', state: 'Working', labels: { disk: 'full' } });
  await annotate({ [keys.desiredDrain]: 'drain-b' });
  await eventually(async () => expect(await annotation(keys.lastAppliedDrain)).toBe('drain-b'));
  await annotate({ [keys.desiredDrain]: 'uncordon-b' });
}

const isCordoned = async (): Promise<boolean> =>
  ((await cluster.kube.get(nodeRef))['spec'] as JsonObject)['unschedulable'] === true;

test('a node whose expression is false stays cordoned until it is true', async () => {
  await use();
  await updatedNode({ expression: `node.metadata.labels['disk'] != 'full'`, message: 'the disk is full' });
  await eventually(async () => expect(await annotation(keys.requestStarted)).toMatch(/ uncordon-b$/));
  expect(await isCordoned()).toBe(true);
  expect(await annotation(keys.lastAppliedDrain)).toBe('drain-b');
  await cluster.kube.patch(nodeRef, { metadata: { labels: { disk: 'free' } } }, user);
  await eventually(async () => expect(await isCordoned()).toBe(false));
});

test('a node is degraded at once by a Job that fails on it', async () => {
  await use();
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.org/smoke' }] } };
  const spec = { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: { template } } };
  const metadata = { namespace: 'machines', name: 'smoke', annotations: { [keys.checkOf]: 'worker' } };
  await cluster.kube.create({ apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec }, user);
  await updatedNode({ job: { namespace: 'machines', cronJob: 'smoke' } });
  const job = await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'batch/v1', kind: 'Job', namespace: 'machines' });
    expect(items).toHaveLength(1);
    return items[0];
  });
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['w1'] }];
  expect(job?.['spec']).toMatchObject({
    activeDeadlineSeconds: 300,
    template: {
      spec: {
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
        },
        tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }],
      },
    },
  });
  const name = job?.metadata.name ?? '';
  const message = 'Job was active longer than specified deadline';
  await endJob(
    cluster.kube,
    { namespace: 'machines', name },
    { result: 'Failed', reason: 'DeadlineExceeded', message },
  );
  await eventually(async () => expect(await annotation(keys.state)).toBe('Degraded'));
  expect(await annotation(keys.reason)).toBe(
    `the node was updated, but a gate of its pool does not pass: check smoke: Job machines/${name} has failed: DeadlineExceeded: ${message}; delete the Job to run it again`,
  );
  expect(await isCordoned()).toBe(true);
});
