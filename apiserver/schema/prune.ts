import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { FirstPaths } from '../core/index.ts';
import { loadBuiltinSchemas } from './builtin-schemas.ts';
import { holdsTexts } from './text-map.ts';

interface Walk {
  readonly removed: FirstPaths;
  /** The schema of `metadata` where an object is embedded (or is the root of a custom resource). */
  readonly metadata: Schema;
}

interface Node {
  readonly schema: Schema;
  readonly path: string;
  /** Unknown fields stay: this node or one above it preserves them, and none between declares its fields. */
  readonly keeps: boolean;
}

const embeddedFields = ['apiVersion', 'kind', 'metadata'];

function prune(value: JsonValue, node: Node, walk: Walk): void {
  if (Array.isArray(value)) {
    // Schemas are read as "one or a list of them".
    const isForm = node.schema.type === undefined && node.schema.properties !== undefined;
    const schema = node.schema.items ?? (isForm ? node.schema : {});
    value.forEach((item, index) => prune(item, { ...node, schema, path: `${node.path}[${index}]` }, walk));
  } else if (isJsonObject(value) && !holdsTexts(node.schema)) {
    for (const key of Object.keys(value)) pruneMember(value, key, { node, walk });
  }
}

interface Visit {
  readonly node: Node;
  readonly walk: Walk;
}

function pruneMember(parent: JsonObject, key: string, { node, walk }: Visit): void {
  const path = node.path === '' ? key : `${node.path}.${key}`;
  const schema = memberSchema(key, node, walk);
  if (schema === undefined) {
    delete parent[key];
    walk.removed.add(path);
    return;
  }
  const member = parent[key];
  if (member === undefined) return;
  const keeps = schema['x-kubernetes-preserve-unknown-fields'] === true;
  prune(member, { schema, path, keeps: keeps || schema === kept }, walk);
}

/** A member that nothing is known about but that stays, with all below it. */
const kept: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

function memberSchema(key: string, { schema, keeps }: Node, walk: Walk): Schema | undefined {
  const { properties, additionalProperties } = schema;
  if (schema['x-kubernetes-embedded-resource'] === true && embeddedFields.includes(key)) {
    return key === 'metadata' ? walk.metadata : kept;
  }
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  if (typeof additionalProperties === 'object') return additionalProperties;
  return keeps || additionalProperties === true || isOpen(schema) ? kept : undefined;
}

/** Built-in definitions without fields (quantities, raw JSON) are not looked into. */
function isOpen(schema: Schema): boolean {
  return schema.definition !== undefined && schema.properties === undefined && schema.type === undefined;
}

/** Removes every field that the schema does not know from `value`, which it changes; below `x-kubernetes-preserve-unknown-fields` they stay.
 *  @returns the fields removed, of very many the first: `spec.template.spec.containers[0].imag` */
export function pruneUnknown(value: JsonValue, schema: Schema): string[] {
  const metadata = loadBuiltinSchemas().definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  const walk: Walk = { removed: new FirstPaths(), metadata };
  prune(value, { schema, path: '', keeps: schema['x-kubernetes-preserve-unknown-fields'] === true }, walk);
  return walk.removed.paths;
}
