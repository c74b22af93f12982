import { definition, definitionsPath, withoutGoStructs } from '../definitions.ts';
import { type Area, area } from '../suite.ts';

type Row = readonly [name: string, schema: object | undefined, version?: object];

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const field = (schema: object): object => object({ spec: object({ x: schema }) });
const text = { type: 'string' };
const list = (items: object, more: object = {}): object => ({ type: 'array', items, ...more });
const preserve = 'x-kubernetes-preserve-unknown-fields';
const embedded = 'x-kubernetes-embedded-resource';
const intOrString = 'x-kubernetes-int-or-string';

const rows: readonly Row[] = [
  ['CRD-07 no schema', undefined],
  ['empty', {}],
  ['CRD-10 root string', { type: 'string' }],
  ['root array', { type: 'array', items: text }],
  ['root null type', { type: 'null' }],
  ['root additionalProperties', { type: 'object', additionalProperties: true }],
  ['root additionalProperties schema', { type: 'object', additionalProperties: text }],
  ['root additionalProperties false with properties', object({ spec: text }, { additionalProperties: false })],
  ['root nullable', { type: 'object', nullable: true }],
  ['root preserve without type', { [preserve]: true }],
  ['root maxProperties with status', object({}, { maxProperties: 3 }), { subresources: { status: {} } }],
  ['root string with status', { type: 'string' }, { subresources: { status: {} } }],
  [
    'root anyOf with status',
    object({ spec: text }, { anyOf: [{ required: ['spec'] }] }),
    { subresources: { status: {} } },
  ],
  ['root nothing with status', {}, { subresources: { status: {} } }],
  ['CRD-08 field without type', field({})],
  ['item without type', field(list({}))],
  ['unknown type', field({ type: 'text' })],
  ['null type', field({ type: 'null' })],
  ['array without items', field({ type: 'array' })],
  ['items list', field({ type: 'array', items: [text, text] })],
  ['CRD-12 uniqueItems', field(list(text, { uniqueItems: true }))],
  ['uniqueItems false', field(list(text, { uniqueItems: false }))],
  ['CRD-13 additionalProperties and properties', field(object({ a: text }, { additionalProperties: text }))],
  ['additionalProperties false and properties', field(object({ a: text }, { additionalProperties: false }))],
  ['additionalProperties true and properties', field(object({ a: text }, { additionalProperties: true }))],
  ['additionalProperties false', field({ type: 'object', additionalProperties: false })],
  ['additionalProperties without type', field({ type: 'object', additionalProperties: {} })],
  ['id', field({ type: 'string', id: 'a' })],
  ['$schema', field({ type: 'string', $schema: 'a' })],
  ['CRD-14 $ref', field({ type: 'string', $ref: '#/x' })],
  ['$ref and no type', field({ $ref: '#/x' })],
  ['definitions', field({ type: 'string', definitions: { a: text } })],
  ['dependencies', field({ type: 'object', dependencies: { a: ['b'] } })],
  ['dependencies schema', field({ type: 'object', dependencies: { a: { type: 'bad' } } })],
  ['patternProperties', field({ type: 'object', patternProperties: { a: text } })],
  ['additionalItems', field(list(text, { additionalItems: true }))],
  ['many unsupported', field({ type: 'nope', id: 'a', $ref: 'b', definitions: { a: text }, uniqueItems: true })],
  ['CRD-15 anyOf type', field({ type: 'string', anyOf: [{ type: 'string' }] })],
  ['oneOf title', field({ type: 'string', oneOf: [{ title: 'a' }] })],
  ['allOf description', field({ type: 'string', allOf: [{ description: 'a' }] })],
  ['not default', field({ type: 'string', not: { default: 'a' } })],
  ['anyOf additionalProperties', field({ type: 'object', anyOf: [{ additionalProperties: text }] })],
  ['anyOf additionalProperties true', field({ type: 'object', anyOf: [{ additionalProperties: true }] })],
  ['anyOf additionalProperties false', field({ type: 'object', anyOf: [{ additionalProperties: false }] })],
  ['anyOf nullable', field({ type: 'string', anyOf: [{ nullable: true }] })],
  ['anyOf nullable false', field({ type: 'string', anyOf: [{ nullable: false }] })],
  ['anyOf preserve', field({ type: 'object', anyOf: [{ [preserve]: true }] })],
  ['anyOf preserve false', field({ type: 'object', anyOf: [{ [preserve]: false }] })],
  ['anyOf embedded', field({ type: 'object', anyOf: [{ [embedded]: true }] })],
  ['anyOf int or string', field({ type: 'object', anyOf: [{ [intOrString]: true }] })],
  ['anyOf list type', field({ ...list(text), anyOf: [{ 'x-kubernetes-list-type': 'set' }] })],
  ['anyOf map type', field({ type: 'object', anyOf: [{ 'x-kubernetes-map-type': 'atomic' }] })],
  ['anyOf map keys', field({ ...list(object({ a: text })), anyOf: [{ 'x-kubernetes-list-map-keys': ['a'] }] })],
  ['anyOf validations', field({ type: 'object', anyOf: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }] })],
  ['anyOf metadata', object({ metadata: { type: 'object' } }, { anyOf: [{ properties: { metadata: {} } }] })],
  ['anyOf deep type', field({ type: 'object', anyOf: [{ not: { type: 'string' } }] })],
  ['anyOf items type', field({ ...list(text), anyOf: [{ items: { type: 'string' } }] })],
  ['anyOf bad type', field({ type: 'string', anyOf: [{ type: 'nope' }] })],
  [
    'anyOf everything',
    field({ type: 'string', anyOf: [{ type: 'string', title: 'a', description: 'b', default: 'c', nullable: true }] }),
  ],
  ['incomplete at root', object({ a: text }, { anyOf: [{ properties: { b: { minLength: 1 } } }] })],
  [
    'incomplete at root, deeper',
    object({ a: object({}) }, { anyOf: [{ properties: { a: { properties: { b: {} } } } }] }),
  ],
  ['incomplete items', object({ a: { type: 'object' } }, { oneOf: [{ properties: { a: { items: {} } } }] })],
  ['incomplete below is not looked at', field({ type: 'object', anyOf: [{ properties: { b: {} } }] })],
  ['incomplete in not in allOf', object({ a: text }, { allOf: [{ not: { properties: { c: {} } } }] })],
  ['int or string with type', field({ type: 'string', [intOrString]: true })],
  ['CRD-16 int or string any of', field({ [intOrString]: true, anyOf: [{ type: 'integer' }, { type: 'string' }] })],
  [
    'int or string any of, pattern',
    field({ [intOrString]: true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^a' }),
  ],
  ['int or string any of turned', field({ [intOrString]: true, anyOf: [{ type: 'string' }, { type: 'integer' }] })],
  [
    'int or string all of',
    field({ [intOrString]: true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }] }),
  ],
  [
    'int or string any of with more',
    field({ [intOrString]: true, anyOf: [{ type: 'integer', minimum: 1 }, { type: 'string' }] }),
  ],
  ['any of int and string without mark', field({ anyOf: [{ type: 'integer' }, { type: 'string' }] })],
  ['int or string and preserve', field({ [intOrString]: true, [preserve]: true })],
  ['int or string and embedded', field({ [intOrString]: true, [embedded]: true, type: 'object' })],
  ['int or string false without type', field({ [intOrString]: false })],
  ['preserve false', field({ type: 'object', [preserve]: false })],
  ['preserve without type', field({ [preserve]: true })],
  ['preserve on string', field({ type: 'string', [preserve]: true })],
  ['CRD-39 unknown format', field({ type: 'string', format: 'foo' })],
  ['unknown keyword', field({ type: 'string', foo: 1 })],
  ['schema of wrong type', field({ type: 1 })],
  ['maxLength text', field({ type: 'string', maxLength: 'a' })],
  ['maxLength fraction', field({ type: 'string', maxLength: 1.5 })],
  ['enum of wrong type', field({ type: 'string', enum: [1] })],
  ['required unknown', object({ a: text }, { required: ['b'] })],
  ['several fields without types', object({ a: {}, b: {}, c: list({}), d: { type: 'array' } })],
];

/** What kind of schema a definition may have. */
export const cases: Area = area('Schemas of definitions: structure', (it) => {
  for (const [name, schema, version = {}] of rows) {
    it(name, async (api) => {
      const body = definition(api, { ...(schema === undefined ? {} : { schema }), version });
      await api.ask('POST', `${definitionsPath}?dryRun=All`, { body, keep: withoutGoStructs });
    });
  }
});
