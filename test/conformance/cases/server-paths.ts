import { type Area, area } from '../suite.ts';

const text = ['content-type', 'x-content-type-options', 'cache-control'];

/** Version, health and what else every request meets on its way. */
export const cases: Area = area('Server paths', (it) => {
  it('W001 reports its version', async (api) => {
    await api.ask('GET', '/version', {
      recordHeaders: ['content-type'],
      keep: (body) => {
        const { major, minor, gitVersion, emulationMajor, emulationMinor, minCompatibilityMinor, ...rest } =
          body as Record<string, string>;
        return {
          major,
          minor,
          gitVersion,
          emulationMajor,
          emulationMinor,
          minCompatibilityMinor,
          others: Object.keys(rest).sort(),
        };
      },
    });
    await api.ask('GET', '/version', { accept: 'text/html' });
    await api.ask('GET', '/version', { as: 'anonymous', keep: (body) => Object.keys(body as object).length });
  });

  for (const path of ['/healthz', '/livez', '/readyz']) {
    it(`W002 W003 reports health at ${path}`, async (api) => {
      await api.ask('GET', path, { recordHeaders: text });
      await api.ask('HEAD', path, { recordHeaders: text });
      await api.ask('GET', path, { as: 'anonymous' });
      await api.ask('GET', `${path}?verbose`, { recordHeaders: text });
      await api.ask('GET', `${path}?verbose&exclude=etcd&exclude=nope`);
      await api.ask('GET', `${path}/ping`, { recordHeaders: text });
      await api.ask('GET', `${path}/nope`, { recordHeaders: text });
    });
  }

  it('W004 lists its paths', {
    differs: 'The embedded server gives no metrics: they would be those of a control plane that it is not.',
  }, async (api) => {
    await api.ask('GET', '/', {
      recordHeaders: ['content-type'],
      keep: (body) => (body as { paths: string[] }).paths.filter((path) => !path.includes('.example.com')),
    });
  });

  it('W006 repeats the audit id that it is given', async (api) => {
    await api.ask('GET', '/version', {
      headers: { 'audit-id': 'my-own' },
      recordHeaders: ['audit-id'],
      keep: () => undefined,
    });
    const answer = await api.setUp('GET', '/version');
    api.record('form of its own', /^[0-9a-f-]{36}$/.test(String(answer.headers['audit-id'])));
    const unknown = await api.ask('GET', '/nope');
    api.record('also where there is nothing', /^[0-9a-f-]{36}$/.test(String(unknown.headers['audit-id'])));
  });

  it('W007 forbids to cache its responses', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}`;
    await api.ask('GET', path, { recordHeaders: ['cache-control'], keep: () => undefined });
    await api.ask('GET', `${path}/configmaps/absent`, { recordHeaders: ['cache-control'] });
    await api.ask('GET', '/nope', { recordHeaders: ['cache-control'] });
  });

  it('reports the flow of a request', async (api) => {
    const names = ['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'];
    for (const [method, path] of [
      ['GET', '/version'],
      ['HEAD', '/livez/ping'],
      ['GET', '/nope'],
      ['GET', '/api/v1/namespaces/default'],
    ] as const) {
      const answer = await api.setUp(method, path === '/nope' ? '/version' : path);
      api.record(
        `${method} ${path}`,
        names.map((name) => /^[0-9a-f-]{36}$/.test(String(answer.headers[name]))),
      );
    }
  });

  it('W008 W009 allows no other methods', async (api) => {
    await api.ask('PUT', `/api/v1/namespaces/${api.namespace}/configmaps`, {
      body: {},
      recordHeaders: ['content-type', 'allow'],
    });
    await api.ask('PATCH', `/api/v1/namespaces/${api.namespace}/configmaps`, {
      body: {},
      contentType: 'application/merge-patch+json',
    });
    await api.ask('POST', `/api/v1/namespaces/${api.namespace}/configmaps/c`, { body: {} });
    await api.ask('DELETE', '/api/v1/configmaps');
    await api.ask('POST', '/api/v1/configmaps', { body: {} });
    await api.ask('DELETE', '/api/v1/namespaces');
    await api.ask('POST', '/api/v1/componentstatuses', { body: {} });
    await api.ask('GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
  });

  it('W010 reads how long a request may take', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}/secrets`;
    for (const timeout of ['zz', '5', '-1s', '1h', '0', '0s', '1m30s', '1.5s']) {
      await api.ask('GET', `${path}?timeout=${timeout}`, {
        keep: (body) => (body as { message?: string }).message ?? 'a list',
      });
    }
  });

  it('W025 reports nothing to anonymous clients', async (api) => {
    await api.ask('GET', '/api/v1/namespaces', { as: 'anonymous' });
    await api.ask('GET', '/apis', { as: 'anonymous' });
    await api.ask('GET', '/api/v1/namespaces', { as: { token: 'nonsense' }, recordHeaders: ['content-type'] });
    await api.ask('GET', '/healthz', { as: { token: 'nonsense' } });
  });

  it('W026 reports what is not allowed', async (api) => {
    const as = { user: 'somebody' };
    await api.ask('GET', `/api/v1/namespaces/${api.namespace}/pods`, { as });
    await api.ask('GET', '/apis/apps/v1/deployments', { as });
    await api.ask('GET', `/apis/apps/v1/namespaces/${api.namespace}/deployments/d/scale`, { as });
    await api.ask('GET', '/metrics', { as });
    await api.ask('DELETE', `/api/v1/namespaces/${api.namespace}/pods`, { as });
  });
});
