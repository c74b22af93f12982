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
  ['CRD-19 metadata labels', object({ metadata: object({ labels: { type: 'object' } }) })],
  ['metadata name', object({ metadata: object({ name: { type: 'string', maxLength: 5 } }) })],
  ['metadata name and generateName', object({ metadata: object({ name: text, generateName: text }) })],
  ['metadata name and labels', object({ metadata: object({ name: text, labels: { type: 'object' } }) })],
  ['metadata required', object({ metadata: { type: 'object', required: ['name'] } })],
  ['metadata description', object({ metadata: { type: 'object', description: 'a' } })],
  ['metadata nullable', object({ metadata: { type: 'object', nullable: true } })],
  ['metadata preserve', object({ metadata: { type: 'object', [preserve]: true } })],
  ['metadata string', object({ metadata: text })],
  ['metadata without type', object({ metadata: {} })],
  ['kind integer', object({ kind: { type: 'integer' } })],
  ['apiVersion without type', object({ apiVersion: {} })],
  ['metadata deeper is free', object({ spec: object({ metadata: object({ labels: { type: 'object' } }) }) })],
  ['default at the root', object({ spec: text }, { default: {} })],
  ['default of kind', object({ kind: { type: 'string', default: 'A' } })],
  ['default of apiVersion', object({ apiVersion: { type: 'string', default: 'A' } })],
  ['default of metadata', object({ metadata: { type: 'object', default: {} } })],
  ['default of metadata.name', object({ metadata: object({ name: { type: 'string', default: 'a' } }) })],
  ['CRD-20 default type', field({ type: 'integer', default: 'a' })],
  ['default enum', field({ type: 'string', enum: ['a', 'b'], default: 'c' })],
  ['default pattern', field({ type: 'string', pattern: '^a', default: 'b' })],
  ['default too long', field({ type: 'string', maxLength: 1, default: 'bb' })],
  ['CRD-21 default unknown field', field(object({ a: text }, { default: { b: 1 } }))],
  ['default unknown field, deeper', field(object({ a: object({ b: text }) }, { default: { a: { b: 'x', c: 1 } } }))],
  ['default bad member', field(object({ a: text }, { default: { a: 1 } }))],
  ['default bad item', field(list(text, { default: ['a', 1] }))],
  ['default without required', field(object({ a: text }, { required: ['a'], default: {} }))],
  [
    'default with required by default',
    field(object({ a: { type: 'string', default: 'x' } }, { required: ['a'], default: {} })),
  ],
  ['default null', field({ type: 'string', default: null })],
  ['default null, nullable', field({ type: 'string', nullable: true, default: null })],
  ['default null member', field(object({ a: text }, { default: { a: null } }))],
  [
    'default below additionalProperties',
    field({ type: 'object', additionalProperties: { type: 'integer', default: 'a' } }),
  ],
  ['default below items', field(list({ type: 'integer', default: 'a' }))],
  ['default duplicate in set', field(list(text, { 'x-kubernetes-list-type': 'set', default: ['a', 'a'] }))],
  ['default multiple wrong', object({ a: { type: 'integer', default: 'x', minimum: 3 } })],
  ['default minimum', field({ type: 'integer', minimum: 5, default: 1 })],
  ['default int or string', field({ [intOrString]: true, default: 1.5 })],
  ['default embedded without kind', field({ type: 'object', [embedded]: true, [preserve]: true, default: { a: 1 } })],
  [
    'default embedded with bad metadata',
    field({
      type: 'object',
      [embedded]: true,
      [preserve]: true,
      default: { apiVersion: 'v1', kind: 'A', metadata: { labels: { a: 1 } } },
    }),
  ],
  [
    'default embedded with bad label',
    field({
      type: 'object',
      [embedded]: true,
      [preserve]: true,
      default: { apiVersion: 'v1', kind: 'A', metadata: { labels: { 'a b': 'x' } } },
    }),
  ],
  [
    'default embedded with unknown metadata',
    field({
      type: 'object',
      [embedded]: true,
      [preserve]: true,
      default: { apiVersion: 'v1', kind: 'A', metadata: { foo: 1 } },
    }),
  ],
  [
    'default in embedded metadata',
    field({
      type: 'object',
      [embedded]: true,
      properties: { metadata: object({ name: { type: 'string', default: 'a b' } }) },
    }),
  ],
  [
    'default in embedded additional metadata',
    field({
      type: 'object',
      [embedded]: true,
      properties: {
        metadata: object({ labels: { type: 'object', additionalProperties: { type: 'string', default: 'a' } } }),
      },
    }),
  ],
  [
    'default in embedded kind',
    field({ type: 'object', [embedded]: true, properties: { kind: { type: 'string', default: 'a b' } } }),
  ],
  ['default anyOf', field({ type: 'string', anyOf: [{ minLength: 2 }, { pattern: '^b' }], default: 'a' })],
];

/** Defaults and metadata in schemas. */
export const cases: Area = area('Schemas of definitions: defaults', (it) => {
  for (const [name, schema, version = {}] of rows) {
    it(name, async (api) => {
      const body = definition(api, { ...(schema === undefined ? {} : { schema }), version });
      await api.ask('POST', `${definitionsPath}?dryRun=All`, { body, keep: withoutGoStructs });
    });
  }
});
