import { isJsonObject, type JsonObject, type JsonValue, objectAt } from '../../../src/base/index.ts';

const before = '#/definitions/';
const after = '#/components/schemas/';
const methods = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head'];
const keptKeys = ['operationId', 'description', 'tags', 'x-kubernetes-action', 'x-kubernetes-group-version-kind'];

function withReferences(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withReferences);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    const isReference = key === '$ref' && typeof member === 'string' && member.startsWith(before);
    return [key, isReference ? after + member.slice(before.length) : withReferences(member ?? null)];
  });
  return Object.fromEntries(entries);
}

function convertResponses(responses: JsonObject): JsonObject {
  const entries = Object.entries(responses).map(([code, response]): [string, JsonValue] => {
    const { description = '', schema } = isJsonObject(response) ? response : {};
    if (schema === undefined) return [code, { description }];
    return [code, { description, content: { 'application/json': { schema: withReferences(schema) } } }];
  });
  return Object.fromEntries(entries);
}

function convertPath(path: JsonObject): JsonObject {
  const operations = methods.flatMap((method): [string, JsonValue][] => {
    const operation = objectAt(path, method);
    if (operation === undefined) return [];
    const kept = Object.entries(operation).filter(([key]) => keptKeys.includes(key));
    return [
      [method, { ...Object.fromEntries(kept), responses: convertResponses(objectAt(operation, 'responses') ?? {}) }],
    ];
  });
  return Object.fromEntries(operations);
}

/** OpenAPI 3 out of a document of OpenAPI 2: paths below `root` with their answers, and all definitions. */
export function convertToV3(document: JsonObject, root: string): JsonObject {
  const paths = Object.entries(objectAt(document, 'paths') ?? {}).filter(([path]) => path.startsWith(`${root}/`));
  return {
    openapi: '3.0.0',
    info: objectAt(document, 'info') ?? { title: '', version: '' },
    paths: Object.fromEntries(paths.map(([path, item]) => [path, convertPath(isJsonObject(item) ? item : {})])),
    components: { schemas: withReferences(objectAt(document, 'definitions') ?? {}) },
  };
}
