import {
  basicTypes,
  type CelType,
  listType,
  mapType,
  type Range,
  type Structs,
  structType,
} from '../../../src/cel/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import { limits } from './limits.ts';
import { escapeName, unescapeName } from './property-names.ts';

/** What expressions know of a schema: its type and how large its values may be. */
export interface DeclaredType {
  readonly type: CelType;
  /** Of an object, by the names that expressions use. Each is declared when it is asked for: rules on every level of a deep schema would otherwise
   *  declare all that is below again and again. */
  readonly fields: { get(name: string): DeclaredType | undefined } | undefined;
  /** Of a list or map. */
  readonly element: DeclaredType | undefined;
  readonly maxElements: number;
  /** The fewest bytes that a value takes in JSON. */
  readonly minSize: number;
}

const textSize = 2;
const maxTextLength = limits.requestBytes - 2;

function simple(type: CelType, minSize: number, maxElements = 0): DeclaredType {
  return { type, minSize, maxElements, fields: undefined, element: undefined };
}

/** An object with the metadata that expressions may always read. */
export function withObjectMeta(schema: Schema): Schema {
  const text: Schema = { type: 'string' };
  const metadata: Schema = { type: 'object', properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata } };
}

const formats: Readonly<Record<string, readonly [CelType, number, number]>> = {
  duration: [basicTypes.duration, 3, 32],
  date: [basicTypes.timestamp, 12, 12],
  'date-time': [basicTypes.timestamp, 21, 32],
};

function notNegative(value: number): number {
  return Math.max(0, value);
}

function textType(schema: Schema): DeclaredType {
  const { format = '', maxLength } = schema;
  const special = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (special !== undefined) return simple(...special);
  if (format === 'byte') {
    return simple(basicTypes.bytes, textSize, maxLength === undefined ? maxTextLength : notNegative(maxLength));
  }
  return simple(basicTypes.string, textSize, maxTextSize(schema));
}

function maxTextSize({ maxLength, enum: values = [] }: Schema): number {
  if (maxLength !== undefined) return notNegative(maxLength) * 4;
  if (values.length === 0) return maxTextLength;
  return Math.max(0, ...values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
}

function arrayType({ items, maxItems }: Schema, name: string): DeclaredType | undefined {
  const element = items === undefined ? undefined : declareSchema(items, { name: `${name}.@idx` });
  if (element === undefined) return undefined;
  const estimate = Math.floor((limits.requestBytes - 2) / (element.minSize + 1));
  const maxElements = maxItems === undefined ? estimate : notNegative(maxItems);
  return { type: listType(element.type), element, maxElements, minSize: 2, fields: undefined };
}

function valuesType(values: Schema, { maxProperties }: Schema, name: string): DeclaredType | undefined {
  const element = declareSchema(values, { name: `${name}.@elem` });
  if (element === undefined) return undefined;
  const estimate = Math.floor((limits.requestBytes - 2) / (element.minSize + 6));
  const maxElements = maxProperties === undefined ? estimate : notNegative(maxProperties);
  return { type: mapType(basicTypes.string, element.type), element, maxElements, minSize: 2, fields: undefined };
}

/** Worked out once for each schema. */
const minSizes = new WeakMap<Schema, number>();

function objectSize(schema: Schema): number {
  const known = minSizes.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, required = [] } = schema;
  let size = 2;
  for (const key of new Set(required)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined || property.default !== undefined) continue;
    const declared = declareSchema(property, { name: '' });
    if (declared !== undefined) size += Buffer.byteLength(key) + declared.minSize + 4;
  }
  minSizes.set(schema, size);
  return size;
}

function objectType(schema: Schema, name: string): DeclaredType | undefined {
  const { additionalProperties, properties = {} } = schema;
  if (typeof additionalProperties === 'object') return valuesType(additionalProperties, schema, name);
  const known = new Map<string, DeclaredType | undefined>();
  const declare = (escaped: string): DeclaredType | undefined => {
    const key = unescapeName(escaped);
    if (key === undefined || escapeName(key) !== escaped || !Object.hasOwn(properties, key)) return undefined;
    const property = properties[key];
    return property === undefined ? undefined : declareSchema(property, { name: `${name}.${escaped}` });
  };
  const get = (escaped: string): DeclaredType | undefined => {
    if (!known.has(escaped)) known.set(escaped, declare(escaped));
    return known.get(escaped);
  };
  return { type: structType(name), fields: { get }, element: undefined, maxElements: 0, minSize: objectSize(schema) };
}

const scalars: Readonly<Record<string, DeclaredType>> = {
  boolean: simple(basicTypes.bool, 4),
  number: simple(basicTypes.double, 1),
  integer: simple(basicTypes.int, 1),
};

/** What expressions may know of a schema; undefined when it cannot be shown to them. `name` is the type's name in messages. */
export function declareSchema(
  schema: Schema,
  { name, isRoot = schema['x-kubernetes-embedded-resource'] === true }: { name: string; isRoot?: boolean },
): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return simple(basicTypes.dyn, 1, maxTextLength);
  const shown = isRoot ? withObjectMeta(schema) : schema;
  switch (shown.type) {
    case 'array':
      return arrayType(shown, name);
    case 'object':
      return objectType(shown, name);
    case 'string':
      return textType(shown);
    default:
      return shown.type === undefined ? undefined : scalars[shown.type];
  }
}

/** The object types within declared types, by their names: those within a field are known once the field was looked up. */
export function structsOf(...roots: readonly DeclaredType[]): Structs {
  const known = new Map<string, DeclaredType>();
  const learn = (declared: DeclaredType): void => {
    if (declared.fields !== undefined) known.set(declared.type.name, declared);
    if (declared.element !== undefined) learn(declared.element);
  };
  for (const root of roots) learn(root);
  return {
    get: (name) => {
      const fields = known.get(name)?.fields;
      if (fields === undefined) return undefined;
      return {
        get: (field) => {
          const found = fields.get(field);
          if (found !== undefined) learn(found);
          return found?.type;
        },
      };
    },
  };
}

/** How large the value at a path below a variable of the declared type may be. */
export function sizeAtPath(root: DeclaredType, path: readonly string[]): Range | undefined {
  let node: DeclaredType | undefined = root;
  for (const step of path) {
    if (step === '@items' || step === '@values') node = node.element;
    else if (step === '@keys') node = node.element === undefined ? undefined : simple(basicTypes.string, textSize);
    else node = node.fields?.get(step);
    if (node === undefined) return undefined;
  }
  return { min: 0n, max: BigInt(node.maxElements) };
}
