import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleCrd } from '../../test/support/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import { compileDefaults, compileListTypes, compileSchema, type Schema } from '../schema/index.ts';
import { findIncompatibilities } from './compatibility.ts';
import { readCrd } from './crd.ts';

const names = ['a', 'b', 'c'];
const texts = ['', 'x', 'yy', 'zzz'];
const small = fc.integer({ min: 0, max: 3 });

function maybe<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined, freq: 2 });
}

/** A schema as the API server takes it: members that are undefined are not there. */
function schemaOf(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  return fc.record(members).map((schema) => JSON.parse(JSON.stringify(schema)) as JsonObject);
}

const isNullable = maybe(fc.constant(true));
const textSchema = schemaOf({
  type: fc.constant('string'),
  nullable: isNullable,
  minLength: maybe(small),
  maxLength: maybe(small),
  enum: maybe(fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 })),
  pattern: maybe(fc.constantFrom('^x', 'y+', '^z*$')),
});
const numberSchema = schemaOf({
  type: fc.constantFrom('integer', 'number'),
  nullable: isNullable,
  minimum: maybe(small),
  maximum: maybe(small),
  multipleOf: maybe(fc.constantFrom(1, 2)),
});
const anySchema = schemaOf({
  'x-kubernetes-int-or-string': maybe(fc.constant(true)),
  'x-kubernetes-preserve-unknown-fields': fc.constant(true),
});

/** Value validations as they may stand below `anyOf` and its like. */
const branch = fc.oneof(
  fc.record({ required: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }) }),
  fc.record({ minProperties: small }),
  fc.record({ maxProperties: small }),
) as fc.Arbitrary<JsonObject>;
const branches = maybe(fc.array(branch, { minLength: 1, maxLength: 2 }));

const { schema: schemas } = fc.letrec<{ schema: JsonObject }>((tie) => {
  const list = schemaOf({
    type: fc.constant('array'),
    items: tie('schema'),
    minItems: maybe(small),
    maxItems: maybe(small),
    'x-kubernetes-list-type': maybe(fc.constantFrom('atomic', 'set')),
  });
  const map = schemaOf({
    type: fc.constant('object'),
    additionalProperties: tie('schema'),
    minProperties: maybe(small),
    maxProperties: maybe(small),
  });
  const record = schemaOf({
    type: fc.constant('object'),
    properties: fc.dictionary(fc.constantFrom(...names), tie('schema'), { maxKeys: 3 }),
    required: maybe(fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 })),
    'x-kubernetes-preserve-unknown-fields': maybe(fc.constant(true)),
    anyOf: branches,
    oneOf: branches,
    not: maybe(branch),
  });
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      textSchema,
      numberSchema,
      anySchema,
      list,
      map,
      record,
    ),
  };
});

function objectOr(value: JsonValue | undefined, instead: JsonObject): JsonObject {
  return isJsonObject(value) ? value : instead;
}

/** Another schema made of a schema by a few edits: a keyword is dropped, changed to that of another, or a field comes or goes. */
function edited(schema: JsonObject, other: JsonObject, choices: readonly number[]): JsonObject {
  const [choice = 0, ...rest] = choices;
  const keywords = [...new Set([...Object.keys(schema), ...Object.keys(other)])];
  const keyword = keywords[choice % Math.max(1, keywords.length)];
  if (keyword === undefined) return schema;
  const { [keyword]: mine, ...others } = schema;
  const changed = editedKeyword(keyword, [mine, other[keyword]], rest);
  return changed === undefined ? others : { ...others, [keyword]: changed };
}

function editedKeyword(
  keyword: string,
  [mine, theirs]: readonly [JsonValue | undefined, JsonValue | undefined],
  choices: readonly number[],
): JsonValue | undefined {
  if (typeof mine === 'number') return Math.max(0, mine + (choices.length % 2 === 0 ? 1 : -1));
  if (!isJsonObject(mine) || keyword === 'not') return theirs;
  return keyword === 'properties'
    ? editedProperties(mine, objectOr(theirs, {}), choices)
    : edited(mine, objectOr(theirs, {}), choices);
}

function editedProperties(mine: JsonObject, theirs: JsonObject, choices: readonly number[]): JsonObject {
  const [choice = 0, ...rest] = choices;
  const name = names[choice % names.length] ?? 'a';
  const [old, other] = [mine[name], theirs[name] ?? { type: 'string', maxLength: 1 }];
  if (isJsonObject(old) && rest.length > 0)
    return { ...mine, [name]: edited(old, isJsonObject(other) ? other : {}, rest) };
  return { ...mine, [name]: other };
}

const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...texts),
    small,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, 'unknown'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

function textTowards(choices: readonly JsonValue[], seed: number): JsonValue {
  return choices[seed % choices.length] ?? '';
}

/** A value that has a good chance to satisfy the schema: its members are of the types that the schema names. */
function towards(schema: Schema, value: JsonValue, seed: number): JsonValue {
  if (schema.nullable === true && seed % 5 === 0) return null;
  switch (schema.type) {
    case 'string':
      return textTowards(schema.enum ?? texts, seed);
    case 'integer':
    case 'number':
      return seed % 4;
    case 'array':
      return Array.from({ length: seed % 4 }, (_, index) => towards(schema.items ?? {}, value, seed + index));
    case 'object':
      return objectTowards(schema, value, seed);
    default:
      return value;
  }
}

function objectTowards(schema: Schema, value: JsonValue, seed: number): JsonObject {
  const { additionalProperties, properties = {} } = schema;
  const isChosen = (_field: unknown, index: number): boolean => (seed >> index) % 2 === 0 || seed % 3 === 0;
  const members =
    typeof additionalProperties === 'object'
      ? names.slice(0, seed % 4).map((name): [string, Schema] => [name, additionalProperties])
      : Object.entries(properties).filter(isChosen);
  const made = members.map(([name, field], index) => [name, towards(field, value, seed + index)]);
  const extra = schema['x-kubernetes-preserve-unknown-fields'] === true && isJsonObject(value) ? value : {};
  return { ...extra, ...Object.fromEntries(made) } as JsonObject;
}

/** As it is stored: fields that the schema does not know are not. */
function pruned(schema: Schema, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => pruned(schema.items ?? {}, item));
  if (!isJsonObject(value)) return value;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const { properties = {}, additionalProperties } = schema;
  const members = Object.entries(value).flatMap(([name, member]): [string, JsonValue][] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (member === undefined) return [];
    if (typeof field === 'object') return [[name, pruned(field, member)]];
    return keepsUnknown ? [[name, member]] : [];
  });
  return Object.fromEntries(members);
}

function isValid(schema: Schema, value: JsonValue): boolean {
  const copy = structuredClone(value);
  compileDefaults(schema)(copy);
  const isFree = (compileListTypes(schema)?.(copy, '') ?? []).length === 0;
  return isFree && compileSchema(schema).validate(copy).length === 0;
}

function whole(spec: JsonObject): Schema {
  return { type: 'object', properties: { spec } } as unknown as Schema;
}

const cases = fc.record({
  spec: schemas,
  other: schemas,
  edits: fc.array(fc.nat({ max: 50 }), { maxLength: 5 }),
  value: values,
  seeds: fc.array(fc.nat({ max: 1000 }), { minLength: 8, maxLength: 8 }),
});

function isSafe(before: Schema, after: Schema): boolean {
  const crdOf = (schema: Schema) => readCrd(sampleCrd([{ name: 'v1', schema: schema as unknown as JsonObject }]));
  return findIncompatibilities(crdOf(before), crdOf(after)).length === 0;
}

/** An object as a cluster has it: pruned by the schema that it was written by. */
function storedObject(schema: Schema, spec: JsonValue): JsonObject {
  const known = { apiVersion: 'v1', kind: 'Sample', metadata: { name: 'x', namespace: 'default' } };
  return { ...objectOr(pruned(schema, { ...known, spec }), {}), ...known };
}

test('Q24 a change that passes the checks makes no valid object invalid', () => {
  let safe = 0;
  let compared = 0;
  fc.assert(
    fc.property(cases, ({ spec, other, edits, value, seeds }) => {
      const [before, after] = [whole(spec), whole(edited(spec, other, edits))];
      if (!isSafe(before, after)) return;
      safe += 1;
      for (const seed of seeds) {
        const stored = storedObject(before, towards(spec as unknown as Schema, value, seed));
        if (!isValid(before, stored)) continue;
        compared += 1;
        expect(isValid(after, stored) ? '' : JSON.stringify({ before, after, stored })).toBe('');
      }
    }),
    { numRuns: 4000 },
  );
  expect(safe).toBeGreaterThan(400);
  expect(compared).toBeGreaterThan(400);
});
