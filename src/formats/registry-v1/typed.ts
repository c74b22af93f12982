import { type FieldPath, formatPath, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { FieldError } from '../field-error.ts';

/** Members of structs in a short notation. In front of the type: `!` for a member that is written even when it is empty.
 *  Types: `string` `bool` `int32` `int64` `float64` `quantity` `intOrString` `time` `bytes` `json`, `*T` may be null, `[]T` list,
 *  `{}T` map, `#Name` struct, and the three unions of CRD schemas. */
export type TypeTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A value that does not fit its type; the path begins at the value that was read. */
class TypeMismatch extends FieldError {
  readonly expected: string;
  readonly found: string;
  constructor(path: FieldPath, expected: string, found: string) {
    const advice = expected === 'a string' && /^the (number|boolean)/.test(found) ? ': put it in quotes' : '';
    super(path, `${path.length === 0 ? '' : `${formatPath(path)}: `}expected ${expected}, found ${found}${advice}`);
    this.expected = expected;
    this.found = found;
  }
}

/** Reads a value as a typed program would, and writes it as one would: without unknown members, empty ones left out or written as
 *  their type requires. `undefined` stands for a value that is left out. */
interface Codec {
  readonly write: (value: JsonValue) => JsonValue | undefined;
  /** What is written for an absent value of a member that is never left out; undefined: nothing. */
  readonly zero: () => JsonValue | undefined;
  /** Whether an absent value is written although the member may be left out: structs are never empty. */
  readonly isAlwaysWritten?: boolean;
  /** Whether a given value that is empty is left out where the member may be: not so for pointers and structs. */
  readonly isLeftOutWhenEmpty?: boolean;
}

interface Member {
  readonly name: string;
  readonly codec: Codec;
  readonly isRequired: boolean;
}

function foundText(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  return `the ${typeof value === 'bigint' ? 'number' : typeof value} ${JSON.stringify(value).slice(0, 60)}`;
}

function refuse(expected: string, value: JsonValue): never {
  throw new TypeMismatch([], expected, foundText(value));
}

/** Runs `work`; a mismatch in it gets `step` in front of its path. */
function at<T>(step: string | number, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof TypeMismatch)) throw thrown;
    throw new TypeMismatch([step, ...thrown.path], thrown.expected, thrown.found);
  }
}

const nothing = (): undefined => undefined;

function scalar(expected: string, empty: JsonValue, accepts: (value: JsonValue) => boolean): Codec {
  return {
    write: (value) => (accepts(value) ? value : refuse(expected, value)),
    zero: () => empty,
    isLeftOutWhenEmpty: true,
  };
}

function integer(bits: 32 | 64): Codec {
  const limit = 2 ** (bits - 1);
  const accepts = (value: JsonValue): boolean =>
    (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) &&
    value >= -limit &&
    value < limit;
  return scalar(`a whole number of ${bits} bits`, 0, accepts);
}

const isText = (value: JsonValue): boolean => typeof value === 'string';

const quantity = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

function isQuantity(value: JsonValue): value is string | number | bigint {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  return isScalar && quantity.test(String(value).trim());
}

const scalars: ReadonlyMap<string, Codec> = new Map<string, Codec>([
  ['string', scalar('a string', '', isText)],
  ['bool', scalar('true or false', false, (value) => typeof value === 'boolean')],
  ['int32', integer(32)],
  ['int64', integer(64)],
  ['float64', scalar('a number', 0, (value) => typeof value === 'number' || typeof value === 'bigint')],
  ['time', { write: (value) => (isText(value) ? value : refuse('a time', value)), zero: () => null }],
  [
    'bytes',
    {
      write: (value) => (isText(value) ? value : refuse('bytes in base64', value)),
      zero: () => null,
      isLeftOutWhenEmpty: true,
    },
  ],
  ['json', { write: (value) => value, zero: () => null }],
  [
    'quantity',
    {
      write: (value) => (isQuantity(value) ? String(value) : refuse('a quantity, such as 100m or 1.5Gi', value)),
      zero: () => '0',
      isAlwaysWritten: true,
    },
  ],
  [
    'intOrString',
    {
      write: (value) =>
        typeof value === 'string' || Number.isInteger(value) ? value : refuse('a whole number or a string', value),
      zero: () => 0,
    },
  ],
]);

function pointerTo(inner: Codec): Codec {
  return { write: (value) => inner.write(value) ?? inner.zero(), zero: () => null };
}

function listOf(inner: Codec): Codec {
  return {
    write: (value) => {
      if (!Array.isArray(value)) return refuse('a list', value);
      return value.map((item, index) => {
        const written = item === null ? undefined : at(index, () => inner.write(item));
        return written ?? inner.zero() ?? null;
      });
    },
    zero: () => null,
    isLeftOutWhenEmpty: true,
  };
}

function mapOf(inner: Codec): Codec {
  return {
    write: (value) => {
      if (!isJsonObject(value)) return refuse('an object', value);
      const entries = Object.entries(value).map(([key, item = null]): [string, JsonValue] => {
        const written = item === null ? undefined : at(key, () => inner.write(item));
        return [key, written ?? inner.zero() ?? null];
      });
      return Object.fromEntries(entries);
    },
    zero: () => null,
    isLeftOutWhenEmpty: true,
  };
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
}

/** Codecs of all structs of a table, each built when it is first needed. */
export class TypedForms {
  readonly #table: TypeTable;
  readonly #built = new Map<string, Codec>();

  constructor(table: TypeTable) {
    this.#table = table;
  }

  /** `value` as a struct called `name` writes it.
   *  @throws TypeMismatch naming the path, what was expected and what was found */
  write(name: string, value: JsonValue): JsonObject {
    return this.#codec(`#${name}`).write(value) as JsonObject;
  }

  /** The members of a struct with their types; of what is no struct of the table, none. */
  membersOf(name: string): Readonly<Record<string, string>> {
    return this.#table[name] ?? {};
  }

  /** What is expected instead of `value` where a scalar is; undefined when it fits, or the type is none of the scalars. */
  expectedScalar(notation: string, value: JsonValue): string | undefined {
    try {
      scalars.get(notation)?.write(value);
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof TypeMismatch)) throw thrown;
      return thrown.expected;
    }
  }

  #codec(notation: string): Codec {
    const known = scalars.get(notation) ?? this.#built.get(notation);
    if (known !== undefined) return known;
    const built = this.#build(notation);
    this.#built.set(notation, built);
    return built;
  }

  #build(notation: string): Codec {
    if (notation.startsWith('*')) return pointerTo(this.#codec(notation.slice(1)));
    if (notation.startsWith('[]')) return listOf(this.#codec(notation.slice(2)));
    if (notation.startsWith('{}')) return mapOf(this.#codec(notation.slice(2)));
    if (notation.startsWith('#')) return this.#struct(notation.slice(1));
    return this.#union(notation);
  }

  #struct(name: string): Codec {
    const described = this.#table[name];
    if (described === undefined) throw new TypeError(`no type is called ${name}`);
    let members: readonly Member[] | undefined;
    const lazily = (): readonly Member[] => {
      members ??= Object.entries(described).map(([key, notation]) => {
        const isRequired = notation.startsWith('!');
        return { name: key, isRequired, codec: this.#codec(isRequired ? notation.slice(1) : notation) };
      });
      return members;
    };
    const write = (value: JsonValue): JsonObject => {
      if (!isJsonObject(value)) return refuse('an object', value);
      return writeMembers(lazily(), value);
    };
    return { write, zero: () => write({}), isAlwaysWritten: true };
  }

  #union(name: string): Codec {
    const schema = this.#codec('#JSONSchemaProps');
    const unions: Readonly<Record<string, (value: JsonValue) => JsonValue | undefined>> = {
      schemaOrBool: (value) => (typeof value === 'boolean' ? value : schema.write(value)),
      schemaOrArray: (value) => (Array.isArray(value) ? listOf(schema).write(value) : schema.write(value)),
      schemaOrStrings: (value) => (Array.isArray(value) ? value : schema.write(value)),
    };
    const write = unions[name];
    if (write === undefined) throw new TypeError(`no type is called ${name}`);
    return { write, zero: nothing };
  }
}

function isLeftOut({ codec, isRequired }: Member, value: JsonValue): boolean {
  return !isRequired && codec.isLeftOutWhenEmpty === true && isEmpty(value);
}

function writeMembers(members: readonly Member[], value: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const member of members) {
    const { name, codec, isRequired } = member;
    const given = Object.hasOwn(value, name) ? (value[name] ?? null) : null;
    if (given !== null) {
      const written = at(name, () => codec.write(given));
      if (written !== undefined && !isLeftOut(member, written)) out[name] = written;
    } else if (isRequired || codec.isAlwaysWritten === true) {
      out[name] = codec.zero() ?? null;
    }
  }
  return out;
}
