import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { endJob, type JobEnd } from '../../../test/support/ended-job.ts';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { openMachineCluster } from '../../../test/support/machine-cluster.ts';
import { runControllers, temporaryNamespace } from '../../../test/support/olm-cluster.ts';
import { PoolActions, poolCondition } from '../../../test/support/pool-actions.ts';
import { poolObject, poolRef } from '../../../test/support/pool-cluster.ts';
import { nodeUpdateAnnotations } from '../../api/index.ts';
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { addMachineConfigPools, machineConfigPoolController } from './controller.ts';

const user = { fieldManager: 'test' };
const { skipGates, checkOf } = nodeUpdateAnnotations;
const jobs = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'checks' };
const cronJobs = { apiVersion: 'batch/v1', kind: 'CronJob', namespace: 'checks' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;
let pools: PoolActions;

beforeAll(async () => {
  cluster = await openMachineCluster();
  pools = new PoolActions(cluster.kube);
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  stack.use(await temporaryNamespace(cluster.kube, 'checks'));
  stack.defer(() => pools.removeAll());
  const running = await runControllers(
    cluster.kube,
    (manager) => addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 }),
    [machineConfigPoolController],
  );
  stack.use(running);
});

afterEach(() => stack.disposeAsync());

/** A pool of three nodes with another configuration than they have. */
async function beginUpdate(rollout: JsonObject, spec: JsonObject = {}): Promise<string> {
  const first = await pools.createPool('worker', { maxUnavailable: 2, rollout, ...spec });
  await pools.addNodes(3, () => ({ current: first }));
  return await pools.change('worker', 'two');
}

const held = async (): Promise<string> => poolCondition(await pools.poolNow('worker'), 'RolloutHeld');

async function setRollout(rollout: JsonObject): Promise<void> {
  await cluster.kube.patch(poolRef('worker'), { spec: { rollout } }, user);
}

async function skip(target: string, gate: string): Promise<void> {
  await cluster.kube.patch(
    poolRef('worker'),
    { metadata: { annotations: { [skipGates]: `${target} ${gate}` } } },
    user,
  );
}

async function createCronJob(pool: string | undefined): Promise<void> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.org/smoke' }] } };
  const jobTemplate = { metadata: { labels: { team: 'qa' } }, spec: { backoffLimit: 0, template } };
  const annotations = pool === undefined ? {} : { [checkOf]: pool };
  const metadata = { namespace: 'checks', name: 'smoke', annotations };
  const { apiVersion, kind } = cronJobs;
  await cluster.kube.create(
    { apiVersion, kind, metadata, spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate } },
    user,
  );
}

const jobsNow = async (): Promise<readonly KubeObject[]> => (await cluster.kube.list(jobs)).items;

/** The Job that is neither complete nor failed. */
async function openJob(): Promise<KubeObject> {
  return await eventually(async () => {
    const open = (await jobsNow()).filter(({ status }) => !isJsonObject(status) || status['conditions'] === undefined);
    expect(open).toHaveLength(1);
    return open[0] as KubeObject;
  });
}

const end = ({ metadata }: KubeObject, result: JobEnd['result']): Promise<void> =>
  endJob(cluster.kube, { namespace: 'checks', name: metadata.name ?? '' }, { result });

test('a canary is updated and watched before other nodes are started; its state survives in the status of the pool', async () => {
  const target = await beginUpdate({ canary: { count: 1, bake: '1h' } });
  await eventually(async () => {
    expect(await pools.started(target)).toEqual(['w1']);
    expect(await held()).toBe(
      'True CanaryNotPassed canary: node w1 is being updated. To go on without it: longshore pool skip worker canary',
    );
  });
  await pools.finish('w1', target);
  await eventually(async () =>
    expect(await held()).toMatch(/^True CanaryNotPassed canary: w1 updated and ready; other nodes are started at /),
  );
  expect(await pools.started(target)).toEqual(['w1']);
  const { rollout } = (await pools.poolNow('worker')).status ?? {};
  expect(rollout).toMatchObject({ configuration: target, canary: { nodes: ['w1'] }, hold: { gate: 'canary' } });
  expect(Date.parse(rollout?.hold?.since ?? '')).not.toBeNaN();
  await setRollout({ canary: { count: 1, bake: '0s' } });
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2', 'w3']));
  await eventually(async () => expect(await held()).toBe('False NotHeld'));
  expect((await pools.poolNow('worker')).status?.rollout).toEqual({
    configuration: target,
    canary: { nodes: ['w1'], passed: true },
  });
});

test('a canary that is skipped holds nothing, for this configuration alone', async () => {
  const target = await beginUpdate({ canary: { count: 1, bake: '1h' } });
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
  await skip('rendered-worker-other', 'canary');
  await pools.finish('w1', target);
  await eventually(async () => expect(await held()).toMatch(/updated and ready/));
  expect(await pools.started(target)).toEqual(['w1']);
  await skip(target, 'canary');
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2', 'w3']));
});

test('an expression that is false before a batch holds it, with its message, and is evaluated again', async () => {
  const check = { name: 'calm', when: 'BeforeBatch', message: 'an alert fires' };
  const expression = `!('alert' in pool.metadata.annotations)`;
  const first = await pools.createPool('worker', {
    paused: true,
    rollout: { gates: { checks: [{ ...check, expression }] } },
  });
  await pools.addNodes(2, () => ({ current: first }));
  await cluster.kube.patch(poolRef('worker'), { metadata: { annotations: { alert: 'disk' } } }, user);
  const target = await pools.change('worker', 'two');
  await cluster.kube.patch(poolRef('worker'), { spec: { paused: false } }, user);
  const text = `check calm: an alert fires (${expression} is false). To go on without it: longshore pool skip worker calm`;
  await eventually(async () => expect(await held()).toBe(`True CheckNotPassed ${text}`));
  await eventually(async () => expect(await pools.eventsOf('worker')).toContain(`Warning RolloutHeld: ${text}`));
  expect(await pools.started(target)).toEqual([]);
  await cluster.kube.patch(poolRef('worker'), { metadata: { annotations: { alert: 'none' } } }, user);
  await cluster.kube.patch(poolRef('worker'), { metadata: { annotations: { other: '', alert: null } } }, user);
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
});

test('a Job runs before each batch, once; the next batch waits for the end of the last', async () => {
  await createCronJob('infra, worker');
  const job = { namespace: 'checks', cronJob: 'smoke' };
  const target = await beginUpdate({ gates: { timeout: '5m', checks: [{ name: 'smoke', when: 'BeforeBatch', job }] } });
  const first = await openJob();
  await eventually(async () =>
    expect(await held()).toMatch(/^True CheckNotPassed check smoke: Job checks\/smoke-[0-9a-f]{16} runs\. To go on/),
  );
  expect(first.metadata.labels).toMatchObject({ team: 'qa' });
  expect(first.metadata.ownerReferences).toEqual([
    expect.objectContaining({ kind: 'MachineConfigPool', name: 'worker' }),
  ]);
  expect(first['spec']).toMatchObject({ activeDeadlineSeconds: 300, ttlSecondsAfterFinished: 3600, backoffLimit: 0 });
  expect(await pools.started(target)).toEqual([]);
  await end(first, 'Complete');
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2']), { timeoutMs: 30_000 });
  await pools.finish('w1', target);
  await eventually(async () => expect(await held()).toBe('True BatchInWork the batch of w2 is not completed'));
  expect(await jobsNow()).toHaveLength(1);
  await pools.finish('w2', target);
  const second = await openJob();
  expect(await pools.started(target)).toEqual(['w1', 'w2']);
  await end(second, 'Failed');
  const failure = `check smoke: Job checks/${second.metadata.name ?? ''} has failed: Test: it ended; delete the Job to run it again`;
  await eventually(
    async () =>
      expect(await held()).toBe(
        `True CheckNotPassed ${failure}. To go on without it: longshore pool skip worker smoke`,
      ),
    { timeoutMs: 30_000 },
  );
  await skip(target, 'smoke');
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1', 'w2', 'w3']));
});

test('T94: a CronJob that does not exist, or whose owner has not allowed the pool to run it, holds the update', async () => {
  const job = { namespace: 'checks', cronJob: 'smoke' };
  const checks = [{ name: 'smoke', when: 'BeforeBatch', job }];
  const target = await beginUpdate({ gates: { checks } });
  await eventually(async () => expect(await held()).toMatch(/check smoke: CronJob checks\/smoke does not exist\./));
  await createCronJob(undefined);
  await eventually(
    async () =>
      expect(await held()).toMatch(
        /CronJob checks\/smoke does not allow this pool to run it: kubectl annotate cronjob -n checks smoke machineconfiguration\.openshift\.io\/check-of=worker\./,
      ),
    { timeoutMs: 30_000 },
  );
  expect(await jobsNow()).toEqual([]);
  expect(await pools.started(target)).toEqual([]);
});

test('a Job of that name that is not owned by the pool does not count', async () => {
  await createCronJob('worker');
  const job = { namespace: 'checks', cronJob: 'smoke' };
  const target = await beginUpdate({ gates: { checks: [{ name: 'smoke', when: 'BeforeBatch', job }] } });
  const own = await openJob();
  await cluster.kube.patch({ ...jobs, name: own.metadata.name ?? '' }, { metadata: { ownerReferences: null } }, user);
  await end(own, 'Complete');
  const name = own.metadata.name ?? '';
  await eventually(async () =>
    expect(await held()).toMatch(`Job checks/${name} exists and was not created for this pool; delete it`),
  );
  expect(await pools.started(target)).toEqual([]);
});

test('a label that no node has is reported, and nodes go by zone and age', async () => {
  const target = await beginUpdate({ order: { by: 'LabelPriority', label: 'example.org/priority' } });
  await eventually(async () => expect(await pools.started(target)).toHaveLength(2));
  await eventually(async () =>
    expect(await pools.eventsOf('worker')).toContain(
      'Warning NoOrderLabel: no node of the pool has the label example.org/priority of spec.rollout.order: nodes go by zone and age',
    ),
  );
});

const named = (check: JsonObject): JsonObject => ({ gates: { checks: [{ name: 'a', when: 'AfterNode', ...check }] } });

test.each<{ name: string; rollout: JsonObject; message: RegExp }>([
  {
    name: 'a negative canary',
    rollout: { canary: { count: -1 } },
    message: /canary\.count.*greater than or equal to 1/,
  },
  {
    name: 'a canary of a percentage',
    rollout: { canary: { count: '10%' } },
    message: /canary\.count.*must be of type integer/,
  },
  { name: 'a negative bake', rollout: { canary: { count: 1, bake: '-5m' } }, message: /canary\.bake.*should match/ },
  {
    name: 'LabelPriority without a label',
    rollout: { order: { by: 'LabelPriority' } },
    message: /label is required by LabelPriority/,
  },
  {
    name: 'a label without LabelPriority',
    rollout: { order: { by: 'Name', label: 'a' } },
    message: /has no meaning for another order/,
  },
  { name: 'a check of nothing', rollout: named({}), message: /exactly one of expression and job is required/ },
  {
    name: 'a check of both',
    rollout: named({ expression: 'true', job: { namespace: 'a', cronJob: 'b' } }),
    message: /exactly one of expression and job is required/,
  },
  {
    name: 'a check with the name of a gate',
    rollout: named({ name: 'canary', expression: 'true' }),
    message: /reserved/,
  },
  { name: 'an expression without end', rollout: named({ expression: 'a'.repeat(4097) }), message: /Too long/ },
  {
    name: 'many checks',
    rollout: {
      gates: {
        checks: Array.from({ length: 11 }, (_, index) => ({
          name: `a${index}`,
          when: 'AfterNode',
          expression: 'true',
        })),
      },
    },
    message: /must have at most 10 items/,
  },
])('$name is refused', async ({ rollout, message }) => {
  await expect(cluster.kube.create(poolObject('refused', { rollout }), { ...user, isDryRun: true })).rejects.toThrow(
    message,
  );
});
