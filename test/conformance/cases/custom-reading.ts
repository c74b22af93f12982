import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { type DefinitionOptions, establish, thing } from '../definitions.ts';
import { type Area, area } from '../suite.ts';

const text = { type: 'string' };
const merge = { contentType: 'application/merge-patch+json' };
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        color: text,
        size: { type: 'integer' },
        on: { type: 'boolean' },
        ratio: { type: 'number' },
        date: text,
        list: { type: 'array', items: text },
        object: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        'a-b': text,
      },
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const selectable = (...paths: string[]): DefinitionOptions => ({
  schema,
  version: { selectableFields: paths.map((jsonPath) => ({ jsonPath })) },
});
const names = (body: JsonValue): JsonValue => {
  const { kind, items } = body as unknown as { readonly kind: string; readonly items?: readonly JsonObject[] };
  return kind === 'Status' ? body : (items ?? []).map((item) => (item['metadata'] as JsonObject)['name'] ?? null);
};

const column = (name: string, ...[type, jsonPath, more = {}]: [string, string, object?]): object => ({
  name,
  type,
  jsonPath,
  ...more,
});
const columns = [
  column('Color', 'string', '.spec.color', { description: 'Which.' }),
  column('Size', 'integer', '.spec.size', { format: 'int32' }),
  column('On', 'boolean', '.spec.on'),
  column('Ratio', 'number', '.spec.ratio', { format: 'double', priority: 1 }),
  column('When', 'date', '.spec.date'),
  column('Age', 'date', '.metadata.creationTimestamp'),
  column('List', 'string', '.spec.list'),
  column('First', 'string', '.spec.list[0]'),
  column('All', 'string', '.spec.list[*]'),
  column('Object', 'string', '.spec.object'),
  column('Dash', 'string', '.spec.a-b'),
  column('Ready', 'string', '.status.conditions[?(@.type=="Ready")].status'),
  column('Escaped', 'string', '.metadata.annotations.example\\.com/x'),
  column('Wrong', 'integer', '.spec.color'),
  column('Number as text', 'string', '.spec.size'),
];

const filled = {
  spec: {
    color: 'blue',
    size: 3,
    on: true,
    ratio: 1.5,
    date: '2020-01-01T00:00:00Z',
    list: ['a', 'b'],
    object: { b: 1, a: [true] },
    'a-b': 'dash',
  },
  status: {
    conditions: [
      { type: 'Other', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
  },
};
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** How long ago something was made is another each time. */
const withoutAges = (body: JsonValue): JsonValue => {
  const { kind, columnDefinitions, rows } = body as unknown as {
    readonly kind: string;
    readonly columnDefinitions?: readonly { readonly type: string; readonly name: string }[];
    readonly rows?: readonly { readonly cells: readonly JsonValue[] }[];
  };
  if (kind !== 'Table') return body;
  const ages = new Set(
    (columnDefinitions ?? []).flatMap(({ type, name }, index) =>
      type === 'date' && (name === 'Age' || name === 'When') ? [index] : [],
    ),
  );
  return {
    columnDefinitions: (columnDefinitions ?? []).map(({ name, type, ...rest }) => [
      name,
      type,
      ...Object.values({
        ...rest,
        description: name === 'Name' || name === 'Age' ? '' : ((rest as { description?: string }).description ?? ''),
      })
        .map(String)
        .sort(),
    ]),
    rows: (rows ?? []).map(({ cells }) =>
      cells.map((cell, index) => (ages.has(index) && typeof cell === 'string' ? cell.replaceAll(/\d+/g, 'n') : cell)),
    ) as JsonValue,
  };
};

/** Reading custom resources: selected, as tables, in deprecated versions, and while their definition changes. */
export const cases: Area = area('Reading custom resources', (it) => {
  it('CR-34 selectable fields', async (api) => {
    const { things } = await establish(api, selectable('.spec.color', '.spec.size', '.spec.on'));
    await api.setUp('POST', things, { body: thing(api, 'a', { spec: { color: 'blue', size: 1, on: true } }) });
    await api.setUp('POST', things, { body: thing(api, 'b', { spec: { color: 'red', size: 2, on: false } }) });
    await api.setUp('POST', things, { body: thing(api, 'c') });
    for (const selector of [
      'spec.color=blue',
      'spec.color!=blue',
      'spec.size=2',
      'spec.on=true',
      'spec.on=false',
      'spec.color=',
      'spec.color=blue,spec.size=1',
      'spec.color=red,metadata.name=a',
      'spec.other=x',
      '.spec.color=blue',
      'spec.ratio=1',
      'metadata.labels=x',
      'metadata.namespace=x',
      'spec.color',
    ]) {
      await api.ask('GET', `${things}?fieldSelector=${encodeURIComponent(selector)}`, { keep: names });
    }
    const watch = await api.watch(`${things}?watch=true&fieldSelector=spec.color%3Dblue`, {
      keep: ({ type, object }) => [type, (object['metadata'] as JsonObject)['name']],
    });
    await watch.until((events) => events.length > 0);
    await api.setUp('PATCH', `${things}/b`, { ...merge, body: { spec: { color: 'blue' } } });
    await api.setUp('PATCH', `${things}/a`, { ...merge, body: { spec: { color: 'green' } } });
    await watch.until((events) => events.some(({ type }) => type === 'DELETED'));
    watch.close();
    await api.ask('DELETE', `${things}?fieldSelector=spec.color%3Dblue`, { keep: names });
    await api.ask('GET', things, { keep: names });
  });

  it('CR-34 without selectable fields', async (api) => {
    const { things } = await establish(api, { schema });
    await api.ask('GET', `${things}?fieldSelector=spec.color%3Dblue`);
    await api.ask('GET', `${things}?fieldSelector=metadata.name%3Dblue`, { keep: names });
  });

  it('CR-35 printer columns', async (api) => {
    const { things } = await establish(api, { schema, version: { additionalPrinterColumns: columns } });
    await api.setUp('POST', things, {
      body: { ...thing(api, 'filled', filled), metadata: { name: 'filled', annotations: { 'example.com/x': 'yes' } } },
    });
    await api.setUp('POST', things, { body: thing(api, 'none') });
    await api.ask('GET', things, { accept: table, keep: withoutAges });
    await api.ask('GET', `${things}/filled`, { accept: table, keep: withoutAges });
  });

  it('CR-36 no printer columns', async (api) => {
    const { things } = await establish(api, { schema });
    await api.setUp('POST', things, { body: thing(api, 'filled', filled) });
    await api.ask('GET', things, { accept: table, keep: withoutAges });
  });

  it('versions that are deprecated', async (api) => {
    const own = { served: true, schema: { openAPIV3Schema: schema } };
    const { thingsIn } = await establish(api, {
      versions: [
        { name: 'v1', storage: true, ...own },
        { name: 'v1beta1', storage: false, deprecated: true, ...own },
        { name: 'v1alpha1', storage: false, deprecated: true, deprecationWarning: 'please "do" not', ...own },
      ],
    });
    for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
      await api.ask('GET', thingsIn(version), { keep: names });
      await api.ask('GET', `${thingsIn(version)}/x`, { keep: () => null });
      await api.ask('POST', `${thingsIn(version)}?dryRun=All`, {
        body: { ...thing(api, 'x'), apiVersion: `${api.group}/${version}` },
        keep: () => null,
      });
    }
  });

  it('a deprecated version without a newer one', async (api) => {
    const { things } = await establish(api, { schema, version: { deprecated: true } });
    await api.ask('GET', things, { keep: names });
  });

  it('a watch ends when the definition changes', async (api) => {
    const { things, path } = await establish(api, { schema });
    const watch = await api.watch(`${things}?watch=true`, { keep: ({ type }) => type });
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    await api.setUp('PATCH', path, { ...merge, body: { spec: { versions } } });
    await watch.ended();
    api.record('the watch has ended', watch.hasEnded);
  });

  it('what is no resource of the group', async (api) => {
    const { things } = await establish(api, { schema });
    await api.ask('GET', `/apis/${api.group}/v2/things`);
    await api.ask('GET', `/apis/${api.group}/v1/others`);
    await api.ask('GET', `/apis/${api.group}/v1/things/x`);
    await api.ask('PATCH', `${things}/x`, { contentType: 'application/strategic-merge-patch+json', body: {} });
    await api.ask('GET', `${things}/none`);
  });

  it('definitions of cluster-wide resources', async (api) => {
    const { things } = await establish(api, { schema, spec: { scope: 'Cluster' } });
    await api.ask('POST', `${things}?dryRun=All`, { body: thing(api, 'x') });
    await api.ask('POST', `${things}?dryRun=All`, {
      body: { ...thing(api, 'x'), metadata: { name: 'x', namespace: 'y' } },
    });
    await api.ask('GET', `/apis/${api.group}/v1/namespaces/${api.namespace}/things`);
    await api.ask('GET', `/apis/${api.group}/v1/namespaces/${api.namespace}/things/x`);
  });
});
