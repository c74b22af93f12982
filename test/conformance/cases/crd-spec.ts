import type { JsonObject } from '../../../src/base/index.ts';
import { type DefinitionOptions, definition, definitionsPath, withoutGoStructs } from '../definitions.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

type Row = readonly [name: string, options: DefinitionOptions | ((api: Probe) => DefinitionOptions)];

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        color: { type: 'string' },
        size: { type: 'integer' },
        'a-b': { type: 'string' },
        list: { type: 'array', items: { type: 'string' } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        either: { 'x-kubernetes-int-or-string': true },
        on: { type: 'boolean' },
        date: { type: 'string', format: 'date' },
        ratio: { type: 'number' },
      },
    },
  },
};
const names = (more: object): DefinitionOptions => ({ schema, names: more });
const spec = (more: object): DefinitionOptions => ({ schema, spec: more });
const version = (more: object): DefinitionOptions => ({ schema, version: more });
const column = (more: object): DefinitionOptions =>
  version({ additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.color', ...more }] });
const scale = (more: object): DefinitionOptions =>
  version({ subresources: { scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a', ...more } } });
const selectable = (...paths: string[]): DefinitionOptions =>
  version({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
const own = (name: string, more: object = {}): object => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: schema },
  ...more,
});
const versions = (...list: object[]): DefinitionOptions => ({ versions: list });
const conversion = (more: object): DefinitionOptions => spec({ conversion: more });
const webhook = (
  clientConfig: object | undefined,
  more: object = { conversionReviewVersions: ['v1'] },
): DefinitionOptions =>
  conversion({ strategy: 'Webhook', webhook: { ...(clientConfig === undefined ? {} : { clientConfig }), ...more } });
const url = 'https://localhost/convert';
const inGroup = (group: string, annotations: object = {}): DefinitionOptions => ({
  schema,
  spec: { group },
  metadata: { annotations },
});
const other = { type: 'object', properties: { spec: { type: 'object', properties: { x: {} } } } };

const rows: readonly Row[] = [
  ['CRD-02 a name that is not plural and group', { schema, metadata: { name: 'x' } }],
  ['CRD-02 a name that is no subdomain', { schema, metadata: { name: 'Bad_Name' } }],
  ['no name', { schema, metadata: { name: '' } }],
  ['bad labels', { schema, metadata: { labels: { 'a b': 'c d' } } }],
  ['CRD-03 a group without a dot', inGroup('nodots')],
  ['a group with bad characters', inGroup('Bad_group.example.com')],
  ['no group', inGroup('')],
  ['no scope', spec({ scope: '' })],
  ['another scope', spec({ scope: 'Everywhere' })],
  ['CRD-04 names by default', names({ plural: 'fooBars'.toLowerCase(), kind: 'FooBar' })],
  ['all names', names({ singular: 'thing', listKind: 'Things', shortNames: ['t'], categories: ['all'] })],
  ['no kind', names({ kind: '' })],
  ['no plural', names({ plural: '' })],
  ['a plural that is no label', names({ plural: 'Bad_Plural' })],
  ['a singular that is no label', names({ singular: 'Bad_Singular' })],
  ['short names and categories that are no labels', names({ shortNames: ['ok', 'B_d', ''], categories: ['A b'] })],
  ['a kind that is no label', names({ kind: 'Bad_Kind', listKind: 'Also.Bad' })],
  ['a kind of digits', names({ kind: '1Thing' })],
  ['a list kind that is the kind', names({ listKind: 'Thing' })],
  ['no versions', versions()],
  ['CRD-05 two storage versions', versions(own('v1'), own('v2', { storage: true }))],
  ['no storage version', versions(own('v1', { storage: false }))],
  ['CRD-06 one version twice', versions(own('v1'), own('v1', { storage: false }))],
  ['a version that is no label', versions(own('1.0', { storage: true }))],
  ['a version without a name', versions(own('', { storage: true }))],
  ['CRD-07 a version without a schema', versions(own('v1'), { name: 'v2', served: true, storage: false })],
  [
    'CRD-09 a defect in one of two differing versions',
    versions(own('v1', { schema: { openAPIV3Schema: other } }), own('v2')),
  ],
  [
    'a defect in two versions alike',
    versions(own('v1', { schema: { openAPIV3Schema: other } }), own('v2', { schema: { openAPIV3Schema: other } })),
  ],
  ['a deprecation warning without deprecation', version({ deprecationWarning: 'old' })],
  ['an empty deprecation warning', version({ deprecated: true, deprecationWarning: '' })],
  ['a long deprecation warning', version({ deprecated: true, deprecationWarning: 'x'.repeat(257) })],
  ['a deprecation warning with a line break', version({ deprecated: true, deprecationWarning: 'é\nb' })],
  ['CRD-11 preserveUnknownFields', spec({ preserveUnknownFields: true })],
  [
    'preserveUnknownFields with defaults',
    {
      schema: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
      spec: { preserveUnknownFields: true },
    },
  ],
  ['preserveUnknownFields false', spec({ preserveUnknownFields: false })],
  ['a column without a name', column({ name: '' })],
  ['a column without a type', column({ type: '' })],
  ['a column of another type', column({ type: 'object' })],
  ['a column of another format', column({ format: 'name' })],
  ['a column with all formats', column({ type: 'integer', format: 'int32', priority: 1, description: 'd' })],
  ['a column without a path', column({ jsonPath: '' })],
  ['CRD-25 a column path without a dot', column({ jsonPath: 'spec.x' })],
  ['a column path with a filter', column({ jsonPath: '.status.conditions[?(@.type=="Ready")].status' })],
  ['a column path that cannot be parsed', column({ jsonPath: '.spec[' })],
  [
    'columns that differ by version',
    versions(own('v1', { additionalPrinterColumns: [{ name: '', type: 'string', jsonPath: 'a' }] }), own('v2')),
  ],
  ['a scale', scale({})],
  ['a scale with a selector', scale({ labelSelectorPath: '.status.selector' })],
  ['a scale without paths', version({ subresources: { scale: {} } })],
  ['CRD-27 a scale below status', scale({ specReplicasPath: '.status.x' })],
  ['a scale whose status is below spec', scale({ statusReplicasPath: '.spec.x' })],
  ['a scale without a dot', scale({ specReplicasPath: 'spec.x', statusReplicasPath: 'x' })],
  ['a scale of spec itself', scale({ specReplicasPath: '.spec' })],
  ['a scale with a selector elsewhere', scale({ labelSelectorPath: '.other.selector' })],
  ['a scale with a selector without a dot', scale({ labelSelectorPath: 'spec.selector' })],
  ['subresources that differ by version', versions(own('v1', { subresources: { scale: {} } }), own('v2'))],
  ['selectable fields', selectable('.spec.color', '.spec.size', '.spec.on', '.spec.date')],
  ['CRD-26 nine selectable fields', (api) => manySelectable(api, 9)],
  ['selectable fields of a path without a dot', selectable('spec.color')],
  ['selectable fields that are unknown', selectable('.spec.nope', '.nope')],
  ['selectable fields of metadata', selectable('.metadata.name')],
  [
    'selectable fields of other types',
    selectable('.spec', '.spec.list', '.spec.map', '.spec.free', '.spec.either', '.spec.ratio'),
  ],
  ['selectable fields in brackets', selectable(".spec['a-b']", '.spec.list[0]')],
  ['selectable fields of a map', selectable('.spec.map.x')],
  ['selectable fields below a scalar', selectable('.spec.color.x')],
  ['selectable fields twice', selectable('.spec.color', '.spec.color')],
  ['selectable fields that are empty', selectable('', '.', '..', '.spec.')],
  ['no strategy', conversion({ strategy: '' })],
  ['another strategy', conversion({ strategy: 'Magic' })],
  ['CRD-28 a webhook without a client', webhook(undefined)],
  ['a webhook without anything', conversion({ strategy: 'Webhook' })],
  ['a webhook with an empty client', webhook({})],
  ['a webhook with url and service', webhook({ url, service: { name: 'a', namespace: 'b' } })],
  ['a webhook by url', webhook({ url })],
  ['a webhook by service', webhook({ service: { name: 'a', namespace: 'b' } })],
  [
    'a webhook by service with port and path',
    webhook({ service: { name: 'a', namespace: 'b', port: 0, path: 'x//Y_y/' } }),
  ],
  ['a webhook by service without names', webhook({ service: { port: 70_000, path: '//' } })],
  ['a webhook by service without a name', webhook({ service: { namespace: 'b' } })],
  ['a webhook by http', webhook({ url: 'http://localhost/convert' })],
  ['a webhook by a url with all parts', webhook({ url: 'ftp://u:p@/x?y=1#z' })],
  ['a webhook by no url', webhook({ url: ':x' })],
  ['a webhook by a url with a bad port', webhook({ url: 'https://a:b/' })],
  ['a webhook with bad certificates', webhook({ url, caBundle: 'AAAA' })],
  ['a webhook without review versions', webhook({ url }, {})],
  ['a webhook with unknown review versions', webhook({ url }, { conversionReviewVersions: ['v2', 'V_3', 'v2'] })],
  ['a webhook with two review versions', webhook({ url }, { conversionReviewVersions: ['v2', 'v1beta1'] })],
  [
    'a webhook without the strategy',
    conversion({ strategy: 'None', webhook: { clientConfig: { url }, conversionReviewVersions: ['v1'] } }),
  ],
  ['CRD-29 a protected group without approval', (api) => inGroup(`${api.unique('p')}.k8s.io`)],
  [
    'CRD-29 a protected group with a bad approval',
    (api) => inGroup(`${api.unique('p')}.x.kubernetes.io`, { 'api-approved.kubernetes.io': 'yes' }),
  ],
  [
    'CRD-29 a protected group, unapproved',
    (api) => inGroup(`${api.unique('p')}.k8s.io`, { 'api-approved.kubernetes.io': 'unapproved, experimental' }),
  ],
  [
    'CRD-29 a protected group, approved',
    (api) =>
      inGroup(`${api.unique('p')}.k8s.io`, {
        'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/1111',
      }),
  ],
  ['unknown members', spec({ foo: 1, names: { plural: 'things', kind: 'Thing', bar: 2 } })],
  ['members of wrong types', spec({ versions: 'v1' })],
  ['versions of wrong types', versions({ name: 1, served: 'yes', storage: true })],
];

function manySelectable(_api: Probe, count: number): DefinitionOptions {
  const fields = Array.from({ length: count }, (_, index) => `f${index}`);
  const properties = Object.fromEntries(fields.map((name) => [name, { type: 'string' }]));
  const selectableFields = fields.map((name) => ({ jsonPath: `.${name}` }));
  return { schema: { type: 'object', properties }, version: { selectableFields } };
}

/** What a CustomResourceDefinition may specify beside its schema, and its defaults. */
export const cases: Area = area('Spec of definitions', (it) => {
  for (const [name, given] of rows) {
    it(name, async (api) => {
      const options = typeof given === 'function' ? given(api) : given;
      const body: JsonObject = definition(api, options);
      await api.ask('POST', `${definitionsPath}?dryRun=All`, { body, keep: withoutGoStructs });
    });
  }
});
