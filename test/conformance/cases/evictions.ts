import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { installPolicies } from '../policies.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const merge = 'application/merge-patch+json';

/** A pod that is not scheduled, and that the case reports as ready. */
async function createPod(api: Probe, name: string, isReady: boolean): Promise<string> {
  const pods = `/api/v1/namespaces/${api.namespace}/pods`;
  const spec = { schedulerName: 'nobody', containers: [{ name: 'c', image: 'x:1' }] };
  await api.setUp('POST', pods, {
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'a' } }, spec },
  });
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
  await api.setUp('PATCH', `${pods}/${name}/status`, {
    body: { status: { phase: 'Running', conditions } },
    contentType: merge,
  });
  return `${pods}/${name}`;
}

async function createBudget(api: Probe, name: string, spec: JsonObject): Promise<string> {
  const budgets = `/apis/policy/v1/namespaces/${api.namespace}/poddisruptionbudgets`;
  const body = { spec: { selector: { matchLabels: { app: 'a' } }, ...spec } };
  await api.setUp('POST', budgets, {
    body: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, ...body },
  });
  return `${budgets}/${name}`;
}

/** A pod that is being evicted is no longer healthy, but expected until it is deleted: `all` is the state in which both have settled. */
function isCounted(healthy: number, all?: number): (body: JsonValue) => boolean {
  return (body) => {
    const status = isJsonObject(body) ? body['status'] : undefined;
    if (!isJsonObject(status) || (all !== undefined && status['expectedPods'] !== all)) return false;
    return status['observedGeneration'] === 1 && status['currentHealthy'] === healthy;
  };
}

function evict(api: Probe, pod: string, options: JsonObject = {}): Promise<unknown> {
  const metadata = { name: pod.slice(pod.lastIndexOf('/') + 1) };
  return api.ask('POST', `${pod}/eviction`, {
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata, ...options },
  });
}

const statusOnly = (body: JsonValue): unknown => (isJsonObject(body) ? body['status'] : body);

const podRule = (...resources: string[]): JsonObject => ({
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources }],
});

/** Evictions, and the budgets that forbid them. */
export const cases: Area = area('Evictions', (it) => {
  const needs = { needs: 'controllers' } as const;
  it('CTL-18 refuses to evict a pod that its budget needs', needs, async (api) => {
    const [pod] = [await createPod(api, 'a', true), await createPod(api, 'b', true)];
    const budget = await createBudget(api, 'x', { minAvailable: 2 });
    await api.eventually(budget, isCounted(2));
    await api.ask('GET', budget, { keep: statusOnly });
    await evict(api, pod);
    await api.ask('GET', pod, { keep: statusOnly });
  });
  it('evicts a pod that its budget can spare, and counts on', needs, async (api) => {
    const pod = await createPod(api, 'a', true);
    await createPod(api, 'b', true);
    const budget = await createBudget(api, 'x', { minAvailable: 1 });
    await api.eventually(budget, isCounted(2, 2));
    await evict(api, pod, { deleteOptions: { dryRun: ['All'] } });
    await evict(api, pod);
    await api.untilDeleted(pod);
    await api.eventually(budget, isCounted(1, 1));
    await api.ask('GET', budget, { keep: statusOnly });
  });
  it('evicts a pod without a budget', async (api) => {
    const pod = await createPod(api, 'a', true);
    await evict(api, pod);
    await api.untilDeleted(pod);
    await evict(api, pod);
  });
  it('evicts a pod that is not ready as its budget specifies', needs, async (api) => {
    const pod = await createPod(api, 'a', false);
    const budget = await createBudget(api, 'x', { minAvailable: 1 });
    await api.eventually(budget, isCounted(0));
    await api.ask('GET', budget, { keep: statusOnly });
    await evict(api, pod);
    await api.ask('PATCH', budget, {
      body: { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
      contentType: merge,
      keep: (body) => (isJsonObject(body) ? body['spec'] : body),
    });
    await evict(api, pod);
    await api.untilDeleted(pod);
  });
  it('refuses to evict a pod of two budgets', needs, async (api) => {
    const pod = await createPod(api, 'a', true);
    for (const name of ['x', 'y']) {
      const budget = await createBudget(api, name, { minAvailable: 0 });
      await api.eventually(budget, isCounted(1));
    }
    await evict(api, pod);
  });
  it('counts nothing for pods without a workload where it must know how many there should be', needs, async (api) => {
    await createPod(api, 'a', true);
    const budget = await createBudget(api, 'x', { maxUnavailable: 1 });
    const isSeen = (body: JsonValue): boolean => {
      const status = statusOnly(body);
      return isJsonObject(status) && Array.isArray(status['conditions']);
    };
    await api.eventually(budget, isSeen);
    await api.ask('GET', budget, { keep: statusOnly });
  });
  it('evicts a finished pod, whatever its budget', needs, async (api) => {
    const pod = await createPod(api, 'a', true);
    const budget = await createBudget(api, 'x', { minAvailable: 1 });
    await api.eventually(budget, isCounted(1));
    await api.setUp('PATCH', `${pod}/status`, { body: { status: { phase: 'Succeeded' } }, contentType: merge });
    await evict(api, pod);
  });
  it('looks at the name and the options of an eviction', async (api) => {
    const pod = await createPod(api, 'a', true);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction' };
    await api.ask('POST', `${pod}/eviction`, { body: { ...eviction, metadata: { name: 'b' } } });
    await evict(api, pod, { deleteOptions: { preconditions: { uid: 'x' } } });
    await api.ask('POST', `${pod}/eviction?dryRun=All`, { body: { ...eviction, metadata: { name: 'a' } } });
    await api.ask('GET', pod, { keep: statusOnly });
  });
  it('puts an eviction before admission', async (api) => {
    const pod = await createPod(api, 'a', true);
    const message = 'request.operation + " " + request.subResource + " " + object.kind + " " + object.metadata.name';
    const validations = [{ expression: 'oldObject != null', messageExpression: message }];
    await installPolicies(api, {
      evictions: { spec: { matchConstraints: podRule('pods/eviction'), validations }, binding: {} },
    });
    await evict(api, pod);
    await evict(api, pod, { deleteOptions: { dryRun: ['All'] } });
    await api.ask('GET', pod, { keep: statusOnly });
  });
  it('puts what an eviction leads to before no admission', async (api) => {
    const pod = await createPod(api, 'a', true);
    const spec = { matchConstraints: podRule('pods', 'pods/status'), validations: [{ expression: 'false' }] };
    await installPolicies(api, { pods: { spec, binding: {} } });
    await api.ask('DELETE', pod);
    await evict(api, pod);
    await api.untilDeleted(pod);
  });
});
