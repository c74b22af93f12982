import { listOf, makeSecrets, names, outline, secret, secrets, tokenOf } from '../list-shapes.ts';
import { type Area, area } from '../suite.ts';

/** Lists: shape, order, pages, continue tokens. */
export const cases: Area = area('Lists', (it) => {
  it('W138 has an empty array and a number for a version where there is nothing', async (api) => {
    const { body } = await api.ask('GET', secrets(api.namespace), {
      keep: (found) => ({ ...listOf(found), metadata: {} }),
    });
    api.record('version is a number', /^[1-9]\d*$/.test(listOf(body).metadata.resourceVersion));
  });

  it('lists what is there by name, bytewise', async (api) => {
    const path = await makeSecrets(api, 'b', 'a', 'c-1', 'c.1', 'c0', '10', '9');
    await api.ask('GET', path, { keep: names });
  });

  it('has no kind on items of a built-in list and every field else', async (api) => {
    const path = await makeSecrets(api, 'a');
    await api.ask('GET', path, { keep: (body) => listOf(body).items });
  });

  it('lists across namespaces by namespace, then name', async (api) => {
    const other = api.unique('a');
    await api.setUp('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } },
    });
    api.cleanUp(`/api/v1/namespaces/${other}`);
    const label = { set: api.namespace };
    await api.setUp('POST', secrets(api.namespace), { body: secret('a', label) });
    await api.setUp('POST', secrets(other), { body: secret('b', label) });
    await api.setUp('POST', secrets(other), { body: secret('a', label) });
    await api.ask('GET', `/api/v1/secrets?labelSelector=set%3D${api.namespace}`, {
      keep: (body) => listOf(body).items.map(({ metadata }) => metadata),
    });
  });

  it('W139 gives pages of one state, whatever is written meanwhile', async (api) => {
    const path = await makeSecrets(api, 'a', 'b', 'c', 'd', 'e');
    const first = await api.ask('GET', `${path}?limit=2`, { keep: outline });
    await api.setUp('DELETE', `${path}/d`);
    await api.setUp('POST', path, { body: secret('cc') });
    const second = await api.ask('GET', `${path}?limit=2&continue=${tokenOf(first.body)}`, { keep: outline });
    const third = await api.ask('GET', `${path}?limit=2&continue=${tokenOf(second.body)}`, { keep: outline });
    api.record(
      'all at one version',
      [second, third].every(
        ({ body }) => listOf(body).metadata.resourceVersion === listOf(first.body).metadata.resourceVersion,
      ),
    );
    await api.ask('GET', path, { keep: outline });
  });

  it('W139 has a token for where the list continues', async (api) => {
    const path = await makeSecrets(api, 'a', 'b', 'c');
    const { body } = await api.ask('GET', `${path}?limit=1`, { keep: outline });
    const token = Buffer.from(listOf(body).metadata.continue ?? '', 'base64url').toString();
    const { v, rv } = JSON.parse(token) as { v: string; rv: number };
    api.record('version', v);
    api.record('is at the version of the list', String(rv) === listOf(body).metadata.resourceVersion);
  });

  it('shows the rest when the page after a token has no limit', async (api) => {
    const path = await makeSecrets(api, 'a', 'b', 'c', 'd');
    const { body } = await api.ask('GET', `${path}?limit=1`, { keep: outline });
    await api.ask('GET', `${path}?continue=${tokenOf(body)}`, { keep: outline });
    await api.ask('GET', `${path}?continue=${tokenOf(body)}&resourceVersion=0`, { keep: outline });
    await api.ask('GET', `${path}?continue=${tokenOf(body)}&resourceVersion=7`);
    await api.ask('GET', `${path}?continue=${tokenOf(body)}&resourceVersionMatch=Exact&resourceVersion=7`);
    await api.ask('GET', `${path}?continue=${tokenOf(body)}&resourceVersionMatch=NotOlderThan`);
  });

  it('has no token on a page that ends with the last object', async (api) => {
    const path = await makeSecrets(api, 'a', 'b');
    await api.ask('GET', `${path}?limit=2`, { keep: outline });
    await api.ask('GET', `${path}?limit=3`, { keep: outline });
  });

  it('counts no remaining items under a selector, and fills the page', async (api) => {
    const path = secrets(api.namespace);
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      await api.setUp('POST', path, { body: secret(name, { odd: String(index % 2) }) });
    }
    const first = await api.ask('GET', `${path}?limit=2&labelSelector=odd%3D1`, { keep: outline });
    const rest = `${path}?limit=2&continue=${tokenOf(first.body)}`;
    await api.ask('GET', `${rest}&labelSelector=odd%3D1`, { keep: outline });
    await api.ask('GET', `${rest}&labelSelector=odd%3D0`, { keep: outline });
    await api.ask('GET', rest, { keep: outline });
    await api.ask('GET', `${path}?limit=1&fieldSelector=metadata.name%3Dc`, { keep: outline });
    await api.ask('GET', `${path}?limit=1&fieldSelector=metadata.namespace%3D${api.namespace}`, { keep: outline });
    await api.ask('GET', `${path}?limit=2&labelSelector=odd%3D7`, { keep: outline });
  });

  it('goes on across namespaces where a page ended', async (api) => {
    const label = { set: api.namespace };
    const other = api.unique('z');
    await api.setUp('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } },
    });
    api.cleanUp(`/api/v1/namespaces/${other}`);
    for (const namespace of [api.namespace, other]) {
      for (const name of ['a', 'b']) {
        await api.setUp('POST', secrets(namespace), { body: secret(name, label) });
      }
    }
    let token = '';
    for (let page = 0; page < 4; page += 1) {
      const path = `/api/v1/secrets?labelSelector=set%3D${api.namespace}&limit=1&continue=${token}`;
      const { body } = await api.ask('GET', path, { keep: names });
      token = tokenOf(body);
    }
  });

  it('takes a negative limit for none, and refuses one that is no number', async (api) => {
    const path = await makeSecrets(api, 'a', 'b');
    await api.ask('GET', `${path}?limit=-1`, { keep: outline });
    await api.ask('GET', `${path}?limit=0`, { keep: outline });
    await api.ask('GET', `${path}?limit=`, { keep: outline });
    await api.ask('GET', `${path}?limit=x`);
    await api.ask('GET', `${path}?limit=1.5`);
    await api.ask('GET', `${path}?limit=%2B1`, { keep: outline });
    await api.ask('GET', `${path}?limit=99999999999999999999`);
    await api.ask('GET', `${path}?limit=9223372036854775807`, { keep: outline });
    await api.ask('GET', `${path}?timeoutSeconds=x`);
    await api.ask('GET', `${path}?limit=1&limit=2`, { keep: outline });
  });

  it('lists pages of custom resources', async (api) => {
    const definition = `things.${api.group}`;
    const path = `/apis/${api.group}/v1/namespaces/${api.namespace}/things`;
    await api.setUp('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: definition },
        spec: {
          group: api.group,
          scope: 'Namespaced',
          names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      },
    });
    api.cleanUp(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition}`);
    await api.eventually(path, (body) => Array.isArray(listOf(body).items));
    await api.ask('GET', path);
    for (const name of ['b', 'a', 'c']) {
      await api.setUp('POST', path, {
        body: { apiVersion: `${api.group}/v1`, kind: 'Thing', metadata: { name } },
      });
    }
    const { body } = await api.ask('GET', `${path}?limit=2`, { keep: outline });
    await api.ask('GET', `${path}?limit=2&continue=${tokenOf(body)}`, { keep: outline });
    await api.ask('GET', `${path}?limit=1`, { keep: (list) => listOf(list).items });
  });
});
