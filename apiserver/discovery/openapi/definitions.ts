import type { JsonObject } from '../../../src/base/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import type { ResourceType } from '../../core/index.ts';
import { loadBuiltinSchemas } from '../../schema/index.ts';
import type { ApiPath } from './operations.ts';
import { metaDefinition } from './operations.ts';
import { definitionName } from './subject.ts';

/** A named schema: as documents show it, and the kinds that it is the schema of. */
export interface Definition {
  readonly schema: Schema;
  readonly kinds: readonly JsonObject[];
}

/** Where documents get their definitions from: built-in ones, and those of the custom resources at hand. */
export type FindDefinition = (name: string) => Definition;

function reference(name: string): Schema {
  return loadBuiltinSchemas().definition(metaDefinition(name));
}

/** Definitions that documents leave open, since no single schema describes their values. */
const unspecified = /\.JSONSchemaPropsOr(Array|Bool|StringArray)$/;

/** A built-in definition without what the server marks in it for itself. */
function builtinSchema(name: string): Schema {
  if (unspecified.test(name)) return { definition: name };
  const {
    'x-kubernetes-preserve-unknown-fields': _free,
    'x-kubernetes-int-or-string': _either,
    ...schema
  } = loadBuiltinSchemas().definition(name);
  return schema;
}

const text: Schema = { type: 'string' };

/** The schema that clients see of a custom resource: the metadata of every object are described in one place. */
function customDefinition(type: ResourceType): Schema {
  const schema = type.schema ?? { type: 'object' };
  const metadata = { ...reference('ObjectMeta'), description: '' };
  const described = schema.properties ?? {};
  const { description: _apiVersion, ...apiVersion } = described['apiVersion'] ?? text;
  const { description: _kind, ...kind } = described['kind'] ?? text;
  return { ...schema, type: 'object', properties: { ...described, apiVersion, kind, metadata } };
}

/** Embedded resources have, besides the fields of their schema, those of every object. */
export function withEmbedded(schema: Schema): Schema {
  if (schema['x-kubernetes-embedded-resource'] !== true) return schema;
  const metadata = { ...reference('ObjectMeta'), description: '' };
  const properties = { ...schema.properties, apiVersion: text, kind: text, metadata };
  return { ...schema, properties, required: [...(schema.required ?? []), 'kind', 'apiVersion'] };
}

function customList(type: ResourceType, name: string): Schema {
  return {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: text,
      items: { type: 'array', items: { definition: name } },
      kind: text,
      metadata: reference('ListMeta'),
    },
  };
}

function kindsOf({ group, version }: ResourceType, kind: string): JsonObject[] {
  return [{ group, version, kind }];
}

const notForCustom = ['admission.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'imagepolicy.k8s.io'];

/** Documents about custom resources know fewer groups. */
function kindsOfBuiltin(name: string, isCustom: boolean): JsonObject[] {
  const kinds = loadBuiltinSchemas().kindsOf(name);
  return isCustom ? kinds.filter(({ group }) => typeof group === 'string' && !notForCustom.includes(group)) : kinds;
}

/** Whether a document is about custom resources and nothing else. */
export function areCustom(types: readonly ResourceType[]): boolean {
  return types.length > 0 && types.every((type) => type.isCustom);
}

/** Definitions for documents about `types`. */
export function findDefinitions(types: readonly ResourceType[]): FindDefinition {
  const custom = new Map<string, () => Definition>();
  const isCustom = areCustom(types);
  for (const type of types.filter(({ isCustom }) => isCustom)) {
    const name = definitionName(type);
    custom.set(name, () => ({ schema: customDefinition(type), kinds: kindsOf(type, type.kind) }));
    const list = definitionName({ ...type, kind: type.listKind });
    custom.set(list, () => ({ schema: customList(type, name), kinds: kindsOf(type, type.listKind) }));
  }
  return (name) => custom.get(name)?.() ?? { schema: builtinSchema(name), kinds: kindsOfBuiltin(name, isCustom) };
}

/** Names of the definitions that the operations of paths speak of. */
export function mentionedDefinitions(paths: readonly ApiPath[]): string[] {
  const names = paths.flatMap(({ operations }) =>
    operations.flatMap(({ body, answer }) => [answer.schema, ...(body === undefined ? [] : [body.schema])]),
  );
  return [...new Set(names)].filter((name) => name !== 'string').sort();
}
