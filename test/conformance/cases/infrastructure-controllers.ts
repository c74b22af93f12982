import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { plainContainer } from '../pods.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

function core(api: Probe, rest: string): string {
  return `/api/v1/namespaces/${api.namespace}/${rest}`;
}

function statusOf(body: JsonValue): JsonObject {
  return isJsonObject(body) && isJsonObject(body['status']) ? body['status'] : {};
}

function conditionsOf(body: JsonValue): JsonObject[] {
  const { conditions } = statusOf(body);
  return Array.isArray(conditions) ? conditions.filter((condition) => isJsonObject(condition)) : [];
}

const claim = (name: string, spec: object = {}): unknown => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

/** Small controllers beside the workloads. */
export const cases: Area = area('Small controllers', (it) => {
  it('CTL-17 binds a claim and a volume that fit', controllers, async (api) => {
    const name = api.unique('volume');
    api.cleanUp(`/api/v1/persistentvolumes/${name}`);
    const spec = {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '2Gi' },
      storageClassName: name,
      hostPath: { path: '/tmp' },
    };
    await api.setUp('POST', '/api/v1/persistentvolumes', {
      body: { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec },
    });
    await api.setUp('POST', core(api, 'persistentvolumeclaims'), { body: claim('c', { storageClassName: name }) });
    await api.eventually(core(api, 'persistentvolumeclaims/c'), (body) => statusOf(body)['phase'] === 'Bound');
    const keep = (body: JsonValue): unknown => {
      const { metadata, spec: made, status } = body as { metadata: JsonObject; spec: unknown; status: JsonObject };
      const { lastPhaseTransitionTime: _time, ...rest } = status;
      const { claimRef, ...others } = made as { claimRef?: JsonObject };
      const { resourceVersion: _version, ...ref } = claimRef ?? {};
      return {
        annotations: metadata['annotations'],
        finalizers: metadata['finalizers'],
        spec: { ...others, claimRef: ref },
        status: rest,
      };
    };
    await api.ask('GET', core(api, 'persistentvolumeclaims/c'), { keep });
    await api.ask('GET', `/api/v1/persistentvolumes/${name}`, { keep });
    await api.setUp('DELETE', core(api, 'persistentvolumeclaims/c'));
    await api.eventually(`/api/v1/persistentvolumes/${name}`, (body) => statusOf(body)['phase'] === 'Released');
  });

  for (const first of ['claim', 'volume'] as const) {
    it(`CTL-17 lets both go when the ${first} is deleted first`, controllers, async (api) => {
      const name = api.unique('volume');
      const volume = `/api/v1/persistentvolumes/${name}`;
      api.cleanUp(volume);
      const kept = { persistentVolumeReclaimPolicy: 'Retain', storageClassName: name, hostPath: { path: '/tmp' } };
      const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' }, ...kept };
      await api.setUp('POST', '/api/v1/persistentvolumes', {
        body: { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec },
      });
      await api.setUp('POST', core(api, 'persistentvolumeclaims'), { body: claim('c', { storageClassName: name }) });
      const bound = core(api, 'persistentvolumeclaims/c');
      await api.eventually(bound, (body) => statusOf(body)['phase'] === 'Bound');
      const [one, other] = first === 'claim' ? [bound, volume] : [volume, bound];
      await api.setUp('DELETE', one);
      if (first === 'volume') {
        const keep = (body: JsonValue): unknown => {
          const { metadata, status } = body as { metadata: JsonObject; status: JsonObject };
          const isGoing = metadata['deletionTimestamp'] !== undefined;
          return { isGoing, finalizers: metadata['finalizers'], phase: status['phase'] };
        };
        await api.ask('GET', volume, { keep });
      }
      await api.setUp('DELETE', other);
      await api.untilDeleted(bound);
      await api.untilDeleted(volume);
    });
  }

  it('CTL-16 takes no volume for a claim of another class', controllers, async (api) => {
    const name = api.unique('class');
    await api.setUp('POST', core(api, 'persistentvolumeclaims'), { body: claim('c', { storageClassName: name }) });
    await api.eventually(core(api, 'persistentvolumeclaims/c'), (body) => statusOf(body)['phase'] === 'Pending');
    await api.ask('GET', core(api, 'persistentvolumeclaims/c'), { keep: statusOf });
  });

  it('CTL-19 reports that there are no metrics to scale by', controllers, async (api) => {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { schedulerName: 'nobody', containers: [plainContainer] } };
    const apps = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.setUp('POST', apps, {
      body: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { selector: { matchLabels: labels }, template },
      },
    });
    const path = `/apis/autoscaling/v2/namespaces/${api.namespace}/horizontalpodautoscalers`;
    const scaler = (name: string, target: string): unknown => ({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target } },
    });
    await api.setUp('POST', path, { body: scaler('h', 'd') });
    await api.setUp('POST', path, { body: scaler('lost', 'none') });
    await api.eventually(`${path}/lost`, (body) => conditionsOf(body).length > 0);
    await api.ask('GET', `${path}/lost`, { keep: statusOf });
    await api.eventually(`${path}/h`, (body) => conditionsOf(body).length > 1);
    await api.ask('GET', `${path}/h`, { keep: statusOf });
  });

  it('CTL-20 reports that the Service of an APIService does not exist', async (api) => {
    const group = api.unique('aggregated.example.com');
    const name = `v1.${group}`;
    api.cleanUp(`${apiServices}/${name}`);
    const spec = {
      group,
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { namespace: api.namespace, name: 'none' },
    };
    await api.ask('POST', apiServices, {
      body: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec },
      keep: (body) => (body as { spec: unknown }).spec,
    });
    await api.eventually(`${apiServices}/${name}`, (body) => conditionsOf(body).length > 0);
    await api.ask('GET', `${apiServices}/${name}`, { keep: statusOf });
    await api.ask('GET', `/apis/${group}/v1/things`);
    await api.ask('GET', `/apis/${group}/v1`);
  });

  it('CTL-20 has an APIService for each version of a custom resource', async (api) => {
    const { group } = api;
    const name = `things.${group}`;
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    api.cleanUp(`${crds}/${name}`);
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = ['v1', 'v1beta1'].map((version) => ({
      name: version,
      served: true,
      storage: version === 'v1',
      schema,
    }));
    const spec = {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing' },
      versions,
    };
    await api.setUp('POST', crds, {
      body: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name }, spec },
    });
    const keep = (body: JsonValue): unknown => {
      const {
        metadata,
        spec: made,
        status,
      } = body as { metadata: { labels: unknown }; spec: unknown; status: unknown };
      return { labels: metadata.labels, spec: made, status };
    };
    for (const { name: version } of versions) {
      await api.eventually(`${apiServices}/${version}.${group}`, (body) => conditionsOf(body).length > 0);
      await api.ask('GET', `${apiServices}/${version}.${group}`, { keep });
    }
    await api.setUp('DELETE', `${crds}/${name}`);
    for (const { name: version } of versions) await api.untilDeleted(`${apiServices}/${version}.${group}`);
  });

  it('CTL-20 has an APIService for each version that is built in', async (api) => {
    const keep = (body: JsonValue): unknown =>
      (
        body as {
          items: { metadata: { name: string; labels?: Record<string, string> }; spec: unknown; status: unknown }[];
        }
      ).items
        .filter(({ metadata }) => metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'] === 'onstart')
        .map(({ metadata, spec, status }) => ({ name: metadata.name, spec, status }));
    await api.ask('GET', apiServices, { keep });
  });

  it('CTL-04 reports that a quota prevents the creation of pods', controllers, async (api) => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: '0' } } };
    await api.setUp('POST', core(api, 'resourcequotas'), { body: quota });
    await api.eventually(core(api, 'resourcequotas/q'), (body) => statusOf(body)['used'] !== undefined);
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [plainContainer] } };
    const apps = `/apis/apps/v1/namespaces/${api.namespace}`;
    await api.setUp('POST', `${apps}/deployments`, {
      body: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { selector: { matchLabels: labels }, template },
      },
    });
    const failure = (body: JsonValue): JsonObject | undefined =>
      conditionsOf(body).find(({ type }) => type === 'ReplicaFailure');
    await api.eventually(`${apps}/deployments/d`, (body) => failure(body) !== undefined);
    const keep = (body: JsonValue): unknown => {
      const { status, reason, message } = failure(body) ?? {};
      return { status, reason, message: String(message as string).replace(/d-[a-z0-9]+-[a-z0-9]{5}/, 'd-…') };
    };
    await api.ask('GET', `${apps}/deployments/d`, { keep });
  });
});
