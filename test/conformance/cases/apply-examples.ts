import { isJsonEqual, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { applying, kinds } from '../applying.ts';
import { applyPatch, configMap, deployment, mergePatch, pathOf, withoutControllers } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const labels = { app: 'x' };

/** A Deployment that is never rolled out, with these containers. */
function paused(...containers: JsonObject[]): JsonObject {
  return {
    spec: {
      paused: true,
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

/** Server-side apply as people use it. */
export const cases: Area = area('Server-side apply: examples', (it) => {
  it('W121 W123 1–5: applies, shares, prunes, conflicts, forces', async (api) => {
    const { apply } = applying(api, kinds.configMap);
    await apply('m', { data: { a: '1' } });
    await apply('n', { data: { a: '1', b: '2' } });
    await apply('m', { data: {} });
    await apply('n', { data: { a: '1' } });
    await apply('m', { data: { a: '9' } });
    await apply('m', { data: { a: '9' } }, '?force=true');
  });

  it('W123 6: an update takes fields, and the applier is refused', async (api) => {
    const { apply, patch } = applying(api, kinds.configMap);
    await apply('m', { data: { a: '1' } });
    await patch('kubectl-patch', { data: { a: '5' } });
    await apply('m', { data: { a: '9' } });
    await apply('m', { data: { a: '5' } });
  });

  it('W123 7–8: a creator owns what it made, and loses what is removed', async (api) => {
    const { patch } = applying(api, kinds.configMap);
    await api.ask('POST', `${pathOf(api, 'configmaps')}?fieldManager=kubectl-create`, {
      body: configMap('a', { metadata: { labels: { x: '1' } }, data: { a: '1' } }),
    });
    await patch('p', { metadata: { labels: { x: null } } });
    await patch('p', { data: null });
  });

  it('W123 9: a Deployment', async (api) => {
    const { apply } = applying(api, kinds.deployment, withoutControllers);
    await apply('m', paused({ name: 'c', image: 'i' }));
  });

  it('W123 10: containers of two managers', async (api) => {
    const { apply } = applying(api, kinds.deployment, withoutControllers);
    await apply('m', paused({ name: 'c', image: 'i' }));
    await apply('n', { spec: { template: { spec: { containers: [{ name: 'd', image: 'j' }] } } } });
    await apply('m', paused());
  });

  it('W123 11: ports by number and protocol', async (api) => {
    const { apply } = applying(api, kinds.deployment, withoutControllers);
    await apply('m', paused({ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }));
    await apply('m', paused({ name: 'c', image: 'i', ports: [{ containerPort: 80, protocol: 'UDP' }] }));
  });

  it('W123 12: an atomic list', async (api) => {
    const { apply } = applying(api, kinds.deployment, withoutControllers);
    await apply('m', paused({ name: 'c', image: 'i', args: ['x'] }));
    await apply('n', paused({ name: 'c', image: 'i', args: ['x', 'y'] }));
    await apply('n', paused({ name: 'c', image: 'i', args: ['x'] }));
    await apply('n', paused({ name: 'c', image: 'i', args: ['x', 'y'] }), '?force=true');
  });

  it('W123 13: finalizers, a set', async (api) => {
    const { apply, path } = applying(api, kinds.configMap);
    await apply('m', { metadata: { finalizers: ['a/b'] } });
    await apply('n', { metadata: { finalizers: ['c/d'] } });
    await apply('m', {});
    await apply('n', { metadata: { finalizers: ['e/f', 'c/d'] } });
    await api.setUp('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: mergePatch });
  });

  it('W123 14: a scaler takes the replicas', async (api) => {
    const { apply, path } = applying(api, kinds.deployment, withoutControllers);
    await apply('m', { ...paused({ name: 'c', image: 'i' }) });
    const scale = { body: { spec: { replicas: 0 } }, contentType: mergePatch };
    await api.ask('PATCH', `${path}/scale?fieldManager=scaler`, {
      ...scale,
      keep: (body: JsonValue) => (body as JsonObject)['spec'] ?? null,
    });
    await api.ask('PATCH', `${path}/scale?fieldManager=scaler`, {
      ...scale,
      body: { spec: { replicas: 1 } },
      keep: (body: JsonValue) => (body as JsonObject)['spec'] ?? null,
    });
    await api.ask('GET', path, { keep: withoutControllers });
    await apply('m', { ...paused({ name: 'c', image: 'i' }) });
    const { spec } = paused({ name: 'c', image: 'i' }) as { spec: JsonObject };
    const { replicas: _replicas, ...rest } = spec;
    await apply('m', { spec: rest });
    await api.ask('PATCH', `${path}/scale?fieldManager=scaler`, {
      ...scale,
      keep: (body: JsonValue) => (body as JsonObject)['spec'] ?? null,
    });
  });

  it('W123 15 W131: status has managers of its own', async (api) => {
    const spec = { defaultBackend: { service: { name: 'b', port: { number: 80 } } } };
    const body = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'a' }, spec };
    const path = pathOf(api, 'networking.k8s.io/v1/ingresses', 'a');
    const status = { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } };
    await api.ask('PATCH', `${path}?fieldManager=m`, { body, contentType: applyPatch });
    await api.ask('PUT', `${path}/status?fieldManager=ctrl`, { body: { ...body, status } });
    const { spec: _spec, ...bare } = body;
    await api.ask('PATCH', `${path}/status?fieldManager=m`, { body: { ...bare, status }, contentType: applyPatch });
    await api.ask('PATCH', `${path}?fieldManager=n`, { body: { ...body, status }, contentType: applyPatch });
  });

  it('W123 16 W133: what was reset has no owner, then everything belongs to before-first-apply', async (api) => {
    const { apply, patch, put } = applying(api, kinds.configMap);
    await put('x', { data: { a: '1' } });
    await apply('c', { data: { a: '1', b: '2' } });
    await put('y', { metadata: { managedFields: [{}] }, data: { a: '1', b: '2' } });
    await patch('z', { data: { c: '3' } });
    await apply('m', { data: { a: '1' } });
  });

  it('W120 asks for a manager', async (api) => {
    const path = pathOf(api, 'configmaps', 'a');
    await api.ask('PATCH', path, { body: configMap('a'), contentType: applyPatch });
    await api.ask('PATCH', `${path}?fieldManager=`, { body: configMap('a'), contentType: applyPatch });
    await api.ask('PATCH', `${path}?fieldManager=${'x'.repeat(129)}&dryRun=x&fieldValidation=y`, {
      body: configMap('a'),
      contentType: applyPatch,
    });
  });

  it('W122 stores no apply that changes nothing', async (api) => {
    const { apply, path } = applying(api, kinds.configMap);
    const watch = await api.watch(`${pathOf(api, 'configmaps')}?watch=true&fieldSelector=metadata.name=a`);
    const first = await apply('m', { data: { a: '1' } });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const second = await apply('m', { data: { a: '1' } });
    api.record('the same', isJsonEqual(first.body, second.body));
    await apply('m', { data: { a: '2' } });
    await watch.until((events) => events.length > 1);
    await api.ask('GET', path);
  });

  it('W122 applies without a change to a Deployment that has defaults', async (api) => {
    const { apply } = applying(api, kinds.deployment, withoutControllers);
    const body = paused({
      name: 'c',
      image: 'i',
      ports: [{ containerPort: 80 }],
      resources: { limits: { cpu: '1000m' } },
    });
    await apply('m', body);
    await apply('m', body);
    await apply('n', body);
  });

  it('W100 only pretends to apply in a dry run', async (api) => {
    const { apply, path } = applying(api, kinds.configMap);
    await apply('m', { data: { a: '1' } }, '?dryRun=All');
    await api.ask('GET', path);
    await apply('m', { data: { a: '1' } });
    await apply('n', { data: { a: '2' } }, '?dryRun=All');
    await apply('n', { data: { a: '2' } }, '?dryRun=All&force=true');
    await api.ask('GET', path);
  });

  it('W126 takes force in every form', async (api) => {
    const { apply } = applying(api, kinds.configMap);
    await apply('n', { data: { a: '0' } });
    for (const [index, force] of ['false', '0', 'true', '', 'x', '1'].entries()) {
      await apply(`m${index}`, { data: { a: String(index) } }, `?force=${force}`);
    }
  });

  it('W127 W128 refuses what an apply may not have', async (api) => {
    const path = `${pathOf(api, 'configmaps', 'a')}?fieldManager=m`;
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    const bodies: readonly JsonObject[] = [
      configMap('a', { metadata: { managedFields: [] } }),
      configMap('a', { metadata: { managedFields: [{}] } }),
      configMap('a', { metadata: { managedFields: null } }),
      configMap('b'),
      configMap(''),
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: null },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: 'x' },
      { apiVersion: 'v1', metadata: { name: 'a' } },
      { kind: 'ConfigMap', metadata: { name: 'a' } },
      { metadata: { name: 'a' } },
      {},
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
      { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
      { apiVersion: 'apps/v1', kind: 'ConfigMap', metadata: { name: 'a' } },
      { apiVersion: 1, kind: 'ConfigMap', metadata: { name: 'a' } },
      configMap('a', { metadata: { namespace: 'default' } }),
      configMap('a', { metadata: { namespace: '' } }),
      configMap('a', { metadata: { resourceVersion: '1' } }),
      configMap('a', { metadata: { resourceVersion: 'x' } }),
      configMap('a', { metadata: { resourceVersion: '' } }),
      configMap('a', { metadata: { uid: 'x' } }),
      configMap('a', { metadata: { uid: '' } }),
      configMap('a', { metadata: { creationTimestamp: null } }),
      configMap('a', { metadata: { creationTimestamp: '2001-01-01T00:00:00Z', generation: 5, selfLink: '/x' } }),
      configMap('a', { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } }),
      configMap('a', { metadata: { generateName: 'x-' } }),
    ];
    for (const body of bodies) await api.ask('PATCH', path, { body, contentType: applyPatch });
  });

  it('W121 refuses to create what is badly named or already known', async (api) => {
    const at = (name: string): string => `${pathOf(api, 'configmaps', name)}?fieldManager=m`;
    await api.ask('PATCH', at('Bad'), { body: configMap('Bad'), contentType: applyPatch });
    await api.ask('PATCH', at('a'), { body: configMap('a', { metadata: { uid: 'x' } }), contentType: applyPatch });
    await api.ask('PATCH', at('a'), {
      body: configMap('a', { metadata: { resourceVersion: '1' } }),
      contentType: applyPatch,
    });
    await api.ask('PATCH', at('a/status'), { body: configMap('a'), contentType: applyPatch });
    const path = pathOf(api, 'apps/v1/deployments', 'a/status');
    await api.ask('PATCH', `${path}?fieldManager=m`, { body: deployment('a'), contentType: applyPatch });
    const name = api.unique('absent');
    await api.ask('PATCH', `/api/v1/namespaces/${name}/configmaps/a?fieldManager=m`, {
      body: configMap('a'),
      contentType: applyPatch,
    });
  });

  it('reads YAML, one document', async (api) => {
    const path = `${pathOf(api, 'configmaps', 'a')}?fieldManager=m`;
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';
    for (const text of [
      `${head}data:\n  a: x\n  b: |\n    two\n    lines\n`,
      `${head}data: {a: "1"}\n# a comment\n`,
      `---\n${head}`,
    ]) {
      await api.ask('PATCH', path, { rawBody: text, contentType: applyPatch });
    }
  });

  it('refuses bodies that are no object', async (api) => {
    const path = `${pathOf(api, 'configmaps', 'a')}?fieldManager=m`;
    for (const rawBody of ['', 'null', '[]', 'x', '1', '{}']) {
      await api.ask('PATCH', path, { rawBody, contentType: applyPatch });
    }
  });
});
