import { establish, thing } from '../definitions.ts';
import { type Area, area } from '../suite.ts';

const text = { type: 'string' };
const ab = (rest: object): object => ({
  type: 'object',
  properties: { a: text, b: text, c: { type: 'integer' } },
  ...rest,
});
const source = {
  type: 'object',
  properties: { git: { type: 'object', required: ['url'], properties: { url: text } }, image: text },
  oneOf: [{ required: ['git'] }, { required: ['image'] }],
};

type Rows = readonly (readonly [name: string, schema: object, ...values: unknown[]])[];

const rows: Rows = [
  ['anyOf', ab({ anyOf: [{ required: ['a'] }, { required: ['b'] }] }), {}, { a: 'x' }, { a: 'x', b: 'y' }, { c: 1 }],
  ['CR-15 oneOf', ab({ oneOf: [{ required: ['a'] }, { required: ['b'] }] }), {}, { a: 'x' }, { a: 'x', b: 'y' }],
  ['allOf', ab({ allOf: [{ required: ['a'] }, { required: ['b'] }] }), {}, { a: 'x' }, { a: 'x', b: 'y' }],
  ['not', ab({ not: { required: ['a'] } }), {}, { a: 'x' }],
  ['anyOf of values', { type: 'string', anyOf: [{ minLength: 5 }, { pattern: '^b' }] }, 'a', 'b', 'aaaaa', 1],
  ['oneOf of values', { type: 'integer', oneOf: [{ minimum: 5 }, { multipleOf: 2 }, { maximum: -5 }] }, 1, 6, 4, -7],
  ['allOf of values', { type: 'integer', allOf: [{ minimum: 5 }, { multipleOf: 2 }] }, 1, 6, 7, 2],
  ['not of values', { type: 'string', not: { enum: ['a', 'b'] } }, 'a', 'c'],
  ['not not', { type: 'string', not: { not: { enum: ['a', 'b'] } } }, 'a', 'c'],
  [
    'anyOf of properties',
    ab({ anyOf: [{ properties: { a: { enum: ['x'] } } }, { properties: { c: { minimum: 5 } }, required: ['c'] }] }),
    { a: 'y' },
    { a: 'y', c: 1 },
    { a: 'y', c: 7 },
  ],
  [
    'oneOf of properties',
    ab({ oneOf: [{ properties: { a: { minLength: 3 } } }, { properties: { b: { minLength: 3 } } }] }),
    { a: 'x', b: 'y' },
    { a: 'xxx', b: 'yyy' },
    { a: 'xxx', b: 'y' },
  ],
  [
    'anyOf in oneOf',
    { type: 'string', oneOf: [{ anyOf: [{ minLength: 5 }, { pattern: '^b' }] }, { maxLength: 2 }] },
    'aaa',
    'bbb',
    'b',
  ],
  [
    'anyOf of items',
    { type: 'array', items: text, anyOf: [{ minItems: 2 }, { items: { enum: ['x'] } }] },
    ['a'],
    ['x'],
    ['a', 'b'],
  ],
  [
    'a union of sources',
    source,
    {},
    { git: {} },
    { image: 'x', git: { url: 'y' } },
    { image: 'x' },
    { git: { url: 1 } },
  ],
  ['a failing branch beside a failing type', { type: 'string', anyOf: [{ minLength: 2 }] }, 1, null, 'a'],
  ['equal branches', { type: 'string', allOf: [{ minLength: 3 }, { minLength: 3 }], minLength: 3 }, 'a'],
  ['branches of formats', { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] }, 'x', '1.2.3.4', '::1'],
  ['branches of nothing', { type: 'string', anyOf: [{}], oneOf: [{}], allOf: [{}] }, 'x'],
  ['not anything', { type: 'string', not: {} }, 'x'],
];

/** Schemas that combine others. */
export const cases: Area = area('Combined schemas of custom resources', (it) => {
  for (const [name, x, ...values] of rows) {
    it(name, async (api) => {
      const schema = { type: 'object', properties: { spec: { type: 'object', properties: { x } } } };
      const { things } = await establish(api, { schema });
      for (const value of values) {
        await api.ask('POST', `${things}?dryRun=All`, {
          body: thing(api, 'x', { spec: { x: value } }),
          keep: (body) => ((body as { readonly kind?: string }).kind === 'Status' ? body : null),
        });
      }
    });
  }
});
