import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import {
  configMap,
  deployment,
  mergePatch,
  metadataOnly,
  pathOf,
  pod,
  service,
  strategicPatch,
  withoutControllers,
} from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

/** A base object of a kind without controllers of its own where possible; `change` is merged for the second write. */
interface Sample {
  readonly path: string;
  readonly cluster?: boolean;
  readonly body: JsonObject;
  readonly change: JsonObject;
}

const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'a', image: 'i' }] } };
const jobTemplate = {
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } } },
};
const clientConfig = { url: 'https://hook.invalid' };
const hook = { name: 'a.b.c', clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] };

const samples: readonly Sample[] = [
  { path: 'v1/configmaps', body: { kind: 'ConfigMap' }, change: { data: { a: '1' } } },
  { path: 'v1/secrets', body: { kind: 'Secret' }, change: { stringData: { a: '1' } } },
  { path: 'v1/serviceaccounts', body: { kind: 'ServiceAccount' }, change: { automountServiceAccountToken: false } },
  {
    path: 'v1/services',
    body: { kind: 'Service', spec: { clusterIP: 'None', selector: { a: 'b' } } },
    change: { spec: { selector: { a: 'c' } } },
  },
  { path: 'v1/endpoints', body: { kind: 'Endpoints' }, change: { subsets: [{ addresses: [{ ip: '1.2.3.4' }] }] } },
  { path: 'v1/events', body: { kind: 'Event', involvedObject: {} }, change: { reason: 'X' } },
  {
    path: 'v1/limitranges',
    body: { kind: 'LimitRange', spec: { limits: [{ type: 'Pod' }] } },
    change: { spec: { limits: [] } },
  },
  {
    path: 'v1/resourcequotas',
    body: { kind: 'ResourceQuota', spec: { hard: { pods: '1' } } },
    change: { spec: { hard: { pods: '2' } } },
  },
  {
    path: 'v1/podtemplates',
    body: { kind: 'PodTemplate', template },
    change: { template: { metadata: { labels: { b: 'c' } } } },
  },
  {
    path: 'v1/persistentvolumeclaims',
    body: {
      kind: 'PersistentVolumeClaim',
      spec: { storageClassName: '', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
    },
    change: { metadata: { labels: { a: 'b' } } },
  },
  { path: 'v1/pods', body: pod('x'), change: { spec: { containers: [{ name: 'a', image: 'j' }] } } },
  {
    path: 'coordination.k8s.io/v1/leases',
    body: { kind: 'Lease', spec: {} },
    change: { spec: { holderIdentity: 'a' } },
  },
  {
    path: 'policy/v1/poddisruptionbudgets',
    body: { kind: 'PodDisruptionBudget', spec: { minAvailable: 1, selector: { matchLabels: { never: 'x' } } } },
    change: { spec: { minAvailable: 2 } },
  },
  { path: 'rbac.authorization.k8s.io/v1/roles', body: { kind: 'Role', rules }, change: { rules: [] } },
  {
    path: 'rbac.authorization.k8s.io/v1/rolebindings',
    body: { kind: 'RoleBinding', roleRef, subjects: [] },
    change: { subjects: [{ kind: 'User', name: 'u' }] },
  },
  {
    path: 'networking.k8s.io/v1/networkpolicies',
    body: { kind: 'NetworkPolicy', spec: { podSelector: {} } },
    change: { spec: { podSelector: { matchLabels: { a: 'b' } } } },
  },
  {
    path: 'networking.k8s.io/v1/ingresses',
    body: { kind: 'Ingress', spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } } },
    change: { spec: { defaultBackend: { service: { name: 'b' } } } },
  },
  {
    path: 'discovery.k8s.io/v1/endpointslices',
    body: { kind: 'EndpointSlice', addressType: 'IPv4', endpoints: [] },
    change: { endpoints: [{ addresses: ['1.2.3.4'] }] },
  },
  {
    path: 'batch/v1/cronjobs',
    body: { kind: 'CronJob', spec: { suspend: true, schedule: '0 0 1 1 *', jobTemplate } },
    change: { spec: { schedule: '1 0 1 1 *' } },
  },
  {
    path: 'apps/v1/controllerrevisions',
    body: { kind: 'ControllerRevision', revision: 1, data: { a: 1 } },
    change: { revision: 2 },
  },
  {
    path: 'apps/v1/deployments',
    body: deployment('x', { paused: true, replicas: 0 }),
    change: { spec: { minReadySeconds: 5 } },
  },
  {
    path: 'apps/v1/replicasets',
    body: { kind: 'ReplicaSet', spec: { replicas: 0, selector: { matchLabels: { app: 'x' } }, template } },
    change: { spec: { minReadySeconds: 5 } },
  },
  {
    path: 'autoscaling/v2/horizontalpodautoscalers',
    body: {
      kind: 'HorizontalPodAutoscaler',
      spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Nothing', name: 'x', apiVersion: 'x/v1' } },
    },
    change: { spec: { maxReplicas: 3 } },
  },
  {
    path: 'rbac.authorization.k8s.io/v1/clusterroles',
    cluster: true,
    body: { kind: 'ClusterRole', rules },
    change: { rules: [] },
  },
  {
    path: 'rbac.authorization.k8s.io/v1/clusterrolebindings',
    cluster: true,
    body: { kind: 'ClusterRoleBinding', roleRef },
    change: { subjects: [{ kind: 'User', name: 'u' }] },
  },
  {
    path: 'scheduling.k8s.io/v1/priorityclasses',
    cluster: true,
    body: { kind: 'PriorityClass', value: 5 },
    change: { description: 'x' },
  },
  {
    path: 'storage.k8s.io/v1/storageclasses',
    cluster: true,
    body: { kind: 'StorageClass', provisioner: 'a/b' },
    change: { allowVolumeExpansion: true },
  },
  {
    path: 'storage.k8s.io/v1/csidrivers',
    cluster: true,
    body: { kind: 'CSIDriver', spec: {} },
    change: { spec: { requiresRepublish: true } },
  },
  {
    path: 'node.k8s.io/v1/runtimeclasses',
    cluster: true,
    body: { kind: 'RuntimeClass', handler: 'a' },
    change: { metadata: { labels: { a: 'b' } } },
  },
  {
    path: 'networking.k8s.io/v1/ingressclasses',
    cluster: true,
    body: { kind: 'IngressClass', spec: { controller: 'a/b' } },
    change: { spec: { parameters: { kind: 'X', name: 'y' } } },
  },
  {
    path: 'v1/persistentvolumes',
    cluster: true,
    body: {
      kind: 'PersistentVolume',
      spec: { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    },
    change: { spec: { capacity: { storage: '2' } } },
  },
  {
    path: 'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    cluster: true,
    body: { kind: 'ValidatingWebhookConfiguration', webhooks: [hook] },
    change: { webhooks: [] },
  },
  {
    path: 'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    cluster: true,
    body: { kind: 'MutatingWebhookConfiguration', webhooks: [hook] },
    change: { webhooks: [] },
  },
  {
    path: 'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    cluster: true,
    body: {
      kind: 'PriorityLevelConfiguration',
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    },
    change: { spec: { limited: { nominalConcurrencyShares: 3 } } },
  },
];

function generationAndSpec(body: JsonValue): JsonValue {
  const object = body as JsonObject;
  if (object['kind'] === 'Status') return object;
  const { generation, finalizers, labels } = object['metadata'] as JsonObject;
  return {
    generation: generation ?? null,
    finalizers: finalizers ?? null,
    labels: labels ?? null,
  };
}

function causeFields(body: JsonValue): JsonValue {
  const { details } = body as { details?: { causes?: { field: string }[] } };
  return (details?.causes ?? []).map(({ field }) => field);
}

/** Replacing objects, and what each kind makes of it. */
export const cases: Area = area('Updates', (it) => {
  for (const sample of samples) {
    const [group, version, plural] = sample.path.startsWith('v1/')
      ? ['', 'v1', sample.path.slice(3)]
      : sample.path.split('/');
    const apiVersion = group === '' ? 'v1' : `${group}/${version}`;
    const { kind } = sample.body as { kind: string };
    it(`W071 W078 W080 W083 W085 writes a ${kind} again: generation, status, versions, absent objects`, async (api) => {
      const name = api.unique('a');
      const collection =
        sample.cluster === true
          ? `/${group === '' ? 'api/v1' : `apis/${apiVersion}`}/${plural}`
          : pathOf(api, group === '' ? String(plural) : `${apiVersion}/${plural}`);
      const path = `${collection}/${name}`;
      if (sample.cluster === true) api.cleanUp(path);
      const involved = kind === 'Event' ? { involvedObject: { namespace: api.namespace } } : {};
      const body = { ...sample.body, ...involved, apiVersion, metadata: { name } };
      const keep = generationAndSpec;
      await api.ask('PUT', path, { body: { ...body, metadata: { name, uid: 'x' } }, keep });
      await api.ask('PUT', `${path}?dryRun=All`, { body, keep });
      const made = await api.ask('POST', collection, {
        body: { ...body, metadata: { name, generation: 5 }, status: { conditions: [] } },
        keep,
      });
      if (made.status >= 400) return;
      await api.ask('PATCH', path, { body: { metadata: { labels: { l: '1' } } }, contentType: mergePatch, keep });
      await api.ask('PATCH', path, { body: { metadata: { annotations: { l: '1' } } }, contentType: mergePatch, keep });
      await api.ask('PATCH', path, {
        body: { metadata: { labels: { l: 'a b' } } },
        contentType: mergePatch,
        keep: causeFields,
      });
      const changed = await api.ask('PATCH', path, { body: sample.change, contentType: strategicPatch, keep });
      await api.ask('PATCH', path, { body: {}, contentType: mergePatch, keep });
      const { metadata: _all, status: _status, ...rest } = changed.body as JsonObject;
      await api.ask('PUT', path, { body: { ...rest, metadata: { name } }, keep });
      await api.ask('PUT', path, {
        body: { ...rest, metadata: { name, uid: 'x' } },
        keep: (status) => (status as JsonObject)['reason'],
      });
      await api.ask('DELETE', path, {
        keep: (answer) => ({ ...(answer as JsonObject), metadata: null, spec: null, status: null }),
      });
    });
  }

  it('W082 refuses another uid than the stored one', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    const body = configMap('a', { metadata: { uid: 'aaaaaaaa-0000-0000-0000-000000000000' }, data: { a: '1' } });
    await api.ask('PUT', pathOf(api, 'configmaps', 'a'), { body });
    await api.ask('PATCH', pathOf(api, 'configmaps', 'a'), {
      body: { metadata: { uid: 'x' } },
      contentType: mergePatch,
    });
    await api.ask('PATCH', pathOf(api, 'configmaps', 'a'), {
      body: { metadata: { uid: '' } },
      contentType: mergePatch,
    });
  });

  it('W083 W084 keeps status and spec apart', async (api) => {
    const path = pathOf(api, 'v1/resourcequotas'.replace('v1/', ''), 'a');
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'a' },
      spec: { hard: { 'count/x.example': '1' } },
    };
    await api.ask('POST', pathOf(api, 'resourcequotas'), {
      body: { ...quota, status: { hard: { 'count/x.example': '9' } } },
      keep: withoutControllers,
    });
    await api.ask('PUT', path, {
      body: { ...quota, status: { used: { 'count/x.example': '9' } } },
      keep: withoutControllers,
    });
    const status = {
      ...quota,
      spec: { hard: { 'count/x.example': '7' } },
      status: { used: { 'count/x.example': '3' } },
    };
    await api.ask('PUT', `${path}/status`, { body: status, keep: withoutControllers });
    await api.ask('GET', path, { keep: (body) => (body as JsonObject)['spec'] });
  });

  it('W084 keeps metadata in status writes', async (api) => {
    const path = pathOf(api, 'pods', 'a');
    await api.setUp('POST', pathOf(api, 'pods'), {
      body: { ...pod('a'), metadata: { name: 'a', labels: { a: 'b' } } },
    });
    const metadata = {
      labels: { c: 'd' },
      annotations: { e: 'f' },
      finalizers: ['g/h'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'y' }],
    };
    await api.ask('PATCH', `${path}/status`, { body: { metadata, status: { message: 'x' } }, contentType: mergePatch });
    const claim = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { clusterIP: 'None' } };
    await api.setUp('POST', pathOf(api, 'services'), { body: claim });
    await api.ask('PATCH', pathOf(api, 'services', 's/status'), {
      body: { metadata, spec: { type: 'ExternalName' } },
      contentType: mergePatch,
    });
    const disruption = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'p' },
      spec: { minAvailable: 1 },
    };
    await api.setUp('POST', pathOf(api, 'policy/v1/poddisruptionbudgets'), { body: disruption });
    await api.ask('PATCH', pathOf(api, 'policy/v1/poddisruptionbudgets', 'p/status'), {
      body: { metadata, status: { expectedPods: 3 } },
      contentType: mergePatch,
      keep: (body) => ({ ...(metadataOnly(body) as JsonObject), resourceVersion: '' }),
    });
    await api.setUp('POST', pathOf(api, 'apps/v1/deployments'), {
      body: deployment('d', { replicas: 0, paused: true }),
    });
    await api.ask('PATCH', pathOf(api, 'apps/v1/deployments', 'd/status'), {
      body: { metadata },
      contentType: mergePatch,
      keep: withoutControllers,
    });
    await api.ask('DELETE', pathOf(api, 'pods', 'a'), { keep: metadataOnly });
    for (const one of ['pods/a', 'services/s']) {
      await api.ask('PATCH', `/api/v1/namespaces/${api.namespace}/${one}`, {
        body: { metadata: { finalizers: null } },
        contentType: mergePatch,
        keep: () => null,
      });
    }
  });

  it('W086 refuses a patch with a stale version inside', async (api) => {
    const path = pathOf(api, 'configmaps', 'a');
    const made = await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    const { resourceVersion } = (made.body as { metadata: { resourceVersion: string } }).metadata;
    const patch = (data: JsonObject): JsonObject => ({ metadata: { resourceVersion }, data });
    await api.ask('PATCH', path, { body: patch({ a: '1' }), contentType: mergePatch });
    await api.ask('PATCH', path, { body: patch({ a: '2' }), contentType: mergePatch });
    await api.ask('PATCH', path, { body: patch({ a: '3' }), contentType: strategicPatch });
    for (const version of ['', '0', 'x', null]) {
      await api.ask('PATCH', path, {
        body: { metadata: { resourceVersion: version }, data: { b: '1' } },
        contentType: mergePatch,
      });
    }
  });

  it('W112 keeps what is immutable', async (api) => {
    const path = pathOf(api, 'secrets', 'a');
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a' },
      stringData: { a: '1' },
      immutable: true,
    };
    await api.ask('POST', pathOf(api, 'secrets'), { body: secret });
    for (const change of [
      { stringData: { a: '2' } },
      { immutable: false },
      { immutable: null },
      { data: null },
      { type: 'x/y' },
      { metadata: { labels: { a: 'b' } } },
    ]) {
      await api.ask('PATCH', path, { body: change, contentType: mergePatch });
    }
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a', { data: { a: '1' }, immutable: true }) });
    for (const change of [
      { data: { a: '2' } },
      { binaryData: { b: 'AA==' } },
      { immutable: false, data: { c: '1' } },
    ]) {
      await api.ask('PATCH', pathOf(api, 'configmaps', 'a'), { body: change, contentType: mergePatch });
    }
  });

  it('W081 creates what a PUT finds absent', async (api) => {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'a', resourceVersion: '5' },
      spec: {},
    };
    await api.ask('PUT', pathOf(api, 'coordination.k8s.io/v1/leases', 'a'), { body: lease });
    await api.ask('PUT', pathOf(api, 'services', 'a'), { body: service('a', { clusterIP: 'None' }) });
    await api.ask('PUT', pathOf(api, 'services', 'b'), {
      body: { ...service('b'), metadata: { name: 'b', uid: 'x' } },
    });
    await api.ask('PUT', pathOf(api, 'services', 'B'), { body: service('B') });
  });
});
