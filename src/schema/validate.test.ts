import { expect, test } from 'vitest';
import { pruneUnknown } from '../../apiserver/schema/prune.ts';
import type { JsonValue } from '../base/index.ts';
import { compileDefaults } from './defaults.ts';
import { compileListTypes } from './list-types.ts';
import { type Schema } from './schema.ts';
import { compileSchema } from './validate.ts';

const text: Schema = { type: 'string' };
const spec: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: '^a+$' },
    n32: { type: 'integer', format: 'int32', minimum: 1 },
    num: { type: 'number', multipleOf: 5, maximum: 9, exclusiveMaximum: true },
    dt: { type: 'string', format: 'date-time' },
    ip: { type: 'string', format: 'ipv4' },
    ios: { 'x-kubernetes-int-or-string': true },
    ios2: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    en: { type: 'string', enum: ['a', 'b'], nullable: true },
    eni: { type: 'integer', enum: [1, 2] },
    list: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 2 },
    m: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1, maxProperties: 2 },
    src: {
      type: 'object',
      properties: { a: { type: 'object', required: ['x'], properties: { x: text } }, b: text },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    any: { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    al: { type: 'object', properties: { a: text, b: text }, allOf: [{ required: ['a'] }, { required: ['b'] }] },
    nt: { type: 'object', properties: { a: text }, not: { required: ['a'] } },
    ls: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    lm: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: text, v: { type: 'string', maxLength: 1 } } },
    },
  },
};
const root: Schema = { type: 'object', properties: { spec } };

const compiled = compileSchema(root);

function texts(value: JsonValue, old?: JsonValue): string[] {
  const object = { spec: value };
  const options = old === undefined ? {} : { old: { spec: old } };
  const errors = [...compiled.validate(object, options), ...(compileListTypes(root)?.(object, '') ?? [])];
  return errors.map((error) => `${error.field}: ${error.message}`);
}

/** Printed by a kube-apiserver 1.33.4 for the same schema and value. */
const rows: { name: string; value: JsonValue; errors: string[] }[] = [
  {
    name: 'pattern',
    value: { name: 'b' },
    errors: [`spec.name: Invalid value: "b": spec.name in body should match '^a+$'`],
  },
  { name: 'required', value: {}, errors: ['spec.name: Required value'] },
  {
    name: 'not an object',
    value: 'x',
    errors: ['spec: Invalid value: "string": spec in body must be of type object: "string"'],
  },
  {
    name: 'text for integer',
    value: { name: 'a', n32: 'x' },
    errors: ['spec.n32: Invalid value: "string": spec.n32 in body must be of type integer: "string"'],
  },
  {
    name: 'fraction for integer',
    value: { name: 'a', n32: 1.5 },
    errors: ['spec.n32: Invalid value: "number": spec.n32 in body must be of type integer: "number"'],
  },
  {
    name: 'minimum',
    value: { name: 'a', n32: 0 },
    errors: ['spec.n32: Invalid value: 0: spec.n32 in body should be greater than or equal to 1'],
  },
  {
    name: 'multipleOf',
    value: { name: 'a', num: 3 },
    errors: ['spec.num: Invalid value: 3: spec.num in body should be a multiple of 5'],
  },
  {
    name: 'exclusive maximum',
    value: { name: 'a', num: 10 },
    errors: ['spec.num: Invalid value: 10: spec.num in body should be less than 9'],
  },
  {
    name: 'number for date',
    value: { name: 'a', dt: 5 },
    errors: ['spec.dt: Invalid value: "int64": spec.dt in body must be of type date-time: "int64"'],
  },
  {
    name: 'object for date',
    value: { name: 'a', dt: {} },
    errors: ['spec.dt: Invalid value: "": spec.dt in body must be of type date-time: ""'],
  },
  {
    name: 'no address',
    value: { name: 'a', ip: 'x' },
    errors: ['spec.ip: Invalid value: "x": spec.ip in body must be of type ipv4: "x"'],
  },
  {
    name: 'fraction for int-or-string',
    value: { name: 'a', ios: 1.5 },
    errors: ['spec.ios: Invalid value: "number": spec.ios in body must be of type integer,string: "number"'],
  },
  {
    name: 'boolean for int-or-string with branches',
    value: { name: 'a', ios2: true },
    errors: [
      'spec.ios2: Invalid value: "boolean": spec.ios2 in body must be of type integer,string: "boolean"',
      '<nil>: Invalid value: "": "spec.ios2" must validate at least one schema (anyOf)',
      'spec.ios2: Invalid value: "boolean": spec.ios2 in body must be of type integer: "boolean"',
    ],
  },
  {
    name: 'enum',
    value: { name: 'a', en: 'z' },
    errors: ['spec.en: Unsupported value: "z": supported values: "a", "b"'],
  },
  {
    name: 'enum of null',
    value: { name: 'a', en: null },
    errors: ['spec.en: Unsupported value: "null": supported values: "a", "b"'],
  },
  {
    name: 'enum of numbers',
    value: { name: 'a', eni: 5 },
    errors: ['spec.eni: Unsupported value: 5: supported values: "1", "2"'],
  },
  {
    name: 'too few items',
    value: { name: 'a', list: [] },
    errors: ['spec.list: Invalid value: 0: spec.list in body should have at least 1 items'],
  },
  {
    name: 'too many items and a short one',
    value: { name: 'a', list: ['', 'a', 'b'] },
    errors: [
      'spec.list[0]: Invalid value: "": spec.list[0] in body should be at least 1 chars long',
      'spec.list: Too many: 3: must have at most 2 items',
    ],
  },
  {
    name: 'null item',
    value: { name: 'a', list: [null] },
    errors: ['spec.list[0]: Invalid value: "null": spec.list[0] in body must be of type string: "null"'],
  },
  {
    name: 'too few properties',
    value: { name: 'a', m: {} },
    errors: ['spec.m: Invalid value: 0: spec.m in body should have at least 1 properties'],
  },
  {
    name: 'oneOf none',
    value: { name: 'a', src: {} },
    errors: [
      '<nil>: Invalid value: "": "spec.src" must validate one and only one schema (oneOf). Found none valid',
      'spec.src.a: Required value',
    ],
  },
  {
    name: 'oneOf two',
    value: { name: 'a', src: { a: { x: 'y' }, b: 'x' } },
    errors: [
      '<nil>: Invalid value: "": "spec.src" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  },
  {
    name: 'anyOf',
    value: { name: 'a', any: {} },
    errors: [
      '<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)',
      'spec.any.a: Required value',
    ],
  },
  {
    name: 'allOf',
    value: { name: 'a', al: {} },
    errors: [
      'spec.al.a: Required value',
      'spec.al.b: Required value',
      '<nil>: Invalid value: "": "spec.al" must validate all the schemas (allOf). None validated',
    ],
  },
  {
    name: 'not',
    value: { name: 'a', nt: { a: 'x' } },
    errors: ['<nil>: Invalid value: "": "spec.nt" must not validate the schema (not)'],
  },
  { name: 'set', value: { name: 'a', ls: ['a', 'b', 'a'] }, errors: ['spec.ls[2]: Duplicate value: "a"'] },
  {
    name: 'list map',
    value: { name: 'a', lm: [{ name: 'a' }, { name: 'a' }] },
    errors: ['spec.lm[1]: Duplicate value: map[string]interface {}{"name":"a"}'],
  },
];

test.each(rows)('refuses: $name', ({ value, errors }) => expect(texts(value)).toEqual(errors));

test('an unchanged part is not checked again on update, a changed one is', () => {
  const old = { name: 'b', lm: [{ name: 'x', v: 'long' }] };
  expect(texts({ ...old, n32: 5 }, old)).toEqual([]);
  expect(texts({ ...old, lm: [{ name: 'y' }, { name: 'x', v: 'long' }] }, old)).toEqual([]);
  expect(texts({ ...old, name: 'c' }, old)).toHaveLength(1);
});

test('a pattern that explodes does not hang', () => {
  const begin = performance.now();
  for (const pattern of ['^(a+)+$', 'a*a*b']) {
    expect(compileSchema({ type: 'string', pattern }).validate(`${'a'.repeat(60_000)}!`)).toHaveLength(1);
  }
  expect(performance.now() - begin).toBeLessThan(2000);
});

test('patterns in Go syntax are understood', () => {
  const check = (pattern: string, value: string): number =>
    compileSchema({ type: 'string', pattern }).validate(value).length;
  expect(check('(?i)^ABC$', 'abc')).toBe(0);
  expect(check('^(?P<x>[[:alpha:]]+)\\z', 'abc')).toBe(0);
  expect(check('^[a-z\\-_]+$', 'a-b')).toBe(0);
  expect(check('^\\pL+$', 'é')).toBe(0);
});

test('unknown fields are pruned and named, but not where they are preserved', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'object', properties: { a: text } } },
      free: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { known: { type: 'object', properties: {} } },
      },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } },
    },
  };
  const value = {
    list: [{ a: 'x', b: 1 }],
    free: { x: { y: 1 }, known: { z: 1 } },
    map: { k: { a: 'x', q: 1 } },
    other: 1,
  };
  expect(pruneUnknown(value, schema)).toEqual(['list[0].b', 'free.known.z', 'map.k.q', 'other']);
  expect(value).toEqual({ list: [{ a: 'x' }], free: { x: { y: 1 }, known: {} }, map: { k: { a: 'x' } } });
});

test('defaults fill what is absent or wrongly null', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      a: { type: 'integer', default: 1 },
      nul: { type: 'string', nullable: true, default: 'x' },
      gone: { type: 'string' },
      deep: { type: 'object', default: {}, properties: { b: { type: 'string', default: 'y' } } },
      absent: { type: 'object', properties: { c: { type: 'string', default: 'z' } } },
    },
  };
  const value: JsonValue = { a: null, nul: null, gone: null };
  compileDefaults(schema)(value);
  expect(value).toEqual({ a: 1, nul: null, deep: { b: 'y' } });
});
