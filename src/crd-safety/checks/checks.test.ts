import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sampleCrd } from '../../../test/support/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { findIncompatibilities } from '../compatibility.ts';
import { readCrd } from '../crd.ts';
import { safetyChecks, schemaChecks } from './table.ts';

/** What is found when the schema of a field changes, each as `<path>: <check>: <message>`. */
function findings(before: JsonObject, after: JsonObject): string[] {
  const of = (field: JsonObject): JsonObject => ({ type: 'object', properties: { spec: field } });
  const found = findIncompatibilities(
    readCrd(sampleCrd([{ name: 'v1', schema: of(before) }])),
    readCrd(sampleCrd([{ name: 'v1', schema: of(after) }])),
  );
  return found.map(({ text }) => text.replace('v1: ', ''));
}

interface Row {
  readonly check: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** At `^.spec`; undefined where the change is safe. */
  readonly message?: string;
}

const text = { type: 'string' };
const number = { type: 'number' };
const list = { type: 'array', items: text };
const map = { type: 'object', additionalProperties: text };
const record = { type: 'object', properties: { a: text, b: text } };

const bounds: readonly Row[] = (
  [
    ['maximum', 'minimum', number],
    ['maxItems', 'minItems', list],
    ['maxLength', 'minLength', text],
    ['maxProperties', 'minProperties', map],
  ] as const
).flatMap(([maximum, minimum, schema]): Row[] => [
  { check: maximum, before: { ...schema, [maximum]: 5 }, after: { ...schema, [maximum]: 6 } },
  { check: maximum, before: { ...schema, [maximum]: 5 }, after: schema },
  {
    check: maximum,
    before: { ...schema, [maximum]: 10 },
    after: { ...schema, [maximum]: 5 },
    message: 'maximum decreased : 10 -> 5',
  },
  {
    check: maximum,
    before: schema,
    after: { ...schema, [maximum]: 10 },
    message: 'maximum constraint added when there was none previously : 10',
  },
  { check: minimum, before: { ...schema, [minimum]: 2 }, after: { ...schema, [minimum]: 1 } },
  { check: minimum, before: { ...schema, [minimum]: 2 }, after: schema },
  {
    check: minimum,
    before: { ...schema, [minimum]: 1 },
    after: { ...schema, [minimum]: 2 },
    message: 'minimum increased : 1 -> 2',
  },
  {
    check: minimum,
    before: schema,
    after: { ...schema, [minimum]: 1 },
    message: 'minimum constraint added when there was none previously : 1',
  },
]);

const rule = (rule: string, message: string): JsonObject => ({
  ...record,
  'x-kubernetes-validations': [{ rule, message }],
});

const rows: readonly Row[] = [
  ...bounds,
  {
    check: 'maximum',
    before: { ...number, maximum: 2e6 },
    after: { ...number, maximum: 1e6 },
    message: 'maximum decreased : 2e+06 -> 1e+06',
  },
  { check: 'type', before: { type: 'integer' }, after: text, message: 'type changed : "integer" -> "string"' },
  { check: 'type', before: text, after: text },
  {
    check: 'required',
    before: record,
    after: { ...record, required: ['b', 'a'] },
    message: 'new required fields: [a b]',
  },
  { check: 'required', before: { ...record, required: ['a', 'b'] }, after: { ...record, required: ['b'] } },
  {
    check: 'enum',
    before: { ...text, enum: ['a', 'c', 'b'] },
    after: { ...text, enum: ['a'] },
    message: 'allowed enum values removed : ["b" "c"]',
  },
  {
    check: 'enum',
    before: text,
    after: { ...text, enum: ['b', 'a'] },
    message: 'enum constraint added when there was none previously : ["a" "b"]',
  },
  { check: 'enum', before: { ...text, enum: ['a'] }, after: { ...text, enum: ['b', 'a'] } },
  { check: 'enum', before: { ...text, enum: ['a'] }, after: text },
  { check: 'pattern', before: text, after: { ...text, pattern: '^a' }, message: 'pattern added : "" -> "^a"' },
  { check: 'pattern', before: { ...text, pattern: '^a' }, after: text, message: 'pattern removed : "^a" -> ""' },
  {
    check: 'pattern',
    before: { ...text, pattern: '^a' },
    after: { ...text, pattern: '^b' },
    message: 'pattern changed : "^a" -> "^b"',
  },
  { check: 'pattern', before: { ...text, pattern: '^a' }, after: { ...text, pattern: '^a' } },
  {
    check: 'default',
    before: { type: 'integer' },
    after: { type: 'integer', default: 5 },
    message: 'default added when there was none previously : "5"',
  },
  {
    check: 'default',
    before: { type: 'integer', default: 5 },
    after: { type: 'integer' },
    message: 'default value removed : "5"',
  },
  {
    check: 'default',
    before: { type: 'integer', default: 5 },
    after: { type: 'integer', default: 6 },
    message: 'default value changed : "5" -> "6"',
  },
  {
    check: 'default',
    before: { ...record, default: { a: '1', b: '2' } },
    after: { ...record, default: { b: '2', a: '1' } },
  },
  { check: 'nullable', before: text, after: { ...text, nullable: true }, message: 'nullable added : false -> true' },
  { check: 'nullable', before: { ...text, nullable: true }, after: text, message: 'nullable removed : true -> false' },
  { check: 'nullable', before: text, after: { ...text, nullable: false } },
  {
    check: 'oneOf',
    before: record,
    after: { ...record, oneOf: [{ required: ['a'] }] },
    message: 'oneOf constraint added when there was none previously',
  },
  {
    check: 'oneOf',
    before: { ...record, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    after: { ...record, oneOf: [{ required: ['a'] }] },
    message: 'allowed oneOf schemas removed: [{"required":["b"]}]',
  },
  {
    check: 'oneOf',
    before: { ...record, oneOf: [{ required: ['a'] }] },
    after: { ...record, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    message: 'allowed oneOf schemas added: [{"required":["b"]}]',
  },
  {
    check: 'oneOf',
    before: { ...record, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    after: { ...record, oneOf: [{ required: ['b'], description: 'b alone' }, { required: ['a'] }] },
  },
  {
    check: 'unhandled',
    before: text,
    after: { ...text, format: 'date' },
    message: 'unhandled changes found (Format "" -> "date")',
  },
  {
    check: 'unhandled',
    before: { ...list, 'x-kubernetes-list-type': 'set' },
    after: list,
    message: 'unhandled changes found (XListType "set" -> "")',
  },
  {
    check: 'unhandled',
    before: { ...record, anyOf: [{ required: ['a'] }] },
    after: { ...record, anyOf: [{ required: ['b'] }] },
    message: 'unhandled changes found (AnyOf <complex value> -> <complex value> (changed))',
  },
  {
    check: 'unhandled',
    before: map,
    after: { type: 'object' },
    message: 'unhandled changes found (AdditionalProperties <complex value> -> <empty>)',
  },
  {
    check: 'unhandled',
    before: record,
    after: rule('self.a != self.b', 'differ'),
    message: 'unhandled changes found (XValidations <empty> -> self.a != self.b)',
  },
  {
    check: 'unhandled',
    before: rule('self.a != self.b', 'differ'),
    after: rule('self.a > self.b', 'differ'),
    message: 'unhandled changes found (XValidations self.a != self.b -> self.a > self.b)',
  },
  { check: 'unhandled', before: rule('self.a != self.b', 'old words'), after: rule('self.a != self.b', 'new words') },
  { check: 'unhandled', before: rule('self.a != self.b', 'differ'), after: record },
  { check: 'unhandled', before: list, after: { ...list, 'x-kubernetes-list-type': 'atomic' } },
  {
    check: 'unhandled',
    before: text,
    after: { ...text, title: 't', description: 'd', example: { a: 1 }, externalDocs: { url: 'https://example.com' } },
  },
];

test.each(rows.filter(({ message }) => message !== undefined))(
  '$check refuses $before → $after',
  ({ check, before, after, message }) => {
    const own = findings(before, after).filter((finding) => finding.startsWith('^.spec: '));
    expect(own).toEqual([`^.spec: ${check}: ${message}`]);
  },
);

test.each(rows.filter(({ message }) => message === undefined))(
  '$check lets $before → $after pass',
  ({ before, after }) => {
    expect(findings(before, after)).toEqual([]);
  },
);

test('each check of a schema is tested both ways, and has a unique name', () => {
  const names = safetyChecks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name } of schemaChecks) {
    const own = rows.filter(({ check }) => check === name);
    expect([
      name,
      own.some(({ message }) => message === undefined),
      own.some(({ message }) => message !== undefined),
    ]).toEqual([name, true, true]);
  }
});

const placeRows: readonly [string, JsonObject, JsonObject, string[]][] = [
  [
    'a field below a field',
    { type: 'object', properties: { a: record } },
    { type: 'object', properties: { a: { ...record, properties: { a: text } } } },
    ['existingFieldRemoval: removed field : v1.^.spec.a.b'],
  ],
  [
    'the items of a list',
    { type: 'array', items: { type: 'object', properties: { a: text } } },
    { type: 'array', items: { type: 'object', properties: { a: number } } },
    ['^.spec.items.a: type: type changed : "string" -> "number"'],
  ],
  [
    'the values of a map',
    map,
    { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
    ['^.spec.additionalProperties: maxLength: maximum constraint added when there was none previously : 3'],
  ],
  [
    'a bound below not, which is named at both places',
    { ...number, not: { maximum: 5 } },
    { ...number, not: { maximum: 4 } },
    [
      '^.spec: unhandled: unhandled changes found (Not <complex value> -> <complex value> (changed))',
      '^.spec.not: maximum: maximum decreased : 5 -> 4',
    ],
  ],
  ['a new field', record, { type: 'object', properties: { ...record.properties, c: { ...text, enum: ['x'] } } }, []],
  [
    'a new field where unknown fields were kept',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { c: text } },
    ['^.spec.c: type: type changed : "" -> "string"'],
  ],
  [
    'the name of an object within',
    { type: 'object', 'x-kubernetes-embedded-resource': true },
    {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 9 } } } },
    },
    ['^.spec.metadata.name: maxLength: maximum constraint added when there was none previously : 9'],
  ],
];
const places = placeRows.map(([place, before, after, expected]) => ({ place, before, after, expected }));

test.each(places)('the path of $place is reported', ({ before, after, expected }) => {
  expect(findings(before, after)).toEqual(expected);
});

test('the documentation lists all checks', async () => {
  const text = await readFile(new URL('../../../docs/crd-safety.md', import.meta.url), 'utf8');
  const listed = text.split('\n').filter((line) => line.startsWith('| `'));
  expect(listed).toEqual(safetyChecks.map(({ name, refuses }) => `| \`${name}\` | ${refuses} |`));
});
