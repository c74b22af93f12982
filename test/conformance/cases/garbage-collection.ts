import { isJsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const controllers = { needs: 'controllers' } as const;
const mergePatch = 'application/merge-patch+json';

interface Owner {
  readonly name: string;
  readonly uid: string;
  readonly blocks?: boolean;
  /** Default: `ConfigMap`. */
  readonly kind?: string;
  /** Default: `v1`. */
  readonly apiVersion?: string;
}

function path(api: Probe, name = ''): string {
  return `/api/v1/namespaces/${api.namespace}/configmaps${name === '' ? '' : `/${name}`}`;
}

function reference({ name, uid, blocks = false, kind = 'ConfigMap', apiVersion = 'v1' }: Owner): unknown {
  return { apiVersion, kind, name, uid, ...(blocks ? { blockOwnerDeletion: true } : {}) };
}

async function make(
  api: Probe,
  name: string,
  more: { owners?: readonly Owner[]; finalizers?: readonly string[] } = {},
): Promise<Owner> {
  const { owners = [], finalizers = [] } = more;
  const metadata = { name, ownerReferences: owners.map((owner) => reference(owner)), finalizers };
  const { body } = await api.setUp('POST', path(api), { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata } });
  return { name, uid: (body as { metadata: { uid: string } }).metadata.uid };
}

function remove(api: Probe, name: string, propagationPolicy?: string): Promise<unknown> {
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
  return api.ask('DELETE', path(api, name), { body });
}

/** What matters here of an object. */
function keep(body: JsonValue): unknown {
  if (!isJsonObject(body) || !isJsonObject(body['metadata']) || body['kind'] === 'Status') return body;
  const { finalizers, ownerReferences, deletionTimestamp } = body['metadata'];
  return { finalizers, ownerReferences, isGoing: deletionTimestamp !== undefined };
}

const show = (api: Probe, name: string): Promise<unknown> => api.ask('GET', path(api, name), { keep });

/** A moment in which a collector would have done what it should not do. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1500));

/** What goes with its owner, and what stays. */
export const cases: Area = area('Garbage collection', (it) => {
  it('CTL-13 deletes what its owner leaves behind', controllers, async (api) => {
    const owner = await make(api, 'owner');
    const child = await make(api, 'child', { owners: [owner] });
    await make(api, 'grandchild', { owners: [child] });
    await remove(api, 'owner', 'Background');
    await api.untilDeleted(path(api, 'child'));
    await api.untilDeleted(path(api, 'grandchild'));
  });

  it('CTL-13 resolves the kind of an owner as the REST mapper of clients does', controllers, async (api) => {
    const owner = await make(api, 'owner');
    await make(api, 'lower-case', { owners: [{ ...owner, kind: 'configmap' }] });
    await make(api, 'list', { owners: [{ ...owner, kind: 'ConfigMapList' }] });
    await make(api, 'mixed-case', { owners: [{ ...owner, kind: 'configMap' }] });
    await make(api, 'other-version', { owners: [{ ...owner, apiVersion: 'v2' }] });
    await remove(api, 'owner', 'Background');
    for (const name of ['lower-case', 'list']) await api.untilDeleted(path(api, name));
    await pause();
    for (const name of ['mixed-case', 'other-version']) await show(api, name);
  });

  it('CTL-13 deletes in the background by default', controllers, async (api) => {
    const owner = await make(api, 'owner');
    await make(api, 'child', { owners: [owner] });
    await remove(api, 'owner');
    await api.untilDeleted(path(api, 'child'));
  });

  it('CTL-13 keeps what has another owner, and forgets the one that went', controllers, async (api) => {
    const [one, two] = [await make(api, 'one'), await make(api, 'two')];
    await make(api, 'child', { owners: [one, two] });
    await remove(api, 'one', 'Background');
    const count = (body: JsonValue): number =>
      (body as { metadata: { ownerReferences: unknown[] } }).metadata.ownerReferences.length;
    await api.eventually(path(api, 'child'), (body) => count(body) === 1);
    await show(api, 'child');
  });

  it('CTL-13 deletes what names an owner that never was', controllers, async (api) => {
    await make(api, 'orphan', { owners: [{ name: 'nobody', uid: '11111111-2222-3333-4444-555555555555' }] });
    await api.untilDeleted(path(api, 'orphan'));
  });

  it('CTL-13 deletes what was owned by another of the same name', controllers, async (api) => {
    await make(api, 'owner');
    await make(api, 'child', { owners: [{ name: 'owner', uid: '11111111-2222-3333-4444-555555555555' }] });
    await api.untilDeleted(path(api, 'child'));
    await show(api, 'owner');
  });

  it('CTL-13 takes an owner in another namespace for none', controllers, async (api) => {
    const other = api.unique('other');
    api.cleanUp(`/api/v1/namespaces/${other}`);
    await api.setUp('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } },
    });
    const owner = await make(api, 'owner');
    const metadata = { name: 'child', ownerReferences: [reference(owner)] };
    await api.setUp('POST', `/api/v1/namespaces/${other}/configmaps`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
    });
    await api.untilDeleted(`/api/v1/namespaces/${other}/configmaps/child`);
  });

  it('CTL-13 lets something of the cluster own something of a namespace', controllers, async (api) => {
    const name = api.unique('role');
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [] };
    const made = await api.setUp('POST', roles, { body });
    const { uid } = (made.body as { metadata: { uid: string } }).metadata;
    const ownerReferences = [{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name, uid }];
    await api.setUp('POST', path(api), {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'child', ownerReferences } },
    });
    await pause();
    await show(api, 'child');
    await api.setUp('DELETE', `${roles}/${name}`);
    await api.untilDeleted(path(api, 'child'));
  });

  it('CTL-13 waits for finalizers of what it deletes', controllers, async (api) => {
    const owner = await make(api, 'owner');
    await make(api, 'child', { owners: [owner], finalizers: ['example.com/held'] });
    await remove(api, 'owner', 'Background');
    await api.eventually(path(api, 'child'), (body) => (keep(body) as { isGoing: boolean }).isGoing);
    await show(api, 'child');
    await api.setUp('PATCH', path(api, 'child'), { body: { metadata: { finalizers: null } }, contentType: mergePatch });
    await api.untilDeleted(path(api, 'child'));
  });

  it('CTL-14 leaves what an owner is deleted from as an orphan', controllers, async (api) => {
    const owner = await make(api, 'owner');
    await make(api, 'child', { owners: [owner] });
    await remove(api, 'owner', 'Orphan');
    await api.untilDeleted(path(api, 'owner'));
    await show(api, 'child');
    await pause();
    await show(api, 'child');
  });

  it('CTL-14 orphans what has other owners too', controllers, async (api) => {
    const [one, two] = [await make(api, 'one'), await make(api, 'two')];
    await make(api, 'child', { owners: [one, two] });
    await remove(api, 'one', 'Orphan');
    await api.untilDeleted(path(api, 'one'));
    await show(api, 'child');
  });

  it('CTL-15 retains the owner until its blocking dependents are deleted', controllers, async (api) => {
    const owner = await make(api, 'owner');
    await make(api, 'child', { owners: [{ ...owner, blocks: true }], finalizers: ['example.com/held'] });
    await remove(api, 'owner', 'Foreground');
    await api.eventually(path(api, 'child'), (body) => (keep(body) as { isGoing: boolean }).isGoing);
    await show(api, 'owner');
    await show(api, 'child');
    await api.setUp('PATCH', path(api, 'child'), { body: { metadata: { finalizers: null } }, contentType: mergePatch });
    await api.untilDeleted(path(api, 'owner'));
    await api.ask('GET', path(api, 'child'), { keep });
  });

  it('CTL-15 does not wait for those who do not block', controllers, async (api) => {
    const owner = await make(api, 'owner');
    await make(api, 'child', { owners: [owner], finalizers: ['example.com/held'] });
    await remove(api, 'owner', 'Foreground');
    await api.untilDeleted(path(api, 'owner'));
    await api.eventually(path(api, 'child'), (body) => (keep(body) as { isGoing: boolean }).isGoing);
    await show(api, 'child');
    await api.setUp('PATCH', path(api, 'child'), { body: { metadata: { finalizers: null } }, contentType: mergePatch });
  });

  it('CTL-15 deletes whole families in the foreground', controllers, async (api) => {
    const owner = await make(api, 'owner');
    const child = await make(api, 'child', { owners: [{ ...owner, blocks: true }] });
    await make(api, 'grandchild', { owners: [{ ...child, blocks: true }] });
    const watch = await api.watch(`${path(api)}?resourceVersion=0&labelSelector=none`, { record: false });
    await remove(api, 'owner', 'Foreground');
    for (const name of ['grandchild', 'child', 'owner']) await api.untilDeleted(path(api, name));
    watch.close();
  });

  it('CTL-15 keeps what has a live owner beside the one that goes', controllers, async (api) => {
    const [one, two] = [await make(api, 'one'), await make(api, 'two')];
    await make(api, 'child', { owners: [{ ...one, blocks: true }, two] });
    await remove(api, 'one', 'Foreground');
    await api.untilDeleted(path(api, 'one'));
    await show(api, 'child');
  });

  it('CTL-13 deletes custom resources with their owner', controllers, async (api) => {
    const { group } = api;
    const plural = 'things';
    const name = `${plural}.${group}`;
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    api.cleanUp(`${crds}/${name}`);
    const schema = { openAPIV3Schema: { type: 'object' } };
    const spec = {
      group,
      scope: 'Namespaced',
      names: { plural, singular: 'thing', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    };
    await api.setUp('POST', crds, {
      body: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name }, spec },
    });
    const isEstablished = (body: JsonValue): boolean => JSON.stringify(body).includes('"type":"Established"');
    await api.eventually(`${crds}/${name}`, isEstablished);
    const things = `/apis/${group}/v1/namespaces/${api.namespace}/${plural}`;
    await api.eventually(things, (body) => isJsonObject(body) && body['kind'] === 'ThingList');
    const owner = await make(api, 'owner');
    const metadata = { name: 'child', ownerReferences: [reference(owner)] };
    await api.setUp('POST', things, { body: { apiVersion: `${group}/v1`, kind: 'Thing', metadata } });
    await remove(api, 'owner', 'Background');
    await api.eventually(`${things}/child`, (body) => isJsonObject(body) && body['code'] === 404);
  });
});
