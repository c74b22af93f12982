import { loadBuiltinSchemas } from '../../apiserver/schema/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';

const maxDepth = 6;

/** A list in the objects of a kind: `spec.template.spec.containers[].env`. */
export interface ListPath {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  /** An object with `count` items in that list, each of them different. */
  readonly object: (count: number) => JsonObject;
}

/** A value of a schema, different for each number as far as it can be; one item in each list. */
function sample(schema: Schema, index: number, depth: number): JsonValue | undefined {
  switch (schema.type) {
    case 'array':
      return depth <= 0 || schema.items === undefined ? [] : present(sample(schema.items, index, depth - 1));
    case 'integer':
    case 'number':
      return 1 + (index % 30_000);
    case 'boolean':
      return true;
    case 'object':
      return depth > 0 ? sampleObject(schema, index, depth) : undefined;
    default:
      return `a-${index}`;
  }
}

function present(value: JsonValue | undefined): JsonValue[] {
  return value === undefined ? [] : [value];
}

function sampleObject({ properties = {} }: Schema, index: number, depth: number): JsonObject {
  const members = Object.entries(properties).map(([name, of]) => [
    name,
    of.type === 'object' ? undefined : sample(of, index, depth - 2),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Puts a value at a path of names, of which `[]` leads into the only item of a list. */
function nested(names: readonly string[], value: JsonValue): JsonValue {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  const inner = nested(rest, value);
  return name === '[]' ? [{ name: 'a', ...(isJsonObject(inner) ? inner : {}) }] : { [name]: inner };
}

function* listsBelow(
  schema: Schema,
  names: readonly string[],
  seen: readonly string[],
): Generator<{ readonly names: readonly string[]; readonly items: Schema }> {
  const { definition = '' } = schema;
  if (names.length > maxDepth || (definition !== '' && seen.includes(definition))) return;
  for (const [name, of] of Object.entries(schema.properties ?? {})) {
    const inner = [...names, name];
    if (of.type !== 'array' || of.items === undefined) yield* listsBelow(of, inner, [...seen, definition]);
    else {
      yield { names: inner, items: of.items };
      yield* listsBelow(of.items, [...inner, '[]'], [...seen, definition]);
    }
  }
}

/** Every list of a built-in kind, by its schema. */
export function listPathsOf(apiVersion: string, kind: string): readonly ListPath[] {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const schema = loadBuiltinSchemas().kind(group, version, kind);
  if (schema === undefined) return [];
  return [...listsBelow(schema, [], [])].map(({ names, items }) => ({
    apiVersion,
    kind,
    path: names.join('.').replaceAll('.[]', '[]'),
    object: (count) => {
      const list = Array.from({ length: count }, (_, index) => sample(items, index, 3) ?? {});
      const { metadata = {}, ...rest } = nested(names, list) as JsonObject;
      return { apiVersion, kind, metadata: { name: 'costly', ...(isJsonObject(metadata) ? metadata : {}) }, ...rest };
    },
  }));
}
