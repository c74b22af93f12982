import { establish, thing } from '../definitions.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const text = { type: 'string' };
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text,
        integer: { type: 'integer' },
        int32: { type: 'integer', format: 'int32' },
        int64: { type: 'integer', format: 'int64' },
        number: { type: 'number' },
        float: { type: 'number', format: 'float' },
        on: { type: 'boolean' },
        list: { type: 'array', items: text },
        object: { type: 'object', properties: { a: text } },
        map: { type: 'object', additionalProperties: { type: 'integer' } },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        either: { 'x-kubernetes-int-or-string': true },
        eitherAnyOf: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        nullable: { type: 'string', nullable: true },
        nullableEnum: { type: 'string', nullable: true, enum: ['a'] },
        nullableInteger: { type: 'integer', nullable: true, minimum: 1 },
        date: { type: 'string', format: 'date' },
        needs: { type: 'object', required: ['a', 'b'], properties: { a: text, b: text } },
        enum: { type: 'string', enum: ['a', 'b'] },
        enumOfNumbers: { type: 'integer', enum: [1, 2] },
        enumOfObjects: { type: 'object', enum: [{ a: 'x' }], properties: { a: text } },
        pattern: { type: 'string', pattern: '^a+$' },
        short: { type: 'string', maxLength: 5, minLength: 2 },
        one: { type: 'string', maxLength: 1 },
        positive: { type: 'integer', minimum: 1, maximum: 9 },
        between: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
        fraction: { type: 'integer', minimum: 1.5, maximum: 3.5 },
        large: { type: 'number', maximum: 2_000_000.5 },
        multiple: { type: 'integer', multipleOf: 5 },
        multipleOfFraction: { type: 'number', multipleOf: 0.1 },
        few: { type: 'array', items: text, minItems: 1, maxItems: 2 },
        fewMembers: { type: 'object', additionalProperties: text, minProperties: 1, maxProperties: 2 },
        closed: { type: 'object', additionalProperties: false },
        items: {
          type: 'array',
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
        },
        lists: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
        mapOfObjects: {
          type: 'object',
          additionalProperties: { type: 'object', required: ['a'], properties: { a: text } },
        },
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
};

const group = (...values: object[]): readonly object[] => values;

/** Values of `spec`, several a case. */
const rows: Readonly<Record<string, readonly object[]>> = {
  'CR-09 text where something else is': group(
    { text: 1 },
    { text: true },
    { text: 1.5 },
    { text: {} },
    { text: [] },
    { text: 'é' },
  ),
  'CR-09 integers where something else is': group(
    { integer: 'x' },
    { integer: 1.5 },
    { integer: true },
    { integer: {} },
    { integer: [] },
    { integer: 1e3 },
  ),
  'integers with formats': group(
    { int32: 2 ** 31 },
    { int32: 'x' },
    { int32: 1.5 },
    { int32: true },
    { int64: 2 ** 53 },
    { int64: 'x' },
  ),
  'numbers where something else is': group(
    { number: 'x' },
    { number: true },
    { number: 1 },
    { number: 1e300 },
    { float: 'x' },
    { float: 1e300 },
  ),
  'booleans where something else is': group({ on: 'true' }, { on: 1 }, { on: {} }),
  'lists where something else is': group(
    { list: 'x' },
    { list: {} },
    { list: [1] },
    { list: ['a', null] },
    { list: ['a', ['b']] },
  ),
  'objects where something else is': group(
    { object: 'x' },
    { object: [] },
    { object: 1 },
    { object: { a: 1 } },
    { map: { a: 'x' } },
    { map: ['x'] },
  ),
  'CR-42 integers or texts': group(
    { either: 1 },
    { either: '1' },
    { either: 1.5 },
    { either: true },
    { either: {} },
    { either: null },
    { eitherAnyOf: 1.5 },
    { eitherAnyOf: [] },
  ),
  'anything where nothing is specified': group({ any: 1 }, { any: 'x' }, { any: [1, { a: null }] }, { any: null }),
  'CR-08 null': group(
    { text: null },
    { integer: null },
    { list: null },
    { object: null },
    { nullable: null },
    { nullableEnum: null },
    { nullableInteger: null },
    { nullableInteger: 0 },
  ),
  'a text with a format where something else is': group(
    { date: 1 },
    { date: 1.5 },
    { date: true },
    { date: {} },
    { date: [] },
    { date: 'x' },
  ),
  'CR-10 what is required': group(
    { needs: {} },
    { needs: { a: 'x' } },
    { needs: { a: null, b: 'x' } },
    { items: [{}] },
    { items: [{ name: '' }] },
    { mapOfObjects: { x: {} } },
  ),
  'CR-11 an enum': group(
    { enum: 'z' },
    { enum: '' },
    { enum: 1 },
    { enumOfNumbers: 3 },
    { enumOfNumbers: '1' },
    { enumOfObjects: { a: 'x' } },
    { enumOfObjects: { a: 'y' } },
  ),
  'CR-12 a pattern': group({ pattern: 'b' }, { pattern: 'aaa' }, { pattern: 'a"\n' }),
  'CR-13 lengths': group(
    { short: 'aaaaaa' },
    { short: 'a' },
    { short: '' },
    { short: 'ééééé' },
    { one: '😀' },
    { one: 'ab' },
  ),
  'bounds of integers': group(
    { positive: 0 },
    { positive: 10 },
    { positive: -5 },
    { fraction: 1 },
    { fraction: 4 },
    { fraction: 2 },
  ),
  'bounds of numbers': group(
    { between: 1 },
    { between: 9 },
    { between: 0.5 },
    { between: 9.5 },
    { large: 3_000_000 },
    { large: 3_000_000.25 },
  ),
  multiples: group(
    { multiple: 7 },
    { multiple: 10 },
    { multipleOfFraction: 0.25 },
    { multipleOfFraction: 0.3 },
    { multipleOfFraction: 1 },
  ),
  'CR-14 numbers of items': group({ few: [] }, { few: ['a', 'b', 'c'] }),
  'numbers of members': group({ fewMembers: {} }, { fewMembers: { a: 'x', b: 'x', c: 'x' } }),
  'members where none may be': group({ closed: {} }, { closed: { a: 1 } }, { closed: { a: { b: 1 } } }),
  'deeper values': group(
    { lists: [[1], ['x']] },
    { lists: [1] },
    { items: [{ name: 'a' }, 'x'] },
    { mapOfObjects: { x: { a: 1 } } },
    { mapOfObjects: { 'a.b/c': 1 } },
  ),
};

async function create(api: Probe, things: string, spec: object): Promise<void> {
  await api.ask('POST', `${things}?dryRun=All`, {
    body: thing(api, 'x', { spec }),
    keep: (body) => {
      const found = body as { readonly kind?: string; readonly spec?: unknown };
      return found.kind === 'Status' ? body : found.spec;
    },
  });
}

/** What values a schema takes, and how it refuses others. */
export const cases: Area = area('Values of custom resources', (it) => {
  for (const [name, values] of Object.entries(rows)) {
    it(name, async (api) => {
      const { things } = await establish(api, { schema });
      for (const spec of values) await create(api, things, spec);
    });
  }

  it('values of the whole', async (api) => {
    const { things } = await establish(api, { schema });
    for (const rest of [{ spec: 1 }, { spec: [] }, { spec: null }, { status: { phase: 1 } }, { status: 'x' }]) {
      await api.ask('POST', `${things}?dryRun=All`, { body: thing(api, 'x', rest), keep: (body) => body });
    }
  });
});
