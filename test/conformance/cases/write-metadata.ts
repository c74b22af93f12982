import type { JsonObject } from '../../../src/base/index.ts';
import { configMap, deployment, jsonPatch, mergePatch, pathOf, withoutControllers } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

/** What happens to `metadata` in writes. */
export const cases: Area = area('Object metadata in writes', (it) => {
  it('W059 makes names of generateName, however long', async (api) => {
    for (const generateName of ['a-', 'a', `${'b'.repeat(70)}-`]) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName } };
      const made = await api.setUp('POST', pathOf(api, 'configmaps'), { body });
      const { metadata } = made.body as { metadata: { name: string; generateName: string } };
      api.record('length', metadata.name.length);
      api.record('form', /^[a-z.-]*[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(metadata.name));
      api.record('generateName', metadata.generateName);
    }
  });

  it('W059 refuses what generateName cannot give', async (api) => {
    for (const generateName of ['A-', '-', '.', 'c.', 'a/', 'a_']) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName } };
      await api.ask('POST', pathOf(api, 'configmaps'), {
        body,
        keep: (status) => ({ ...(status as object), message: '', details: '' }),
      });
    }
    await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap('a', { metadata: { generateName: 'B_' } }) });
    await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap('c', { metadata: { generateName: 'fine-' } }) });
  });

  it('W060 W062 W077 owns what the server owns', async (api) => {
    const metadata = {
      uid: 'aaaaaaaa-0000-0000-0000-000000000000',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      generation: 7,
      selfLink: '/x',
    };
    const made = await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap('a', { metadata }) });
    const own = (made.body as { metadata: { uid: string; creationTimestamp: string } }).metadata;
    api.record('uid is new', own.uid !== metadata.uid);
    api.record('time is new', own.creationTimestamp > '2002');
  });

  it('W060 owns what the server owns in updates', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    const path = pathOf(api, 'configmaps', 'a');
    const changes: readonly JsonObject[] = [
      { creationTimestamp: '2001-01-01T00:00:00Z' },
      { creationTimestamp: null },
      { deletionTimestamp: '2001-01-01T00:00:00Z' },
      { deletionGracePeriodSeconds: 5 },
      { generation: 9 },
      { selfLink: '/x' },
      { generateName: 'b-' },
    ];
    for (const metadata of changes) {
      await api.ask('PUT', path, { body: configMap('a', { metadata }) });
      await api.ask('PATCH', path, { body: { metadata }, contentType: mergePatch });
    }
  });

  it('W061 takes no resourceVersion for a new object', async (api) => {
    for (const resourceVersion of ['1', '0', 'x', '']) {
      const body = configMap('a', { metadata: { resourceVersion } });
      await api.ask('POST', pathOf(api, 'configmaps'), { body });
    }
  });

  it('W063 asks for a name', async (api) => {
    await api.ask('POST', pathOf(api, 'configmaps'), { body: { apiVersion: 'v1', kind: 'ConfigMap' } });
    await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap('') });
    await api.ask('POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace' } });
  });

  it('W064 W066 refuses labels', async (api) => {
    const bad = [
      { a: 'x'.repeat(64) },
      { a: 'x y' },
      { a: '-x' },
      { 'a b': 'x' },
      { '': 'x' },
      { 'x/y/z': 'x' },
      { 'Prefix/a': 'x' },
      { '/a': 'x' },
      { 'a/': 'x' },
      { ['a'.repeat(64)]: 'x' },
      { [`${'a'.repeat(254)}/a`]: 'x' },
      { 'b c': 'd e' },
    ];
    for (const labels of bad) {
      await api.ask('POST', pathOf(api, 'configmaps'), {
        body: configMap('a', { metadata: { labels } as JsonObject }),
      });
    }
  });

  it('W065 limits annotations', async (api) => {
    const keep = (body: unknown): unknown => (body as { message?: string }).message ?? 'fine';
    for (const size of [262_144, 262_143, 262_142]) {
      const metadata = { annotations: { a: 'x'.repeat(size) } };
      await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap(`a${size}`, { metadata }), keep });
    }
    for (const annotations of [{ 'a b': 'x' }, { UPPER: 'x' }, { 'X/Y': 'x' }, { 'x/y/z': 'x' }]) {
      await api.ask('POST', pathOf(api, 'configmaps'), {
        body: configMap('b', { metadata: { annotations } as JsonObject }),
        keep,
      });
      await api.ask('DELETE', pathOf(api, 'configmaps', 'b'), { keep });
    }
  });

  it('W067 refuses owner references', async (api) => {
    const good = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u1' };
    const bad: readonly JsonObject[] = [
      { ...good, uid: '' },
      { ...good, name: '' },
      { ...good, kind: '' },
      { ...good, apiVersion: '' },
      { ...good, apiVersion: 'a/b/c' },
      { apiVersion: 'v1' },
      {},
      { ...good, kind: 'Event' },
    ];
    for (const owner of bad) {
      await api.ask('POST', pathOf(api, 'configmaps'), {
        body: configMap('a', { metadata: { ownerReferences: [owner] } }),
      });
    }
  });

  it('W067 stores each owner once', async (api) => {
    const owner = { apiVersion: 'x.example/v1', kind: 'X', name: 'o', uid: 'u1' };
    const metadata = {
      ownerReferences: [owner, owner, { ...owner, uid: 'u2' }, { ...owner, uid: 'u2' }],
      finalizers: ['a/b'],
    };
    await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap('a', { metadata }) });
    const again = { ownerReferences: [owner, { ...owner, blockOwnerDeletion: true }] };
    await api.ask('PUT', pathOf(api, 'configmaps', 'a'), { body: configMap('a', { metadata: again }) });
  });

  it('W068 refuses two controllers', async (api) => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u1', controller: true };
    const ownerReferences = [owner, { ...owner, kind: 'Secret', name: 'p', uid: 'u2' }];
    const details = (body: unknown): unknown => {
      const text = JSON.stringify(body);
      return text.replaceAll(/\[\]v1\.OwnerReference\{.*?\}\}/g, '<owners>').includes('Only one reference');
    };
    await api.ask('POST', pathOf(api, 'configmaps'), {
      body: configMap('a', { metadata: { ownerReferences } }),
      keep: details,
    });
  });

  it('W069 creates nothing in an absent namespace', async (api) => {
    const name = api.unique('absent');
    await api.ask('POST', `/api/v1/namespaces/${name}/configmaps`, { body: configMap('a') });
    await api.ask('POST', `/apis/apps/v1/namespaces/${name}/deployments`, { body: deployment('a') });
    await api.ask('PUT', `/api/v1/namespaces/${name}/configmaps/a`, { body: configMap('a') });
    await api.ask('PUT', `/api/v1/namespaces/${name}/endpoints/a`, {
      body: { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'a' } },
    });
    await api.ask('GET', `/api/v1/namespaces/${name}/configmaps`, { keep: (body) => (body as JsonObject)['items'] });
    await api.ask('DELETE', `/api/v1/namespaces/${name}/configmaps/a`);
  });

  it('W071 W072 W073 counts generations of a Deployment', async (api) => {
    const path = pathOf(api, 'apps/v1/deployments', 'a');
    const keep = (body: unknown): unknown =>
      (withoutControllers(body as JsonObject) as { metadata: { generation: number } }).metadata.generation;
    await api.ask('POST', pathOf(api, 'apps/v1/deployments'), { body: deployment('a', { paused: true }), keep });
    const changes: readonly JsonObject[] = [
      { metadata: { labels: { a: 'b' } } },
      { metadata: { annotations: { a: 'b' } } },
      { spec: { replicas: 2 } },
      { spec: { replicas: 2 } },
      { metadata: { generation: 40 } },
      { status: { replicas: 5 } },
      { spec: { template: { metadata: { labels: { b: 'c' } } } } },
    ];
    for (const body of changes) await api.ask('PATCH', path, { body, contentType: mergePatch, keep });
    await api.ask('PATCH', `${path}/status`, {
      body: { status: { replicas: 5 }, metadata: { annotations: { x: 'y' } } },
      contentType: mergePatch,
      keep,
    });
    await api.ask('PATCH', `${path}/scale`, {
      body: { spec: { replicas: 0 } },
      contentType: mergePatch,
      keep: (body) => (body as JsonObject)['spec'],
    });
    await api.ask('GET', path, { keep });
  });

  it('W075 stores no update that changes nothing', async (api) => {
    const metadata = { labels: { a: 'b' } };
    await api.ask('POST', pathOf(api, 'configmaps'), { body: configMap('a', { metadata, data: { a: '1' } }) });
    const path = pathOf(api, 'configmaps', 'a');
    const watch = await api.watch(`${pathOf(api, 'configmaps')}?watch=true&fieldSelector=metadata.name=a`);
    await watch.until((events) => events.length > 0);
    await api.ask('PUT', path, { body: configMap('a', { metadata, data: { a: '1' } }) });
    await api.ask('PATCH', path, { body: { data: { a: '1' } }, contentType: mergePatch });
    await api.ask('PATCH', path, { body: [{ op: 'replace', path: '/data/a', value: '1' }], contentType: jsonPatch });
    await api.ask('PATCH', path, { body: { data: { a: '2' } }, contentType: mergePatch });
    await watch.until((events) => events.length > 1);
  });

  it('W076 takes no new finalizer for what is being deleted', async (api) => {
    const path = pathOf(api, 'configmaps', 'a');
    await api.setUp('POST', pathOf(api, 'configmaps'), {
      body: configMap('a', { metadata: { finalizers: ['a/b', 'c/d'] } }),
    });
    await api.ask('DELETE', path);
    for (const finalizers of [['a/b', 'e/f'], ['a/b', 'c/d'], ['a/b'], ['c/d'], []]) {
      await api.ask('PATCH', path, { body: { metadata: { finalizers } }, contentType: mergePatch });
    }
    await api.ask('GET', path);
  });

  it('W076 refuses finalizers', async (api) => {
    const bad = [
      ['x'],
      ['a b'],
      ['a/b/c'],
      ['orphan', 'foregroundDeletion'],
      ['kubernetes'],
      [''],
      ['X/y'],
      ['example.com/'],
      ['example.com'],
    ];
    for (const [index, finalizers] of bad.entries()) {
      const path = pathOf(api, 'configmaps');
      await api.ask('POST', path, { body: configMap(`a${index}`, { metadata: { finalizers } }) });
      await api
        .setUp('PATCH', `${path}/a${index}`, { body: { metadata: { finalizers: null } }, contentType: mergePatch })
        .catch(() => undefined);
    }
  });
});
