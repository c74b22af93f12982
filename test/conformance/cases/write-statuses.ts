import { configMap, deployment, mergePatch, pathOf, pod } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

/** What failing writes and reads answer. */
export const cases: Area = area('Statuses of failed requests', (it) => {
  it('W045 names an absent ConfigMap', async (api) => {
    await api.ask('GET', pathOf(api, 'configmaps', 'x'));
    await api.ask('PUT', pathOf(api, 'configmaps', 'x'), { body: configMap('x') });
    await api.ask('PATCH', pathOf(api, 'configmaps', 'x'), { body: {}, contentType: mergePatch });
    await api.ask('DELETE', pathOf(api, 'configmaps', 'x'));
  });

  it('W046 names an absent Deployment with its group', async (api) => {
    await api.ask('GET', pathOf(api, 'apps/v1/deployments', 'x'));
    await api.ask('GET', pathOf(api, 'apps/v1/deployments', 'x/status'));
    await api.ask('GET', pathOf(api, 'apps/v1/deployments', 'x/scale'));
    await api.ask('DELETE', pathOf(api, 'apps/v1/deployments', 'x'));
  });

  it('W047 refuses to create what is there', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    await api.ask('POST', `${pathOf(api, 'configmaps')}?dryRun=All`, { body: configMap('a') });
    await api.ask('POST', pathOf(api, 'apps/v1/deployments'), { body: deployment('a'), keep: () => null });
    await api.ask('POST', pathOf(api, 'apps/v1/deployments'), { body: deployment('a') });
  });

  it('W048 refuses to replace what is newer', async (api) => {
    const made = await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    const { resourceVersion } = (made.body as { metadata: { resourceVersion: string } }).metadata;
    const path = pathOf(api, 'configmaps', 'a');
    const body = configMap('a', { metadata: { resourceVersion }, data: { x: '1' } });
    await api.ask('PUT', path, { body });
    await api.ask('PUT', path, { body });
    await api.ask('PUT', path, { body: configMap('a', { metadata: { resourceVersion: 'x' } }) });
    await api.ask('PUT', path, { body: configMap('a', { metadata: { resourceVersion: '0' }, data: { y: '1' } }) });
    await api.ask('PUT', path, { body: configMap('a', { metadata: { resourceVersion: '-1' } }) });
  });

  it('W049 refuses names', async (api) => {
    for (const name of ['X', 'a_b', '-a', 'a.', `a${'b'.repeat(253)}`, 'a..b', 'a/b', 'a%b', '..', 'ä']) {
      await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap(name) });
    }
  });

  it('W050 lists several errors in one answer', async (api) => {
    const body = configMap('X', { data: { 'a/b': '1' }, metadata: { labels: { 'a b': 'c d' } } });
    await api.ask('POST', pathOf(api, 'configmaps'), { body });
  });

  it('W051 refuses bodies that are no JSON', async (api) => {
    const bodies = ['{', '{"a":}', 'hello', '[]', '1', '"x"', 'null', '', '{}', '{"kind":1}', '{"apiVersion":"v1"}'];
    for (const rawBody of bodies) {
      await api.ask('POST', pathOf(api, 'configmaps'), { rawBody, contentType: 'application/json' });
    }
  });

  it('W051 refuses broken JSON deep inside', async (api) => {
    const bodies = [
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",}}',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}} x',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}{}',
      "{'apiVersion':'v1'}",
      '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"\\x"}}',
      '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":tru}}',
      '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":01}}',
    ];
    for (const rawBody of bodies) {
      await api.ask('POST', pathOf(api, 'configmaps'), { rawBody, contentType: 'application/json' });
    }
  });

  it('W052 names the field of the wrong type', async (api) => {
    const bad: readonly unknown[] = [
      { data: { a: 1 } },
      { data: { a: true } },
      { data: { a: {} } },
      { data: { a: [] } },
      { data: [] },
      { data: 'x' },
      { binaryData: { a: 'x' } },
      { binaryData: { a: 1 } },
      { immutable: 'yes' },
      { metadata: 'x' },
      { metadata: { name: 1 } },
      { metadata: { labels: { a: 1 } } },
      { metadata: { annotations: [] } },
      { metadata: { finalizers: 'x' } },
      { metadata: { finalizers: [1] } },
      { metadata: { ownerReferences: {} } },
      { metadata: { ownerReferences: ['x'] } },
      { metadata: { creationTimestamp: 'x' } },
      { metadata: { creationTimestamp: 1 } },
      { metadata: { generation: 'x' } },
      { metadata: { generation: 1.5 } },
      { metadata: { managedFields: 'x' } },
      { metadata: { managedFields: [{ time: 'x' }] } },
    ];
    for (const body of bad) {
      await api.ask('POST', pathOf(api, 'configmaps'), {
        body: { apiVersion: 'v1', kind: 'ConfigMap', ...(body as object) },
      });
    }
  });

  it('W052 names the field of the wrong type in a Deployment', async (api) => {
    const bad: readonly unknown[] = [
      { replicas: 'x' },
      { replicas: 1.5 },
      { replicas: 3_000_000_000 },
      { replicas: true },
      { paused: 1 },
      { selector: 'x' },
      { selector: { matchLabels: { a: 1 } } },
      { selector: { matchExpressions: [{ values: 'x' }] } },
      { strategy: { rollingUpdate: { maxSurge: true } } },
      { strategy: { rollingUpdate: { maxSurge: 1.5 } } },
      { strategy: 'Recreate' },
      { template: { spec: { containers: {} } } },
      { template: { spec: { containers: ['x'] } } },
      { template: { spec: { containers: [{ name: 'a', ports: [{ containerPort: 'x' }] }] } } },
      { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: 'x' } } }] } } },
      { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: true } } }] } } },
      { template: { spec: { containers: [{ name: 'a', env: [{ name: 'x', value: 1 }] }] } } },
      { template: { spec: { containers: [{ name: 'a', livenessProbe: { httpGet: { port: [] } } }] } } },
      { template: { spec: { terminationGracePeriodSeconds: '1' } } },
      { template: { metadata: { labels: { a: true } } } },
    ];
    for (const spec of bad) {
      const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec };
      await api.ask('POST', pathOf(api, 'apps/v1/deployments'), { body });
    }
  });

  it('W053 refuses another kind than the collection holds', async (api) => {
    await api.ask('POST', pathOf(api, 'configmaps'), {
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
    });
    await api.ask('POST', pathOf(api, 'configmaps'), {
      body: { apiVersion: 'v1', kind: 'Foo', metadata: { name: 'a' } },
    });
    await api.ask('POST', pathOf(api, 'configmaps'), { body: { apiVersion: 'v1', kind: 'ConfigMapList', items: [] } });
    await api.ask('POST', pathOf(api, 'configmaps'), { body: { apiVersion: 'v1', kind: 'List', items: [] } });
    await api.ask('POST', pathOf(api, 'configmaps'), { body: { kind: 'ConfigMap', metadata: { name: 'a' } } });
    await api.ask('POST', pathOf(api, 'configmaps'), { body: { apiVersion: 'v1', metadata: { name: 'b' } } });
    await api.ask('POST', pathOf(api, 'configmaps'), { body: { metadata: { name: 'c' } } });
    await api.ask('POST', pathOf(api, 'configmaps'), { body: { kind: 'Secret', metadata: { name: 'a' } } });
    const body = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'a' } };
    await api.ask('POST', pathOf(api, 'apps/v1/deployments'), { body });
  });

  it('W054 refuses another version than that of the path', async (api) => {
    const kind = 'Deployment';
    for (const apiVersion of ['apps/v1beta1', 'v1', 'extensions/v1beta1', 'x', 'a/b/c']) {
      await api.ask('POST', pathOf(api, 'apps/v1/deployments'), {
        body: { apiVersion, kind, metadata: { name: 'a' } },
      });
    }
    await api.ask('POST', pathOf(api, 'configmaps'), {
      body: { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
    });
    const scaler = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' } };
    await api.ask('POST', pathOf(api, 'autoscaling/v2/horizontalpodautoscalers'), { body: scaler });
  });

  it('W055 refuses another namespace than that of the path', async (api) => {
    const body = configMap('a', { metadata: { namespace: 'default' } });
    await api.ask('POST', pathOf(api, 'configmaps'), { body });
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    await api.ask('PUT', pathOf(api, 'configmaps', 'a'), { body });
    await api.ask('PATCH', pathOf(api, 'configmaps', 'a'), {
      body: { metadata: { namespace: 'default' } },
      contentType: mergePatch,
    });
    await api.ask('PATCH', pathOf(api, 'configmaps', 'a'), {
      body: { metadata: { namespace: '' } },
      contentType: mergePatch,
    });
  });

  it('W056 refuses another name than that of the path', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    await api.ask('PUT', pathOf(api, 'configmaps', 'a'), { body: configMap('b') });
    await api.ask('PUT', pathOf(api, 'configmaps', 'a'), { body: { apiVersion: 'v1', kind: 'ConfigMap' } });
    await api.ask('PUT', pathOf(api, 'configmaps', 'a'), { body: configMap('') });
    for (const name of ['b', '', null]) {
      await api.ask('PATCH', pathOf(api, 'configmaps', 'a'), { body: { metadata: { name } }, contentType: mergePatch });
    }
    await api.ask('PATCH', pathOf(api, 'configmaps', 'a'), { body: { metadata: null }, contentType: mergePatch });
  });

  it('W056 looks at name and namespace of a new object and its URL', async (api) => {
    const name = api.unique('ns');
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/pods`, {
      body: { ...pod('a'), metadata: { name: 'a', namespace: name } },
    });
    await api.ask('PUT', pathOf(api, 'services', 'a'), {
      body: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'b' } },
    });
  });

  it('W008 W009 knows which methods a path has', async (api) => {
    await api.ask('PUT', pathOf(api, 'configmaps'), { body: configMap('a') });
    await api.ask('PATCH', pathOf(api, 'configmaps'), { body: {}, contentType: mergePatch });
    await api.ask('POST', pathOf(api, 'configmaps', 'a'), { body: configMap('a') });
    await api.ask('POST', '/api/v1/configmaps', { body: configMap('a') });
    await api.ask('DELETE', '/api/v1/configmaps');
    await api.ask('DELETE', pathOf(api, 'apps/v1/deployments', 'a/status'));
    await api.ask('POST', pathOf(api, 'apps/v1/deployments', 'a/status'), { body: {} });
    await api.ask('DELETE', '/api/v1/namespaces');
    await api.ask('GET', pathOf(api, 'bindings'));
    await api.ask('GET', '/apis/authentication.k8s.io/v1/tokenreviews');
    await api.ask('GET', pathOf(api, 'configmaps', 'a/status'));
    await api.ask('GET', pathOf(api, 'pods', 'a/eviction'));
  });
});
