import { expect, test } from 'vitest';
import { SteppedClock } from '../../test/support/stepped-clock.ts';
import { type KubeFailure, type KubeObject, KubeUnavailable } from '../kube/index.ts';
import { type BudgetFacts, neverAllows } from './budgets.ts';
import { Drainer, describeBlocked } from './drainer.ts';
import { type PlanFacts, planDrain } from './plan.ts';
import { type DrainablePod, drainablePod, drainPodProjection } from './pods.ts';

const startMs = Date.parse('2030-01-01T00:00:00Z');
const apps = 'apps/v1';

function pod(name: string, more: Partial<DrainablePod> = {}): DrainablePod {
  return {
    namespace: 'web',
    name,
    uid: `uid-${name}`,
    nodeName: 'node-1',
    phase: 'Running',
    labels: {},
    isMirror: false,
    hasLocalStorage: false,
    controller: { apiVersion: apps, kind: 'ReplicaSet', name: 'web' },
    ...more,
  };
}

function facts(pods: readonly DrainablePod[], more: Partial<PlanFacts> = {}): PlanFacts {
  return { pods, hasDaemonSet: (_namespace, name) => name !== 'gone', nowMs: startMs, ...more };
}

const namesOf = (pods: readonly { readonly pod: DrainablePod }[]): string[] => pods.map(({ pod: { name } }) => name);

const daemon = (name: string, more: Partial<DrainablePod> = {}): DrainablePod =>
  pod(name, { controller: { apiVersion: apps, kind: 'DaemonSet', name: 'log' }, ...more });

test('ML-40: DaemonSet and mirror pods stay; pods with local storage, without a controller and finished ones go', () => {
  const { controller: _controller, ...naked } = pod('naked');
  const plan = planDrain(
    facts([
      pod('plain'),
      daemon('daemon'),
      daemon('finished', { phase: 'Succeeded' }),
      daemon('orphan', { controller: { apiVersion: apps, kind: 'DaemonSet', name: 'gone' } }),
      daemon('other', { controller: { apiVersion: 'example.org/v1', kind: 'DaemonSet', name: 'log' } }),
      pod('mirror', { isMirror: true }),
      pod('cache', { hasLocalStorage: true }),
      naked,
    ]),
  );
  expect(namesOf(plan.steps.flat())).toEqual(['plain', 'finished', 'orphan', 'other', 'cache', 'naked']);
  expect(namesOf(plan.staying)).toEqual(['daemon', 'mirror']);
  expect(plan.refused).toEqual([]);
});

test('what nothing brings back is refused where it was not allowed', () => {
  const { controller: _controller, ...naked } = pod('naked');
  const pods = [naked, pod('cache', { hasLocalStorage: true }), { ...naked, name: 'over', phase: 'Failed' }];
  const plan = planDrain(facts(pods, { evictsUnmanaged: false, evictsLocalStorage: false }));
  expect(plan.refused.map(({ pod: { name }, reason }) => `${name}: ${reason}`)).toEqual([
    'naked: has no controller that would create it again',
    'cache: has local storage (emptyDir), whose content would be lost',
  ]);
  expect(namesOf(plan.steps.flat())).toEqual(['over']);
});

test.each([
  [1_999, ['deleting']],
  [2_000, []],
])('ML-39: on a node that does not answer, a pod that has been deleting for %i ms is awaited or not', (ms, awaited) => {
  const pods = [pod('deleting', { deletionMs: startMs - ms })];
  expect(namesOf(planDrain(facts(pods, { isUnreachable: true })).steps.flat())).toEqual(awaited);
  expect(namesOf(planDrain(facts(pods)).steps.flat())).toEqual(['deleting']);
});

test('ML-59: pods of a lower order go first; labels of pods come before rules, and rules in the order of their names', () => {
  const rules = [
    { name: 'b', podSelector: { matchLabels: { app: 'db' } }, order: 10, behavior: 'Drain' },
    { name: 'c', podSelector: { matchLabels: { app: 'db' } }, order: 0, behavior: 'Skip' },
    { name: 'a', namespaceSelector: { matchLabels: { team: 'early' } }, order: -10, behavior: 'Drain' },
  ] as const;
  const pods = [
    pod('db', { labels: { app: 'db' } }),
    pod('plain'),
    pod('early', { namespace: 'first', labels: { app: 'db' } }),
    pod('skipped', { labels: { 'drain.platform/behavior': 'skip' } }),
  ];
  const namespaceLabels = (namespace: string): Record<string, string> =>
    namespace === 'first' ? { team: 'early' } : {};
  const plan = planDrain(facts(pods, { rules, namespaceLabels }));
  expect(plan.steps.map(namesOf)).toEqual([['early'], ['plain'], ['db']]);
  expect(namesOf(plan.staying)).toEqual(['skipped']);
});

interface Evicted {
  readonly name: string;
  readonly grace: number | undefined;
}

function refusal(status: number, more: Partial<KubeFailure> = {}): KubeUnavailable {
  return new KubeUnavailable({ status, reason: 'Refused', message: 'no', causes: [], isStatus: true, ...more });
}

const overBudget = refusal(429, { causes: [{ field: '', reason: 'DisruptionBudget', message: 'needs 2' }] });
const budget: BudgetFacts = {
  namespace: 'web',
  name: 'web',
  disruptionsAllowed: 0,
  currentHealthy: 2,
  desiredHealthy: 2,
  expectedPods: 3,
};

/** A drainer whose server answers by `answers`, per pod and in order; then it accepts. */
function drainer(answers: Record<string, KubeUnavailable[]> = {}): {
  readonly drain: Drainer;
  readonly clock: SteppedClock;
  readonly evicted: Evicted[];
  readonly budgets: BudgetFacts[];
} {
  const clock = new SteppedClock(startMs);
  const evicted: Evicted[] = [];
  const budgets = [budget];
  const kube = {
    evict: (
      { name }: { readonly name: string },
      options: { readonly gracePeriodSeconds?: number | undefined } = {},
    ) => {
      evicted.push({ name, grace: options.gracePeriodSeconds });
      const failure = answers[name]?.shift();
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    },
  };
  return { drain: new Drainer({ kube, clock, budgetsOf: () => budgets, random: () => 0 }), clock, evicted, budgets };
}

const plan = (pods: readonly DrainablePod[]): ReturnType<typeof planDrain> => planDrain(facts(pods));

test('ML-41: an eviction that a budget refuses is requested again after 5 s, 10 s, and so on', async () => {
  const { drain, clock, evicted } = drainer({ a: [overBudget, overBudget] });
  const pods = plan([pod('a')]);
  expect(await drain.advance(pods)).toMatchObject({
    isDone: false,
    remaining: 1,
    blocking: [{ kind: 'budget', cause: 'PodDisruptionBudget web' }],
    retryAfterMs: 5_000,
  });
  await clock.pass(4_999);
  await drain.advance(pods);
  expect(evicted).toHaveLength(1);
  await clock.pass(1);
  expect(await drain.advance(pods)).toMatchObject({ retryAfterMs: 10_000 });
  await clock.pass(10_000);
  const accepted = await drain.advance(pods);
  expect(evicted).toHaveLength(3);
  expect(accepted.blocking).toMatchObject([{ kind: 'terminating' }]);
  expect(accepted).not.toHaveProperty('retryAfterMs');
});

test('a budget that allows disruptions again is not waited for', async () => {
  const { drain, evicted, budgets } = drainer({ a: [overBudget] });
  await drain.advance(plan([pod('a')]));
  budgets[0] = { ...budget, disruptionsAllowed: 1 };
  await drain.advance(plan([pod('a')]));
  expect(evicted).toHaveLength(2);
});

test('ML-42: another error has the name of the pod, and backs off', async () => {
  const { drain } = drainer({ a: [refusal(500, { message: 'disk' })] });
  const { blocking, retryAfterMs } = await drain.advance(plan([pod('a'), pod('b')]));
  expect(blocking).toMatchObject([{ cause: 'error when evicting pods/"a" -n "web": disk' }, { kind: 'terminating' }]);
  expect(retryAfterMs).toBe(5_000);
});

test('a webhook that refuses an eviction with a long text does not fill the status', async () => {
  const { drain } = drainer({ a: [refusal(400, { message: `\u001b[2J${'x'.repeat(60_000)}` })] });
  const { blocking } = await drain.advance(plan([pod('a')]));
  expect(blocking[0]?.cause).toMatch(/^error when evicting pods\/"a" -n "web": \\x1b\[2Jx{290,300}…$/);
});

test('ML-43: a pod that does not exist any more is done at once', async () => {
  const { drain } = drainer({ a: [refusal(404)] });
  expect(await drain.advance(plan([pod('a')]))).toEqual({ isDone: true, remaining: 0, blocking: [] });
  expect(await drain.advance(plan([]))).toMatchObject({ isDone: true });
});

test('ML-60: a pod that is to complete is not evicted, and is done when it has completed', async () => {
  const { drain, evicted } = drainer();
  const job = pod('job', { labels: { 'drain.platform/behavior': 'wait-completed' } });
  const { blocking } = await drain.advance(plan([job]));
  expect(blocking).toMatchObject([{ kind: 'waitCompleted', cause: 'WaitCompleted by label drain.platform/behavior' }]);
  expect(describeBlocked(blocking)).toBe(
    'web/job (WaitCompleted by label drain.platform/behavior). To evict web/job instead: kubectl label pod -n web job drain.platform/behavior-',
  );
  expect(evicted).toEqual([]);
  expect(await drain.advance(plan([{ ...job, phase: 'Succeeded' }]))).toMatchObject({ isDone: true });
});

test('the next step begins when all pods of the one before are gone; nothing is evicted twice', async () => {
  const { drain, evicted } = drainer();
  const first = pod('first', { labels: { app: 'first' } });
  const rules = [{ name: 'r', podSelector: { matchLabels: { app: 'first' } }, order: -1, behavior: 'Drain' }] as const;
  const at = (pods: readonly DrainablePod[]) => planDrain(facts(pods, { rules }));
  await drain.advance(at([pod('second'), first]));
  await drain.advance(at([pod('second'), { ...first, deletionMs: startMs }]));
  expect(evicted.map(({ name }) => name)).toEqual(['first']);
  await drain.advance(at([pod('second')]));
  expect(evicted.map(({ name }) => name)).toEqual(['first', 'second']);
});

test('ML-39: pods of a node that does not answer have a second to stop', async () => {
  const { drain, evicted } = drainer();
  await drain.advance(plan([pod('a')]), { isUnreachable: true });
  expect(evicted).toEqual([{ name: 'a', grace: 1 }]);
});

test('five pods that block are named, the others counted', () => {
  const blocking = Array.from({ length: 7 }, (_, at) => ({
    pod: pod(`p${at}`),
    kind: 'terminating',
    cause: 'Terminating',
  }));
  expect(describeBlocked(blocking as never)).toBe(
    'web/p0 (Terminating), web/p1 (Terminating), web/p2 (Terminating), web/p3 (Terminating), web/p4 (Terminating) and 2 others',
  );
});

test('a budget that can never allow a disruption is recognized', () => {
  expect(neverAllows({ ...budget, desiredHealthy: 3 })).toBe(true);
  expect(neverAllows(budget)).toBe(false);
  expect(neverAllows({ ...budget, expectedPods: 0, desiredHealthy: 0 })).toBe(false);
});

test('the part of a Pod that is kept is enough for a plan', () => {
  const whole: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a',
      namespace: 'web',
      uid: 'u',
      labels: { app: 'a' },
      annotations: { 'kubernetes.io/config.mirror': 'x', other: 'long' },
      deletionTimestamp: '2030-01-01T00:00:00Z',
      ownerReferences: [{ apiVersion: apps, kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }],
    },
    spec: { nodeName: 'node-1', containers: [{ name: 'c' }], volumes: [{ name: 'v', emptyDir: {} }] },
    status: { phase: 'Running', podIP: '192.0.2.1' },
  };
  const part = drainPodProjection.of(whole);
  expect(drainablePod(part)).toEqual(drainablePod(whole));
  expect(JSON.stringify(part)).not.toMatch(/long|containers|podIP/);
});
