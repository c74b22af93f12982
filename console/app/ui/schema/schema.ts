/** The part of JSON Schema that forms show. What else a schema asks for, the server checks. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

export type Value = unknown;
export type Values = Readonly<Record<string, Value>>;
/** What is wrong, by the path of the field: `env.0.name`. */
export type FieldErrors = ReadonlyMap<string, string>;

/** How a field is edited. */
export type FieldKind = 'object' | 'map' | 'list' | 'texts' | 'choice' | 'flag' | 'number' | 'text' | 'other';

const maxPatternLength = 200;
/** How long a value may be that a pattern is tried on, by the number of its repetitions: how many ways there are to match grows with both. */
const checkedLengths: readonly (readonly [number, number])[] = [
  [3, 256],
  [12, 16],
];

/** The type of a schema, without `null`. */
export function typeOf({ type, properties, items, enum: choices }: Schema): string {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== undefined && one !== 'null');
  const [first] = types as readonly string[];
  if (first !== undefined) return first;
  if (properties !== undefined) return 'object';
  if (items !== undefined) return 'array';
  return choices === undefined ? '' : 'string';
}

/** Whether a value is an object. */
export function isValues(value: Value): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How a field is edited. */
export function fieldKind(schema: Schema): FieldKind {
  const type = typeOf(schema);
  if (schema.enum !== undefined) return 'choice';
  if (type === 'object') {
    if (Object.keys(schema.properties ?? {}).length > 0) return 'object';
    const values = schema.additionalProperties;
    return isValues(values) && typeOf(values as Schema) === 'string' ? 'map' : 'other';
  }
  if (type === 'array') return typeOf(schema.items ?? {}) === 'object' ? 'list' : 'texts';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' ? 'text' : 'other';
}

/** Patterns come with catalogs and charts too: one that may run for ever on a value is left to the server. */
function patternFor({ pattern = '' }: Schema, value: string): RegExp | undefined {
  if (pattern === '' || pattern.length > maxPatternLength || /\)[*+{]/.test(pattern)) return undefined;
  const repetitions = pattern.match(/[*+?{]/g)?.length ?? 0;
  const [, length = 0] = checkedLengths.find(([most]) => repetitions <= most) ?? [];
  if (value.length > length) return undefined;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

function textProblem(schema: Schema, value: string): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minLength) return minLength === 1 ? 'must not be empty' : `at least ${minLength} characters`;
  if (value.length > maxLength) return `at most ${maxLength} characters`;
  const isWrong = patternFor(schema, value)?.test(value) === false;
  return isWrong ? `does not match ${schema.pattern ?? ''}` : '';
}

function numberProblem(schema: Schema, value: Value): string {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (typeof value !== 'number' || Number.isNaN(value)) return 'must be a number';
  if (typeOf(schema) === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
  if (value < minimum) return `must be ${minimum} or more`;
  return value > maximum ? `must be ${maximum} or less` : '';
}

const join = (path: string, key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);

function objectErrors(schema: Schema, value: Values, path: string): readonly (readonly [string, string])[] {
  const missing = (schema.required ?? []).filter((key) => value[key] === undefined || value[key] === '');
  const found = Object.entries(schema.properties ?? {}).flatMap(([key, one]) => [
    ...fieldErrors(one, value[key], join(path, key)),
  ]);
  return [...found, ...missing.map((key) => [join(path, key), 'is required'] as const)];
}

function valueErrors(schema: Schema, value: Value, path: string): readonly (readonly [string, string])[] {
  const one = (text: string): readonly (readonly [string, string])[] => (text === '' ? [] : [[path, text]]);
  switch (fieldKind(schema)) {
    case 'object':
      return isValues(value) ? objectErrors(schema, value, path) : one('must be an object');
    case 'list':
    case 'texts':
      return Array.isArray(value)
        ? value.flatMap((item: Value, index) => [...fieldErrors(schema.items ?? {}, item, join(path, index))])
        : one('must be a list');
    case 'choice':
      return schema.enum?.includes(value) === true ? [] : one(`must be one of ${schema.enum?.join(', ') ?? ''}`);
    case 'number':
      return one(numberProblem(schema, value));
    case 'text':
      return one(typeof value === 'string' ? textProblem(schema, value) : 'must be a text');
    default:
      return [];
  }
}

/** What is wrong with a value; nothing with one that is not set. */
export function fieldErrors(schema: Schema, value: Value, path = ''): FieldErrors {
  return new Map(value === undefined ? [] : valueErrors(schema, value, path));
}

/** An object with another member; without it where the value is unset, so that nothing is written that no one chose. */
export function withMember(values: Values, key: string, value: Value): Values {
  const isUnset =
    value === undefined ||
    value === '' ||
    (isValues(value) && Object.keys(value).length === 0) ||
    (Array.isArray(value) && value.length === 0);
  const { [key]: _before, ...rest } = values;
  return isUnset ? rest : { ...rest, [key]: value };
}
