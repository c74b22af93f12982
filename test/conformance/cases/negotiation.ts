import { gunzipSync } from 'node:zlib';
import { parseYaml } from '../../../src/base/index.ts';
import type { Probe } from '../probe.ts';
import { dumpEnveloped } from '../protobuf-fields.ts';
import { type Area, area } from '../suite.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const patchTypes = ['application/apply-patch+cbor', 'application/json', protobuf, 'text/plain', ''];

const configMaps = (api: Probe): string => `/api/v1/namespaces/${api.namespace}/configmaps`;

/** Makes a kind of custom resource and one of it; gives the path of the collection. */
async function custom(api: Probe): Promise<string> {
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = { name: 'v1', served: true, storage: true, schema };
  const names = { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' };
  const spec = { group: api.group, scope: 'Namespaced', names, versions: [version] };
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `foos.${api.group}` },
    spec,
  };
  await api.setUp('POST', crds, { body });
  api.cleanUp(`${crds}/foos.${api.group}`);
  const path = `/apis/${api.group}/v1/namespaces/${api.namespace}/foos`;
  await api.eventually(path, (found) => (found as { kind?: string } | null)?.kind === 'FooList');
  await api.setUp('POST', path, { body: { apiVersion: `${api.group}/v1`, kind: 'Foo', metadata: { name: 'one' } } });
  return path;
}

const recordHeaders = ['content-type'];

/** What clients may send and what they may be sent. */
export const cases: Area = area('Content negotiation', (it) => {
  const refused = ['text/html', 'application/cbor', 'application/*', 'application/json;as=Table;g=meta.k8s.io;v=v9'];
  for (const accept of refused) {
    it(`W011 has nothing for ${accept}`, async (api) => {
      await api.ask('GET', `${configMaps(api)}/absent`, { accept, recordHeaders });
      await api.ask('GET', configMaps(api), { accept, recordHeaders });
      await api.ask('GET', '/api/v1/componentstatuses', { accept, recordHeaders });
      await api.ask('POST', configMaps(api), { accept, recordHeaders, body: { metadata: { name: 'c' } } });
      await api.ask('DELETE', `${configMaps(api)}/absent`, { accept, recordHeaders });
    });
  }

  it('W011 stores nothing when it could not answer', async (api) => {
    await api.ask('POST', configMaps(api), { accept: 'text/html', body: { metadata: { name: 'c' } } });
    await api.ask('GET', `${configMaps(api)}/c`);
  });

  it('takes the clause of the highest quality', async (api) => {
    const path = `${configMaps(api)}/absent`;
    await api.ask('GET', path, { accept: 'application/json;q=0.1, application/yaml;q=0.9', recordHeaders });
    await api.ask('GET', path, { accept: 'text/html, application/yaml', recordHeaders });
    await api.ask('GET', path, { accept: '*/*;q=0.1, application/yaml;q=0.05', recordHeaders });
    await api.ask('GET', path, { accept: '', recordHeaders });
  });

  it('answers YAML', async (api) => {
    await api.setUp('POST', configMaps(api), { body: { metadata: { name: 'c' }, data: { b: '1', a: 'x: y' } } });
    await api.ask('GET', `${configMaps(api)}/c`, {
      accept: 'application/yaml',
      recordHeaders,
      keep: (text) => ({ ...(parseYaml('answer', text as string) as object), metadata: undefined }),
    });
  });

  it('W013 takes no other body than JSON, YAML and protobuf', async (api) => {
    for (const contentType of ['text/plain', 'application/cbor', 'application/x-www-form-urlencoded']) {
      await api.ask('POST', configMaps(api), { rawBody: '{"metadata":{"name":"c"}}', contentType });
    }
  });

  it('W014 takes JSON without a media type', async (api) => {
    await api.ask('POST', configMaps(api), { rawBody: '{"metadata":{"name":"c"}}', contentType: '' });
    await api.ask('POST', configMaps(api), {
      rawBody: '{"metadata":{"name":"d"}}',
      contentType: 'application/json; charset=utf-8',
    });
  });

  it('takes YAML', async (api) => {
    const rawBody = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: "b"\n';
    await api.ask('POST', configMaps(api), { rawBody, contentType: 'application/yaml' });
  });

  it('W016 takes patches of four types', async (api) => {
    await api.setUp('POST', configMaps(api), { body: { metadata: { name: 'c' } } });
    for (const contentType of patchTypes) {
      await api.ask('PATCH', `${configMaps(api)}/c`, { rawBody: '{}', contentType, recordHeaders });
    }
  });

  it('W017 takes patches of custom resources of three types', async (api) => {
    const path = await custom(api);
    for (const contentType of [...patchTypes, 'application/strategic-merge-patch+json']) {
      await api.ask('PATCH', `${path}/one`, { rawBody: '{}', contentType, recordHeaders });
    }
  });

  it('answers custom resources in JSON and YAML alone', async (api) => {
    const path = await custom(api);
    const keep = (body: unknown): unknown => (typeof body === 'string' ? body.slice(0, 15) : body);
    await api.ask('GET', `${path}/one`, { accept: protobuf, recordHeaders, keep: () => undefined });
    await api.ask('GET', `${path}/one`, { accept: `${protobuf},application/json`, recordHeaders });
    await api.ask('GET', `${path}/absent`, { accept: 'application/yaml', recordHeaders });
    await api.ask('GET', `${path}/one`, { accept: 'text/html', recordHeaders });
    await api.ask('GET', `${path}/one`, { accept: 'application/*', recordHeaders, keep });
    await api.ask('POST', path, { rawBody: '{}', contentType: 'application/cbor' });
  });

  it('answers metadata of custom resources in protobuf', async (api) => {
    const path = await custom(api);
    const accept = `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
    const answer = await api.ask('GET', `${path}/one`, { accept, recordHeaders, keep: () => undefined });
    api.record('fields', dumpEnveloped(answer.raw));
    await api.ask('GET', `${path}/absent`, { accept, recordHeaders });
  });

  it('has no YAML for a watch', async (api) => {
    const keep = (text: unknown): unknown => parseYaml('answer', text as string);
    const options = { accept: 'application/yaml', recordHeaders, keep };
    await api.ask('GET', `${configMaps(api)}?watch=1&timeoutSeconds=1`, options);
    await api.ask('GET', `${await custom(api)}?watch=1&timeoutSeconds=1`, options);
  });

  it('W018 takes bodies of 3 MiB at most', async (api) => {
    const rawBody = JSON.stringify({ metadata: { name: 'c' }, data: { a: 'x'.repeat(4 * 1024 * 1024) } });
    await api.ask('POST', configMaps(api), { rawBody });
    await api.ask('PATCH', `${configMaps(api)}/c`, { rawBody, contentType: 'application/merge-patch+json' });
  });

  it('W019 compresses long responses for clients that accept it', async (api) => {
    await api.setUp('POST', configMaps(api), { body: { metadata: { name: 'c' }, data: { a: 'x'.repeat(200_000) } } });
    const headers = { 'accept-encoding': 'gzip' };
    const keep = (): undefined => undefined;
    const names = ['content-encoding', 'vary', 'content-type'];
    const long = await api.ask('GET', `${configMaps(api)}/c`, { headers, keep, recordHeaders: names });
    api.record('what was compressed', (JSON.parse(gunzipSync(long.raw).toString()) as { kind: string }).kind);
    await api.ask('GET', `${configMaps(api)}/c`, { keep, recordHeaders: names });
    await api.ask('GET', `${configMaps(api)}/absent`, { headers, recordHeaders: names });
  });

  it('W020 W021 answers Tables', async (api) => {
    const keep = (body: unknown): unknown => {
      const { kind, apiVersion, columnDefinitions, rows, metadata } = body as Record<string, unknown>;
      const described = (columnDefinitions as { description: string }[]).map((column) => ({
        ...column,
        description: undefined,
      }));
      const shown = (rows as { cells: unknown[]; object: { kind: string } }[]).map(({ cells, object }) => [
        cells.length,
        object.kind,
      ]);
      return { kind, apiVersion, columns: described, rows: shown, metadata: Object.keys(metadata as object) };
    };
    await api.setUp('POST', configMaps(api), { body: { metadata: { name: 'c' } } });
    await api.ask('GET', `${configMaps(api)}?fieldSelector=metadata.name=c`, { accept: table, recordHeaders, keep });
    await api.ask('GET', `${configMaps(api)}/c`, { accept: table, recordHeaders, keep });
    await api.ask('GET', `${configMaps(api)}/absent`, { accept: table, recordHeaders });
  });

  it('W022 W023 puts into the rows of a Table what is asked for', async (api) => {
    await api.setUp('POST', configMaps(api), { body: { metadata: { name: 'c' }, data: { a: 'b' } } });
    const keep = (body: unknown): unknown => (body as { rows?: unknown[] }).rows ?? body;
    const rows = (body: unknown): unknown =>
      (keep(body) as { object: Record<string, unknown> | null }[]).map(({ object }) =>
        object === null ? null : Object.keys(object).sort(),
      );
    for (const includeObject of ['Object', 'Metadata', 'None']) {
      await api.ask('GET', `${configMaps(api)}/c?includeObject=${includeObject}`, { accept: table, keep: rows });
    }
    await api.ask('GET', `${configMaps(api)}/c?includeObject=x`, { accept: table });
  });

  it('W024 answers metadata alone', async (api) => {
    await api.setUp('POST', configMaps(api), { body: { metadata: { name: 'c' }, data: { a: 'b' } } });
    const keep = (body: unknown): unknown => {
      const list = body as { kind: string; apiVersion: string; items?: Record<string, unknown>[] };
      return [
        list.kind,
        list.apiVersion,
        Object.keys(list).sort(),
        list.items?.map((item) => [item['kind'], item['apiVersion'], Object.keys(item).sort()]),
      ];
    };
    for (const version of ['v1', 'v1beta1']) {
      const as = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=${version}`;
      await api.ask('GET', `${configMaps(api)}?fieldSelector=metadata.name=c`, {
        accept: as('PartialObjectMetadataList'),
        recordHeaders,
        keep,
      });
      await api.ask('GET', `${configMaps(api)}/c`, { accept: as('PartialObjectMetadata'), recordHeaders, keep });
      await api.ask('GET', `${configMaps(api)}/c`, { accept: as('PartialObjectMetadataList'), recordHeaders });
    }
  });
});
