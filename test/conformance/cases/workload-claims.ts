import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { plainContainer } from '../pods.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;
const merge = 'application/merge-patch+json';
const labels = { app: 'web' };
/** Pods that no scheduler takes stay as the case makes them. */
const podSpec = { schedulerName: 'nobody', containers: [plainContainer] };

function template(image = 'x:1'): JsonObject {
  return { metadata: { labels }, spec: { ...podSpec, containers: [{ ...plainContainer, image }] } } as JsonObject;
}

const kinds = {
  ReplicaSet: { group: 'apps', plural: 'replicasets', selector: { matchLabels: labels } },
  ReplicationController: { group: '', plural: 'replicationcontrollers', selector: labels },
  StatefulSet: { group: 'apps', plural: 'statefulsets', selector: { matchLabels: labels } },
  Deployment: { group: 'apps', plural: 'deployments', selector: { matchLabels: labels } },
} as const;
type Kind = keyof typeof kinds;

const pods = (api: Probe): string => `/api/v1/namespaces/${api.namespace}/pods`;

function pathOf(api: Probe, kind: Kind): string {
  const { group, plural } = kinds[kind];
  return `${group === '' ? '/api' : `/apis/${group}`}/v1/namespaces/${api.namespace}/${plural}`;
}

async function create(api: Probe, kind: Kind, spec: JsonObject): Promise<string> {
  const { group, selector } = kinds[kind];
  const body = { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, metadata: { name: 'w' } };
  await api.setUp('POST', pathOf(api, kind), { body: { ...body, spec: { selector, template: template(), ...spec } } });
  return `${pathOf(api, kind)}/w`;
}

async function patch(api: Probe, path: string, body: JsonObject): Promise<void> {
  await api.setUp('PATCH', path, { body, contentType: merge });
}

interface Item {
  readonly metadata: JsonObject & { readonly name: string };
  readonly [field: string]: unknown;
}

const itemsOf = (body: JsonValue): Item[] => (body as unknown as { items?: Item[] }).items ?? [];
const statusOf = (body: JsonValue): JsonObject =>
  isJsonObject(body) && isJsonObject(body['status']) ? body['status'] : {};
const observed = (body: JsonValue): boolean =>
  statusOf(body)['observedGeneration'] === (body as unknown as Item).metadata['generation'];

function owners(body: JsonValue): unknown {
  const { ownerReferences } = (body as unknown as Item).metadata;
  const list = (Array.isArray(ownerReferences) ? ownerReferences : []).filter((one) => isJsonObject(one));
  return list.map(({ uid: _uid, ...rest }) => rest);
}

const isOwned = (body: JsonValue): boolean => (owners(body) as unknown[]).length > 0;

async function createPod(api: Probe, name: string): Promise<string> {
  await api.setUp('POST', pods(api), { body: { metadata: { name, labels }, spec: podSpec } });
  return `${pods(api)}/${name}`;
}

/** Makes the pod ready. */
async function ready(api: Probe, name: string): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }];
  await patch(api, `${pods(api)}/${name}/status`, { status: { phase: 'Running', conditions } });
}

/** Revisions and the images that they keep; their hashes are each server's own. */
function revisions(body: JsonValue): unknown {
  const shown = itemsOf(body).map(({ metadata, data, revision }) => {
    const { spec } = data as { spec: { template: JsonObject } };
    const { template: kept } = spec;
    const { containers } = kept['spec'] as { containers: JsonObject[] };
    const {
      'controller.kubernetes.io/hash': hash,
      'controller-revision-hash': other,
      ...rest
    } = metadata['labels'] as JsonObject;
    const image = containers[0]?.['image'];
    return { revision, image, patch: kept['$patch'], labels: rest, hashes: [typeof hash, typeof other] };
  });
  return shown.toSorted((a, b) => Number(a.revision) - Number(b.revision));
}

/** Adoption, release and revisions, as far as they need no pod that runs. */
export const cases: Area = area('What workloads claim', (it) => {
  for (const kind of ['ReplicaSet', 'ReplicationController', 'StatefulSet'] as const) {
    it(`adopts a pod that the selector of a ${kind} matches, and releases it`, controllers, async (api) => {
      const pod = await createPod(api, 'w-0');
      const workload = await create(api, kind, { replicas: 1 });
      await api.eventually(pod, isOwned);
      await api.ask('GET', pod, { keep: owners });
      await api.eventually(workload, (body) => observed(body) && statusOf(body)['replicas'] === 1);
      await patch(api, pod, { metadata: { labels: { app: 'other' } } });
      await api.eventually(pod, (body) => !isOwned(body));
      await api.ask('GET', pod, { keep: owners });
    });
  }

  it('adopts a ReplicaSet that has the template of a Deployment under another name', controllers, async (api) => {
    const sets = pathOf(api, 'ReplicaSet');
    const body = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'mine', labels } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template: template() };
    await api.setUp('POST', sets, { body: { ...body, spec } });
    const deployment = await create(api, 'Deployment', { replicas: 2 });
    await api.eventually(deployment, (found) => observed(found) && statusOf(found)['updatedReplicas'] === 2);
    await api.ask('GET', `${sets}/mine`, { keep: owners });
    await api.ask('GET', sets, { keep: (found) => itemsOf(found).map(({ metadata }) => metadata.name) });
    await patch(api, `${sets}/mine`, { metadata: { labels: { app: 'other' } } });
    await api.eventually(`${sets}/mine`, (found) => !isOwned(found));
    await api.eventually(sets, (found) => itemsOf(found).length === 2);
  });

  it('shares a new size among the ReplicaSets of a rollout', controllers, async (api) => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
    const deployment = await create(api, 'Deployment', { replicas: 10, strategy });
    await api.eventually(pods(api), (body) => itemsOf(body).length === 10);
    for (const { metadata } of itemsOf(await api.eventually(pods(api), () => true))) await ready(api, metadata.name);
    await api.eventually(deployment, (body) => statusOf(body)['availableReplicas'] === 10);
    await patch(api, deployment, { spec: { template: template('x:2') } });
    const sizes = (body: JsonValue): unknown[] =>
      itemsOf(body)
        .map(({ metadata, spec }) => ({
          annotations: metadata['annotations'],
          replicas: (spec as JsonObject)['replicas'],
        }))
        .toSorted((a, b) => Number(a.replicas) - Number(b.replicas));
    const sets = pathOf(api, 'ReplicaSet');
    const total = (count: number): ((body: JsonValue) => boolean) => {
      return (body) =>
        itemsOf(body).reduce((sum, { status }) => sum + Number((status as JsonObject)['replicas'] ?? 0), 0) === count;
    };
    await api.eventually(sets, total(13));
    await patch(api, deployment, { spec: { replicas: 30 } });
    await api.eventually(sets, total(33));
    await api.ask('GET', sets, { keep: sizes });
  });

  it('keeps a revision of each template of a StatefulSet', controllers, async (api) => {
    const set = await create(api, 'StatefulSet', { replicas: 0, revisionHistoryLimit: 1 });
    const at = `/apis/apps/v1/namespaces/${api.namespace}/controllerrevisions`;
    for (const image of ['x:1', 'x:2', 'x:1', 'x:3', 'x:4']) {
      await patch(api, set, { spec: { template: { spec: { containers: [{ ...plainContainer, image }] } } } });
      await api.eventually(set, observed);
    }
    await api.eventually(at, (body) => itemsOf(body).length === 2);
    await api.ask('GET', at, { keep: revisions });
  });

  it(
    'numbers the pods of a StatefulSet from its start, and updates them from its partition on',
    controllers,
    async (api) => {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
      const ordinals = { start: 3 };
      const set = await create(api, 'StatefulSet', {
        replicas: 2,
        ordinals,
        updateStrategy,
        podManagementPolicy: 'Parallel',
      });
      await api.eventually(pods(api), (body) => itemsOf(body).length === 2);
      for (const name of ['w-3', 'w-4']) await ready(api, name);
      await api.eventually(set, (body) => statusOf(body)['readyReplicas'] === 2);
      await patch(api, set, { spec: { template: { spec: { containers: [{ ...plainContainer, image: 'x:2' }] } } } });
      const image = ({ spec }: Item): unknown => ((spec as JsonObject)['containers'] as JsonObject[])[0]?.['image'];
      const isUpdated = (body: JsonValue): boolean => itemsOf(body).some((pod) => image(pod) === 'x:2');
      await api.eventually(pods(api), (body) => isUpdated(body) && itemsOf(body).length === 2);
      await ready(api, 'w-4');
      await api.eventually(set, (body) => statusOf(body)['readyReplicas'] === 2 && observed(body));
      await api.ask('GET', pods(api), { keep: (body) => itemsOf(body).map((pod) => [pod.metadata.name, image(pod)]) });
      const keep = (body: JsonValue): unknown => {
        const { currentRevision: _current, updateRevision: _update, ...counts } = statusOf(body);
        return counts;
      };
      await api.ask('GET', set, { keep });
    },
  );
});
