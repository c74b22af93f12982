import { type Area, area } from '../suite.ts';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
const mergePatch = 'application/merge-patch+json';

/** What may happen in which namespace. */
export const cases: Area = area('Admission: namespaces', (it) => {
  it('ADM-41 refuses a new object in a namespace that is not there', async (api) => {
    const missing = api.unique('missing');
    await api.ask('POST', `/api/v1/namespaces/${missing}/configmaps`, { body: configMap });
    await api.ask('POST', `/api/v1/namespaces/${missing}/pods`, { body: { ...configMap, kind: 'Pod' } });
    await api.ask('POST', `/apis/apps/v1/namespaces/${missing}/deployments?dryRun=All`, {
      body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
    });
    await api.ask('PATCH', `/api/v1/namespaces/${missing}/configmaps/c?fieldManager=a`, {
      body: configMap,
      contentType: 'application/apply-patch+yaml',
    });
    await api.ask('PATCH', `/api/v1/namespaces/${missing}/configmaps/c`, { body: {}, contentType: mergePatch });
    await api.ask('DELETE', `/api/v1/namespaces/${missing}/configmaps/c`);
    await api.ask('DELETE', `/api/v1/namespaces/${missing}/configmaps`, { keep: () => 'nothing' });
    await api.ask('GET', `/api/v1/namespaces/${missing}/configmaps`, {
      keep: (body) => (body as { items: unknown }).items,
    });
  });

  it('ADM-42 W070 refuses a new object in a namespace that is being deleted, and takes changes', async (api) => {
    const name = api.unique('going');
    const held = { ...configMap, metadata: { name: 'held', finalizers: ['example.com/held'] } };
    await api.setUp('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
    await api.setUp('POST', `/api/v1/namespaces/${name}/configmaps`, { body: held });
    await api.setUp('DELETE', `/api/v1/namespaces/${name}`);
    await api.ask('POST', `/api/v1/namespaces/${name}/configmaps`, { body: configMap });
    await api.ask('POST', `/api/v1/namespaces/${name}/serviceaccounts`, {
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { generateName: 'a-' } },
    });
    const path = `/api/v1/namespaces/${name}/configmaps/held`;
    await api.ask('PATCH', path, { body: { data: { a: 'b' } }, contentType: mergePatch, keep: () => 'changed' });
    await api.ask('PATCH', path, {
      body: { metadata: { finalizers: null } },
      contentType: mergePatch,
      keep: () => 'let go',
    });
  });

  it('ADM-43 does not delete the namespaces of the system', async (api) => {
    for (const name of ['default', 'kube-system', 'kube-public']) await api.ask('DELETE', `/api/v1/namespaces/${name}`);
    await api.ask('DELETE', '/api/v1/namespaces/default?dryRun=All');
  });
});
