import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';

/** Engines have the schemas of schemas themselves. */
const metaSchema = /^https?:\/\/json-schema\.org\//;
/** Drafts in which the name of a schema is `id`, and those that know the keywords `$defs` and the like. */
const withPlainId = /\/draft-0[0-4]\//;
const withoutDefinitions = /\/draft-0[0-7]\//;
/** What an engine takes a schema without `$id` to be named. */
const ownName = 'file:///values.schema.json';

/** Each reference is resolved against the whole name of the schema that it stands in. */
const maxNameCharacters = 2_000;
/** Besides those that begin with `#`. */
const maxNames = 10_000;
/** Names that all engines resolve alike, as they have no port, query, escape or `..`. */
const segment = String.raw`(?!\.{1,2}(?:\/|$))[\w.~-]+`;
const plainName = new RegExp(
  String.raw`^(?:urn:[\w.:-]+|(?:https?:\/\/[a-z0-9.-]+\/|file:\/\/\/|\/|\.\/)?(?:${segment}\/)*(?:${segment})?)$`,
);

/** Keywords whose value is a schema or a list of schemas, and those whose value has one for each key. Not all: what stands elsewhere may be data. */
const schemaKeywords: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'allOf',
  'anyOf',
  'oneOf',
]);
const mapKeywords: ReadonlySet<string> = new Set(['definitions', 'properties', 'patternProperties']);
const laterMapKeywords: ReadonlySet<string> = new Set(['$defs', 'dependentSchemas']);

/** How many names may be resolved yet, of schemas that are read together. */
export interface NameRoom {
  count: number;
}

export function nameRoom(): NameRoom {
  return { count: maxNames };
}

/** Where a value stands: `base` is what names in it are relative to, undefined where engines may differ. */
interface Place {
  readonly base: string | undefined;
  readonly kind: 'schema' | 'map' | 'data';
}

interface Reference {
  readonly text: string;
  /** What it may lead to. */
  readonly targets: readonly (string | undefined)[];
}

function resolved(name: string, base: string | undefined): string | undefined {
  const document = name.split('#', 1).join('');
  if (document.length > maxNameCharacters || !plainName.test(document)) return undefined;
  const href = URL.parse(document, base)?.href;
  return href !== undefined && href.length <= maxNameCharacters ? href : undefined;
}

/** What a schema refers to, and the names of the schemas in it. */
class SchemaNames {
  readonly #references: Reference[] = [];
  readonly #names = new Set<string>([ownName]);
  readonly #dialects = new Set<string>();
  readonly #idKeyword: '$id' | 'id';
  readonly #mapKeywords: ReadonlySet<string>;

  readonly #room: NameRoom;

  constructor(schema: JsonValue, room: NameRoom) {
    this.#room = room;
    const dialect = isJsonObject(schema) && typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
    this.#idKeyword = withPlainId.test(dialect) ? 'id' : '$id';
    this.#mapKeywords = withoutDefinitions.test(dialect) ? mapKeywords : new Set([...mapKeywords, ...laterMapKeywords]);
    this.#dialects.add(dialect);
    this.#read(schema, { base: ownName, kind: 'schema' });
  }

  /** Something that an engine would fetch. */
  get remote(): string | undefined {
    const foreign = [...this.#dialects].find((dialect) => dialect !== '' && !metaSchema.test(dialect));
    if (foreign !== undefined) return foreign;
    const isOfOneDialect = this.#dialects.size === 1;
    const isHere = (target: string | undefined): boolean => target !== undefined && this.#names.has(target);
    return this.#references.find(({ targets }) => !isOfOneDialect || !targets.every(isHere))?.text;
  }

  #read(value: JsonValue, place: Place): void {
    if (Array.isArray(value)) for (const item of value) this.#read(item, place);
    if (!isJsonObject(value)) return;
    const base = this.#baseIn(value, place);
    for (const [key, child = null] of Object.entries(value)) {
      if (typeof child === 'string') this.#note(key, child, [base, place.base]);
      else this.#read(child, { base, kind: this.#kindOf(key, place.kind) });
    }
  }

  #resolved(name: string, base: string | undefined): string | undefined {
    this.#room.count -= 1;
    return this.#room.count < 0 ? undefined : resolved(name, base);
  }

  #kindOf(key: string, kind: Place['kind']): Place['kind'] {
    if (kind === 'map') return 'schema';
    if (kind === 'data') return 'data';
    if (schemaKeywords.has(key)) return 'schema';
    return this.#mapKeywords.has(key) ? 'map' : 'data';
  }

  /** Engines differ in which names they know of those that stand in data, or are two. */
  #baseIn(object: JsonObject, { base, kind }: Place): string | undefined {
    const names = ['$id', 'id'].map((key) => object[key]).filter((name) => typeof name === 'string');
    const own = object[this.#idKeyword];
    if (typeof own !== 'string' || own.startsWith('#')) return base;
    const name = names.length === 1 ? this.#resolved(own, base) : undefined;
    if (name !== undefined && kind === 'schema') this.#names.add(name);
    return name;
  }

  #note(key: string, text: string, bases: readonly (string | undefined)[]): void {
    if (key === '$schema') this.#dialects.add(text);
    if (!/^\$(ref|dynamicRef|recursiveRef)$/.test(key)) return;
    if (text === '' || text.startsWith('#') || metaSchema.test(text)) return;
    this.#references.push({ text, targets: [...new Set(bases)].map((base) => this.#resolved(text, base)) });
  }
}

/** What an engine would fetch to validate values with a schema: another document, or a file of the machine, that it refers to, or is written in terms of. References for which
 *  there is no room count as such. */
export function remoteReference(schema: JsonValue, room: NameRoom = nameRoom()): string | undefined {
  return new SchemaNames(schema, room).remote;
}
