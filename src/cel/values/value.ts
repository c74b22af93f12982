import { type CelType, formatType } from '../language/cel-type.ts';

/** An error as a value: `||`, `&&` and the macros over lists may still come to a result without it. */
export class Failure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** An unsigned integer of 64 bits. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A moment, in nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  /** How far the clock that it was read from is ahead of UTC; it matters for printing only. */
  readonly offsetSeconds: number;

  constructor(nanos: bigint, offsetSeconds = 0) {
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
}

/** A length of time, in nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A type as a value: what `type(x)` answers and what `int` stands for. Equal when the names are. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value or none. */
export class Optional {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A value that only functions of its own look into, for example a URL. */
export abstract class Opaque {
  /** As `type()` prints it. */
  abstract readonly typeName: string;

  /** What `size` counts for the cost of functions; 1 for most. */
  get costSize(): number {
    return 1;
  }

  /** How many characters its functions read. */
  get workSize(): number {
    return this.costSize;
  }

  abstract equals(other: Opaque): boolean;
}

/** A list; items may be made only when they are asked for. */
export abstract class ListValue {
  abstract readonly size: number;

  /** `index` is in bounds. */
  abstract at(index: number): Value;

  /** This list followed by another; may drop duplicate items where the list's schema requires it. */
  abstract concat(other: ListValue): Value;

  /** Whether both hold the same; `items` compares two items. */
  abstract equals(other: ListValue, items: (a: Value, b: Value) => Value): Value;

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.size; index += 1) yield this.at(index);
  }
}

/** A map, or an object by its fields. */
export abstract class MapValue {
  abstract readonly size: number;

  /** Undefined when there is no such key; a Failure when the key cannot be one. */
  abstract find(key: Value): Value | undefined;

  abstract keys(): Iterable<Value>;

  abstract equals(other: MapValue, values: (a: Value, b: Value) => Value): Value;
}

/** A value of the language: `int` is bigint, `double` is number, `bytes` is Uint8Array. */
export type Value =
  | boolean
  | bigint
  | number
  | string
  | null
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | Opaque
  | ListValue
  | MapValue
  | Failure;

const noOverload = new Failure('no such overload');

/** The error of an operator or function that is given what it is not made for; an error given stays itself. */
export function noSuchOverload(value?: Value): Failure {
  return value instanceof Failure ? value : noOverload;
}

/** Items in memory. */
export class ArrayList extends ListValue {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] ?? null;
  }

  concat(other: ListValue): Value {
    return new ArrayList([...this.items, ...other]);
  }

  equals(other: ListValue, items: (a: Value, b: Value) => Value): Value {
    return equalItems(this, other, items);
  }
}

/** Whether two lists hold the same in the same order. */
export function equalItems(a: ListValue, b: ListValue, items: (a: Value, b: Value) => Value): Value {
  if (a.size !== b.size) return false;
  let failure: Value = true;
  for (let index = 0; index < a.size; index += 1) {
    const same = items(a.at(index), b.at(index));
    if (same === false) return false;
    if (same !== true) failure = same;
  }
  return failure;
}

/** A key in the form in which equal keys are one: numbers of all types compare by value. Undefined for what cannot be a key. */
export function keyOf(key: Value): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'number' && Number.isInteger(key)) return `n${BigInt(key)}`;
  return undefined;
}

/** Entries in memory, made by a map literal or a macro. */
export class EntryMap extends MapValue {
  readonly #entries: ReadonlyMap<string, readonly [Value, Value]>;

  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>) {
    super();
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: Value): Value | undefined {
    const text = keyOf(key);
    return text === undefined ? undefined : this.#entries.get(text)?.[1];
  }

  *keys(): Generator<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }

  equals(other: MapValue, values: (a: Value, b: Value) => Value): Value {
    return equalEntries(this, other, values);
  }

  /** With one more entry, or a Failure when the key exists already. */
  insert(key: Value, value: Value): Value {
    const text = keyOf(key);
    if (text === undefined) return new Failure(`unsupported key type: ${typeNameOf(key)}`);
    if (this.#entries.has(text)) return new Failure(`insert failed: key ${printValue(key)} already exists`);
    return new EntryMap(new Map(this.#entries).set(text, [key, value]));
  }
}

/** Whether two maps have the same keys with the same values. */
export function equalEntries(a: MapValue, b: MapValue, values: (a: Value, b: Value) => Value): Value {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.find(key);
    if (other === undefined) return false;
    const same = values(a.find(key) ?? null, other);
    if (same !== true) return same;
  }
  return true;
}

const classNames: readonly (readonly [abstract new (...args: never[]) => object, string])[] = [
  [Uint, 'uint'],
  [Uint8Array, 'bytes'],
  [ListValue, 'list'],
  [MapValue, 'map'],
  [Timestamp, 'google.protobuf.Timestamp'],
  [Duration, 'google.protobuf.Duration'],
  [TypeValue, 'type'],
  [Optional, 'optional_type'],
  [Failure, 'error'],
];

const primitiveNames: Readonly<Record<string, string>> = {
  boolean: 'bool',
  bigint: 'int',
  number: 'double',
  string: 'string',
};

/** The name of a value's type: `int`, `list`, `net.IP`. */
export function typeNameOf(value: Value): string {
  if (value === null) return 'null_type';
  if (value instanceof Opaque) return value.typeName;
  if (typeof value !== 'object') return primitiveNames[typeof value] ?? 'dyn';
  return classNames.find(([type]) => value instanceof type)?.[1] ?? 'dyn';
}

/** Whether a value may be given for a parameter of the type, as far as one can see without looking into it. */
export function fitsType(value: Value, type: CelType): boolean {
  if (type.kind === 'dyn' || type.kind === 'parameter') return true;
  return typeNameOf(value) === (type.kind === 'opaque' || type.kind === 'struct' ? type.name : runtimeName(type));
}

function runtimeName(type: CelType): string {
  return type.parameters.length === 0 ? type.name : (formatType(type).split('(')[0] ?? '');
}

/** A value as error texts show it. */
export function printValue(value: Value): string {
  if (value instanceof Uint) return String(value.value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Failure) return value.message;
  return typeof value === 'object' ? String(value === null ? 'null' : typeNameOf(value)) : String(value);
}
