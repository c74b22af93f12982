import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Clock, type JsonObject, silentLogger } from '../../src/base/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { startSimulation } from './index.ts';

/** A clock that stands still until it is moved. */
class StandingClock implements Clock {
  #now = Date.parse('2030-01-01T00:00:00Z');
  readonly #sleepers = new Set<() => void>();

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const at = this.#now + ms;
    await new Promise<void>((resolve, reject) => {
      const wake = (): void => {
        if (this.#now < at) return;
        this.#sleepers.delete(wake);
        resolve();
      };
      this.#sleepers.add(wake);
      signal?.addEventListener('abort', () => {
        this.#sleepers.delete(wake);
        reject(new Error('dropped'));
      });
    });
  }

  get sleepers(): number {
    return this.#sleepers.size;
  }

  move(ms: number): void {
    this.#now += ms;
    for (const wake of this.#sleepers) wake();
  }
}

const as = { as: 'test' };
const key = { namespace: 'ns', name: 'w' };
const revision = 'deployment.kubernetes.io/revision';
let cluster: MemoryCluster;
let clock: StandingClock;
let running: AsyncDisposable;

beforeEach(() => {
  cluster = new MemoryCluster();
  clock = new StandingClock();
  running = startSimulation(cluster, { clock, log: silentLogger() });
});

afterEach(async () => {
  await running[Symbol.asyncDispose]();
});

const deployments = (): ReturnType<MemoryCluster['type']> => cluster.type('deployments', 'apps');
const sets = (): readonly KubeObject[] => cluster.list(cluster.type('replicasets', 'apps'), { namespace: 'ns' });
const pods = (): readonly KubeObject[] => cluster.list(cluster.type('pods'), { namespace: 'ns' });
const current = (): KubeObject | undefined => cluster.get(deployments(), key);
const annotation = (object: KubeObject | undefined, name: string): string | undefined =>
  object?.metadata.annotations?.[name];

function template(image: string, rest: JsonObject = {}): JsonObject {
  return { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image }], ...rest } };
}

async function deploy(spec: JsonObject): Promise<void> {
  const selector = { matchLabels: { app: 'a' } };
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...key },
    spec: { selector, template: template('i:1'), progressDeadlineSeconds: 600, ...spec },
  };
  await cluster.create(deployments(), object, as);
}

async function change(spec: JsonObject): Promise<void> {
  await cluster.patch(deployments(), key, { spec }, as);
}

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

function conditionsOf(object: KubeObject | undefined): readonly Condition[] {
  const { conditions: list = [] } = (object?.status ?? {}) as { conditions?: readonly Condition[] };
  return list;
}

function conditions(): Record<string, string> {
  const list = conditionsOf(current());
  return Object.fromEntries(list.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

async function rolledOut(number: string): Promise<void> {
  await eventually(() => {
    expect(annotation(current(), revision)).toBe(number);
    expect(current()?.status).toMatchObject({ observedGeneration: current()?.metadata.generation });
    expect(conditions()).toEqual({
      Available: 'True MinimumReplicasAvailable',
      Progressing: 'True NewReplicaSetAvailable',
    });
  });
}

test('CTL-01 a rollout goes through its conditions and ends with those of a complete one', async () => {
  const seen: string[] = [];
  cluster.subscribe(({ resource, object }) => {
    if (resource.plural !== 'deployments') return;
    const reasons = conditionsOf(object).map(({ reason }) => reason);
    seen.push(reasons.join(' '));
  });
  await deploy({ replicas: 3 });
  await rolledOut('1');
  expect(seen.filter((text) => text !== '')[0]).toBe('NewReplicaSetCreated');
  expect(seen.some((text) => text.includes('ReplicaSetUpdated'))).toBe(true);
  const name = sets()[0]?.metadata.name ?? '';
  const times = { lastUpdateTime: '2030-01-01T00:00:00Z', lastTransitionTime: '2030-01-01T00:00:00Z' };
  expect(current()?.status).toEqual({
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    conditions: [
      {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
        ...times,
      },
      {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "${name}" has successfully progressed.`,
        ...times,
      },
    ],
  });
});

test('CTL-02 a change makes revision 2 and keeps the old set, and going back makes revision 3 of the first set', async () => {
  await deploy({ replicas: 2 });
  await rolledOut('1');
  const [first] = sets();
  const before = current();
  await change({ template: template('i:2') });
  await rolledOut('2');
  await eventually(() => expect(sets().map(({ spec }) => (spec as JsonObject).replicas)).toEqual([0, 2]));
  if (before !== undefined) await cluster.update(deployments(), withoutVersion(before), as);
  await rolledOut('3');
  // The conditions are those of the rollout before until its sets are scaled.
  await eventually(() => {
    expect(sets()).toHaveLength(2);
    const back = sets().find(({ metadata }) => metadata.uid === first?.metadata.uid);
    expect(back?.spec).toMatchObject({ replicas: 2 });
    expect(back?.metadata.annotations).toMatchObject({
      [revision]: '3',
      'deployment.kubernetes.io/revision-history': '1',
      'deployment.kubernetes.io/desired-replicas': '2',
      'deployment.kubernetes.io/max-replicas': '3',
    });
  });
});

test('CTL-02 retains only as many old sets as revisionHistoryLimit allows, the latest', async () => {
  await deploy({ replicas: 1, revisionHistoryLimit: 1 });
  for (const number of ['1', '2', '3', '4']) {
    if (number !== '1') await change({ template: template(`i:${number}`) });
    await rolledOut(number);
  }
  await eventually(() => expect(new Set(sets().map((set) => annotation(set, revision)))).toEqual(new Set(['3', '4'])));
});

test('CTL-03 pods that never get ready end the rollout at the deadline of the clock, and progress recovers it', async () => {
  await deploy({ replicas: 1, progressDeadlineSeconds: 5, template: template('i:1', { schedulerName: 'none' }) });
  await eventually(() => {
    expect(conditions()).toMatchObject({ Progressing: 'True ReplicaSetUpdated' });
    expect(clock.sleepers).toBe(1);
  });
  clock.move(4000);
  expect(clock.sleepers).toBe(1);
  clock.move(2000);
  await eventually(() =>
    expect(conditions()).toEqual({
      Available: 'False MinimumReplicasUnavailable',
      Progressing: 'False ProgressDeadlineExceeded',
    }),
  );
  const name = sets()[0]?.metadata.name ?? '';
  expect(current()?.status).toMatchObject({
    conditions: [{}, { message: `ReplicaSet "${name}" has timed out progressing.` }],
  });
  await change({ template: template('i:2', { schedulerName: null }) });
  await rolledOut('2');
});

test('CTL-21 a pause holds a change back, not the scale, and reports its begin and end', async () => {
  const seen = new Set<string>();
  cluster.subscribe(() => seen.add(conditions().Progressing ?? ''));
  await deploy({ replicas: 1 });
  await rolledOut('1');
  await change({ paused: true, template: template('i:2') });
  await eventually(() => expect(conditions()).toMatchObject({ Progressing: 'Unknown DeploymentPaused' }));
  await change({ replicas: 2 });
  await eventually(() =>
    expect(current()?.status).toMatchObject({ observedGeneration: 3, replicas: 2, availableReplicas: 2 }),
  );
  expect(sets()).toHaveLength(1);
  expect(current()?.status).not.toHaveProperty('updatedReplicas');
  await change({ paused: false });
  await rolledOut('2');
  expect(seen).toContain('Unknown DeploymentResumed');
});

test('CTL-21 a Deployment that is paused from the start gets no ReplicaSet', async () => {
  await deploy({ replicas: 1, paused: true });
  await eventually(() =>
    expect(conditions()).toEqual({
      Progressing: 'Unknown DeploymentPaused',
      Available: 'False MinimumReplicasUnavailable',
    }),
  );
  expect(sets()).toEqual([]);
});

test('CTL-22 scaled to none the pods go and the Deployment stays available', async () => {
  await deploy({ replicas: 2 });
  await rolledOut('1');
  await change({ replicas: 0 });
  await eventually(() => {
    expect(pods()).toEqual([]);
    expect(current()?.status).toEqual({ observedGeneration: 2, conditions: expect.anything() as unknown });
  });
  await rolledOut('1');
  expect(annotation(sets()[0], 'deployment.kubernetes.io/desired-replicas')).toBe('0');
});

test('a recreated Deployment lets all old pods go before the first new one comes', async () => {
  await deploy({ replicas: 2, strategy: { type: 'Recreate' } });
  await rolledOut('1');
  let most = 0;
  cluster.subscribe(() => {
    most = Math.max(most, new Set(pods().map(({ spec }) => JSON.stringify((spec as JsonObject).containers))).size);
  });
  await change({ template: template('i:2') });
  await rolledOut('2');
  expect(most).toBe(1);
});

test('pods count as available once they have been ready for minReadySeconds of the clock', async () => {
  await deploy({ replicas: 2, minReadySeconds: 10 });
  await eventually(() => {
    expect(current()?.status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    expect(conditions()).toMatchObject({ Available: 'False MinimumReplicasUnavailable' });
    expect(clock.sleepers).toBe(2);
  });
  clock.move(11_000);
  await rolledOut('1');
  expect(current()?.status).toMatchObject({ availableReplicas: 2 });
});

test('a Deployment made again takes over the ReplicaSet that its deletion left behind', async () => {
  await deploy({ replicas: 1 });
  await rolledOut('1');
  const [left] = sets();
  await cluster.delete(deployments(), key, as);
  if (left !== undefined) {
    const type = cluster.type('replicasets', 'apps');
    const name = left.metadata.name ?? '';
    await cluster.patch(type, { namespace: 'ns', name }, { metadata: { ownerReferences: null } }, as);
  }
  await deploy({ replicas: 1 });
  await rolledOut('1');
  expect(sets().map(({ metadata }) => metadata.uid)).toEqual([left?.metadata.uid]);
  expect(pods()).toHaveLength(1);
});

test('a changed image with three replicas rolls out, and a set that lacks pods loses none', async () => {
  await deploy({ replicas: 3 });
  await rolledOut('1');
  await change({ template: template('i:2') });
  await rolledOut('2');
  expect(current()?.status).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 });
  const images = (): unknown => pods().map(({ spec }) => (spec as { containers: JsonObject[] }).containers[0]?.image);
  // A complete rollout ignores pods that are still terminating.
  await eventually(() => expect(images()).toEqual(['i:2', 'i:2', 'i:2']));
});
