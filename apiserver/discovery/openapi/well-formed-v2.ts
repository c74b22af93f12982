import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';

type Check = (value: JsonValue) => boolean;

const isText: Check = (value) => typeof value === 'string';
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const mapOf =
  (check: Check): Check =>
  (value) =>
    isJsonObject(value) && Object.values(value).every((member) => check(member ?? null));
/** Members that are not named may be anything. */
const objectOf =
  (checks: () => Readonly<Record<string, Check>>): Check =>
  (value) =>
    isJsonObject(value) && Object.entries(checks()).every(([name, check]) => isAbsentOr(check, value, name));

function isAbsentOr(check: Check, parent: JsonObject, name: string): boolean {
  return !Object.hasOwn(parent, name) || check(parent[name] ?? null);
}

const schemaOrBoolean: Check = (value) => typeof value === 'boolean' || schema(value);
const schema: Check = objectOf(() => ({
  $ref: isText,
  type: (value) => isText(value) || listOf(isText)(value),
  format: isText,
  description: isText,
  required: listOf(isText),
  properties: mapOf(schema),
  items: schema,
  additionalProperties: schemaOrBoolean,
  allOf: listOf(schema),
  'x-kubernetes-group-version-kind': listOf(isJsonObject),
}));

const parameters = listOf(objectOf(() => ({ name: isText, in: isText, type: isText, schema })));
const operation = objectOf(() => ({
  operationId: isText,
  description: isText,
  tags: listOf(isText),
  consumes: listOf(isText),
  produces: listOf(isText),
  schemes: listOf(isText),
  parameters,
  responses: mapOf(objectOf(() => ({ description: isText, schema }))),
  'x-kubernetes-action': isText,
  'x-kubernetes-group-version-kind': isJsonObject,
}));
const path = objectOf(() => ({
  get: operation,
  put: operation,
  post: operation,
  delete: operation,
  options: operation,
  head: operation,
  patch: operation,
  parameters,
}));

/** Whether clients that read OpenAPI 2 into types of their own can read these parts of a document. */
export function isWellFormedV2(parts: { readonly paths: JsonObject; readonly definitions: JsonObject }): boolean {
  return mapOf(path)(parts.paths) && mapOf(schema)(parts.definitions);
}
