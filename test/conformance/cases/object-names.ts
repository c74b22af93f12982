import { type Area, area } from '../suite.ts';

const configMap = (name: string): unknown => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** What an object may be called. */
export const cases: Area = area('Object names', (it) => {
  it('W049 refuses a name that is no DNS subdomain', async (api) => {
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, { body: configMap('Bad_Name') });
  });

  it('W047 refuses a name that is taken', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
    await api.ask('POST', path, { body: configMap('one') });
    await api.ask('POST', path, { body: configMap('one') });
  });

  it('W059 makes a name of generateName', async (api) => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } };
    const answer = await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps`, { body });
    const { name } = (answer.body as { metadata: { name: string } }).metadata;
    api.record('form of the name', /^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(name));
  });
});
