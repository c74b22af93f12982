import { type JsonObject, type JsonValue, objectAt, objectsAt, textAt, valueAt } from '../base/index.ts';

const shared = ['subresources', 'additionalPrinterColumns'];

function columnsOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  return objectsAt({ value }, 'value').map(({ JSONPath: jsonPath, ...column }) =>
    jsonPath === undefined ? column : { ...column, jsonPath },
  );
}

function versionOf(version: JsonObject, spec: JsonObject): JsonObject {
  const { schema, ...rest } = version;
  const own = schema ??
    valueAt(spec, 'validation') ?? {
      openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    };
  const inherited = Object.fromEntries(
    shared.filter((key) => spec[key] !== undefined && rest[key] === undefined).map((key) => [key, spec[key]]),
  );
  const complete: JsonObject = { ...inherited, ...rest, schema: own };
  const columns = columnsOf(complete['additionalPrinterColumns']);
  return columns === undefined ? complete : { ...complete, additionalPrinterColumns: columns };
}

function conversionOf(conversion: JsonObject): JsonObject {
  const { webhookClientConfig, conversionReviewVersions, ...rest } = conversion;
  if (textAt(conversion, 'strategy') !== 'Webhook') return rest;
  return { ...rest, webhook: { clientConfig: webhookClientConfig, conversionReviewVersions } };
}

/** A CustomResourceDefinition of v1beta1 in the form of v1; any other stays as it is. */
export function asCurrentDefinition(definition: JsonObject): JsonObject {
  if (textAt(definition, 'apiVersion') !== 'apiextensions.k8s.io/v1beta1') return definition;
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
    ...definition,
    apiVersion: 'apiextensions.k8s.io/v1',
    spec: { ...rest, scope, ...converted, versions },
  };
}
