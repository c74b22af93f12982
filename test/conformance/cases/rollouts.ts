import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { plainContainer } from '../pods.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;
const labels = { app: 'web' };
const revision = 'deployment.kubernetes.io/revision';

function apps(api: Probe, rest: string): string {
  return `/apis/apps/v1/namespaces/${api.namespace}/${rest}`;
}

function part(body: JsonValue, name: string): JsonObject {
  const member = isJsonObject(body) ? body[name] : undefined;
  return isJsonObject(member) ? member : {};
}

function conditionsOf(body: JsonValue): JsonObject[] {
  const { conditions } = part(body, 'status');
  return Array.isArray(conditions) ? conditions.filter((condition) => isJsonObject(condition)) : [];
}

function annotationsOf(body: JsonValue): JsonObject {
  return part(part(body, 'metadata'), 'annotations');
}

/** Pods that no scheduler looks after stay as they are on every server. */
function template(image: string): JsonObject {
  const container = { ...plainContainer, image } as JsonObject;
  return { metadata: { labels }, spec: { schedulerName: 'nobody', containers: [container] } };
}

async function deploy(api: Probe, spec: JsonObject): Promise<void> {
  const body = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', annotations: { note: 'kept' } },
    spec: { selector: { matchLabels: labels }, template: template('x:1'), ...spec },
  };
  await api.setUp('POST', apps(api, 'deployments'), { body });
}

async function change(api: Probe, spec: JsonObject): Promise<void> {
  const contentType = 'application/merge-patch+json';
  await api.setUp('PATCH', apps(api, 'deployments/d'), { body: { spec }, contentType });
}

/** Waits for the reason of a condition of the current generation of the Deployment. */
async function until(api: Probe, reason: string, further: (body: JsonObject) => boolean = () => true): Promise<void> {
  await api.eventually(apps(api, 'deployments/d'), (body) => {
    const { generation } = part(body, 'metadata');
    const isSeen = part(body, 'status')['observedGeneration'] === generation;
    const isReported = conditionsOf(body).some((condition) => condition['reason'] === reason);
    return isSeen && isReported && further(body as JsonObject);
  });
}

const isRevision =
  (number: string) =>
  (body: JsonObject): boolean =>
    annotationsOf(body)[revision] === number;

/** The hash at the end of a ReplicaSet's name is each server's own. */
function withoutHashes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\bd-[a-z0-9]{6,10}\b/g, 'd-hash'));
}

async function show(api: Probe): Promise<void> {
  const keep = (body: JsonValue): unknown => {
    const conditions = conditionsOf(body).map(({ lastUpdateTime: _at, lastTransitionTime: _since, ...rest }) => rest);
    const sorted = conditions.toSorted((a, b) =>
      String(a['type'] as string).localeCompare(String(b['type'] as string)),
    );
    return withoutHashes({ annotations: annotationsOf(body), status: { ...part(body, 'status'), conditions: sorted } });
  };
  await api.ask('GET', apps(api, 'deployments/d'), { keep });
}

async function showSets(api: Probe): Promise<void> {
  const keep = (body: JsonValue): unknown => {
    const items = (body as { items: JsonObject[] }).items.toSorted(
      (a, b) => Number(annotationsOf(a)[revision]) - Number(annotationsOf(b)[revision]),
    );
    return items.map((set) => {
      const { replicas, minReadySeconds } = part(set, 'spec');
      return { annotations: annotationsOf(set), replicas, minReadySeconds };
    });
  };
  await api.ask('GET', apps(api, 'replicasets'), { keep });
}

/** What becomes of Deployments as far as it needs no pod that runs. */
export const cases: Area = area('Rollouts', (it) => {
  it('CTL-01 completes a rollout of no pods', controllers, async (api) => {
    await deploy(api, { replicas: 0, minReadySeconds: 3 });
    await until(api, 'NewReplicaSetAvailable');
    await show(api);
    await showSets(api);
  });

  it('CTL-02 counts revisions, and goes back to the ReplicaSet of an earlier one', controllers, async (api) => {
    await deploy(api, { replicas: 0 });
    await until(api, 'NewReplicaSetAvailable', isRevision('1'));
    await change(api, { template: template('x:2') });
    await until(api, 'NewReplicaSetAvailable', isRevision('2'));
    await showSets(api);
    await change(api, { template: template('x:1') });
    await until(api, 'NewReplicaSetAvailable', isRevision('3'));
    await show(api);
    await showSets(api);
  });

  it('CTL-02 keeps as many old ReplicaSets as the history is long', controllers, async (api) => {
    await deploy(api, { replicas: 0, revisionHistoryLimit: 1 });
    for (const number of ['1', '2', '3', '4']) {
      if (number !== '1') await change(api, { template: template(`x:${number}`) });
      await until(api, 'NewReplicaSetAvailable', isRevision(number));
    }
    await api.eventually(apps(api, 'replicasets'), (body) => (body as { items: JsonObject[] }).items.length === 2);
    await showSets(api);
  });

  it('takes over the ReplicaSet that a deleted Deployment left behind', controllers, async (api) => {
    await deploy(api, { replicas: 0 });
    await until(api, 'NewReplicaSetAvailable');
    await api.setUp('DELETE', `${apps(api, 'deployments/d')}?propagationPolicy=Orphan`);
    await api.eventually(apps(api, 'deployments'), (body) => (body as { items: JsonObject[] }).items.length === 0);
    await deploy(api, { replicas: 0, minReadySeconds: 2 });
    await until(api, 'NewReplicaSetAvailable');
    await show(api);
    await showSets(api);
  });

  it('CTL-03 gives a rollout up after its deadline', controllers, async (api) => {
    await deploy(api, { replicas: 1, progressDeadlineSeconds: 1 });
    // A pod that comes after the deadline is progress once more.
    await until(api, 'ProgressDeadlineExceeded', (body) => part(body, 'status')['updatedReplicas'] === 1);
    await show(api);
    await showSets(api);
  });

  it('CTL-21 makes nothing for a Deployment that begins paused, until it is resumed', controllers, async (api) => {
    await deploy(api, { replicas: 1, paused: true });
    await until(api, 'DeploymentPaused');
    await until(api, 'MinimumReplicasUnavailable');
    await show(api);
    await showSets(api);
    await change(api, { paused: false });
    await until(api, 'ReplicaSetUpdated');
    await show(api);
  });

  it('CTL-21 holds a change of the template back while paused, but not the scale', controllers, async (api) => {
    await deploy(api, { replicas: 1 });
    await until(api, 'ReplicaSetUpdated', (body) => part(body, 'status')['updatedReplicas'] === 1);
    await change(api, { paused: true, template: template('x:2') });
    await until(api, 'DeploymentPaused');
    await change(api, { replicas: 3 });
    await until(api, 'DeploymentPaused', (body) => part(body, 'status')['replicas'] === 3);
    await show(api);
    await showSets(api);
  });

  it('CTL-22 takes all pods away for a scale of none', controllers, async (api) => {
    await deploy(api, { replicas: 2 });
    await until(api, 'ReplicaSetUpdated', (body) => part(body, 'status')['updatedReplicas'] === 2);
    await change(api, { replicas: 0 });
    await until(api, 'NewReplicaSetAvailable', (body) => part(body, 'status')['replicas'] === undefined);
    await show(api);
    await showSets(api);
    await api.ask('GET', `/api/v1/namespaces/${api.namespace}/pods`, { keep: (body) => (body as JsonObject)['items'] });
  });
});
