import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../../../src/base/index.ts';
import {
  dns1035LabelProblems,
  type FieldError,
  invalidField,
  pathSegmentProblems,
  requiredField,
  type Schema,
  UntypedValue,
} from '../../../src/schema/index.ts';
import { type ObjectMeta, validateObjectMeta } from '../../core/index.ts';
import { decodeProblems, dropNulls, loadBuiltinSchemas, pruneUnknown } from '../../schema/index.ts';

/** Looks at every embedded object in a value; `path` is the value's. */
export type EmbeddedWalk = (value: JsonValue, path: string, visit: (object: JsonObject, path: string) => void) => void;

function membersWalk({ properties = {}, additionalProperties }: Schema): EmbeddedWalk | undefined {
  const members = new Map<string, EmbeddedWalk>();
  for (const [name, property] of Object.entries(properties)) {
    const walk = compileEmbeddedWalk(property);
    if (walk !== undefined) members.set(name, walk);
  }
  const additional = typeof additionalProperties === 'object' ? compileEmbeddedWalk(additionalProperties) : undefined;
  if (members.size === 0 && additional === undefined) return undefined;
  return (value, path, visit) => {
    if (!isJsonObject(value)) return;
    for (const [key, member] of Object.entries(value)) {
      const walk = Object.hasOwn(properties, key) ? members.get(key) : additional;
      if (member === undefined || walk === undefined) continue;
      walk(member, walk === additional ? `${path}[${key}]` : joined(path, key), visit);
    }
  };
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** How to find the embedded objects that a schema has; undefined when it has none. */
export function compileEmbeddedWalk(schema: Schema): EmbeddedWalk | undefined {
  const isOwn = schema['x-kubernetes-embedded-resource'] === true;
  const members = membersWalk(schema);
  const items = schema.items === undefined ? undefined : compileEmbeddedWalk(schema.items);
  if (!isOwn && members === undefined && items === undefined) return undefined;
  return (value, path, visit) => {
    if (Array.isArray(value)) value.forEach((item, index) => items?.(item, `${path}[${index}]`, visit));
    if (isOwn && isJsonObject(value)) visit(value, path);
    members?.(value, path, visit);
  };
}

function objectMetaSchema(): Schema {
  return loadBuiltinSchemas().definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
}

/** Why `metadata` cannot be read as ObjectMeta, in the words of Go's decoder. */
export function metadataProblem(metadata: JsonValue): string | undefined {
  if (metadata !== null && !isJsonObject(metadata)) {
    const found = Array.isArray(metadata) ? 'array' : typeof metadata === 'boolean' ? 'bool' : typeof metadata;
    return `json: cannot unmarshal ${found} into Go value of type v1.ObjectMeta`;
  }
  return decodeProblems(metadata, objectMetaSchema(), 'ObjectMeta')[0];
}

/** What Go does not write. An empty `managedFields` removes all managers. */
function isLeftOut(key: string, value: JsonValue | undefined): boolean {
  if (key === 'managedFields') return false;
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || value === 0 || (isJsonObject(value) && Object.keys(value).length === 0);
}

/** Brings the metadata of an object into the form of ObjectMeta: unknown fields and nulls go. Changes `object`.
 *  @returns the unknown fields, with the path of the object before them */
export function settleMetadata(object: JsonObject, path: string): string[] {
  const metadata = valueAt(object, 'metadata');
  if (metadata === undefined) return [];
  if (!isJsonObject(metadata)) {
    object['metadata'] = {};
    return [];
  }
  const unknown = pruneUnknown(metadata, objectMetaSchema());
  dropNulls(metadata, objectMetaSchema());
  for (const [key, value] of Object.entries(metadata)) if (isLeftOut(key, value)) delete metadata[key];
  return unknown.map((field) => `${joined(path, 'metadata')}.${field}`);
}

/** The first error of an embedded object whose type fields and metadata have wrong types. */
export function embeddedTypeError(object: JsonObject, path: string): FieldError | undefined {
  for (const key of ['apiVersion', 'kind']) {
    const value = valueAt(object, key);
    if (value !== undefined && typeof value !== 'string') {
      return invalidField(joined(path, key), new UntypedValue(value), 'must be a string');
    }
  }
  const metadata = valueAt(object, 'metadata');
  const problem = metadata === undefined ? undefined : metadataProblem(metadata);
  return problem === undefined
    ? undefined
    : invalidField(joined(path, 'metadata'), new UntypedValue(metadata), problem);
}

function apiVersionErrors(value: JsonValue | undefined, field: string): FieldError[] {
  if (typeof value !== 'string') return [invalidField(field, new UntypedValue(value), 'must be a string')];
  if (value === '') return [invalidField(field, value, 'must not be empty')];
  if (value.split('/').length <= 2) return [];
  return [invalidField(field, value, `unexpected GroupVersion string: ${value}`)];
}

function kindErrors(value: JsonValue | undefined, field: string): FieldError[] {
  if (typeof value !== 'string') return [invalidField(field, new UntypedValue(value), 'must be a string')];
  if (value === '') return [invalidField(field, value, 'must not be empty')];
  const problems = dns1035LabelProblems(value.toLowerCase());
  if (problems.length === 0) return [];
  return [invalidField(field, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`)];
}

/** Errors of the type fields and the metadata of an embedded object. */
export function embeddedObjectErrors(object: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const has = (key: string): boolean => Object.hasOwn(object, key);
  for (const key of ['apiVersion', 'kind']) {
    if (!has(key)) errors.push(requiredField(joined(path, key), 'must not be empty'));
  }
  if (has('apiVersion')) errors.push(...apiVersionErrors(object['apiVersion'], joined(path, 'apiVersion')));
  if (has('kind')) errors.push(...kindErrors(object['kind'], joined(path, 'kind')));
  const metadata = valueAt(object, 'metadata');
  if (!isJsonObject(metadata)) return errors;
  const meta = metadata as ObjectMeta;
  const named: ObjectMeta = { ...meta, name: meta.name === undefined || meta.name === '' ? 'fakename' : meta.name };
  const facts = {
    namespaced: (meta.namespace ?? '') !== '',
    isCustom: true,
    nameProblems: pathSegmentProblems,
    path: joined(path, 'metadata'),
  };
  return [...errors, ...validateObjectMeta(named, facts)];
}
