import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../test/support/index.ts';
import { openOlmCluster, runControllers } from '../../test/support/olm-cluster.ts';
import { type Clock, silentLogger, systemClock } from '../base/index.ts';
import { createManager } from '../controller/index.ts';
import { findObject, type KubeObject } from '../kube/index.ts';
import { addOperatorGroups, OtherOlm } from './index.ts';

const user = { fieldManager: 'user' };
const kind = { apiVersion: 'apps/v1', kind: 'Deployment' };
const namespace = 'default';
const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata: { namespace, name: 'group' } };

let cluster: BareCluster;
let running: AsyncDisposable;
let hasAppeared = false;

beforeEach(async () => {
  cluster = await openOlmCluster(['subscriptions']);
  hasAppeared = false;
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

async function begin(clock: Clock = systemClock): Promise<void> {
  running = await runControllers(cluster.kube, (one) => {
    const manager = { ...one, clock };
    const other = new OtherOlm(manager, cluster.kube);
    addOperatorGroups(other.gate());
    void other.watch();
    void other.whenAppeared.then(() => {
      hasAppeared = true;
    });
  });
  await cluster.kube.create(group, user);
}

function deployment(name: string): KubeObject {
  const labels = { app: name };
  const spec = { serviceAccountName: 'olm', containers: [{ name, image: 'registry.example/olm' }] };
  const template = { metadata: { labels }, spec };
  return { ...kind, metadata: { namespace, name }, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
}

async function allowEverything(): Promise<void> {
  await cluster.kube.create(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'olm' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace, name: 'olm' }],
    },
    user,
  );
}

async function scale(replicas: number): Promise<void> {
  await cluster.kube.patch({ ...kind, namespace, name: 'olm-operator' }, { spec: { replicas } }, user);
}

const isReconciled = async (): Promise<boolean> => {
  const found = await findObject(cluster.kube, { ...group, namespace, name: 'group' });
  return found?.['status'] !== undefined;
};

test('C-009 while another OLM runs nothing is reconciled, which an Event reports, and it begins when that one has ended', async () => {
  await allowEverything();
  await cluster.kube.create(deployment('olm-operator'), user);
  await begin();
  await eventually(async () => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event', namespace });
    expect(items.map((event) => event['reason'])).toEqual(['OtherOlmRuns']);
  });
  expect(await isReconciled()).toBe(false);
  await scale(0);
  await eventually(async () => expect(await isReconciled()).toBe(true));
  expect(hasAppeared).toBe(false);
  await scale(1);
  await eventually(() => expect(hasAppeared).toBe(true));
});

test('a Deployment of that name that may not write ClusterServiceVersions is in no way', async () => {
  await cluster.kube.create(deployment('catalog-operator'), user);
  await begin();
  await eventually(async () => expect(await isReconciled()).toBe(true));
});

test('it ends quietly when the process stops before the API server has answered', async () => {
  const stop = new AbortController();
  const log = silentLogger();
  const manager = createManager({ kube: cluster.kube, clock: systemClock, log, signal: stop.signal });
  running = { [Symbol.asyncDispose]: () => manager.whenStopped() };
  const watching = new OtherOlm(manager, cluster.kube).watch();
  stop.abort();
  await watching;
});

test('one that runs elsewhere is found by what it has just written, and has ended when it writes no more', async () => {
  const subscription = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { namespace, name: 'boat' },
    spec: { name: 'boat', source: 'shop', sourceNamespace: 'olm' },
  };
  await cluster.kube.create(subscription, user);
  const status = { lastUpdated: '2026-01-01T00:00:00Z' };
  const ref = { ...subscription, namespace, name: 'boat' };
  await cluster.kube.patch(ref, { status }, { fieldManager: 'catalog', subresource: 'status' });
  let passedMs = 0;
  let looks = 0;
  await begin({
    ...systemClock,
    now: () => Date.now() + passedMs,
    sleep: async () => {
      looks += 1;
      await yieldToOthers();
    },
  });
  await eventually(() => expect(looks).toBeGreaterThan(2));
  expect(await isReconciled()).toBe(false);
  passedMs = 10 * 60_000;
  await eventually(async () => expect(await isReconciled()).toBe(true));
});
