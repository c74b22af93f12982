import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { type AppliedKind, applying, kinds } from '../applying.ts';
import {
  applyPatch,
  configMap,
  deployment,
  jsonPatch,
  mergePatch,
  pathOf,
  podTemplate,
  service,
  strategicPatch,
  withoutControllers,
} from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const scaler: AppliedKind = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
};
const scaleTargetRef = { apiVersion: 'x/v1', kind: 'X', name: 'x' };

function managedFields(body: JsonValue): JsonValue {
  const object = body as { kind: string; metadata: JsonObject };
  return object.kind === 'Status' ? body : (object.metadata['managedFields'] ?? null);
}

/** `metadata.managedFields`: who is recorded for what. */
export const cases: Area = area('Managed fields', (it) => {
  it('records what a create brings, defaults included', async (api) => {
    await api.ask('POST', pathOf(api, 'podtemplates'), {
      body: podTemplate('a', { volumes: [{ name: 'v', emptyDir: {} }] }),
      keep: managedFields,
    });
    await api.ask('POST', pathOf(api, 'services'), { body: service('a', { clusterIP: 'None' }), keep: managedFields });
    await api.ask('POST', pathOf(api, 'services'), { body: service('b'), keep: managedFields });
    await api.ask('POST', pathOf(api, 'apps/v1/deployments'), {
      body: deployment('a', { paused: true }),
      keep: managedFields,
    });
    await api.ask('POST', pathOf(api, 'secrets'), {
      body: { metadata: { name: 'a' }, stringData: { a: 'b' } },
      keep: managedFields,
    });
    await api.ask('POST', pathOf(api, 'serviceaccounts'), { body: { metadata: { name: 'a' } }, keep: managedFields });
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    await api.ask('POST', pathOf(api, 'rbac.authorization.k8s.io/v1/roles'), {
      body: { metadata: { name: 'a' }, rules },
      keep: managedFields,
    });
    await api.ask('POST', pathOf(api, 'networking.k8s.io/v1/networkpolicies'), {
      body: { metadata: { name: 'a' }, spec: { podSelector: {} } },
      keep: managedFields,
    });
    await api.ask('POST', pathOf(api, 'coordination.k8s.io/v1/leases'), {
      body: { metadata: { name: 'a' }, spec: { holderIdentity: 'x' } },
      keep: managedFields,
    });
    const spec = {
      schedule: '0 0 1 1 *',
      suspend: true,
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
      },
    };
    await api.ask('POST', pathOf(api, 'batch/v1/cronjobs'), {
      body: { metadata: { name: 'a' }, spec },
      keep: managedFields,
    });
  });

  it('records what patches and updates change', async (api) => {
    const { patch, put, path } = applying(api, kinds.podTemplate);
    await api.setUp('POST', `${pathOf(api, 'podtemplates')}?fieldManager=c`, { body: podTemplate('a') });
    await patch('p', { metadata: { labels: { x: 'y' }, annotations: { q: 'r' } } });
    await patch('p', { template: { spec: { nodeSelector: { a: 'b' }, hostNetwork: true } } });
    await patch('q', { template: { spec: { nodeSelector: { a: 'b', c: 'd' } } } });
    await patch('q', { template: { spec: { nodeSelector: null } } });
    await api.ask('PATCH', `${path}?fieldManager=s`, {
      body: {
        template: {
          spec: {
            containers: [
              { name: 'a', tty: true },
              { name: 'b', image: 'b' },
            ],
          },
        },
      },
      contentType: strategicPatch,
    });
    await api.ask('PATCH', `${path}?fieldManager=j`, {
      body: [{ op: 'remove', path: '/template/spec/containers/0' }],
      contentType: jsonPatch,
    });
    const own = podTemplate('a', { containers: [{ name: 'z', image: 'z', ports: [{ containerPort: 1 }] }] });
    await put('u', { template: own['template'] ?? null });
    await put('u', { template: own['template'] ?? null });
  });

  it('keeps entries of other managers when nothing of theirs changes', async (api) => {
    const { apply, patch } = applying(api, kinds.configMap);
    await apply('m', { data: { a: '1' } });
    await patch('u', { data: { b: '1' } });
    await patch('u', { data: { b: '2' } });
    await patch('v', { data: { b: '2' } });
    await patch('v', { data: { b: null, a: null } });
  });

  it('records maps and lists that come empty or go', async (api) => {
    const { apply, patch } = applying(api, kinds.configMap);
    await apply('m', { data: {}, metadata: { labels: {}, annotations: {}, finalizers: [] } });
    await patch('u', { data: {}, metadata: { labels: {} } });
    await patch('u', { data: { a: '1' } });
    await apply('m', { data: { a: '1' } });
    await patch('u', { data: {} });
    await patch('u', { data: { a: null } });
    await apply('m', {});
  });

  it('W132 lets the oldest of more than ten updaters become ancient-changes', async (api) => {
    const { patch, apply } = applying(api, kinds.configMap);
    await apply('first', { data: { z: '0' } });
    for (let index = 0; index < 13; index += 1) {
      const name = `u${String(index).padStart(2, '0')}`;
      await patch(name, { data: { [name]: '1' } });
    }
  });

  it('W133 forgets all managers', async (api) => {
    const { apply, patch, put } = applying(api, kinds.configMap);
    for (const entries of [[{}], []]) {
      await apply('m', { data: { a: '1' } }, '?force=true');
      await put('u', { metadata: { managedFields: entries }, data: { a: '1' } });
      await patch('v', { data: { a: '2' } });
      await apply('m', { data: { a: '1' } }, '?force=true');
      await patch('u', { metadata: { managedFields: entries } });
      await patch('v', { data: { b: '2' } });
    }
    await put('u', { metadata: { managedFields: [{}, {}] }, data: { a: '1' } });
    await patch('u', { metadata: { managedFields: null } });
  });

  it('W137 takes managed fields that clients write', async (api) => {
    const { apply, path } = applying(api, kinds.configMap);
    await apply('m', { data: { a: '1' } });
    const entry = {
      manager: 'n',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2001-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    };
    const written: readonly JsonValue[] = [
      [entry],
      [entry, { ...entry, manager: 'o' }],
      [{ ...entry, time: undefined }],
      [{ ...entry, operation: 'Update', subresource: 'status' }],
      [{ ...entry, fieldsV1: { 'f:data': { 'f:nope': {} }, 'f:other': { '.': {} } } }],
      [{ ...entry, manager: '' }],
      [{ ...entry, operation: 'Other' }],
      [{ ...entry, fieldsType: 'x' }],
      [{ ...entry, apiVersion: '' }],
      [{ ...entry, apiVersion: 'x/v9' }],
      [{ ...entry, fieldsV1: { bad: {} } }],
      [{ ...entry, fieldsV1: { 'k:{': {} } }],
      [{ ...entry, fieldsV1: {} }],
      [{ ...entry, fieldsV1: undefined }],
      [{ ...entry, manager: 'x'.repeat(129) }],
      [{ ...entry, manager: 'a\nb' }],
      [{ ...entry, subresource: 'x'.repeat(257) }],
      [entry, entry],
    ];
    for (const value of written) {
      const body = [{ op: 'replace', path: '/metadata/managedFields', value }];
      await api.ask('PATCH', `${path}?fieldManager=j`, {
        body: JSON.parse(JSON.stringify(body)) as JsonValue,
        contentType: jsonPatch,
        keep: managedFields,
      });
    }
    const stale = [
      { op: 'replace', path: '/metadata/managedFields', value: [entry] },
      { op: 'replace', path: '/metadata/resourceVersion', value: '1' },
    ];
    await api.ask('PATCH', path, { body: stale, contentType: jsonPatch });
  });

  it('W137 takes managed fields of a new object', async (api) => {
    const entry = {
      manager: 'n',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2001-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    };
    for (const [index, entries] of [[entry], [{}], [], [{ ...entry, operation: 'x' }]].entries()) {
      const body = configMap(`a${index}`, {
        metadata: { managedFields: entries as JsonValue[] },
        data: { a: '1', b: '2' },
      });
      await api.ask('POST', `${pathOf(api, 'configmaps')}?fieldManager=c`, { body, keep: managedFields });
    }
  });

  it('W136 refuses another manager what client-side apply set', async (api) => {
    const { apply, path } = applying(api, kinds.configMap);
    const made = configMap('a', { data: { a: '1', b: '1' } });
    const annotations = { [lastApplied]: `${JSON.stringify(made)}\n` };
    const body = configMap('a', { data: { a: '1', b: '1' }, metadata: { annotations } });
    await api.ask('POST', `${pathOf(api, 'configmaps')}?fieldManager=kubectl-client-side-apply`, { body });
    await apply('x', { data: { a: '2', b: '1' } });
    await apply('kubectl', { data: { a: '2', b: '1' } });
    await api.ask('GET', path);
  });

  it('W135 lets kubectl take over what client-side apply set, and no more', async (api) => {
    const { apply, patch } = applying(api, kinds.configMap);
    const made = configMap('a', { data: { a: '1', b: '1', c: '1' } });
    const annotations = { [lastApplied]: `${JSON.stringify(made)}\n` };
    const body = configMap('a', { data: { a: '1', b: '1', c: '1' }, metadata: { annotations } });
    await api.setUp('POST', `${pathOf(api, 'configmaps')}?fieldManager=kubectl-client-side-apply`, { body });
    await patch('kubectl-edit', { data: { b: '7' } });
    await apply('kubectl', { data: { a: '2', b: '2' } });
    await apply('kubectl', { data: { a: '2', b: '7' } });
    await apply('kubectl', { data: { a: '3' } });
    await apply('kubectl', { data: { a: '3' }, metadata: { annotations: { [lastApplied]: 'mine' } } });
    await apply('other', { metadata: { annotations: { [lastApplied]: 'theirs' } } });
  });

  it('W135 reads last-applied annotations that are broken or of another version', async (api) => {
    for (const [index, text] of [
      '{',
      '[]',
      'null',
      '{"apiVersion":"v2","data":{"a":"1"}}',
      '{"data":{"a":"1"}}',
      '',
    ].entries()) {
      const name = `a${index}`;
      const body = configMap(name, { data: { a: '1' }, metadata: { annotations: { [lastApplied]: text } } });
      await api.setUp('POST', `${pathOf(api, 'configmaps')}?fieldManager=kubectl-client-side-apply`, { body });
      const path = `${pathOf(api, 'configmaps', name)}?fieldManager=kubectl`;
      await api.ask('PATCH', path, { body: configMap(name, { data: { a: '2' } }), contentType: applyPatch });
    }
  });

  it('W135 moves entries of client-side apply by a patch of managed fields', async (api) => {
    const { apply, path } = applying(api, kinds.configMap);
    await api.setUp('POST', `${pathOf(api, 'configmaps')}?fieldManager=kubectl-client-side-apply`, {
      body: configMap('a', { data: { a: '1' } }),
    });
    const found = (await api.setUp('GET', path)).body as {
      metadata: { managedFields: JsonObject[]; resourceVersion: string };
    };
    const moved = found.metadata.managedFields.map((entry) => ({ ...entry, manager: 'kubectl', operation: 'Apply' }));
    const body = [
      { op: 'replace', path: '/metadata/managedFields', value: moved },
      { op: 'replace', path: '/metadata/resourceVersion', value: found.metadata.resourceVersion },
    ];
    await api.ask('PATCH', path, { body, contentType: jsonPatch });
    await api.ask('PATCH', path, { body, contentType: jsonPatch });
    await apply('kubectl', { data: { b: '1' } });
  });

  it('records the version of the request, and finds fields of one in the other', async (api) => {
    const v2 = applying(api, scaler, withoutControllers);
    const v1 = applying(api, { ...scaler, apiVersion: 'autoscaling/v1' }, withoutControllers);
    await v1.apply('m', { spec: { maxReplicas: 2, targetCPUUtilizationPercentage: 50, scaleTargetRef } });
    await v2.apply('n', { spec: { maxReplicas: 3, scaleTargetRef } });
    await v2.apply('n', { spec: { maxReplicas: 3, minReplicas: 2, scaleTargetRef } }, '?force=true');
    await v2.patch('u', { spec: { maxReplicas: 4 } });
    await v1.patch('u', { spec: { minReplicas: 1 } });
    await v2.apply('m', { spec: { maxReplicas: 4, scaleTargetRef } });
  });

  it('tracks status writes apart', async (api) => {
    const path = pathOf(api, 'networking.k8s.io/v1/ingresses', 'a');
    const spec = { defaultBackend: { service: { name: 'b', port: { number: 80 } } } };
    const body = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'a' }, spec };
    const status = (ip: string): JsonObject => ({ status: { loadBalancer: { ingress: [{ ip }] } } });
    const apply = (at: string, rest: JsonObject): Promise<unknown> =>
      api.ask('PATCH', at, { body: { ...body, ...rest }, contentType: applyPatch });
    await apply(`${path}?fieldManager=m`, {});
    await apply(`${path}/status?fieldManager=m`, { spec: { ingressClassName: 'x' }, ...status('1.1.1.1') });
    const metadata = { labels: { a: 'b' }, managedFields: [{}] };
    await api.ask('PATCH', `${path}/status?fieldManager=u`, {
      body: { metadata, ...status('2.2.2.2') },
      contentType: mergePatch,
    });
    await apply(`${path}?fieldManager=m`, status('3.3.3.3'));
    await apply(`${path}/status?fieldManager=m`, status('3.3.3.3'));
    await apply(`${path}/status?fieldManager=m&force=true`, status('3.3.3.3'));
    await apply(`${path}?fieldManager=m`, { metadata: { name: 'a', labels: { a: 'c' } } });
  });
});
