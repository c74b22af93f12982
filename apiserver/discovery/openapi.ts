import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { Schema } from '../schema/schema.ts';
import type { GroupVersion } from './groups.ts';

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** Writes schema nodes as JSON, named definitions as references; collects the definitions that it meets. */
class SchemaWriter {
  readonly components: Record<string, JsonObject> = {};

  /** Puts `schema` among the components under `name`. */
  define(name: string, schema: Schema, extensions: JsonObject = {}): void {
    if (Object.hasOwn(this.components, name)) return;
    this.components[name] = {};
    this.components[name] = { ...this.#body(schema), ...extensions };
  }

  #node(schema: Schema): JsonObject {
    const { definition } = schema;
    if (definition === undefined) return this.#body(schema);
    this.define(definition, schema);
    // What stands beside a reference at a property: how its value is patched.
    const strategy = schema['x-kubernetes-patch-strategy'];
    return {
      allOf: [reference(definition)],
      ...(strategy === undefined ? {} : { 'x-kubernetes-patch-strategy': strategy }),
    };
  }

  #item(schema: Schema): JsonObject {
    const { definition } = schema;
    if (definition === undefined) return this.#body(schema);
    this.define(definition, schema);
    return reference(definition);
  }

  #body(schema: Schema): JsonObject {
    const body: JsonObject = {};
    for (const [key, value] of Object.entries(schema) as [string, JsonValue | Schema][]) {
      if (key !== 'definition' && value !== undefined) body[key] = this.#member(key, value);
    }
    return body;
  }

  #member(key: string, value: JsonValue | Schema): JsonValue {
    if (key === 'properties') {
      return Object.fromEntries(
        Object.entries(value as Readonly<Record<string, Schema>>).map(([name, child]) => [name, this.#node(child)]),
      );
    }
    if (key === 'items' || key === 'additionalProperties' || key === 'not') {
      return typeof value === 'object' ? this.#item(value as Schema) : value;
    }
    if (key === 'allOf' || key === 'anyOf' || key === 'oneOf') {
      return (value as unknown as Schema[]).map((child) => this.#item(child));
    }
    return value as JsonValue;
  }
}

function queryParameter(name: string, type: string): JsonObject {
  return { name, in: 'query', schema: { type, uniqueItems: true } };
}

const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => queryParameter(name, 'string'));
const patchParameters = [...writeParameters, queryParameter('force', 'boolean')];

function operation(type: ResourceType, action: string, rest: JsonObject = {}): JsonObject {
  const { group, version, kind } = type;
  return {
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
    responses: { '200': { description: 'OK' } },
    ...rest,
  };
}

function patchOperation(type: ResourceType): JsonObject {
  const forms = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
  // Custom resources have no strategic merge patch, and clients choose it where it is offered.
  const offered = type.isCustom ? forms : [...forms, 'application/strategic-merge-patch+json'];
  const content = Object.fromEntries(offered.map((form) => [form, { schema: { type: 'object' } }]));
  return operation(type, 'patch', { parameters: patchParameters, requestBody: { content } });
}

function paths(type: ResourceType): [string, JsonObject][] {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const collection = `${root}${type.namespaced ? '/namespaces/{namespace}' : ''}/${type.plural}`;
  const has = (verb: ResourceType['verbs'][number]): boolean => type.verbs.includes(verb);
  const onCollection: JsonObject = {
    ...(has('list') ? { get: operation(type, 'list') } : {}),
    ...(has('create') ? { post: operation(type, 'post', { parameters: writeParameters }) } : {}),
  };
  const onObject: JsonObject = {
    ...(has('get') ? { get: operation(type, 'get') } : {}),
    ...(has('update') ? { put: operation(type, 'put', { parameters: writeParameters }) } : {}),
    ...(has('patch') ? { patch: patchOperation(type) } : {}),
    ...(has('delete') ? { delete: operation(type, 'delete') } : {}),
  };
  return [
    [collection, onCollection],
    [`${collection}/{name}`, onObject],
  ];
}

/** Definition name of a kind: its own for built-in kinds, reversed group for custom ones (`com.example.v1.Foo`). */
function definitionName(type: ResourceType): string {
  const own = type.schema?.definition;
  return own ?? `${type.group.split('.').reverse().join('.')}.${type.version}.${type.kind}`;
}

/** The OpenAPI v3 document of one group and version: what kubectl needs to explain, validate and patch. Descriptions are those of
 *  CustomResourceDefinitions; built-in schemas have none. */
export function openApiDocument(version: GroupVersion, kubernetesVersion: string): JsonObject {
  const writer = new SchemaWriter();
  for (const type of version.types) {
    const { group, kind } = type;
    const extensions = { 'x-kubernetes-group-version-kind': [{ group, version: type.version, kind }] };
    writer.define(definitionName(type), type.schema ?? { type: 'object' }, extensions);
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: kubernetesVersion },
    paths: Object.fromEntries(version.types.flatMap(paths)),
    components: { schemas: writer.components },
  };
}
