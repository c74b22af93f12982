import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import { isJsonObject } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import source from './generated/builtin-schemas.json' with { type: 'json' };

/** The schemas of the kinds built in. References are resolved when they are first looked at. */
export interface BuiltinSchemas {
  /** `group` is empty for core. */
  kind(group: string, version: string, kind: string): Schema | undefined;
  /** `io.k8s.api.core.v1.PodSpec`
   *  @throws Error when there is no such definition */
  definition(name: string): Schema;
  readonly definitionNames: readonly string[];
  /** The kinds that a definition is the schema of: one or none, but for options and watch events, which every group knows. */
  kindsOf(name: string): JsonObject[];
}

interface Source {
  /** `group/version`, those that are not served among them. */
  readonly optionVersions: readonly string[];
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: Readonly<Record<string, JsonObject>>;
}

/** Types that Go reads as "one of these or something else": the fields of the object form are known, the type is open. */
const openForms: Readonly<Record<string, string>> = {
  JSONSchemaPropsOrArray: 'JSONSchemaProps',
  JSONSchemaPropsOrBool: 'JSONSchemaProps',
  JSONSchemaPropsOrStringArray: 'JSONSchemaProps',
};

/** Objects of any shape. */
const freeForms = new Set(['RawExtension', 'FieldsV1', 'JSON']);

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

class Definitions implements BuiltinSchemas {
  readonly #source = source as unknown as Source;
  readonly #known = new Map<string, Schema>();
  #kinds: Map<string, [string, string][]> | undefined;

  get definitionNames(): readonly string[] {
    return Object.keys(this.#source.definitions);
  }

  kind(group: string, version: string, kind: string): Schema | undefined {
    const key = `${group}/${version}/${kind}`;
    const name = Object.hasOwn(this.#source.kinds, key) ? this.#source.kinds[key] : undefined;
    return name === undefined ? undefined : this.definition(name);
  }

  kindsOf(name: string): JsonObject[] {
    this.#kinds ??= Map.groupBy(Object.entries(this.#source.kinds), ([, definition]) => definition);
    const kind = lastPart(name);
    const isOption = kind === 'DeleteOptions' || kind === 'WatchEvent';
    const keys = isOption
      ? this.#source.optionVersions.map((version) => `${version}/${kind}`)
      : (this.#kinds.get(name) ?? []).map(([key]) => key);
    return keys.map((key) => {
      const [group = '', version = '', last = ''] = key.split('/');
      return { group, version, kind: last };
    });
  }

  definition(name: string): Schema {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const schema = this.#build(name);
    this.#known.set(name, schema);
    return schema;
  }

  #build(name: string): Schema {
    const last = lastPart(name);
    const objectForm = openForms[last];
    if (objectForm !== undefined) {
      const { type: _type, ...open } = this.definition(name.replace(last, objectForm));
      return { ...open, definition: name };
    }
    const node = Object.hasOwn(this.#source.definitions, name) ? this.#source.definitions[name] : undefined;
    if (node === undefined) throw new Error(`${name}: no such definition among the built-in schemas`);
    const free = freeForms.has(last) ? { 'x-kubernetes-preserve-unknown-fields': true } : {};
    return { ...this.#expand(node), ...free, definition: name };
  }

  #expand(short: JsonValue): Schema {
    if (typeof short === 'string') return this.#expandText(short);
    if (!isJsonObject(short)) return {};
    const { $ref, properties, items, additionalProperties, ...rest } = short;
    const base = typeof $ref === 'string' ? this.definition($ref) : {};
    return {
      ...base,
      ...(rest as Schema),
      ...(isJsonObject(properties) ? { properties: this.#lazyProperties(properties) } : {}),
      ...(items === undefined ? {} : { items: this.#expand(items) }),
      ...(additionalProperties === undefined ? {} : { additionalProperties: this.#expand(additionalProperties) }),
    };
  }

  #expandText(short: string): Schema {
    if (short.includes('.')) return this.definition(short);
    const [type = '', format] = short.split(':');
    return { type, ...(format === undefined ? {} : { format }) } as Schema;
  }

  /** Every property is worked out at its first reading: a cycle ends here, and start-up costs nothing. */
  #lazyProperties(source: JsonObject): Readonly<Record<string, Schema>> {
    const properties: Record<string, Schema> = {};
    for (const [name, short] of Object.entries(source)) {
      Object.defineProperty(properties, name, {
        enumerable: true,
        configurable: true,
        get: (): Schema => {
          const value = this.#expand(short ?? {});
          Object.defineProperty(properties, name, { value, enumerable: true });
          return value;
        },
      });
    }
    return properties;
  }
}

/** The built-in kinds of the server; cheap enough to call anywhere: nothing is worked out before it is read. */
export function loadBuiltinSchemas(): BuiltinSchemas {
  shared ??= new Definitions();
  return shared;
}

let shared: BuiltinSchemas | undefined;
