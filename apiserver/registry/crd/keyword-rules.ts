import {
  isJsonObject,
  isTrueAt,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import { type FieldError, forbiddenField, invalidField, unsupportedField } from '../../../src/schema/index.ts';
import { listKeywordErrors } from './list-keyword-rules.ts';
import { ruleFormErrors } from './rule-form.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];
const preserve = 'x-kubernetes-preserve-unknown-fields';
const embedded = 'x-kubernetes-embedded-resource';
const metadataNames = new Set(['metadata', 'kind', 'apiVersion']);

/** What depends on where a node stands. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** Within the kind, version or metadata of an object. */
  readonly isInMetadata: boolean;
  /** Why there may be no default here. */
  readonly noDefault: string | undefined;
}

function unsupportedErrors(node: JsonObject, { path, isInMetadata, noDefault }: Place): FieldError[] {
  const errors: FieldError[] = [];
  const type = textAt(node, 'type');
  if (!['', ...types].includes(type)) errors.push(unsupportedField(`${path}.type`, type, types));
  if (noDefault !== undefined && valueAt(node, 'default') !== undefined) {
    errors.push(forbiddenField(`${path}.default`, `must not be set ${noDefault}`));
  }
  const found = unsupported.filter((key) => valueAt(node, key) !== undefined);
  errors.push(...found.map((key) => forbiddenField(`${path}.${key}`, `${key} is not supported`)));
  if (type === 'null') {
    errors.push(forbiddenField(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(valueAt(node, 'items'))) {
    errors.push(forbiddenField(`${path}.items`, 'items must be a schema object and not an array'));
  }
  return isInMetadata && isTrueAt(node, embedded)
    ? [...errors, forbiddenField(`${path}.${embedded}`, 'must not be used inside of resource meta')]
    : errors;
}

function combinationErrors(node: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (isTrueAt(node, 'uniqueItems')) {
    const rule = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbiddenField(`${path}.uniqueItems`, rule));
  }
  const additional = valueAt(node, 'additionalProperties');
  if (objectAt(node, 'properties') !== undefined && additional !== undefined && additional !== true) {
    const rule = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbiddenField(`${path}.additionalProperties`, rule));
  }
  return errors;
}

type Visit = readonly [node: JsonObject, place: Place];

function propertyVisit(parent: JsonObject, name: string, place: Place): Place {
  const path = `${place.path}.properties[${name}]`;
  if (!metadataNames.has(name) || !(place.isRoot || isTrueAt(parent, embedded)))
    return { ...place, path, isRoot: false };
  const noDefault = place.isRoot ? `in top-level ${name}` : place.noDefault;
  return { path, isRoot: false, isInMetadata: true, noDefault };
}

/** The schemas below a node, in the order in which they are checked. */
function visitsBelow(node: JsonObject, place: Place): Visit[] {
  const visits: Visit[] = [];
  const inner = { ...place, isRoot: false };
  const additional = objectAt(node, 'additionalProperties');
  if (additional !== undefined) {
    const noDefault = place.isInMetadata ? 'inside additionalProperties applying to object metadata' : place.noDefault;
    visits.push([additional, { ...inner, noDefault, path: `${place.path}.additionalProperties` }]);
  }
  for (const [name, property] of Object.entries(objectAt(node, 'properties') ?? {})) {
    if (isJsonObject(property)) visits.push([property, propertyVisit(node, name, place)]);
  }
  const not = objectAt(node, 'not');
  if (not !== undefined) visits.push([not, { ...inner, path: `${place.path}.not` }]);
  for (const key of ['allOf', 'oneOf', 'anyOf']) {
    objectsAt(node, key).forEach((branch, index) =>
      visits.push([branch, { ...inner, path: `${place.path}.${key}[${index}]` }]),
    );
  }
  return [...visits, ...rareVisits(node, inner)];
}

function rareVisits(node: JsonObject, inner: Place): Visit[] {
  const visits: Visit[] = [];
  const addMembers = (key: string): void => {
    for (const [name, member] of Object.entries(objectAt(node, key) ?? {})) {
      if (isJsonObject(member)) visits.push([member, { ...inner, path: `${inner.path}.${key}[${name}]` }]);
    }
  };
  addMembers('definitions');
  const items = objectAt(node, 'items');
  if (items !== undefined) visits.push([items, { ...inner, path: `${inner.path}.items` }]);
  objectsAt(node, 'items').forEach((item, index) =>
    visits.push([item, { ...inner, path: `${inner.path}.items[${index}]` }]),
  );
  addMembers('dependencies');
  return visits;
}

function nodeErrors(node: JsonObject, place: Place): FieldError[] {
  const { path } = place;
  const errors = [...unsupportedErrors(node, place), ...combinationErrors(node, path)];
  for (const [below, at] of visitsBelow(node, place)) errors.push(...nodeErrors(below, at));
  if (valueAt(node, preserve) === false) {
    errors.push(invalidField(`${path}.${preserve}`, false, 'must be true or undefined'));
  }
  return [...errors, ...listKeywordErrors(node, path), ...ruleFormErrors(node, path)];
}

/** Errors of the keywords of a settled schema, each node after those below it. Branches are looked into like all else. */
export function keywordErrors(root: JsonObject, path: string): FieldError[] {
  return nodeErrors(root, { path, isRoot: true, isInMetadata: false, noDefault: undefined });
}
