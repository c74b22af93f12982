import { isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../base/index.ts';

/** The part of a schema that a reader of an object relies on: types, required members, closed sets. */
export interface Shape {
  readonly type: string;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
}

interface Place {
  /** Begins with the kind: `Bundle "x": spec.source`. */
  readonly path: string;
  readonly value: JsonValue | undefined;
}

const stringMap: Shape = { type: 'object', additionalProperties: { type: 'string' } };

const metadataShape: Shape = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    uid: { type: 'string' },
    resourceVersion: { type: 'string' },
    generation: { type: 'integer' },
    deletionTimestamp: { type: 'string' },
    labels: stringMap,
    annotations: stringMap,
    finalizers: { type: 'array', items: { type: 'string' } },
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        required: ['apiVersion', 'kind', 'name', 'uid'],
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          name: { type: 'string' },
          uid: { type: 'string' },
          controller: { type: 'boolean' },
          blockOwnerDeletion: { type: 'boolean' },
        },
      },
    },
  },
};

const isOfType: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  object: isJsonObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  number: (value) => typeof value === 'number',
};

function refuse(path: string, expected: string): never {
  throw new TerminalError('InvalidObject', `${path}: expected ${expected}`);
}

function checkMembers(path: string, value: JsonObject, shape: Shape): void {
  for (const key of shape.required ?? []) {
    if (!Object.hasOwn(value, key) || value[key] === undefined) refuse(`${path}.${key}`, 'a value, found none');
  }
  for (const [key, member] of Object.entries(value)) {
    const properties = shape.properties ?? {};
    const memberShape = Object.hasOwn(properties, key) ? properties[key] : shape.additionalProperties;
    if (memberShape !== undefined) checkShape({ path: `${path}.${key}`, value: member }, memberShape);
  }
}

function checkShape({ path, value }: Place, shape: Shape): void {
  if (value === undefined) return;
  if (isOfType[shape.type]?.(value) !== true)
    refuse(path, `${shape.type}, found ${JSON.stringify(value).slice(0, 100)}`);
  if (shape.enum?.some((known) => known === value) === false) refuse(path, `one of ${shape.enum.join(', ')}`);
  if (Array.isArray(value) && shape.items !== undefined) {
    for (const [index, item] of value.entries()) checkShape({ path: `${path}[${index}]`, value: item }, shape.items);
  }
  if (isJsonObject(value)) checkMembers(path, value, shape);
}

type Expected = { readonly apiVersion: string; readonly kind: string };

function checkWhole(expected: Expected, shape: Shape, raw: unknown): JsonObject {
  if (!isJsonObject(raw)) return refuse(expected.kind, 'an object');
  if (raw.apiVersion !== expected.apiVersion) refuse(`${expected.kind}: apiVersion`, expected.apiVersion);
  if (raw.kind !== expected.kind) refuse(`${expected.kind}: kind`, expected.kind);
  if (raw.metadata === undefined) refuse(`${expected.kind}: metadata`, 'a value, found none');
  checkShape({ path: `${expected.kind}: metadata`, value: raw.metadata }, metadataShape);
  for (const key of shape.required ?? []) {
    if (!Object.hasOwn(raw, key)) refuse(`${expected.kind}: ${key}`, 'a value, found none');
  }
  for (const [key, member] of Object.entries(shape.properties ?? {})) {
    checkShape({ path: `${expected.kind}: ${key}`, value: raw[key] }, member);
  }
  return raw;
}

/** By which shape an object was found good. */
const good = new WeakMap<JsonObject, Shape>();

/** Checks that `raw` is an object of this kind, metadata included; the same value comes back. It must not be changed afterwards: the same object
 *  is not checked twice.
 *  @throws TerminalError InvalidObject, naming the field */
export function checkObject(expected: Expected, shape: Shape, raw: unknown): JsonObject {
  if (isJsonObject(raw) && good.get(raw) === shape) return raw;
  const object = checkWhole(expected, shape, raw);
  good.set(object, shape);
  return object;
}
