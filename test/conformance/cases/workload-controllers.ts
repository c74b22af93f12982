import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { plainContainer } from '../pods.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;
const merge = 'application/merge-patch+json';
/** Pods that no scheduler takes, so that only the case reports their status. */
const podSpec = { schedulerName: 'nobody', restartPolicy: 'Never', containers: [plainContainer] };

const jobs = (api: Probe): string => `/apis/batch/v1/namespaces/${api.namespace}/jobs`;
const pods = (api: Probe): string => `/api/v1/namespaces/${api.namespace}/pods`;

function statusOf(body: JsonValue): JsonObject {
  return isJsonObject(body) && isJsonObject(body['status']) ? body['status'] : {};
}

function itemsOf(body: JsonValue): { metadata: { name: string; labels?: JsonObject }; status: JsonObject }[] {
  return (body as { items: { metadata: { name: string; labels?: JsonObject }; status: JsonObject }[] }).items;
}

function hasCondition(type: string, status = 'True'): (body: JsonValue) => boolean {
  return (body) => {
    const { conditions } = statusOf(body);
    return (
      Array.isArray(conditions) &&
      conditions.some(
        (condition) => isJsonObject(condition) && condition['type'] === type && condition['status'] === status,
      )
    );
  };
}

async function createJob(api: Probe, spec: JsonObject): Promise<string> {
  const body = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' } };
  await api.setUp('POST', jobs(api), { body: { ...body, spec: { template: { spec: podSpec }, ...spec } } });
  return `${jobs(api)}/j`;
}

async function patch(api: Probe, path: string, body: JsonObject): Promise<void> {
  await api.setUp('PATCH', path, { body, contentType: merge });
}

/** Ends every pod that still runs in this phase. */
async function endPods(api: Probe, phase: string, count: number): Promise<void> {
  const active = (body: JsonValue): typeof found => itemsOf(body).filter(({ status }) => status['phase'] === 'Pending');
  let found: ReturnType<typeof itemsOf> = [];
  found = active(await api.eventually(pods(api), (body) => active(body).length === count));
  const exitCode = phase === 'Failed' ? 1 : 0;
  for (const { metadata } of found) {
    const terminated = { exitCode, startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:01Z' };
    const state = { name: 'c', image: 'x', imageID: 'x', ready: false, restartCount: 0, state: { terminated } };
    await patch(api, `${pods(api)}/${metadata.name}/status`, { status: { phase, containerStatuses: [state] } });
  }
}

/** Jobs and StatefulSets whose pods do as the case specifies. */
export const cases: Area = area('Workload controllers', (it) => {
  it('CTL-07 completes a Job whose pods succeed', controllers, async (api) => {
    const job = await createJob(api, { completions: 2, parallelism: 2 });
    await api.eventually(job, (body) => statusOf(body)['active'] === 2);
    await api.ask('GET', job, { keep: statusOf });
    await endPods(api, 'Succeeded', 2);
    await api.eventually(job, hasCondition('Complete'));
    await api.ask('GET', job, { keep: statusOf });
  });

  it('CTL-08 fails a Job whose pod fails when it may not try again', controllers, async (api) => {
    const job = await createJob(api, { backoffLimit: 0 });
    await endPods(api, 'Failed', 1);
    await api.eventually(job, hasCondition('Failed'));
    await api.ask('GET', job, { keep: statusOf });
  });

  it('holds back a Job that is suspended, and lets it go on', controllers, async (api) => {
    const job = await createJob(api, { suspend: true });
    await api.eventually(job, hasCondition('Suspended'));
    await api.ask('GET', job, { keep: statusOf });
    await patch(api, job, { spec: { suspend: false } });
    await api.eventually(job, (body) => statusOf(body)['active'] === 1);
    await api.ask('GET', job, { keep: statusOf });
    await patch(api, job, { spec: { suspend: true } });
    await api.eventually(
      job,
      (body) =>
        hasCondition('Suspended')(body) &&
        statusOf(body)['active'] === undefined &&
        statusOf(body)['terminating'] === 0,
    );
    await api.ask('GET', job, { keep: statusOf });
    await api.eventually(pods(api), (body) => itemsOf(body).length === 0);
  });

  it('CTL-08 ends a Job that is active for too long', controllers, async (api) => {
    const job = await createJob(api, { activeDeadlineSeconds: 1 });
    await api.eventually(job, hasCondition('Failed'));
    await api.ask('GET', job, { keep: statusOf });
    await api.eventually(pods(api), (body) => itemsOf(body).length === 0);
  });

  it('deletes a Job when its time to live is over', controllers, async (api) => {
    const job = await createJob(api, { ttlSecondsAfterFinished: 0 });
    await endPods(api, 'Succeeded', 1);
    await api.untilDeleted(job);
    await api.eventually(pods(api), (body) => itemsOf(body).length === 0);
  });

  it('makes a pod for each index of an Indexed Job', controllers, async (api) => {
    const job = await createJob(api, { completionMode: 'Indexed', completions: 3, parallelism: 2 });
    await api.eventually(job, (body) => statusOf(body)['active'] === 2);
    const keep = (body: JsonValue): unknown =>
      itemsOf(body)
        .map(({ metadata, ...rest }) => {
          const { spec } = rest as unknown as { spec: { hostname: string; containers: JsonObject[] } };
          const { 'batch.kubernetes.io/job-completion-index': label } = metadata.labels ?? {};
          const name = metadata.name.replace(/[a-z0-9]{5}$/, '<random>');
          return { name, label, hostname: spec.hostname, env: spec.containers[0]?.['env'] };
        })
        .toSorted((a, b) => a.name.localeCompare(b.name));
    await api.ask('GET', pods(api), { keep });
    await endPods(api, 'Succeeded', 2);
    await api.eventually(job, (body) => statusOf(body)['succeeded'] === 2 && statusOf(body)['active'] === 1);
    await api.ask('GET', job, { keep: statusOf });
    await endPods(api, 'Succeeded', 1);
    await api.eventually(job, hasCondition('Complete'));
    await api.ask('GET', job, { keep: statusOf });
  });

  it('fails an Indexed Job when too many of its indexes failed', controllers, async (api) => {
    const spec = { completionMode: 'Indexed', completions: 1, backoffLimitPerIndex: 0 };
    const job = await createJob(api, { ...spec, maxFailedIndexes: 0 });
    await endPods(api, 'Failed', 1);
    await api.eventually(job, hasCondition('Failed'));
    await api.ask('GET', job, { keep: statusOf });
  });

  it('TYPE-30 leaves the pods of a Job that is deleted without a policy', controllers, async (api) => {
    const job = await createJob(api, {});
    await api.eventually(job, (body) => statusOf(body)['active'] === 1);
    await api.ask('DELETE', job, { keep: (body) => (body as JsonObject)['kind'] });
    await api.untilDeleted(job);
    const isFree = (body: JsonValue): boolean =>
      itemsOf(body).every(({ metadata }) => !Object.hasOwn(metadata, 'ownerReferences'));
    await api.eventually(pods(api), (body) => isFree(body));
    await api.ask('GET', pods(api), { keep: (body) => itemsOf(body).length });
  });

  it('CTL-05 makes the pods of a StatefulSet one after another', controllers, async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/statefulsets`;
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Always' } };
    const spec = { replicas: 3, serviceName: 'web', selector: { matchLabels: labels }, template };
    await api.setUp('POST', path, {
      body: { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'web' }, spec },
    });
    const keep = (body: JsonValue): unknown => {
      const { currentRevision, updateRevision, ...counts } = statusOf(body);
      return { ...counts, isUpdated: currentRevision === updateRevision };
    };
    for (const ordinal of [0, 1, 2]) {
      await api.eventually(
        `${path}/web`,
        (body) => statusOf(body)['replicas'] === ordinal + 1 && (statusOf(body)['readyReplicas'] ?? 0) === ordinal,
      );
      await api.ask('GET', `${path}/web`, { keep });
      const conditions = [{ type: 'Ready', status: 'True' }];
      await patch(api, `${pods(api)}/web-${ordinal}/status`, { status: { phase: 'Running', conditions } });
    }
    await api.eventually(`${path}/web`, (body) => statusOf(body)['readyReplicas'] === 3);
    await api.ask('GET', `${path}/web`, { keep });
    const names = (body: JsonValue): unknown =>
      itemsOf(body).map(({ metadata }) => {
        const { 'controller-revision-hash': _hash, ...rest } = metadata.labels ?? {};
        return { name: metadata.name, labels: rest };
      });
    await api.ask('GET', pods(api), { keep: names });
  });

  it('CTL-09 makes the Job of a CronJob when it is time, and counts it when it is over', controllers, async (api) => {
    const path = `/apis/batch/v1/namespaces/${api.namespace}/cronjobs`;
    const jobTemplate = { metadata: { labels: { app: 'tick' } }, spec: { template: { spec: podSpec } } };
    const spec = { schedule: '@every 1s', concurrencyPolicy: 'Forbid', successfulJobsHistoryLimit: 0, jobTemplate };
    await api.setUp('POST', path, {
      body: { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'tick' }, spec },
    });
    const keep = (body: JsonValue): unknown => {
      const { active, ...times } = statusOf(body);
      const references = Array.isArray(active) ? active.filter((reference) => isJsonObject(reference)) : [];
      const shown = references.map(({ name, resourceVersion: _version, uid: _uid, ...rest }) => ({
        ...rest,
        name: String(name as string).replace(/\d{8}$/, '<minutes>'),
      }));
      return { active: shown, times };
    };
    const isActive = (body: JsonValue): boolean => Array.isArray(statusOf(body)['active']);
    await api.eventually(`${path}/tick`, isActive);
    await patch(api, `${path}/tick`, { spec: { suspend: true } });
    await api.ask('GET', `${path}/tick`, { keep });
    const shownJobs = (body: JsonValue): unknown =>
      itemsOf(body).map(({ metadata }) => {
        const { name, labels, annotations, ownerReferences } = metadata as unknown as JsonObject;
        const [owner] = ownerReferences as JsonObject[];
        const { uid: _uid, ...reference } = owner ?? {};
        const { app } = labels as JsonObject;
        const shownName = String(name as string).replace(/\d{8}$/, '<minutes>');
        return { name: shownName, app, annotations: Object.keys(annotations as JsonObject), reference };
      });
    await api.ask('GET', jobs(api), { keep: shownJobs });
    await endPods(api, 'Succeeded', 1);
    await api.eventually(
      `${path}/tick`,
      (body) => !isActive(body) && statusOf(body)['lastSuccessfulTime'] !== undefined,
    );
    await api.ask('GET', `${path}/tick`, { keep });
    await api.eventually(jobs(api), (body) => itemsOf(body).length === 0);
  });

  it('keeps as many pods as a ReplicationController wants', controllers, async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/replicationcontrollers`;
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Always' } };
    await api.setUp('POST', path, {
      body: {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        metadata: { name: 'web' },
        spec: { replicas: 2, template },
      },
    });
    const has =
      (field: string, count: number): ((body: JsonValue) => boolean) =>
      (body) =>
        statusOf(body)[field] === count;
    await api.eventually(`${path}/web`, has('replicas', 2));
    await api.ask('GET', `${path}/web`, { keep: statusOf });
    const conditions = [{ type: 'Ready', status: 'True' }];
    for (const { metadata } of itemsOf(await api.eventually(pods(api), (body) => itemsOf(body).length === 2))) {
      await patch(api, `${pods(api)}/${metadata.name}/status`, { status: { phase: 'Running', conditions } });
    }
    await api.eventually(`${path}/web`, has('availableReplicas', 2));
    await api.ask('GET', `${path}/web`, { keep: statusOf });
    await patch(api, `${path}/web`, { spec: { replicas: 0 } });
    await api.eventually(`${path}/web`, (body) => has('replicas', 0)(body) && has('observedGeneration', 2)(body));
    await api.ask('GET', `${path}/web`, { keep: statusOf });
  });
});
