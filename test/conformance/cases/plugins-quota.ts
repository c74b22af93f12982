import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { createPod, plainContainer, pod, refusal } from '../pods.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;

function path(api: Probe, plural: string): string {
  return `/api/v1/namespaces/${api.namespace}/${plural}`;
}

function statusAt(body: JsonValue, part: string): JsonObject {
  const status = isJsonObject(body) && isJsonObject(body['status']) ? body['status'] : {};
  return isJsonObject(status[part]) ? status[part] : {};
}

/** Makes a quota and waits until it counts. */
async function quota(
  api: Probe,
  name: string,
  spec: { readonly hard: object; readonly [more: string]: unknown },
): Promise<void> {
  await api.setUp('POST', path(api, 'resourcequotas'), {
    body: { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec },
  });
  const size = Object.keys(spec.hard).length;
  await api.eventually(
    `${path(api, 'resourcequotas')}/${name}`,
    (body) => Object.keys(statusAt(body, 'used')).length === size,
  );
}

async function used(api: Probe, name: string, expected: Readonly<Record<string, string>>): Promise<void> {
  const at = `${path(api, 'resourcequotas')}/${name}`;
  await api.eventually(at, (body) =>
    Object.entries(expected).every(([key, value]) => statusAt(body, 'used')[key] === value),
  );
  await api.ask('GET', at, { keep: (body) => (isJsonObject(body) ? body['status'] : body) });
}

const using = (resources: object): object => ({ containers: [{ ...plainContainer, resources }] });
const configMap = (name: string): unknown => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** ResourceQuotas. */
export const cases: Area = area('Admission: resource quotas', (it) => {
  it('ADM-47 refuses a pod too many', controllers, async (api) => {
    await quota(api, 'q', { hard: { pods: '1' } });
    await createPod(api, pod('a'), { keep: refusal });
    await createPod(api, pod('b'));
    await used(api, 'q', { pods: '1' });
    await createPod(api, pod('c', {}), { keep: refusal });
    await api.setUp('DELETE', `${path(api, 'pods')}/a?gracePeriodSeconds=0`);
    await used(api, 'q', { pods: '0' });
    await createPod(api, pod('d'), { keep: refusal });
  });

  it('ADM-47 counts objects of any kind', controllers, async (api) => {
    await quota(api, 'q', { hard: { 'count/configmaps': '3', secrets: '1', 'count/deployments.apps': '0' } });
    await api.ask('POST', path(api, 'configmaps'), { body: configMap('a'), keep: refusal });
    await api.ask('POST', path(api, 'configmaps'), { body: configMap('b'), keep: refusal });
    await api.ask('POST', path(api, 'configmaps'), { body: configMap('c'), keep: refusal });
    const secret = (name: string): unknown => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
    await api.ask('POST', path(api, 'secrets'), { body: secret('a'), keep: refusal });
    await api.ask('POST', path(api, 'secrets'), { body: secret('b'), keep: refusal });
    const labels = { a: 'b' };
    const template = { metadata: { labels }, spec: { containers: [plainContainer] } };
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: labels }, template },
    };
    await api.ask('POST', `/apis/apps/v1/namespaces/${api.namespace}/deployments`, { body, keep: refusal });
    await used(api, 'q', { 'count/configmaps': '3', secrets: '1' });
  });

  it('ADM-47 wants compute to be asked for where it is limited', controllers, async (api) => {
    await quota(api, 'q', {
      hard: { 'requests.cpu': '1', 'requests.memory': '1Gi', 'limits.cpu': '2', 'limits.memory': '2Gi' },
    });
    await createPod(api, pod('a'), { keep: refusal });
    await createPod(
      api,
      pod('b', using({ requests: { cpu: '500m', memory: '512Mi' }, limits: { cpu: '1', memory: '1Gi' } })),
      { keep: refusal },
    );
    await createPod(
      api,
      pod('c', using({ requests: { cpu: '600m', memory: '512Mi' }, limits: { cpu: '1', memory: '1Gi' } })),
      { keep: refusal },
    );
    await createPod(
      api,
      pod('d', using({ requests: { cpu: '600m', memory: '600Mi' }, limits: { cpu: '1500m', memory: '1Gi' } })),
      { keep: refusal },
    );
    await createPod(
      api,
      pod('e', {
        containers: [plainContainer, { ...plainContainer, name: 'd', resources: { requests: { cpu: '1m' } } }],
      }),
      { keep: refusal },
    );
    await used(api, 'q', { 'requests.cpu': '500m' });
  });

  it('ADM-47 counts cpu and memory by their short names', controllers, async (api) => {
    await quota(api, 'q', { hard: { cpu: '1', memory: '1Gi', pods: '5' } });
    await createPod(api, pod('a', using({ requests: { cpu: '250m', memory: '256Mi' } })), { keep: refusal });
    await createPod(api, pod('b', using({ requests: { cpu: '1', memory: '256Mi' } })), { keep: refusal });
    await used(api, 'q', { cpu: '250m', pods: '1' });
  });

  it('ADM-47 limits what scopes select', controllers, async (api) => {
    await quota(api, 'best', { hard: { pods: '1' }, scopes: ['BestEffort'] });
    await quota(api, 'not-best', { hard: { pods: '1' }, scopes: ['NotBestEffort'] });
    await createPod(api, pod('a'), { keep: refusal });
    await createPod(api, pod('b'), { keep: refusal });
    const asking = using({ requests: { cpu: '1m' } });
    await createPod(api, pod('c', asking), { keep: refusal });
    await createPod(api, pod('d', asking), { keep: refusal });
  });

  it('ADM-47 limits what a scope selector selects', controllers, async (api) => {
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }];
    await quota(api, 'q', { hard: { pods: '1' }, scopeSelector: { matchExpressions } });
    await createPod(api, pod('a', { priorityClassName: 'system-node-critical' }), { keep: refusal });
    await createPod(api, pod('b', { priorityClassName: 'system-node-critical' }), { keep: refusal });
    await createPod(api, pod('c'), { keep: refusal });
  });

  it('ADM-47 limits terminating pods', controllers, async (api) => {
    await quota(api, 'q', { hard: { pods: '0' }, scopes: ['Terminating'] });
    await createPod(api, pod('a', { activeDeadlineSeconds: 10 }), { keep: refusal });
    await createPod(api, pod('b'), { keep: refusal });
  });

  it('ADM-47 charges the quota of the other scope when a pod gets a deadline', controllers, async (api) => {
    await quota(api, 'ending', { hard: { pods: '1', 'requests.cpu': '2' }, scopes: ['Terminating'] });
    await quota(api, 'lasting', { hard: { pods: '3' }, scopes: ['NotTerminating'] });
    for (const name of ['a', 'b'])
      await createPod(api, pod(name, using({ requests: { cpu: '1' } })), { keep: refusal });
    const limit = async (name: string, body: unknown, contentType = 'application/merge-patch+json'): Promise<unknown> =>
      await api.ask('PATCH', `${path(api, 'pods')}/${name}`, { body, contentType, keep: refusal });
    await limit('a', { spec: { activeDeadlineSeconds: 100 } });
    await used(api, 'ending', { pods: '1', 'requests.cpu': '1' });
    await used(api, 'lasting', { pods: '1' });
    await limit('b', { spec: { activeDeadlineSeconds: 100 } });
    await limit('b', { spec: { activeDeadlineSeconds: 100 } }, 'application/strategic-merge-patch+json');
    await limit('b', { metadata: { labels: { a: 'b' } } });
    await limit('a', { spec: { activeDeadlineSeconds: 50 } });
    await used(api, 'ending', { pods: '1', 'requests.cpu': '1' });
    await used(api, 'lasting', { pods: '1' });
  });

  it('ADM-47 counts Services by their types', controllers, async (api) => {
    await quota(api, 'q', { hard: { services: '2', 'services.nodeports': '1', 'services.loadbalancers': '0' } });
    const service = (name: string, type: string): unknown => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { type, ports: [{ port: 80 }] },
    });
    await api.ask('POST', path(api, 'services'), { body: service('a', 'NodePort'), keep: refusal });
    await api.ask('POST', path(api, 'services'), { body: service('b', 'NodePort'), keep: refusal });
    await api.ask('POST', path(api, 'services'), { body: service('c', 'LoadBalancer'), keep: refusal });
    await api.ask('POST', path(api, 'services'), { body: service('d', 'ClusterIP'), keep: refusal });
    await used(api, 'q', { services: '2', 'services.nodeports': '1' });
  });

  it('ADM-47 counts storage of claims, by class too', controllers, async (api) => {
    const byClass = 'gold.storageclass.storage.k8s.io/requests.storage';
    await quota(api, 'q', { hard: { 'requests.storage': '3Gi', persistentvolumeclaims: '5', [byClass]: '1Gi' } });
    const claim = (name: string, storage: string, storageClassName: string): unknown => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, storageClassName },
    });
    const ask = (...about: Parameters<typeof claim>): Promise<unknown> =>
      api.ask('POST', path(api, 'persistentvolumeclaims'), { body: claim(...about), keep: refusal });
    await ask('a', '1Gi', 'gold');
    await ask('b', '1Gi', 'gold');
    await ask('c', '3Gi', 'silver');
    await ask('d', '2Gi', 'silver');
    await used(api, 'q', { 'requests.storage': '3Gi', [byClass]: '1Gi' });
  });

  it('ADM-47 names all that is exceeded, and counts a dry run for nothing', controllers, async (api) => {
    await quota(api, 'q', { hard: { pods: '1', 'requests.cpu': '1' } });
    await createPod(api, pod('a', using({ requests: { cpu: '1' } })), { keep: refusal });
    await createPod(api, pod('b', using({ requests: { cpu: '2' } })));
    const at = `${path(api, 'pods')}?dryRun=All`;
    await api.ask('POST', at, { body: pod('c', using({ requests: { cpu: '1' } })), keep: refusal });
    await used(api, 'q', { pods: '1', 'requests.cpu': '1' });
  });
});
