import { isJsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;
const mergePatch = 'application/merge-patch+json';

async function make(api: Probe, label: string): Promise<string> {
  const name = api.unique(label);
  api.cleanUp(`/api/v1/namespaces/${name}`);
  await api.setUp('POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
  return name;
}

async function hold(api: Probe, inside: string, name: string): Promise<string> {
  const plural = name === 's' ? 'secrets' : 'configmaps';
  const kind = plural === 'configmaps' ? 'ConfigMap' : 'Secret';
  const metadata = { name, finalizers: ['example.com/held'] };
  await api.setUp('POST', `/api/v1/namespaces/${inside}/${plural}`, { body: { apiVersion: 'v1', kind, metadata } });
  return `/api/v1/namespaces/${inside}/${plural}/${name}`;
}

function conditionsOf(body: JsonValue): { type: string; status: string }[] {
  const { status } = body as { status?: { conditions?: { type: string; status: string }[] } };
  return status?.conditions ?? [];
}

const statusOf = (body: JsonValue): unknown => (isJsonObject(body) ? body['status'] : body);
const isThere = (body: JsonValue): boolean => isJsonObject(body) && body['kind'] !== 'Status';

/** What namespaces come with, and how they go. */
export const cases: Area = area('Namespaces', (it) => {
  it('CTL-11 gives a namespace its service account and the root certificate', controllers, async (api) => {
    const namespace = await make(api, 'new');
    const inside = `/api/v1/namespaces/${namespace}`;
    await api.eventually(`${inside}/serviceaccounts/default`, isThere);
    await api.eventually(`${inside}/configmaps/kube-root-ca.crt`, isThere);
    await api.ask('GET', `${inside}/serviceaccounts/default`);
    const keep = (body: JsonValue): unknown => {
      const { data, metadata } = body as {
        data: Record<string, string>;
        metadata: { annotations: Record<string, string>; managedFields: unknown };
      };
      return {
        keys: Object.keys(data),
        isPem: data['ca.crt']?.startsWith('-----BEGIN CERTIFICATE-----'),
        annotations: Object.keys(metadata.annotations),
        managedFields: metadata.managedFields,
      };
    };
    await api.ask('GET', `${inside}/configmaps/kube-root-ca.crt`, { keep });
  });

  it('CTL-11 brings both back', controllers, async (api) => {
    const inside = `/api/v1/namespaces/${api.namespace}`;
    for (const path of [`${inside}/serviceaccounts/default`, `${inside}/configmaps/kube-root-ca.crt`]) {
      const before = await api.eventually(path, isThere);
      const uidOf = (body: JsonValue): string => (body as { metadata?: { uid?: string } }).metadata?.uid ?? '';
      await api.setUp('DELETE', path);
      await api.eventually(path, (body) => isThere(body) && uidOf(body) !== uidOf(before));
    }
    const path = `${inside}/configmaps/kube-root-ca.crt`;
    await api.setUp('PATCH', path, { body: { data: { 'ca.crt': 'x' } }, contentType: mergePatch });
    await api.eventually(path, (body) => JSON.stringify(body).includes('BEGIN CERTIFICATE'));
  });

  it('CTL-12 reports what blocks the deletion of a namespace', controllers, async (api) => {
    const namespace = await make(api, 'going');
    const held = [await hold(api, namespace, 'a'), await hold(api, namespace, 'b'), await hold(api, namespace, 's')];
    const path = `/api/v1/namespaces/${namespace}`;
    await api.ask('DELETE', path, { keep: (body) => [(body as { kind: string }).kind, statusOf(body)] });
    const remains = (body: JsonValue): boolean =>
      conditionsOf(body).some(({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True');
    await api.eventually(path, remains);
    await api.ask('GET', path, { keep: statusOf });
    for (const each of held)
      await api.setUp('PATCH', each, { body: { metadata: { finalizers: null } }, contentType: mergePatch });
    await api.eventually(path, (body) => isJsonObject(body) && body['code'] === 404);
    await api.ask('GET', path);
  });

  it('CTL-12 empties a namespace and lets it go', controllers, async (api) => {
    const namespace = await make(api, 'full');
    const inside = `/api/v1/namespaces/${namespace}`;
    await api.setUp('POST', `${inside}/configmaps`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } },
    });
    const spec = { selector: { a: 'b' }, ports: [{ port: 80 }] };
    await api.setUp('POST', `${inside}/services`, {
      body: { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec },
    });
    await api.setUp('DELETE', inside);
    await api.eventually(inside, (body) => isJsonObject(body) && body['code'] === 404);
    const keep = (body: JsonValue): unknown => (body as { items: unknown }).items;
    await api.ask('GET', `${inside}/configmaps`, { keep });
    await api.ask('GET', `${inside}/services`, { keep });
  });

  it('CTL-12 keeps a namespace for its own finalizers', controllers, async (api) => {
    const namespace = await make(api, 'own');
    const path = `/api/v1/namespaces/${namespace}`;
    const finalizers = ['example.com/held'];
    await api.setUp('PATCH', path, { body: { metadata: { finalizers } }, contentType: mergePatch });
    await api.setUp('DELETE', path);
    const isFinalized = (body: JsonValue): boolean =>
      (body as { spec?: { finalizers?: unknown } }).spec?.finalizers === undefined;
    await api.eventually(path, isFinalized);
    const keep = (body: JsonValue): unknown => {
      const { metadata, spec } = body as { metadata: { finalizers: unknown }; spec: unknown };
      return { finalizers: metadata.finalizers, spec };
    };
    await api.ask('GET', path, { keep });
    await api.setUp('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: mergePatch });
    await api.untilDeleted(path);
  });

  it('CTL-12 deletes what has an owner, a finalizer of its own or neither in any order', controllers, async (api) => {
    const namespace = await make(api, 'pods');
    const inside = `/api/v1/namespaces/${namespace}`;
    await api.eventually(`${inside}/serviceaccounts/default`, isThere);
    const spec = { schedulerName: 'nobody', containers: [{ name: 'c', image: 'i' }] };
    await api.setUp('POST', `${inside}/pods`, {
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec },
    });
    await api.setUp('DELETE', inside);
    await api.eventually(inside, (body) => isJsonObject(body) && body['code'] === 404);
  });
});
