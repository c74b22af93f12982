import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import { applyDefaults } from '../../schema/defaults.ts';
import { invalidField, requiredField } from '../../schema/field-errors.ts';
import { listTypeErrors } from '../../schema/list-types.ts';
import { pruneUnknown } from '../../schema/prune.ts';
import type { Schema } from '../../schema/schema.ts';
import { validateSchema } from '../../schema/validate.ts';
import { asJson, textAt, valueAt } from '../kinds/reading.ts';
import type { KubeObject, ObjectMeta } from '../kube-object.ts';
import { dns1123SubdomainProblems } from '../names.ts';
import { finalizerWarnings, validateEmbeddedMeta } from '../object-meta.ts';
import type { Strategy } from '../resource-type.ts';

/** One version of a CustomResourceDefinition as its objects need it. */
export interface CustomVersion {
  readonly kind: string;
  readonly hasStatus: boolean;
  /** For pruning and defaulting: metadata is ObjectMeta. */
  readonly schema: Schema;
  /** For validation: metadata as the author restricts it. */
  readonly rules: Schema;
  /** `.spec.replicas`, absent without a scale subresource. */
  readonly replicasPath: string | undefined;
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
}

function pathValue(object: KubeObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = asJson(object);
  for (const key of path.replace(/^\./, '').split('.')) value = isJsonObject(value) ? valueAt(value, key) : undefined;
  return value;
}

/** What a field selector compares: texts as they are, numbers and booleans printed, all else empty. */
export function selectedText(object: KubeObject, path: string): string {
  const value = pathValue(object, path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Everything but metadata is the schema's. Changes `object`. */
export function pruneAndDefault(object: KubeObject, schema: Schema): void {
  const json = asJson(object);
  pruneUnknown(json, schema);
  const { metadata, ...rest } = json;
  applyDefaults(rest, schema);
  for (const key of Object.keys(json)) if (key !== 'metadata' && !Object.hasOwn(rest, key)) delete json[key];
  for (const [key, value] of Object.entries(rest)) json[key] = value;
  if (metadata !== undefined) json['metadata'] = metadata;
}

function embeddedErrors(value: JsonValue, schema: Schema, path: string): FieldError[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => embeddedErrors(item, schema.items ?? {}, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const own = schema['x-kubernetes-embedded-resource'] === true ? embeddedObjectErrors(value, path) : [];
  const { properties = {}, additionalProperties } = schema;
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const below = Object.entries(value).flatMap(([key, member]) => {
    const memberSchema = Object.hasOwn(properties, key) ? properties[key] : values;
    if (member === undefined || memberSchema === undefined) return [];
    return embeddedErrors(member, memberSchema, path === '' ? key : `${path}.${key}`);
  });
  return [...own, ...below];
}

function embeddedObjectErrors(object: JsonObject, path: string): FieldError[] {
  const errors = ['apiVersion', 'kind'].flatMap((key) => {
    const field = `${path}.${key}`;
    if (!Object.hasOwn(object, key)) return [requiredField(field, 'must not be empty')];
    return textAt(object, key) === '' ? [invalidField(field, '', 'must not be empty')] : [];
  });
  const metadata = valueAt(object, 'metadata');
  if (isJsonObject(metadata)) errors.push(...validateEmbeddedMeta(metadata as ObjectMeta, `${path}.metadata`));
  return errors;
}

function replicaErrors(object: KubeObject, path: string | undefined): FieldError[] {
  const value = path === undefined ? undefined : pathValue(object, path);
  if (path === undefined || typeof value !== 'number') return [];
  if (value < 0) return [invalidField(path, value, 'should be a non-negative integer')];
  if (value > 2_147_483_647) return [invalidField(path, value, 'should be less than or equal to 2147483647')];
  return [];
}

function validateCustom(version: CustomVersion, object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const json = asJson(object);
  const options = old === undefined ? {} : { old: asJson(old) };
  return [
    ...validateSchema(json, version.rules, options),
    ...replicaErrors(object, version.replicasPath),
    ...embeddedErrors(json, version.schema, ''),
    ...listTypeErrors(json, version.schema),
  ];
}

function restore(object: KubeObject, old: KubeObject, names: Iterable<string>): void {
  for (const name of names) {
    const value = valueAt(asJson(old), name);
    if (value === undefined) delete asJson(object)[name];
    else asJson(object)[name] = structuredClone(value);
  }
}

function keepAllButStatus(object: KubeObject, old: KubeObject): void {
  const names = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const name of ['status', 'metadata', 'apiVersion', 'kind']) names.delete(name);
  restore(object, old, names);
  const { managedFields, resourceVersion } = object.metadata;
  object.metadata = {
    ...structuredClone(old.metadata),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(managedFields === undefined ? {} : { managedFields }),
  };
}

/** The behaviour of one version of a custom resource: status apart where there is a status subresource, pruning, defaults, validation by schema.
 *  `x-kubernetes-validations` are kept in the schema but not enforced.
 *  @see reference "types" 1.5 */
export function createCustomStrategy(version: CustomVersion): Strategy {
  const outside = new Set(version.hasStatus ? ['metadata', 'status'] : ['metadata']);
  return {
    prepareForCreate: (object) => {
      if (version.hasStatus) delete asJson(object)['status'];
    },
    prepareForUpdate: (object, old) => {
      if (version.hasStatus) restore(object, old, ['status']);
    },
    prepareForStatusUpdate: keepAllButStatus,
    applyDefaults: (object) => pruneAndDefault(object, version.schema),
    validate: (object, old) => validateCustom(version, object, old),
    warnings: finalizerWarnings,
    hasGeneration: true,
    isNewGeneration: (object, old) => {
      const names = new Set([...Object.keys(object), ...Object.keys(old)]);
      const differs = (name: string): boolean =>
        !isJsonEqual(valueAt(asJson(object), name), valueAt(asJson(old), name));
      return [...names].some((name) => !outside.has(name) && differs(name));
    },
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    answersDeleteWithObject: false,
    metadataChecks: { step: true, asNew: 0 },
    defaultPropagation: 'Background',
    graceSeconds: () => undefined,
    selectableFields: version.selectableFields,
    nameProblems: dns1123SubdomainProblems,
  };
}
