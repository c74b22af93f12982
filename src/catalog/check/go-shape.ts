import { goQuote, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { base64Fault } from './base64.ts';

/** What a value is decoded into. `struct` names are those in messages: `declcfg.Channel`. */
export type GoShape =
  | { readonly kind: 'text' | 'flag' | 'whole' | 'bytes' | 'raw' }
  | { readonly kind: 'list' | 'map'; readonly of: GoShape }
  | {
      readonly kind: 'struct';
      readonly name: string;
      readonly fields: Readonly<Record<string, GoShape>>;
      /** Fields that are written though they are empty. */
      readonly always?: readonly string[];
    };

/** Where in a document a value is: the innermost struct, and the fields from the root. */
interface Context {
  readonly struct: string;
  readonly fields: readonly string[];
}

const scalarTypes = { text: 'string', flag: 'bool', whole: 'int32', bytes: '[]uint8', raw: 'json.RawMessage' };

function typeName(shape: GoShape): string {
  switch (shape.kind) {
    case 'list':
      return `[]${typeName(shape.of)}`;
    case 'map':
      return `map[string]${typeName(shape.of)}`;
    case 'struct':
      return shape.name;
    default:
      return scalarTypes[shape.kind];
  }
}

function kindName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  return isJsonObject(value) ? 'object' : 'number';
}

function mismatch(shape: GoShape, value: JsonValue, { struct, fields }: Context): string {
  const into = struct === '' ? 'value' : `struct field ${struct}.${fields.join('.')}`;
  return `json: cannot unmarshal ${kindName(value)} into Go ${into} of type ${typeName(shape)}`;
}

function isOf(shape: GoShape, value: JsonValue): boolean {
  switch (shape.kind) {
    case 'raw':
      return true;
    case 'text':
    case 'bytes':
      return typeof value === 'string';
    case 'flag':
      return typeof value === 'boolean';
    case 'whole':
      return typeof value === 'number' && Number.isInteger(value);
    case 'list':
      return Array.isArray(value);
    default:
      return isJsonObject(value);
  }
}

/** The name of the field that a key means: exactly, or else whatever its letters' case. */
function fieldOf(fields: Readonly<Record<string, GoShape>>, key: string): string | undefined {
  if (Object.hasOwn(fields, key)) return key;
  const folded = key.toLowerCase();
  return Object.keys(fields).find((field) => field.toLowerCase() === folded);
}

const isBefore = (a: string, b: string): number => (a < b ? -1 : 1);

interface Walk extends Context {
  /** As documents are held, so that of several faults the first is reported. */
  readonly isSorted: boolean;
}

type StructShape = Extract<GoShape, { kind: 'struct' }>;

function keysOf(value: JsonObject, { isSorted }: Walk): readonly string[] {
  return isSorted ? Object.keys(value).sort(isBefore) : Object.keys(value);
}

function structFault(shape: StructShape, value: JsonObject, at: Walk): string | undefined {
  return first(keysOf(value, at), (key) => {
    const field = fieldOf(shape.fields, key);
    const inner = field === undefined ? undefined : shape.fields[field];
    if (inner === undefined || inner.kind === 'raw') return undefined;
    const struct = shape.name.slice(shape.name.indexOf('.') + 1);
    return faultAt(inner, value[key], { ...at, struct, fields: [...at.fields, field ?? key] });
  });
}

function innerFault(shape: GoShape, value: JsonValue, at: Walk): string | undefined {
  if (shape.kind === 'bytes') return typeof value === 'string' ? base64Fault(value) : undefined;
  if (shape.kind === 'list')
    return Array.isArray(value) ? first(value, (item) => faultAt(shape.of, item, at)) : undefined;
  if (!isJsonObject(value)) return undefined;
  if (shape.kind === 'map') return first(keysOf(value, at), (key) => faultAt(shape.of, value[key], at));
  return shape.kind === 'struct' ? structFault(shape, value, at) : undefined;
}

function faultAt(shape: GoShape, value: JsonValue | undefined, at: Walk): string | undefined {
  if (value === undefined || value === null || shape.kind === 'raw') return undefined;
  return isOf(shape, value) ? innerFault(shape, value, at) : mismatch(shape, value, at);
}

function first<T>(items: readonly T[], fault: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = fault(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why a value cannot be decoded so, in the words of Go's `encoding/json`: `json: cannot unmarshal number into Go struct field
 *  Channel.entries of type []declcfg.ChannelEntry`. Of several faults the first in the order of sorted keys. */
export function shapeFault(shape: GoShape, value: JsonValue): string | undefined {
  const at = { struct: '', fields: [], isSorted: false };
  return faultAt(shape, value, at) === undefined ? undefined : faultAt(shape, value, { ...at, isSorted: true });
}

function decodedStruct(shape: StructShape, value: JsonObject): JsonObject {
  const members: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const field = fieldOf(shape.fields, key);
    const inner = field === undefined ? undefined : shape.fields[field];
    if (field === undefined || inner === undefined) continue;
    const taken = decoded(inner, member);
    if (taken !== undefined) members[field] = taken;
  }
  return members;
}

/** The value as it is decoded: fields under their own names whatever their letters' case, and without what has another type or is not known. */
export function decoded(shape: GoShape, value: JsonValue | undefined): JsonValue | undefined {
  if (shape.kind === 'raw') return value;
  if (value === undefined || value === null || !isOf(shape, value)) return undefined;
  if (shape.kind === 'list' && Array.isArray(value)) return value.map((item) => decoded(shape.of, item) ?? null);
  return shape.kind === 'struct' && isJsonObject(value) ? decodedStruct(shape, value) : value;
}

const zeroValues: Readonly<Record<GoShape['kind'], JsonValue>> = {
  text: '',
  bytes: '',
  flag: false,
  whole: 0,
  raw: null,
  list: null,
  map: null,
  struct: {},
};

function isEmptyValue(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length === 0 : value === null || value === '' || value === 0 || value === false;
}

/** The value as Go writes it after decoding: empty fields are left out, unless their struct always writes them; structs are never empty. */
export function encoded(shape: GoShape, value: JsonValue | undefined): JsonValue {
  if (shape.kind === 'struct') return encodedStruct(shape, isJsonObject(value) ? value : {});
  const taken = decoded(shape, value) ?? zeroValues[shape.kind];
  if (shape.kind === 'list' && Array.isArray(taken)) return taken.map((item) => encoded(shape.of, item));
  return shape.kind === 'map' && isJsonObject(taken) && Object.keys(taken).length === 0 ? null : taken;
}

function encodedStruct(shape: StructShape, value: JsonObject): JsonObject {
  const known = decodedStruct(shape, value);
  const members = Object.entries(shape.fields).map(([name, of]): [string, JsonValue] => [
    name,
    encoded(of, known[name]),
  ]);
  return Object.fromEntries(
    members.filter(([name, member]) => !isEmptyValue(member) || shape.always?.includes(name) === true),
  );
}

/** `json: unknown field "foo"` where a struct has a member that its shape does not know; of several the first as it is written. */
export function unknownField(shape: GoShape, value: JsonValue | undefined): string | undefined {
  if (shape.kind === 'list' && Array.isArray(value)) return first(value, (item) => unknownField(shape.of, item));
  if (shape.kind !== 'struct' || !isJsonObject(value)) return undefined;
  return first(Object.entries(value), ([key, member]) => {
    const inner = shape.fields[fieldOf(shape.fields, key) ?? ''];
    return inner === undefined ? `json: unknown field ${goQuote(key)}` : unknownField(inner, member);
  });
}

/** Keys of an object that are no field of the struct. */
export function unknownKeys(shape: GoShape, value: JsonObject): readonly string[] {
  return shape.kind === 'struct' ? Object.keys(value).filter((key) => fieldOf(shape.fields, key) === undefined) : [];
}

/** The fields of a struct. */
export function fieldNames(shape: GoShape): readonly string[] {
  return shape.kind === 'struct' ? Object.keys(shape.fields) : [];
}
