import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { FirstPaths } from '../core/index.ts';

/** Fields of every object, retained whatever the schema has. */
const typeFields = new Set(['apiVersion', 'kind', 'metadata']);

interface Walk {
  readonly removed: FirstPaths;
  readonly root: Schema;
}

/** Nothing is known of a value, and nothing of what it holds. */
const unknown: Schema = {};

function prune(
  value: JsonValue,
  schema: Schema,
  at: { readonly path: string; readonly walk: Walk; readonly keeps: boolean },
): void {
  const keeps = at.keeps || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) {
    const items = schema.items ?? unknown;
    value.forEach((item, index) => {
      if (item !== null && typeof item === 'object') {
        prune(item, items, { path: `${at.path}[${index}]`, walk: at.walk, keeps });
      }
    });
  } else if (isJsonObject(value)) {
    pruneMembers(value, schema, { ...at, keeps });
  }
}

function pruneMembers(
  object: JsonObject,
  schema: Schema,
  { path, walk, keeps }: { readonly path: string; readonly walk: Walk; readonly keeps: boolean },
): void {
  const isObject = schema['x-kubernetes-embedded-resource'] === true || schema === walk.root;
  for (const [key, member] of Object.entries(object)) {
    if (isObject && typeFields.has(key)) continue;
    const below = memberSchema(key, schema);
    if (below === undefined) {
      if (keeps) continue;
      delete object[key];
      walk.removed.add(joined(path, key));
    } else if (typeof member === 'object' && member !== null) {
      prune(member, below, { path: joined(path, key), walk, keeps: false });
    }
  }
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function memberSchema(key: string, { properties, additionalProperties }: Schema): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  if (additionalProperties === undefined) return undefined;
  // `additionalProperties: true` and `false` alike let a member be, but nothing is known of what it holds.
  return typeof additionalProperties === 'object' ? additionalProperties : unknown;
}

/** Removes what a custom resource's schema does not know from `value`, which it changes; at the root and in embedded objects apiVersion, kind and
 *  metadata stay as they are.
 *  @returns the paths removed, sorted; of very many the first */
export function pruneCustom(value: JsonValue, schema: Schema, options: { readonly isObject: boolean }): string[] {
  const walk: Walk = { removed: new FirstPaths(), root: options.isObject ? schema : unknown };
  prune(value, schema, { path: '', walk, keeps: false });
  return walk.removed.paths.sort();
}
