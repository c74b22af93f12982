import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { loadBuiltinSchemas } from '../schema/index.ts';
import { keyElement, type PathElement, valueElement } from './field-set.ts';

/** A schema node as field tracking sees it. `keepsUnknown` is handed down from the ancestors. */
export interface Structure {
  readonly schema: Schema | undefined;
  readonly keepsUnknown: boolean;
  /** Everything below is one unit, whatever its form. */
  readonly isAtomic: boolean;
}

export type Shape =
  | { readonly kind: 'scalar'; readonly type: 'numeric' | 'string' | 'boolean' | 'untyped' }
  | { readonly kind: 'list'; readonly isAtomic: boolean; readonly keys: readonly string[]; readonly items: Structure }
  | { readonly kind: 'map'; readonly isAtomic: boolean };

const deduced: Structure = { schema: undefined, keepsUnknown: true, isAtomic: false };
const atomic: Structure = { schema: undefined, keepsUnknown: true, isAtomic: true };

/** The structure of a whole object; undefined: deduced from the values alone. Custom kinds need not declare what all objects have. */
export function rootStructure(schema: Schema | undefined): Structure {
  return structureOf(schema?.definition === undefined ? asObject(schema) : schema, false);
}

const completed = new WeakMap<Schema, Schema>();
const anyObject: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function asObject(schema: Schema = anyObject): Schema {
  const known = completed.get(schema);
  if (known !== undefined) return known;
  const metadata = loadBuiltinSchemas().definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  const text: Schema = { type: 'string' };
  const properties = { ...schema.properties, apiVersion: text, kind: text, metadata };
  const complete = { ...schema, properties };
  completed.set(schema, complete);
  return complete;
}

function structureOf(schema: Schema | undefined, keepsUnknown: boolean): Structure {
  if (schema === undefined) return deduced;
  if (schema.definition?.endsWith('.RawExtension') === true) return atomic;
  const keeps = keepsUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return { schema, keepsUnknown: keeps, isAtomic: false };
}

/** The schema of a field of a map: undefined where the field is not allowed. */
export function fieldStructure(parent: Structure, name: string): Structure | undefined {
  const declared = declaredField(parent, name);
  if (declared !== undefined) return structureOf(declared, parent.keepsUnknown);
  return parent.isAtomic ? atomic : elementStructure(parent);
}

/** The schema of keys that it does not name. */
function elementStructure({ schema, keepsUnknown }: Structure): Structure | undefined {
  if (schema === undefined) return deduced;
  const values = schema.additionalProperties;
  if (typeof values === 'object') return structureOf(values, keepsUnknown);
  const isOpen = values ?? (keepsUnknown || Object.keys(schema.properties ?? {}).length === 0);
  return isOpen ? deduced : undefined;
}

/** Whether the schema names this field (as opposed to a key of a map). */
export function isDeclared(parent: Structure, name: string): boolean {
  return declaredField(parent, name) !== undefined;
}

function declaredField({ schema }: Structure, name: string): Schema | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The keys of an associative list (none for a set), or undefined for an atomic one. */
function listKeys(schema: Schema): readonly string[] | undefined {
  switch (schema['x-kubernetes-list-type']) {
    case 'map':
      return schema['x-kubernetes-list-map-keys'] ?? [];
    case 'set':
      return [];
    case 'atomic':
      return undefined;
    case undefined:
      return patchKeys(schema);
  }
}

function patchKeys(schema: Schema): readonly string[] | undefined {
  const strategies = schema['x-kubernetes-patch-strategy']?.split(',') ?? [];
  if (!strategies.includes('merge')) return undefined;
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  return mergeKey === undefined ? [] : [mergeKey];
}

function listShape({ schema, keepsUnknown }: Structure): Shape & { kind: 'list' } {
  const items = schema?.items === undefined ? atomic : structureOf(schema.items, keepsUnknown);
  const keys = schema === undefined ? undefined : listKeys(schema);
  return { kind: 'list', isAtomic: keys === undefined, keys: keys ?? [], items };
}

const untyped: Shape = { kind: 'scalar', type: 'untyped' };

function openShape(structure: Structure, value: JsonValue | undefined): Shape {
  if (Array.isArray(value)) return listShape(structure);
  if (isJsonObject(value) || value === null || value === undefined) return mapShape(structure);
  return untyped;
}

function mapShape({ schema, isAtomic }: Structure): Shape {
  return { kind: 'map', isAtomic: isAtomic || schema?.['x-kubernetes-map-type'] === 'atomic' };
}

function isUntypedScalar(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-int-or-string'] === true || schema?.definition?.endsWith('.resource.Quantity') === true;
}

const numeric: Shape = { kind: 'scalar', type: 'numeric' };

function textShape(format: string | undefined): Shape {
  return format === undefined || format === 'byte' ? { kind: 'scalar', type: 'string' } : untyped;
}

/** How a value at this place is tracked: by the schema's type, or where that is open by the value's own form. */
export function shapeOf(structure: Structure, value: JsonValue | undefined): Shape {
  const { schema } = structure;
  if (isUntypedScalar(schema)) return untyped;
  switch (schema?.type) {
    case 'object':
      return mapShape(structure);
    case 'array':
      return listShape(structure);
    case 'string':
      return textShape(schema.format);
    case undefined:
      return openShape(structure, value);
    case 'integer':
    case 'number':
      return numeric;
    case 'boolean':
      return { kind: 'scalar', type: 'boolean' };
  }
}

/** The element that names an item of a list, or why there is none. */
export function itemElement(shape: Shape & { kind: 'list' }, item: JsonValue): PathElement | { problem: string } {
  if (shape.keys.length > 0) return keyedElement(shape, item);
  if (Array.isArray(item)) return { problem: 'not supported: associative list with lists as elements' };
  if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
  if (isJsonObject(item)) return { problem: "associative list without keys has an element that's a map type" };
  return valueElement(item);
}

/** The value of a key that is left out: built-in ones have the zero of their type. */
function defaultKey(items: Structure, name: string): JsonValue | undefined {
  const field = declaredField(items, name);
  if (field === undefined || field.default !== undefined) return field?.default;
  if (items.schema?.definition === undefined) return undefined;
  return field.type === 'integer' ? 0 : '';
}

/** A longer default in the key of each item would make a short list a very large one. */
const maxDefaultKeyCharacters = 1024;

function keyedElement({ keys, items }: Shape & { kind: 'list' }, item: JsonValue): PathElement | { problem: string } {
  if (item === null) return { problem: 'associative list with keys may not have a null element' };
  if (!isJsonObject(item)) return { problem: 'associative list with keys may not have non-map elements' };
  const key: JsonObject = {};
  for (const name of keys) {
    const isGiven = Object.hasOwn(item, name);
    const value = isGiven ? item[name] : defaultKey(items, name);
    if (!isGiven && typeof value === 'string' && value.length > maxDefaultKeyCharacters) {
      const why = `the default of which has more than ${maxDefaultKeyCharacters} characters`;
      return {
        problem: `associative list with keys has an element that omits key field ${JSON.stringify(name)}, ${why}`,
      };
    }
    if (value === undefined) {
      const why = `an element that omits key field ${JSON.stringify(name)} (and doesn't have default value)`;
      return { problem: `associative list with keys has ${why}` };
    }
    key[name] = value;
  }
  return keyElement(key);
}

/** Items by their element, in order; those without one are left out. */
export function indexItems(shape: Shape & { kind: 'list' }, list: readonly JsonValue[]): Map<PathElement, JsonValue[]> {
  const index = new Map<PathElement, JsonValue[]>();
  for (const item of list) {
    const element = itemElement(shape, item);
    if (typeof element !== 'string') continue;
    const same = index.get(element);
    if (same === undefined) index.set(element, [item]);
    else same.push(item);
  }
  return index;
}

/** The structure below one element of a path, as far as the schema defines it. */
export function structureBelow(parent: Structure, element: PathElement): Structure | undefined {
  if (element.startsWith('f:')) return fieldStructure(parent, element.slice(2));
  const shape = shapeOf(parent, []);
  return shape.kind === 'list' ? shape.items : undefined;
}

/** Whether there is nothing to walk into: absent, null, an empty list or map. */
export function isHollow(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Whether a change from one value to the other is tracked as one unit, not by what is in them. */
export function isUnit(structure: Structure, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  const shapes = [before, after].filter((value) => value !== undefined).map((value) => shapeOf(structure, value));
  if (shapes.some((shape) => shape.kind === 'scalar' || shape.isAtomic)) return true;
  return new Set(shapes.map(({ kind }) => kind)).size > 1 || (isHollow(before) && isHollow(after));
}
