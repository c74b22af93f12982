import type { JsonObject } from '../../../src/base/index.ts';
import { type Answering, openHooks } from '../hooks.ts';
import { type Area, area } from '../suite.ts';

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const patching =
  (...operations: JsonObject[]): Answering =>
  () => ({ allowed: true, patchType: 'JSONPatch', patch: base64(operations) });
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { first: 'given' } };
const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
const asAlice = { as: { user: 'alice', groups: ['system:masters'] } };

/** What mutating webhooks do to an object, and when. */
export const cases: Area = area('Mutations of webhooks', (it) => {
  it('ADM-11 an object is patched, then defaulted and validated', async (api) => {
    const hooks = await openHooks(api);
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['services'] }];
    const add = patching({ op: 'add', path: '/spec/ports', value: [{ port: 80 }] });
    await hooks.install('MutatingWebhookConfiguration', { add: { answer: add, spec: { rules } } });
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: {} };
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/services`, { body: service });
  });

  it('a patched object is refused like any other', async (api) => {
    const hooks = await openHooks(api);
    const spoil = patching({ op: 'add', path: '/data/bad key', value: 'x' });
    await hooks.install('MutatingWebhookConfiguration', { spoil: { answer: spoil } });
    await api.ask('POST', path(api.namespace), { body: configMap });
  });

  it('ADM-14 configurations are asked in the order of their names', async (api) => {
    const hooks = await openHooks(api);
    for (const letter of ['b', 'a']) {
      const name = `${api.namespace}-${letter}`;
      await hooks.install('MutatingWebhookConfiguration', { [letter]: { answer: () => ({ allowed: true }) } }, name);
    }
    await api.ask('POST', path(api.namespace), { body: configMap });
    api.record(
      'order',
      hooks.calls.map(({ hook }) => hook),
    );
  });

  for (const reinvocationPolicy of ['IfNeeded', 'Never']) {
    it(`ADM-15 reinvocationPolicy ${reinvocationPolicy}: asked again when a later webhook has changed the object`, async (api) => {
      const hooks = await openHooks(api);
      const first = patching({ op: 'add', path: '/data/a', value: 'a' });
      const second = patching({ op: 'add', path: '/data/b', value: 'b' });
      await hooks.install('MutatingWebhookConfiguration', {
        first: { answer: first, spec: { reinvocationPolicy } },
        second: { answer: second, spec: { reinvocationPolicy } },
      });
      await api.ask('POST', path(api.namespace), { body: configMap });
      api.record(
        'asked',
        hooks.calls.map(({ hook, request }) => [hook, (request['object'] as JsonObject)['data']] as unknown),
      );
    });
  }

  it('a validating webhook sees what the mutating one made', async (api) => {
    const hooks = await openHooks(api);
    const add = patching({ op: 'add', path: '/data/a', value: 'a' });
    await hooks.install('MutatingWebhookConfiguration', { add: { answer: add } }, api.unique('mutating'));
    const see: Answering = () => ({ allowed: true });
    await hooks.install('ValidatingWebhookConfiguration', { see: { answer: see } }, api.unique('validating'));
    await api.ask('POST', path(api.namespace), { body: configMap, ...asAlice });
    hooks.recordCalls('see', (request) => (request['object'] as JsonObject)['data']);
  });

  it('what a webhook sets belongs to the manager of the request', async (api) => {
    const hooks = await openHooks(api);
    const add = patching(
      { op: 'add', path: '/data/a', value: 'a' },
      { op: 'add', path: '/metadata/annotations', value: { by: 'webhook' } },
    );
    await hooks.install('MutatingWebhookConfiguration', { add: { answer: add } });
    const apply = { rawBody: JSON.stringify(configMap), contentType: 'application/apply-patch+yaml' };
    await api.ask('PATCH', `${path(api.namespace)}/a?fieldManager=m`, apply);
  });

  it('a mutating webhook may deny', async (api) => {
    const hooks = await openHooks(api);
    const deny: Answering = () => ({ allowed: false, status: { message: 'no' } });
    await hooks.install('MutatingWebhookConfiguration', { deny: { answer: deny } });
    await api.ask('POST', path(api.namespace), { body: configMap });
  });

  it('a deletion cannot be patched', async (api) => {
    const hooks = await openHooks(api);
    await api.setUp('POST', path(api.namespace), { body: configMap });
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }];
    const spec = { rules, objectSelector: {} };
    const add = patching({ op: 'add', path: '/data/a', value: 'a' });
    await hooks.install('MutatingWebhookConfiguration', { add: { answer: add, spec } });
    await api.ask('DELETE', `${path(api.namespace)}/a`);
  });
});
