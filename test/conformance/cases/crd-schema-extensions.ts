import { definition, definitionsPath, withoutGoStructs } from '../definitions.ts';
import { type Area, area } from '../suite.ts';

type Row = readonly [name: string, schema: object | undefined, version?: object];

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const field = (schema: object): object => object({ spec: object({ x: schema }) });
const text = { type: 'string' };
const list = (items: object, more: object = {}): object => ({ type: 'array', items, ...more });
const mapOf = (properties: object, keys: readonly string[], more: object = {}): object =>
  list(object(properties, more), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
const preserve = 'x-kubernetes-preserve-unknown-fields';
const embedded = 'x-kubernetes-embedded-resource';

const rows: readonly Row[] = [
  ['embedded without type', field({ [embedded]: true })],
  ['embedded string', field({ type: 'string', [embedded]: true })],
  ['embedded without properties', field({ type: 'object', [embedded]: true })],
  ['embedded and preserve', field({ type: 'object', [embedded]: true, [preserve]: true })],
  ['embedded with additionalProperties', field({ type: 'object', [embedded]: true, additionalProperties: text })],
  [
    'embedded with bad meta',
    field({
      type: 'object',
      [embedded]: true,
      properties: { kind: { type: 'integer' }, apiVersion: { type: 'object' }, metadata: text },
    }),
  ],
  [
    'embedded metadata with fields',
    field({ type: 'object', [embedded]: true, properties: { metadata: object({ labels: { type: 'object' } }) } }),
  ],
  [
    'embedded in metadata',
    field({
      type: 'object',
      [embedded]: true,
      properties: { metadata: object({ x: { type: 'object', [embedded]: true, [preserve]: true } }) },
    }),
  ],
  ['map type without type', field({ 'x-kubernetes-map-type': 'atomic', [preserve]: true })],
  ['map type on string', field({ type: 'string', 'x-kubernetes-map-type': 'atomic' })],
  ['map type unknown', field({ type: 'object', 'x-kubernetes-map-type': 'loose' })],
  ['list type on string', field({ type: 'string', 'x-kubernetes-list-type': 'set' })],
  ['list type without type', field({ [preserve]: true, 'x-kubernetes-list-type': 'set' })],
  ['list type unknown', field(list(text, { 'x-kubernetes-list-type': 'bag' }))],
  ['set of objects', field(list(object({ a: text }), { 'x-kubernetes-list-type': 'set' }))],
  [
    'set of atomic objects',
    field(list(object({ a: text }, { 'x-kubernetes-map-type': 'atomic' }), { 'x-kubernetes-list-type': 'set' })),
  ],
  [
    'set of granular objects',
    field(list(object({ a: text }, { 'x-kubernetes-map-type': 'granular' }), { 'x-kubernetes-list-type': 'set' })),
  ],
  ['set of lists', field(list(list(text), { 'x-kubernetes-list-type': 'set' }))],
  [
    'set of set lists',
    field(list(list(text, { 'x-kubernetes-list-type': 'set' }), { 'x-kubernetes-list-type': 'set' })),
  ],
  ['set of nullables', field(list({ type: 'string', nullable: true }, { 'x-kubernetes-list-type': 'set' }))],
  ['map keys without list type', field(list(object({ a: text }), { 'x-kubernetes-list-map-keys': ['a'] }))],
  ['map keys on set', field(list(text, { 'x-kubernetes-list-type': 'set', 'x-kubernetes-list-map-keys': ['a'] }))],
  ['CRD-17 map list without keys', field(list(object({ a: text }), { 'x-kubernetes-list-type': 'map' }))],
  ['map list of strings', field(list(text, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }))],
  [
    'map list without items',
    field({ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
  ],
  [
    'map list with items list',
    field({ type: 'array', items: [text], 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
  ],
  [
    'map list of preserved',
    field(list({ [preserve]: true }, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] })),
  ],
  ['map key unknown', field(mapOf({ b: text }, ['a']))],
  ['map key twice', field(mapOf({ a: text }, ['a', 'a'], { required: ['a'] }))],
  ['map key object', field(mapOf({ a: { type: 'object' } }, ['a'], { required: ['a'] }))],
  ['map key array', field(mapOf({ a: list(text) }, ['a'], { required: ['a'] }))],
  ['CRD-18 map key optional', field(mapOf({ a: text }, ['a']))],
  ['map key optional with default', field(mapOf({ a: { type: 'string', default: 'x' } }, ['a']))],
  ['map key nullable', field(mapOf({ a: { type: 'string', nullable: true } }, ['a'], { required: ['a'] }))],
  ['map items nullable', field(mapOf({ a: text }, ['a'], { required: ['a'], nullable: true }))],
  ['two map keys, one bad', field(mapOf({ a: text, b: text }, ['a', 'b'], { required: ['a'] }))],
  ['bad pattern', field({ type: 'string', pattern: '[' })],
  ['bad pattern paren', field({ type: 'string', pattern: '(a' })],
  ['bad pattern close', field({ type: 'string', pattern: 'a)' })],
  ['bad pattern star', field({ type: 'string', pattern: '*a' })],
  ['bad pattern lookahead', field({ type: 'string', pattern: '(?=a)' })],
  ['bad pattern lookbehind', field({ type: 'string', pattern: '(?<=a)b' })],
  ['bad pattern backreference', field({ type: 'string', pattern: String.raw`(a)\1` })],
  ['bad pattern range', field({ type: 'string', pattern: '[z-a]' })],
  ['bad pattern repeat', field({ type: 'string', pattern: 'a{2,1}' })],
  ['bad pattern repeat size', field({ type: 'string', pattern: 'a{1001}' })],
  ['bad pattern escape', field({ type: 'string', pattern: String.raw`\y` })],
  ['bad pattern nested repeat', field({ type: 'string', pattern: 'a**' })],
  ['bad pattern in anyOf', field({ type: 'string', anyOf: [{ pattern: '(' }] })],
  ['validation without rule', field({ type: 'object', 'x-kubernetes-validations': [{ rule: ' ' }] })],
  ['validation message empty', field({ type: 'object', 'x-kubernetes-validations': [{ rule: 'true', message: ' ' }] })],
  [
    'validation message break',
    field({ type: 'object', 'x-kubernetes-validations': [{ rule: 'true', message: 'a\nb' }] }),
  ],
  ['validation reason', field({ type: 'object', 'x-kubernetes-validations': [{ rule: 'true', reason: 'Nope' }] })],
  [
    'validation fieldPath',
    field({ type: 'object', 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.nope' }] }),
  ],
];

/** List and map types, embedded objects, patterns and the form of rules in schemas. */
export const cases: Area = area('Schemas of definitions: extensions', (it) => {
  for (const [name, schema, version = {}] of rows) {
    it(name, async (api) => {
      const body = definition(api, { ...(schema === undefined ? {} : { schema }), version });
      await api.ask('POST', `${definitionsPath}?dryRun=All`, { body, keep: withoutGoStructs });
    });
  }
});
