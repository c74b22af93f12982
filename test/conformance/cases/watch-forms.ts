import type { JsonObject } from '../../../src/base/index.ts';
import { makeSecrets, secret, secrets, versionOf } from '../list-shapes.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';
import type { WatchEvent } from '../watch.ts';

const merge = { contentType: 'application/merge-patch+json' };
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

/** Two events from a version, then a deletion. */
async function watchThrough(api: Probe, accept: string, query = ''): Promise<void> {
  const path = await makeSecrets(api, 'a');
  const version = await versionOf(api, path);
  const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}${query}`, { accept, keep: ageless });
  await api.setUp('PATCH', `${path}/a`, { ...merge, body: { data: { more: '' } } });
  await api.setUp('POST', path, { body: secret('b', { b: 'c' }) });
  await api.setUp('DELETE', `${path}/a`);
  await watch.until((events) => events.length >= 3);
  watch.close();
}

/** Ages in cells depend on the moment; what columns are described as is looked at where Tables are. */
const ageless = (event: unknown): unknown =>
  JSON.parse(
    JSON.stringify(event, (key, value: unknown) => (key === 'description' ? undefined : value)).replaceAll(
      /"\d+s"|"<invalid>"/g,
      '"<age>"',
    ),
  );

const versionless = (event: unknown): unknown =>
  JSON.parse(JSON.stringify(ageless(event)).replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"<any>"'));

/** The annotation of a list for clients, readable. */
const readable = ({ type, object }: WatchEvent): unknown => {
  const { annotations } = object['metadata'] as { readonly annotations?: Readonly<Record<string, string>> };
  const blueprint = annotations?.['kubernetes.io/initial-events-list-blueprint'];
  const list = blueprint === undefined ? [] : [JSON.parse(Buffer.from(blueprint, 'base64').toString()) as unknown];
  const { 'kubernetes.io/initial-events-list-blueprint': _text, ...others } = annotations ?? {};
  return versionless({
    type,
    object: { ...object, metadata: { ...(object['metadata'] as JsonObject), annotations: others } },
    list,
  });
};

async function makeCustom(api: Probe, version: string): Promise<{ definition: string; path: string }> {
  const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${api.group}`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await api.setUp('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${api.group}` },
      spec: {
        group: api.group,
        scope: 'Namespaced',
        names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    },
  });
  api.cleanUp(definition);
  const path = `/apis/${api.group}/${version}/namespaces/${api.namespace}/things`;
  await api.eventually(path, (body) => (body as JsonObject)['kind'] === 'ThingList');
  return { definition, path };
}

const thing = (api: Probe, name: string): unknown => ({
  apiVersion: `${api.group}/v1`,
  kind: 'Thing',
  metadata: { name },
});

/** Watches as Tables and as metadata, and of custom resources. */
export const cases: Area = area('Forms of watches', (it) => {
  it('sends Tables, with columns in the first alone', async (api) => {
    await watchThrough(api, table);
  });

  it('sends Tables with whole objects or none', async (api) => {
    await watchThrough(api, table, '&includeObject=Object');
  });

  it('sends Tables without objects', async (api) => {
    await watchThrough(api, table, '&includeObject=None');
  });

  it('sends metadata alone', async (api) => {
    await watchThrough(api, partial);
  });

  it('sends metadata of the older version', async (api) => {
    await watchThrough(api, partial.replace('v=v1', 'v=v1beta1'));
  });

  it('refuses forms that no watch has', async (api) => {
    const path = `${secrets(api.namespace)}?watch=true&timeoutSeconds=1`;
    await api.ask('GET', path, {
      accept: 'application/yaml',
      keep: (body) => JSON.stringify(body).includes('stream=watch'),
    });
    await api.ask('GET', path, { accept: 'text/html' });
    await api.ask('GET', `${path}&includeObject=x`, { accept: table });
    await api.ask('GET', path, {
      accept: 'application/json;stream=watch',
      keep: () => 'watch',
      recordHeaders: ['content-type'],
    });
    await api.ask('GET', path, { accept: 'application/json;as=Table;v=v2;g=meta.k8s.io' });
  });

  it('sends bookmarks inside Tables', async (api) => {
    const path = await makeSecrets(api, 'a');
    const version = await versionOf(api, path);
    const query = `watch=true&resourceVersion=${version}&timeoutSeconds=4&allowWatchBookmarks=true`;
    for (const accept of [table, partial]) {
      const watch = await api.watch(`${path}?${query}`, { accept, record: false });
      await watch.ended();
      api.record('first event', versionless(watch.events[0]));
    }
  });

  it('reports custom resources as they are', async (api) => {
    const { path } = await makeCustom(api, 'v1');
    await api.setUp('POST', path, { body: thing(api, 'old') });
    const version = await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`);
    const tables = await api.watch(`${path}?watch=true&resourceVersion=${version}`, { accept: table, keep: ageless });
    const metadata = await api.watch(`${path}?watch=true&resourceVersion=${version}`, { accept: partial });
    await api.setUp('POST', path, { body: thing(api, 'a') });
    await api.setUp('PATCH', `${path}/a`, { ...merge, body: { spec: { x: 1 } } });
    await api.setUp('DELETE', `${path}/a`);
    for (const open of [watch, tables, metadata]) {
      await open.until((events) => events.length >= 3);
      open.close();
    }
  });

  it('W148 forgets what was before a custom resource was first listed', async (api) => {
    const { path } = await makeCustom(api, 'v1');
    await api.setUp('POST', path, { body: thing(api, 'a') });
    const watch = await api.watch(`${path}?watch=true&resourceVersion=1`, {
      keep: (event) => JSON.parse(JSON.stringify(event).replace(/: 1 \(\d+\)/, ': 1 (N)')) as unknown,
    });
    await watch.ended();
    watch.close();
  });

  it('W151 marks the end of the initial events of custom resources', async (api) => {
    const { path } = await makeCustom(api, 'v1');
    await api.setUp('POST', path, { body: thing(api, 'a') });
    const options = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    for (const accept of ['application/json', partial]) {
      const watch = await api.watch(`${path}?watch=true&${options}`, { accept, keep: readable });
      await watch.until((events) => events.some(({ type }) => type === 'BOOKMARK'));
      watch.close();
    }
  });

  it('deletes custom resources before their definition, and ends their watches', async (api) => {
    const { path, definition } = await makeCustom(api, 'v1');
    await api.setUp('POST', path, { body: thing(api, 'a') });
    const version = await versionOf(api, path);
    const watch = await api.watch(`${path}?watch=true&resourceVersion=${version}`);
    await api.setUp('DELETE', definition);
    await watch.until((events) => events.some(({ type }) => type === 'DELETED'));
    await watch.ended();
    watch.close();
    await api.eventually(path, (body) => typeof body === 'string');
    await api.ask('GET', path);
    await api.ask('GET', `${path}?watch=true`);
  });

  it('has chunks over HTTP/1.1, each line whole', async (api) => {
    const path = await makeSecrets(api, 'a', 'b');
    await api.ask('GET', `${path}?watch=true&timeoutSeconds=1`, {
      recordHeaders: ['content-type', 'transfer-encoding', 'content-length', 'vary', 'content-encoding'],
      headers: { 'accept-encoding': 'gzip' },
      keep: (body) => {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        return { lines: text.split('\n').length, endsWithNewline: text.endsWith('\n') };
      },
    });
  });
});
