import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import type { Steps } from '../../core/index.ts';
import { type Definition, findDefinitions } from './definitions.ts';
import { byName, DocumentParts, memberTexts } from './document-parts.ts';
import { answerTexts, besides, securitySchemes, shortVersion } from './document-v3.ts';
import type { ApiDocument } from './documents.ts';
import { mergeTexts } from './merged-v2.ts';
import { type ApiOperation, type ApiPath, anyMedia, customMedia, plainMedia } from './operations.ts';
import type { ApiParameter } from './parameters.ts';

type Visit = (name: string) => void;

const reference = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });
const schemaOf = (name: string): JsonObject => (name === 'string' ? { type: 'string' } : reference(name));

/** What version 2 has a word for. */
const keptKeys = [
  'description',
  'type',
  'format',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-validations',
  'x-kubernetes-int-or-string',
  'x-kubernetes-unions',
] as const;

/** The schema of a value that may be anything, or null: version 2 cannot express it. */
const openKeys = [
  'description',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
] as const;

/** Types that version 3 calls one of several; here they are the text that they can all be. */
const texts: Readonly<Record<string, JsonObject>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'string', format: 'int-or-string' },
};

/** Custom resources keep of their schema what clients of version 2 can check without mistakes. */
function isOpen(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || schema.nullable === true;
}

function keepKeys(schema: Schema, keys: readonly (keyof Schema)[]): JsonObject {
  const body: JsonObject = {};
  for (const key of keys) {
    const value = schema[key];
    if (value !== undefined && value !== '') body[key] = value as JsonValue;
  }
  return body;
}

function writeChild(schema: Schema, visit: Visit): JsonObject {
  const { definition } = schema;
  if (definition === undefined) return writeBody(schema, visit);
  visit(definition);
  return { ...reference(definition), ...besides(schema, definition) };
}

function writeBody(schema: Schema, visit: Visit): JsonObject {
  if (isOpen(schema)) return keepKeys(schema, openKeys);
  const body = keepKeys(schema, keptKeys);
  const { properties, items, additionalProperties } = schema;
  if (items !== undefined) body['items'] = writeChild(items, visit);
  if (typeof additionalProperties === 'object') {
    body['additionalProperties'] = writeChild(additionalProperties, visit);
  }
  if (properties !== undefined) {
    const children = Object.entries(properties).map(([name, child]) => [name, writeChild(child, visit)]);
    body['properties'] = Object.fromEntries(children) as JsonObject;
  }
  return body;
}

function writeDefinition({ schema, kinds }: Definition, visit: Visit): JsonObject {
  const body = isOpen(schema) && kinds.length > 0 ? openObject(schema) : writeBody(schema, visit);
  const text = texts[schema.definition ?? ''] ?? {};
  return { ...body, ...text, ...(kinds.length === 0 ? {} : { 'x-kubernetes-group-version-kind': [...kinds] }) };
}

function openObject({ description }: Schema): JsonObject {
  return { ...(description === undefined ? {} : { description }), type: 'object' };
}

function writeParameter({ name, in: place, type }: ApiParameter): JsonObject {
  return { uniqueItems: true, type, name, in: place, ...(place === 'path' ? { required: true } : {}) };
}

function bodyParameter(body: NonNullable<ApiOperation['body']>): JsonObject {
  const required = body.isRequired ? { required: true } : {};
  return { name: 'body', in: 'body', ...required, schema: schemaOf(body.schema) };
}

function consumedMedia({ body, answer, action }: ApiOperation): readonly string[] {
  if (body !== undefined) return body.media;
  if (answer.media.length === customMedia.length) return customMedia;
  if (action !== undefined) return anyMedia;
  return answer.schema === 'string' ? [] : answer.media.filter((type) => plainMedia.includes(type));
}

function consumesOf(operation: ApiOperation): JsonObject {
  const media = consumedMedia(operation);
  return media.length === 0 ? {} : { consumes: [...media] };
}

function writeOperation(operation: ApiOperation, tag: string): JsonObject {
  const { id, action, kind, parameters, body, answer } = operation;
  const schema = schemaOf(answer.schema);
  const answers = answer.codes.map((code): [string, JsonObject] => [
    String(code),
    { description: answerTexts[code] ?? '', schema },
  ]);
  const all = [...(body === undefined ? [] : [bodyParameter(body)]), ...parameters.map(writeParameter)];
  return {
    ...consumesOf(operation),
    produces: [...answer.media],
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: { ...Object.fromEntries(answers), '401': { description: 'Unauthorized' } },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': { ...kind } }),
  };
}

function writePath({ operations, parameters, tag }: ApiPath): JsonObject {
  const entries = operations.map((operation) => [operation.method, writeOperation(operation, tag)]);
  const shared = parameters.length === 0 ? {} : { parameters: parameters.map(writeParameter) };
  return { ...(Object.fromEntries(entries) as JsonObject), ...shared };
}

/** The members of a document of OpenAPI 2.0 that are the same whatever it is about, and the others as their JSON. */
export interface DocumentV2 {
  readonly head: JsonObject;
  readonly paths: ReadonlyMap<string, string>;
  readonly definitions: ReadonlyMap<string, string>;
  readonly security: JsonObject;
}

/** What another server has for a group and version. */
export interface ForeignDocument {
  readonly document: JsonObject;
  readonly group: string;
  readonly version: string;
}

/** The document of OpenAPI 2.0 about everything that is served, here and by others. */
export function* documentV2(
  documents: readonly ApiDocument[],
  foreign: readonly ForeignDocument[],
  kubernetesVersion: string,
): Steps<DocumentV2> {
  const find = findDefinitions(documents.flatMap(({ types }) => types));
  const parts = new DocumentParts({ path: writePath, definition: writeDefinition }, find);
  yield* parts.addAll(documents.flatMap(({ units }) => units));
  const paths = new Map(parts.paths);
  const definitions = byName(parts.definitions);
  for (const { document, ...version } of foreign) {
    yield;
    mergeTexts({ paths, definitions }, document, version);
  }
  return {
    head: { swagger: '2.0', info: { title: 'Kubernetes', version: shortVersion(kubernetesVersion) } },
    paths: byName(paths),
    definitions,
    security: { securityDefinitions: securitySchemes, security: [{ BearerToken: [] }] },
  };
}

/** A document as it is sent. */
export function* piecesOfV2({ head, paths, definitions, security }: DocumentV2): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"paths":{`;
  yield* memberTexts(paths);
  yield '},"definitions":{';
  yield* memberTexts(definitions);
  yield `},${JSON.stringify(security).slice(1)}\n`;
}
