import {
  isJsonEqual,
  isJsonObject,
  isTrueAt,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import { type FieldError, forbiddenField, invalidField, requiredField } from '../../../src/schema/index.ts';
import { completenessErrors } from './completeness.ts';
import { patternErrors } from './pattern-errors.ts';

const intOrString = 'x-kubernetes-int-or-string';
const preserve = 'x-kubernetes-preserve-unknown-fields';
const embedded = 'x-kubernetes-embedded-resource';

/** Where a node stands. */
type Level = 'root' | 'item' | 'field';

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const intOrStringBranches: JsonValue = [{ type: 'integer' }, { type: 'string' }];

function invariantErrors(node: JsonObject, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (textAt(node, 'type') === 'array' && objectAt(node, 'items') === undefined) {
    errors.push(requiredField(`${path}.items`, 'must be specified'));
  }
  for (const child of childrenOf(node, path)) errors.push(...invariantErrors(child.node, child.level, child.path));
  if (level === 'root' && valueAt(node, 'additionalProperties') !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  return [
    ...errors,
    ...mixtureErrors(node, path),
    ...branchErrors(node, path, intOrStringForm(node)),
    ...typeErrors(node, level, path),
    ...metadataErrors(node, level, path),
  ];
}

interface Child {
  readonly node: JsonObject;
  readonly level: Level;
  readonly path: string;
}

function childrenOf(node: JsonObject, path: string): Child[] {
  const children: Child[] = [];
  const items = objectAt(node, 'items');
  if (items !== undefined) children.push({ node: items, level: 'item', path: `${path}.items` });
  for (const [name, property] of Object.entries(objectAt(node, 'properties') ?? {})) {
    if (isJsonObject(property)) children.push({ node: property, level: 'field', path: `${path}.properties[${name}]` });
  }
  const additional = objectAt(node, 'additionalProperties');
  if (additional !== undefined)
    children.push({ node: additional, level: 'field', path: `${path}.additionalProperties` });
  return children;
}

function mixtureErrors(node: JsonObject, path: string): FieldError[] {
  if (!isTrueAt(node, intOrString)) return [];
  const rule = `must be false if ${intOrString} is true`;
  return [preserve, embedded]
    .filter((key) => isTrueAt(node, key))
    .map((key) => invalidField(`${path}.${key}`, true, rule));
}

function typeErrors(node: JsonObject, level: Level, path: string): FieldError[] {
  const [type, field] = [textAt(node, 'type'), `${path}.type`];
  if (isTrueAt(node, embedded)) return embeddedShapeErrors(node, path);
  const isFree = isTrueAt(node, intOrString) || isTrueAt(node, preserve);
  if (type === '' && !isFree) return [requiredField(field, missingType[level])];
  const isWrong = level === 'root' && type !== '' && type !== 'object';
  return isWrong ? [invalidField(field, type, 'must be object at the root')] : [];
}

/** An embedded object has members, or may have any. */
function embeddedShapeErrors(node: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const [type, field] = [textAt(node, 'type'), `${path}.type`];
  if (type !== 'object') {
    const rule = `must be object if ${embedded} is true`;
    errors.push(type === '' ? requiredField(field, rule) : invalidField(field, type, rule));
  }
  if (valueAt(node, 'additionalProperties') !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, `must not be used if ${embedded} is set`));
  }
  if (!isTrueAt(node, preserve) && objectAt(node, 'properties') === undefined) {
    const rule = `must not be empty if ${embedded} is true without ${preserve}`;
    errors.push(requiredField(`${path}.properties`, rule));
  }
  return errors;
}

/** What a root may specify for metadata: that it is an object, and rules for its name. */
const metadataKeys = new Set(['type', 'default', 'externalDocs', 'example']);

function metadataErrors(node: JsonObject, level: Level, path: string): FieldError[] {
  if (level !== 'root' && !isTrueAt(node, embedded)) return [];
  const errors: FieldError[] = [];
  for (const [name, type] of [
    ['kind', 'string'],
    ['apiVersion', 'string'],
    ['metadata', 'object'],
  ] as const) {
    const property = objectAt(node, 'properties', name);
    const found = textAt(property, 'type');
    if (property === undefined || found === type) continue;
    errors.push(invalidField(`${path}.properties[${name}].type`, found, `must be ${type}`));
  }
  const metadata = objectAt(node, 'properties', 'metadata');
  if (level === 'root' && metadata !== undefined && !isPlainMetadata(metadata)) {
    const rule = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbiddenField(`${path}.properties[metadata]`, rule));
  }
  return errors;
}

function isPlainMetadata(metadata: JsonObject): boolean {
  const names = Object.keys(objectAt(metadata, 'properties') ?? {});
  const isNamesOnly = names.every((name) => name === 'name' || name === 'generateName');
  return Object.keys(metadata).every((key) => metadataKeys.has(key) || (key === 'properties' && isNamesOnly));
}

/** The two forms in which branches may name types: `anyOf: [integer, string]`, by itself or as the first of `allOf`. */
interface IntOrStringForm {
  readonly isAnyOf: boolean;
  readonly isFirstAllOf: boolean;
}

function intOrStringForm(node: JsonObject): IntOrStringForm {
  const [first] = objectsAt(node, 'allOf');
  const isForm = (branches: JsonValue | undefined): boolean =>
    branches !== undefined && isJsonEqual(branches, intOrStringBranches);
  return { isAnyOf: isForm(valueAt(node, 'anyOf')), isFirstAllOf: isForm(valueAt(first, 'anyOf')) };
}

const noForm: IntOrStringForm = { isAnyOf: false, isFirstAllOf: false };

/** Errors of the branches of a node, and of its pattern. */
function branchErrors(node: JsonObject, path: string, form: IntOrStringForm): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['anyOf', 'allOf', 'oneOf']) {
    if (key === 'anyOf' && form.isAnyOf) continue;
    objectsAt(node, key).forEach((branch, index) => {
      const isForm = key === 'allOf' && index === 0 && form.isFirstAllOf;
      errors.push(...nestedErrors(branch, `${path}.${key}[${index}]`, { ...noForm, isAnyOf: isForm }));
    });
  }
  const not = objectAt(node, 'not');
  if (not !== undefined) errors.push(...nestedErrors(not, `${path}.not`, noForm));
  return [...errors, ...patternErrors(node, path)];
}

const nestedTexts: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  [preserve, 'must be false to be structural'],
  [embedded, 'must be false to be structural'],
  [intOrString, 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/** A branch may only restrict values; their types are declared outside. */
function nestedErrors(node: JsonObject, path: string, form: IntOrStringForm): FieldError[] {
  const errors = branchErrors(node, path, form);
  const items = objectAt(node, 'items');
  if (items !== undefined) errors.push(...nestedErrors(items, `${path}.items`, noForm));
  for (const [name, property] of Object.entries(objectAt(node, 'properties') ?? {})) {
    if (isJsonObject(property)) errors.push(...nestedErrors(property, `${path}.properties[${name}]`, noForm));
  }
  const additional = valueAt(node, 'additionalProperties');
  if (additional !== undefined && additional !== false) {
    errors.push(forbiddenField(`${path}.additionalProperties`, 'must be undefined to be structural'));
  }
  for (const [key, text] of nestedTexts) {
    if (valueAt(node, key) !== undefined) errors.push(forbiddenField(`${path}.${key}`, text));
  }
  if (objectAt(node, 'properties', 'metadata') !== undefined) {
    errors.push(forbiddenField(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
  return errors;
}

function byText(a: FieldError, b: FieldError): number {
  const [left, right] = [`${a.field}: ${a.message}`, `${b.field}: ${b.message}`];
  return left < right ? -1 : Number(left > right);
}

/** Why a settled schema is not structural (every value has one type, declared outside of branches), in alphabetical order.
 *  @see docs/spec/kube-api-types.md#schema-rules */
export function structuralErrors(root: JsonObject, path: string): FieldError[] {
  return [...invariantErrors(root, 'root', path), ...completenessErrors(root, path)].sort(byText);
}

const unsupported: readonly (readonly [string, string])[] = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
];

/** Why a schema cannot be read as a structural one at all; undefined when it can. */
export function structureProblem(node: JsonObject): string | undefined {
  const own = unsupported.find(([key]) => valueAt(node, key) !== undefined && valueAt(node, key) !== '');
  if (own !== undefined) return `OpenAPIV3Schema '${own[1]}' is not supported`;
  if (valueAt(node, preserve) === false) return `internal error: '${preserve}' must be true or undefined`;
  if (Array.isArray(valueAt(node, 'items'))) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const below = [
    objectAt(node, 'not'),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => objectsAt(node, key)),
    objectAt(node, 'items'),
    ...Object.values(objectAt(node, 'properties') ?? {}),
    objectAt(node, 'additionalProperties'),
  ];
  for (const child of below) {
    const problem = isJsonObject(child) ? structureProblem(child) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
