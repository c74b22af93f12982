import type { JsonValue } from '../../../src/base/index.ts';
import { establish, settled, thing, withoutManagers } from '../definitions.ts';
import { type Area, area } from '../suite.ts';

const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const typed = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { replicas: { type: 'integer' }, a: { type: 'string' } } },
    status: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        selector: { type: 'string' },
        phase: { type: 'string', maxLength: 3 },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      },
    },
  },
};
const withStatus = { subresources: { status: {} } };
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
const withScale = { subresources: { status: {}, scale } };
const merge = { contentType: 'application/merge-patch+json' };
const scaleBody = (name: string, namespace: string, spec: object): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, namespace },
  spec,
});

/** Status and scale of custom resources. */
export const cases: Area = area('Subresources of custom resources', (it) => {
  it('CR-27 CR-28 CR-29 W074 status apart', async (api) => {
    const { things } = await establish(api, { schema, version: withStatus });
    await api.ask('POST', things, { body: thing(api, 'x', { spec: { a: 1 }, status: { b: 1 } }), keep: settled });
    await api.ask('PATCH', `${things}/x`, { ...merge, body: { status: { b: 2 } }, keep: settled });
    await api.ask('PATCH', `${things}/x/status`, {
      ...merge,
      body: { status: { b: 3 }, spec: { a: 2 }, metadata: { labels: { c: 'd' }, finalizers: ['e.f/g'] } },
    });
    const found = (await api.setUp('GET', `${things}/x`)).body as { metadata: object };
    await api.ask('PUT', `${things}/x`, { body: { ...found, status: { b: 4 }, spec: { a: 5 } }, keep: settled });
    await api.ask('GET', `${things}/x/status`, { keep: settled });
    const now = (await api.setUp('GET', `${things}/x`)).body as { metadata: object };
    await api.ask('PUT', `${things}/x/status`, {
      body: { ...now, status: { b: 6 }, spec: { a: 7 }, other: 1 },
      keep: settled,
    });
    await api.ask('PUT', `${things}/x/status`, { body: { ...now, status: { b: 8 } }, keep: settled });
    await api.ask('PATCH', `${things}/x/status`, { ...merge, body: { status: null }, keep: settled });
    await api.ask('DELETE', `${things}/x/status`);
    await api.ask('POST', `${things}/x/status`, { body: thing(api, 'x') });
    await api.ask('GET', `${things}/y/status`);
    await api.ask('PATCH', `${things}/y/status`, { ...merge, body: { status: {} } });
    await api.ask('PATCH', `${things}/y/status?fieldManager=m`, {
      contentType: 'application/apply-patch+yaml',
      body: thing(api, 'y', { status: {} }),
    });
  });

  it('CR-30 status within', async (api) => {
    const { things } = await establish(api, { schema });
    await api.ask('POST', things, { body: thing(api, 'x', { status: { b: 1 } }), keep: settled });
    await api.ask('PATCH', `${things}/x`, { ...merge, body: { status: { b: 2 } }, keep: settled });
    await api.ask('GET', `${things}/x/status`, { keep: settled });
    await api.ask('PATCH', `${things}/x/status`, { ...merge, body: {} });
    await api.ask('GET', `${things}/x/scale`);
    await api.ask('GET', `${things}/x/other`);
    await api.ask('PATCH', `${things}/x`, {
      ...merge,
      body: { metadata: { labels: { a: 'b' } } },
      keep: (body) => (body as { metadata: { generation: JsonValue } }).metadata.generation,
    });
  });

  it('status is validated by its own part of the schema', async (api) => {
    const { things } = await establish(api, { schema: typed, version: withScale });
    await api.setUp('POST', things, { body: thing(api, 'x', { spec: { replicas: 1 } }) });
    for (const status of [
      { phase: 'long' },
      { phase: 1 },
      'x',
      { set: ['a', 'a'] },
      { replicas: -1 },
      { replicas: 2 ** 31 },
      { selector: 1 },
      { unknown: 1, phase: 'ok' },
    ]) {
      await api.ask('PATCH', `${things}/x/status?dryRun=All`, {
        ...merge,
        body: { status },
        keep: (body) => ((body as { kind: string }).kind === 'Status' ? body : (body as { status: JsonValue }).status),
      });
    }
  });

  it('CR-31 scale', async (api) => {
    const { things } = await establish(api, { schema: typed, version: withScale });
    await api.setUp('POST', things, { body: thing(api, 'x', { spec: { replicas: 1 } }) });
    await api.ask('GET', `${things}/x/scale`);
    await api.setUp('PATCH', `${things}/x/status`, { ...merge, body: { status: { replicas: 2, selector: 'a=b' } } });
    await api.ask('GET', `${things}/x/scale`);
    const at = `${things}/x/scale`;
    await api.ask('PUT', at, { body: scaleBody('x', api.namespace, { replicas: 3 }) });
    await api.ask('PATCH', at, { ...merge, body: { spec: { replicas: 4 } } });
    await api.ask('PATCH', at, {
      contentType: 'application/json-patch+json',
      body: [{ op: 'replace', path: '/spec/replicas', value: 0 }],
    });
    await api.ask('GET', `${things}/x`, { keep: withoutManagers });
    await api.ask('PUT', at, { body: scaleBody('x', api.namespace, { replicas: -1 }) });
    await api.ask('PUT', at, { body: scaleBody('x', api.namespace, { replicas: 'x' }) });
    await api.ask('PUT', at, { body: scaleBody('x', api.namespace, {}) });
    await api.ask('PUT', at, { body: scaleBody('y', api.namespace, { replicas: 1 }) });
    await api.ask('PUT', at, { body: thing(api, 'x') });
    await api.ask('PUT', at, {
      body: {
        ...scaleBody('x', api.namespace, { replicas: 1 }),
        metadata: { name: 'x', namespace: api.namespace, resourceVersion: '1' },
      },
    });
    await api.ask('GET', `${things}/y/scale`);
    await api.ask('PATCH', `${things}/y/scale`, { ...merge, body: { spec: { replicas: 4 } } });
    await api.ask('DELETE', at);
  });

  it('CR-32 scale without replicas', async (api) => {
    const { things } = await establish(api, { schema: typed, version: withScale });
    await api.setUp('POST', things, { body: thing(api, 'x', { spec: {} }) });
    await api.ask('GET', `${things}/x/scale`);
    await api.ask('PATCH', `${things}/x/scale`, { ...merge, body: { spec: { replicas: 4 } } });
    await api.ask('PUT', `${things}/x/scale`, { body: scaleBody('x', api.namespace, { replicas: 3 }) });
    await api.ask('GET', `${things}/x/scale`);
  });

  it('scale of values that are no replicas', async (api) => {
    const { things } = await establish(api, { schema, version: withScale });
    for (const spec of [
      { replicas: -1 },
      { replicas: 2 ** 31 },
      { replicas: 'x' },
      { replicas: 1.5 },
      { replicas: {} },
      'x',
      { replicas: null },
    ]) {
      await api.ask('POST', `${things}?dryRun=All`, {
        body: thing(api, 'x', { spec }),
        keep: (body) => ((body as { kind: string }).kind === 'Status' ? body : null),
      });
    }
  });
});
