import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import {
  applyPatch,
  deployment,
  jsonPatch,
  mergePatch,
  pathOf,
  pod,
  strategicPatch,
  withoutControllers,
} from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const paused = (name: string): JsonObject => deployment(name, { paused: true, replicas: 0 });

/** A Scale without its version, which controllers change. */
function withoutVersion(body: JsonValue): JsonValue {
  const object = body as { kind: string; metadata: JsonObject };
  if (object.kind !== 'Scale') return body;
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}

const keep = withoutVersion;

/** Writes to parts of objects. */
export const cases: Area = area('Subresources', (it) => {
  it('W107 reads and patches a scale', async (api) => {
    await api.setUp('POST', pathOf(api, 'apps/v1/deployments'), { body: paused('a') });
    const path = pathOf(api, 'apps/v1/deployments', 'a/scale');
    await api.ask('GET', path, { keep });
    await api.ask('PATCH', path, { body: { spec: { replicas: 3 } }, contentType: mergePatch, keep });
    await api.ask('PATCH', path, { body: { spec: { replicas: 2 } }, contentType: strategicPatch, keep });
    await api.ask('PATCH', path, {
      body: [{ op: 'replace', path: '/spec/replicas', value: 1 }],
      contentType: jsonPatch,
      keep,
    });
    await api.ask('PATCH', `${path}?dryRun=All`, { body: { spec: { replicas: 9 } }, contentType: mergePatch, keep });
    await api.ask('GET', pathOf(api, 'apps/v1/deployments', 'a'), { keep: withoutControllers });
    await api.ask('PATCH', path, { body: { spec: { replicas: 0 } }, contentType: mergePatch, keep });
    await api.ask('PATCH', path, { body: { spec: { replicas: null } }, contentType: mergePatch, keep });
  });

  it('W107 refuses scales', async (api) => {
    await api.setUp('POST', pathOf(api, 'apps/v1/deployments'), { body: paused('a') });
    const path = pathOf(api, 'apps/v1/deployments', 'a/scale');
    for (const body of [
      { spec: { replicas: -1 } },
      { metadata: { resourceVersion: '1' } },
      { metadata: { uid: 'x' } },
      { metadata: { name: 'b' } },
    ]) {
      await api.ask('PATCH', path, { body, contentType: mergePatch });
    }
    for (const body of [{ spec: { replicas: 'x' } }, { kind: 'Other' }]) {
      await api.ask('PATCH', path, { body, contentType: mergePatch, keep: (status) => (status as JsonObject)['code'] });
    }
    await api.ask('PATCH', path, { body: {}, contentType: 'application/json' });
    await api.ask('PATCH', `${path}?fieldValidation=Strict`, {
      body: { spec: { nope: 1 } },
      contentType: strategicPatch,
    });
    await api.ask('GET', pathOf(api, 'apps/v1/deployments', 'b/scale'));
    await api.ask('PATCH', pathOf(api, 'apps/v1/deployments', 'b/scale'), { body: {}, contentType: mergePatch });
    await api.ask('POST', path, { body: {} });
    await api.ask('DELETE', path);
  });

  it('W107 replaces a scale', async (api) => {
    await api.setUp('POST', pathOf(api, 'apps/v1/deployments'), { body: paused('a') });
    const path = pathOf(api, 'apps/v1/deployments', 'a/scale');
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 2 } };
    await api.ask('PUT', path, { body: scale, keep });
    await api.ask('PUT', path, { body: { metadata: { name: 'a' }, spec: { replicas: 3 } }, keep });
    const bad: readonly JsonObject[] = [
      { ...scale, metadata: { name: 'b' } },
      { ...scale, metadata: { name: 'a', namespace: 'default' } },
      { ...scale, metadata: { name: 'a', resourceVersion: '1' } },
      { ...scale, metadata: { name: 'a', uid: 'x' } },
      { ...scale, spec: { replicas: -1 } },
      { ...scale, spec: { replicas: 'x' } },
      { ...scale, spec: { nope: 1 } },
      { ...scale, apiVersion: 'apps/v1' },
      { ...scale, kind: 'Deployment', apiVersion: 'apps/v1' },
    ];
    for (const body of bad) await api.ask('PUT', path, { body, keep });
    await api.ask('PUT', `${path}?fieldValidation=Strict`, { body: { ...scale, spec: { nope: 1 } } });
    await api.ask('PUT', path, { body: { ...scale, spec: {} }, keep });
    await api.ask('PUT', pathOf(api, 'apps/v1/deployments', 'b/scale'), {
      body: { ...scale, metadata: { name: 'b' } },
    });
  });

  it('W107 W123 applies a scale, and shares it with its parent', async (api) => {
    const apply = (name: string, query: string, body: JsonObject): Promise<unknown> =>
      api.ask('PATCH', `${pathOf(api, 'apps/v1/deployments', name)}?fieldManager=${query}`, {
        body,
        contentType: applyPatch,
        keep: name === 'a' ? withoutControllers : keep,
      });
    const scale = (replicas: number): JsonObject => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a' },
      spec: { replicas },
    });
    await apply('a', 'm', paused('a'));
    await apply('a/scale', 's', scale(1));
    await apply('a/scale', 's&force=true', scale(1));
    await apply('a', 'm', paused('a'));
    await apply('a', 'm&force=true', paused('a'));
    await apply('a/scale', 's', scale(0));
    await apply('a', 'n', deployment('a', { paused: true, replicas: 0 }));
    await apply('a/scale', 's', { ...scale(0), spec: {} });
    await apply('a/scale', 's', { ...scale(0), apiVersion: 'apps/v1' });
    await apply('a/scale', 's', { ...scale(0), nope: 1 });
    await apply('b/scale', 's', { ...scale(0), metadata: { name: 'b' } });
    await api.ask('GET', pathOf(api, 'apps/v1/deployments', 'a'), { keep: withoutControllers });
  });

  it('W108 evicts pods', async (api) => {
    const evict = (name: string, body: JsonObject, query = ''): Promise<unknown> =>
      api.ask('POST', `${pathOf(api, 'pods', `${name}/eviction`)}${query}`, { body });
    const eviction = (name: string, rest: JsonObject = {}): JsonObject => ({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name },
      ...rest,
    });
    for (const name of ['a', 'b', 'c', 'd']) await api.setUp('POST', pathOf(api, 'pods'), { body: pod(name) });
    await evict('a', eviction('a'), '?dryRun=All');
    await evict('a', eviction('a', { deleteOptions: { dryRun: ['All'] } }));
    await evict('a', eviction('a'));
    await evict('a', eviction('a'));
    await evict('b', eviction('other'));
    await evict('b', { metadata: { name: 'b' } });
    await evict('c', eviction('c', { deleteOptions: { preconditions: { uid: 'x' } } }));
    await evict('c', eviction('c', { kind: 'Other' }));
    await evict('d', eviction('d', { deleteOptions: { gracePeriodSeconds: 0 } }));
    await evict('none', eviction('none'));
  });

  it('W108 honors disruption budgets', { needs: 'controllers' }, async (api) => {
    const labels = { guarded: 'yes' };
    for (const name of ['a', 'b']) {
      const body = pod(name, { nodeName: 'nowhere' });
      await api.setUp('POST', pathOf(api, 'pods'), { body: { ...body, metadata: { name, labels } } });
      const conditions = [{ type: 'Ready', status: 'True' }];
      await api.setUp('PATCH', pathOf(api, 'pods', `${name}/status`), {
        body: { status: { phase: 'Running', conditions } },
        contentType: mergePatch,
      });
    }
    const spec = { minAvailable: 2, selector: { matchLabels: labels } };
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'p' }, spec };
    await api.setUp('POST', pathOf(api, 'policy/v1/poddisruptionbudgets'), { body: budget });
    const status = {
      observedGeneration: 1,
      currentHealthy: 2,
      desiredHealthy: 2,
      expectedPods: 2,
      disruptionsAllowed: 0,
    };
    await api.setUp('PATCH', pathOf(api, 'policy/v1/poddisruptionbudgets', 'p/status'), {
      body: { status },
      contentType: mergePatch,
    });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
    await api.ask('POST', pathOf(api, 'pods', 'a/eviction'), { body: eviction, recordHeaders: ['retry-after'] });
    for (const name of ['a', 'b'])
      await api.setUp('DELETE', pathOf(api, 'pods', name), { body: { gracePeriodSeconds: 0 } });
  });

  it('W109 binds pods', async (api) => {
    for (const name of ['a', 'b', 'c']) await api.setUp('POST', pathOf(api, 'pods'), { body: pod(name) });
    const binding = (name: string, target: JsonObject, rest: JsonObject = {}): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, ...rest },
      target,
    });
    const node = { apiVersion: 'v1', kind: 'Node', name: 'nowhere' };
    await api.ask('POST', `${pathOf(api, 'pods', 'a/binding')}?dryRun=All`, { body: binding('a', node) });
    await api.ask('POST', pathOf(api, 'pods', 'a/binding'), {
      body: binding('a', node, { annotations: { x: 'y' }, labels: { l: 'm' } }),
    });
    await api.ask('GET', pathOf(api, 'pods', 'a'));
    await api.ask('POST', pathOf(api, 'pods', 'a/binding'), { body: binding('a', node) });
    await api.ask('POST', pathOf(api, 'pods', 'b/binding'), { body: binding('b', { kind: 'Pod', name: 'x' }) });
    await api.ask('POST', pathOf(api, 'pods', 'b/binding'), { body: binding('b', { kind: 'Node', name: '' }) });
    await api.ask('POST', pathOf(api, 'pods', 'b/binding'), { body: binding('b', {}) });
    await api.ask('POST', pathOf(api, 'pods', 'b/binding'), { body: binding('other', node) });
    await api.ask('POST', pathOf(api, 'pods', 'b/binding'), { body: binding('b', node, { uid: 'x' }) });
    await api.ask('POST', pathOf(api, 'bindings'), { body: binding('c', node) });
    await api.ask('POST', pathOf(api, 'pods', 'none/binding'), { body: binding('none', node) });
    for (const name of ['a', 'b', 'c'])
      await api.setUp('DELETE', pathOf(api, 'pods', name), { body: { gracePeriodSeconds: 0 } });
  });

  it('finalizes a namespace', async (api) => {
    const name = api.unique('other');
    const path = `/api/v1/namespaces/${name}`;
    api.cleanUp(path);
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await api.setUp('POST', '/api/v1/namespaces', { body });
    await api.ask('PUT', `${path}/finalize`, { body: { ...body, spec: { finalizers: ['kubernetes', 'a.b/c'] } } });
    await api.ask('PUT', `${path}/finalize`, {
      body: { ...body, metadata: { name, labels: { x: 'y' } }, spec: { finalizers: ['kubernetes', 'a.b/c'] } },
    });
    await api.ask('PUT', `${path}/finalize`, { body: { ...body, spec: { finalizers: ['nope'] } } });
    await api.ask('PUT', path, { body: { ...body, spec: { finalizers: [] } } });
    await api.ask('PATCH', `${path}/status`, { body: { status: { phase: 'Terminating' } }, contentType: mergePatch });
    await api.ask('PATCH', `${path}/finalize`, { body: {}, contentType: mergePatch });
    await api.ask('PUT', `${path}/finalize`, { body: { ...body, spec: { finalizers: ['kubernetes'] } } });
  });
});
