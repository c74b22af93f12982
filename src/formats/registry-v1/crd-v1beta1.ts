import {
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../base/index.ts';

const apiVersion = 'apiextensions.k8s.io/v1beta1';
const shared = ['subresources', 'additionalPrinterColumns'];
const preserve = 'x-kubernetes-preserve-unknown-fields';
/** Members of a schema that hold other schemas: one, a map of them. Those of `allOf` and its like decide nothing about unknown fields. */
const inner = ['items', 'additionalProperties'];
const innerMaps = ['properties'];

/** Whether an object is a CustomResourceDefinition of the version that Kubernetes 1.22 removed. */
export function isBetaDefinition(object: JsonObject): boolean {
  return object['kind'] === 'CustomResourceDefinition' && object['apiVersion'] === apiVersion;
}

/** `anyOf: [{type: integer}, {type: string}]`, which v1 takes under a mark of its own only. */
function isIntOrString({ type, anyOf }: JsonObject): boolean {
  return type === undefined && isJsonEqual(anyOf ?? null, [{ type: 'integer' }, { type: 'string' }]);
}

/** The schema, keeping unknown fields at every level, as `preserveUnknownFields: true` does: the mark on an object ends where its properties begin. What
 *  has no type may be anything, an object as well: v1 accepts that with the mark only. */
function preserving(schema: JsonObject): JsonObject {
  const copy: JsonObject = { ...schema };
  for (const key of inner) {
    const value = schema[key];
    if (isJsonObject(value)) copy[key] = preserving(value);
  }
  for (const key of innerMaps) {
    const map = schema[key];
    if (!isJsonObject(map)) continue;
    const entries = Object.entries(map).map(([name, value = null]): [string, JsonValue] => {
      return [name, isJsonObject(value) ? preserving(value) : value];
    });
    copy[key] = Object.fromEntries(entries);
  }
  if (isIntOrString(schema)) return { ...copy, 'x-kubernetes-int-or-string': true };
  // With additionalProperties nothing is unknown.
  const mayBeObject = schema['type'] === undefined || schema['type'] === 'object';
  const isOpen = mayBeObject && schema['additionalProperties'] === undefined;
  return isOpen ? { ...copy, [preserve]: true } : copy;
}

/** The root of a custom resource is an object, also where an old schema does not declare it. */
function schemaOf(given: JsonValue | undefined, isPreserving: boolean): JsonObject {
  const validation = isJsonObject(given) ? given : {};
  const root = isJsonObject(validation['openAPIV3Schema']) ? validation['openAPIV3Schema'] : undefined;
  if (root === undefined) return { ...validation, openAPIV3Schema: { type: 'object', [preserve]: true } };
  const typed = root['type'] === undefined ? { type: 'object', ...root } : root;
  return { ...validation, openAPIV3Schema: isPreserving ? preservingRoot(typed) : typed };
}

/** Metadata are Kubernetes' own: a schema may limit names in them, and decides nothing about their fields. */
function preservingRoot(root: JsonObject): JsonObject {
  const schema = preserving(root);
  const metadata = objectAt(root, 'properties', 'metadata');
  const properties = metadata === undefined ? undefined : { ...objectAt(schema, 'properties'), metadata };
  return properties === undefined ? schema : { ...schema, properties };
}

function columnsOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  return objectsAt({ value }, 'value').map(({ JSONPath: jsonPath, ...column }) =>
    jsonPath === undefined ? column : { ...column, jsonPath },
  );
}

function versionOf(version: JsonObject, spec: JsonObject): JsonObject {
  const { schema, ...rest } = version;
  const isPreserving = spec['preserveUnknownFields'] !== false;
  const inherited = Object.fromEntries(
    shared.filter((key) => spec[key] !== undefined && rest[key] === undefined).map((key) => [key, spec[key]]),
  );
  const complete: JsonObject = {
    ...inherited,
    ...rest,
    schema: schemaOf(schema ?? valueAt(spec, 'validation'), isPreserving),
  };
  const columns = columnsOf(complete['additionalPrinterColumns']);
  return columns === undefined ? complete : { ...complete, additionalPrinterColumns: columns };
}

function conversionOf(conversion: JsonObject): JsonObject {
  const { webhookClientConfig, conversionReviewVersions, ...rest } = conversion;
  if (textAt(conversion, 'strategy') !== 'Webhook') return rest;
  return {
    ...rest,
    webhook: {
      ...(webhookClientConfig === undefined ? {} : { clientConfig: webhookClientConfig }),
      conversionReviewVersions: conversionReviewVersions ?? ['v1beta1'],
    },
  };
}

const approval = 'api-approved.kubernetes.io';

/** Protected groups of Kubernetes, which v1beta1 did not check: v1 requires an annotation that they were not approved. */
function metadataOf({ metadata }: JsonObject, group: string): JsonValue {
  const given = isJsonObject(metadata) ? metadata : {};
  const annotations = objectAt(given, 'annotations');
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group) || annotations?.[approval] !== undefined) return metadata ?? null;
  return {
    ...given,
    annotations: { ...annotations, [approval]: 'unapproved, defined with apiextensions.k8s.io/v1beta1' },
  };
}

/** A CustomResourceDefinition of v1beta1 as v1, with the defaults of v1beta1 written out: it accepts and keeps the same custom resources. Any
 *  other object stays as it is. What v1 asks for besides, a structural schema, is for the API server to check. */
export function asCurrentDefinition(definition: JsonObject): JsonObject {
  if (!isBetaDefinition(definition)) return definition;
  const { status: _status, ...whole } = definition;
  const spec = objectAt(definition, 'spec') ?? {};
  const listed = objectsAt(spec, 'versions');
  const single = { name: textAt(spec, 'version'), served: true, storage: true };
  const { validation: _validation, version: _version, preserveUnknownFields: _preserve, ...rest } = spec;
  for (const key of shared) delete rest[key];
  const conversion = objectAt(spec, 'conversion');
  const versions = (listed.length === 0 ? [single] : listed).map((version) => versionOf(version, spec));
  const scope = textAt(spec, 'scope') || 'Namespaced';
  const converted = conversion === undefined ? {} : { conversion: conversionOf(conversion) };
  return {
    ...whole,
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: metadataOf(definition, textAt(spec, 'group')),
    spec: { ...rest, scope, ...converted, versions },
  };
}
