import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import { compileEmbeddedWalk, settleMetadata } from './embedded-objects.ts';

const falseMeansAbsent = new Set([
  'exclusiveMaximum',
  'exclusiveMinimum',
  'uniqueItems',
  'nullable',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
]);
const textsThatMayBeEmpty = new Set(['$ref', 'x-kubernetes-list-type', 'x-kubernetes-map-type']);
const freeValues = new Set(['default', 'example', 'enum']);
const maps = ['properties', 'patternProperties', 'definitions', 'dependencies'];
const lists = ['allOf', 'anyOf', 'oneOf'];

/** Whether Go writes nothing for the value: null, and of most types the zero value. */
function isNothing(key: string, value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return true;
  switch (key) {
    case 'default':
    case 'example':
    case 'items':
      return false;
    default:
      return isZero(key, value);
  }
}

function isZero(key: string, value: JsonValue): boolean {
  if (value === '') return !textsThatMayBeEmpty.has(key);
  if (value === false) return falseMeansAbsent.has(key);
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && maps.includes(key) && Object.keys(value).length === 0;
}

/** The schemas directly below a node, wherever they stand. */
function schemasBelow(node: JsonObject): JsonObject[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (freeValues.has(key)) return [];
    if (maps.includes(key)) return isJsonObject(value) ? Object.values(value).filter(isJsonObject) : [];
    if (lists.includes(key) || key === 'items')
      return Array.isArray(value) ? value.filter(isJsonObject) : asSchema(value);
    return key === 'not' || key === 'additionalProperties' || key === 'additionalItems' ? asSchema(value) : [];
  });
}

function asSchema(value: JsonValue | undefined): JsonObject[] {
  return isJsonObject(value) ? [value] : [];
}

/** Objects within a default have the metadata that ObjectMeta knows. */
function settleDefault(node: JsonObject): void {
  const value = node['default'];
  if (!isJsonObject(value) && !Array.isArray(value)) return;
  compileEmbeddedWalk(node as Schema)?.(value, '', (object) => settleMetadata(object, ''));
}

/** Gives a schema the form that it is stored in: keys without effect are removed. Changes `node`. */
export function settleSchema(node: JsonObject): void {
  for (const [key, value] of Object.entries(node)) if (isNothing(key, value)) delete node[key];
  if (Object.hasOwn(node, 'default')) settleDefault(node);
  for (const below of schemasBelow(node)) settleSchema(below);
}

/** Whether the node or any schema below it has something. */
export function someSchema(node: JsonObject, has: (node: JsonObject) => boolean): boolean {
  return has(node) || schemasBelow(node).some((below) => someSchema(below, has));
}
