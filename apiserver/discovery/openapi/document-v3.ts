import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import type { Steps } from '../../core/index.ts';
import { loadBuiltinSchemas } from '../../schema/index.ts';
import { areCustom, type Definition, findDefinitions, withEmbedded } from './definitions.ts';
import { byName, DocumentParts, type MadeDocument, madeDocument, memberTexts } from './document-parts.ts';
import type { ApiDocument } from './documents.ts';
import type { ApiOperation, ApiPath } from './operations.ts';
import type { ApiParameter } from './parameters.ts';

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const schemaOf = (name: string): JsonObject => (name === 'string' ? { type: 'string' } : reference(name));

type Visit = (name: string) => void;

/** Zeros of Go that are never null, in the places that `x-zeros` of the enclosing object lists. */
interface Place {
  readonly zeros: ReadonlySet<string>;
  readonly path: string;
}

const nowhere: Place = { zeros: new Set(), path: '' };

function zeroOf(schema: Schema): JsonValue {
  if (schema.definition !== undefined) return {};
  const zeros: Readonly<Record<string, JsonValue>> = { string: '', integer: 0, number: 0, boolean: false };
  return zeros[schema.type ?? ''] ?? {};
}

function defaultOf(schema: Schema, place: Place): JsonObject {
  return place.zeros.has(place.path) && schema.default === undefined ? { default: zeroOf(schema) } : {};
}

const besideReference = [
  'description',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-map-type',
  'x-kubernetes-list-type',
] as const;

/** The keys beside a reference at a property: those that differ from the definition. */
export function besides(schema: Schema, definition: string): JsonObject {
  const kept: JsonObject = {};
  for (const key of besideReference) {
    const value = schema[key];
    const isSet = value !== undefined && value !== '';
    if (isSet && value !== loadBuiltinSchemas().definition(definition)[key]) kept[key] = value;
  }
  return kept;
}

function writeProperty(schema: Schema, place: Place, visit: Visit): JsonObject {
  if (schema.definition === undefined) return writeBody(schema, place, visit);
  visit(schema.definition);
  return { allOf: [reference(schema.definition)], ...besides(schema, schema.definition), ...defaultOf(schema, place) };
}

/** An item or value: a plain reference, unless something has to stand beside it. */
function writeItem(schema: Schema, place: Place, visit: Visit): JsonObject {
  const { definition } = schema;
  if (definition === undefined) return writeBody(schema, place, visit);
  visit(definition);
  const zero = defaultOf(schema, place);
  return Object.keys(zero).length === 0 ? reference(definition) : { allOf: [reference(definition)], ...zero };
}

function writeProperties(schema: Schema, visit: Visit): JsonObject {
  const zeros = new Set((schema['x-zeros'] ?? '').split(','));
  const bare = (schema['x-bare'] ?? '').split(',');
  const entries = Object.entries(schema.properties ?? {}).map(([name, child]) => {
    const write = bare.includes(name) ? writeItem : writeProperty;
    return [name, write(child, { zeros, path: name }, visit)];
  });
  return Object.fromEntries(entries) as JsonObject;
}

function writeMember(key: string, value: unknown, at: { place: Place; visit: Visit }): JsonValue {
  const { place, visit } = at;
  if (key === 'items') return writeItem(value as Schema, { ...place, path: `${place.path}[]` }, visit);
  if (key === 'additionalProperties' && typeof value === 'object') {
    return writeItem(value as Schema, { ...place, path: `${place.path}{}` }, visit);
  }
  if (key === 'not') return writeItem(value as Schema, nowhere, visit);
  if (key === 'allOf' || key === 'anyOf' || key === 'oneOf') {
    return (value as Schema[]).map((child) => writeItem(child, nowhere, visit));
  }
  return value as JsonValue;
}

const ownKeys = new Set(['definition', 'x-zeros', 'x-bare', 'properties']);

/** A schema as documents of version 3 have it; calls `visit` for the definitions that it refers to. */
function writeBody(source: Schema, place: Place, visit: Visit): JsonObject {
  const schema = withEmbedded(source);
  const body: JsonObject = defaultOf(schema, place);
  for (const [key, value] of Object.entries(schema)) {
    if (!ownKeys.has(key) && value !== undefined) body[key] = writeMember(key, value, { place, visit });
  }
  if (schema.properties !== undefined) body['properties'] = writeProperties(schema, visit);
  return body;
}

/** The server's own marks in built-in definitions are translated. */
const ownWords: Readonly<Record<string, JsonObject>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { oneOf: [{ type: 'integer' }, { type: 'string' }] },
};

function writeDefinition({ schema, kinds }: Definition, visit: Visit): JsonObject {
  const body = { ...writeBody(schema, nowhere, visit), ...ownWords[schema.definition ?? ''] };
  return kinds.length === 0 ? body : { ...body, 'x-kubernetes-group-version-kind': [...kinds] };
}

function writeParameter({ name, in: place, type }: ApiParameter): JsonObject {
  const required = place === 'path' ? { required: true } : {};
  return { name, in: place, ...required, schema: { type, uniqueItems: true } };
}

/** The few words that a document cannot be without. */
export const answerTexts: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

function contentOf(media: readonly string[], schema: string): JsonObject {
  return Object.fromEntries(media.map((type) => [type, { schema: schemaOf(schema) }]));
}

function writeOperation(operation: ApiOperation, tag: string): JsonObject {
  const { id, action, kind, parameters, body, answer } = operation;
  const content = contentOf(answer.media, answer.schema);
  const answers = answer.codes.map((code): [string, JsonObject] => [
    String(code),
    { description: answerTexts[code] ?? '', content },
  ]);
  return {
    tags: [tag],
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(writeParameter) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: { content: contentOf(body.media, body.schema), ...(body.isRequired ? { required: true } : {}) },
        }),
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

/** How clients authenticate. */
export const securitySchemes: JsonObject = {
  BearerToken: { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' },
};

/** `v1.33.4` → `1.33` */
export function shortVersion(kubernetesVersion: string): string {
  return kubernetesVersion.replace(/^v(\d+\.\d+).*$/, '$1');
}

/** A document of OpenAPI 3.0 with its paths and every definition that they need. Descriptions are those of CustomResourceDefinitions: built-in
 *  schemas have none. */
export function* documentV3({ units, types }: ApiDocument, kubernetesVersion: string): Steps<MadeDocument> {
  const parts = new DocumentParts({ path: writePath, definition: writeDefinition }, findDefinitions(types));
  yield* parts.addAll(units);
  const isCustom = areCustom(types);
  const info = isCustom
    ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
    : { title: 'Kubernetes', version: shortVersion(kubernetesVersion) };
  const schemas = byName(parts.definitions);
  return yield* madeDocument(function* () {
    yield `{"openapi":"3.0.0","info":${JSON.stringify(info)},"paths":{`;
    yield* memberTexts(parts.paths);
    yield '},"components":{';
    if (schemas.size > 0) {
      yield '"schemas":{';
      yield* memberTexts(schemas);
      yield isCustom ? '}' : '},';
    }
    yield isCustom ? '}}\n' : `"securitySchemes":${JSON.stringify(securitySchemes)}}}\n`;
  });
}
