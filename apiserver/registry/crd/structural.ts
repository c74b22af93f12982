import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import { applyDefaults } from '../../schema/defaults.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../schema/field-errors.ts';
import { patternProblem } from '../../schema/patterns.ts';
import { pruneUnknown } from '../../schema/prune.ts';
import type { Schema } from '../../schema/schema.ts';
import { validateSchema } from '../../schema/validate.ts';
import { isTrueAt, listAt, objectAt, objectsAt, textAt, valueAt } from '../kinds/reading.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const scalarTypes = ['boolean', 'integer', 'number', 'string'];
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];
const branches = ['allOf', 'anyOf', 'oneOf'];
const intOrString = 'x-kubernetes-int-or-string';
const preserve = 'x-kubernetes-preserve-unknown-fields';
const listType = 'x-kubernetes-list-type';
const mapKeys = 'x-kubernetes-list-map-keys';
const embedded = 'x-kubernetes-embedded-resource';

function isFree(node: JsonObject): boolean {
  return isTrueAt(node, intOrString) || isTrueAt(node, preserve);
}

function keywordErrors(node: JsonObject, path: string): FieldError[] {
  const errors = unsupported
    .filter((key) => Object.hasOwn(node, key))
    .map((key) => forbiddenField(`${path}.${key}`, `${key} is not supported`));
  if (isTrueAt(node, 'uniqueItems')) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbiddenField(`${path}.uniqueItems`, why));
  }
  if (
    objectAt(node, 'properties') !== undefined &&
    valueAt(node, 'additionalProperties') !== undefined &&
    valueAt(node, 'additionalProperties') !== true
  ) {
    errors.push(
      forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    );
  }
  return errors;
}

function typeErrors(node: JsonObject, path: string): FieldError[] {
  const type = textAt(node, 'type');
  if (type === '' || types.includes(type)) return [];
  const errors = [unsupportedField(`${path}.type`, type, types)];
  const why = 'type cannot be set to null, use nullable as an alternative';
  return type === 'null' ? [...errors, forbiddenField(`${path}.type`, why)] : errors;
}

function patternErrors(node: JsonObject, path: string): FieldError[] {
  const pattern = textAt(node, 'pattern');
  const problem = pattern === '' ? undefined : patternProblem(pattern);
  if (problem === undefined) return [];
  return [invalidField(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`)];
}

/** Rules for the `x-kubernetes-` keywords of one node. */
function extensionErrors(node: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = textAt(node, 'type');
  if (valueAt(node, preserve) === false) {
    errors.push(invalidField(`${path}.${preserve}`, false, 'must be true or undefined'));
  }
  if (isTrueAt(node, embedded)) errors.push(...embeddedErrors(node, path));
  const mapType = valueAt(node, 'x-kubernetes-map-type');
  if (mapType !== undefined && type !== 'object') {
    errors.push(invalidField(`${path}.type`, type, 'must be object if x-kubernetes-map-type is specified'));
  }
  return [...errors, ...listErrors(node, path)];
}

function embeddedErrors(node: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (textAt(node, 'type') !== 'object') {
    errors.push(invalidField(`${path}.type`, textAt(node, 'type'), `must be object if ${embedded} is true`));
  }
  if (valueAt(node, 'additionalProperties') !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, `must not be used if ${embedded} is set`));
  }
  if (!isTrueAt(node, preserve) && Object.keys(objectAt(node, 'properties') ?? {}).length === 0) {
    errors.push(requiredField(`${path}.properties`, `must not be empty if ${embedded} is true without ${preserve}`));
  }
  return errors;
}

function listErrors(node: JsonObject, path: string): FieldError[] {
  const kind = valueAt(node, listType);
  const keys = listAt(node, mapKeys).map(String);
  const errors: FieldError[] = [];
  if (kind !== undefined && textAt(node, 'type') !== 'array') {
    errors.push(invalidField(`${path}.type`, textAt(node, 'type'), `must be array if ${listType} is specified`));
  }
  if (typeof kind === 'string' && !['atomic', 'set', 'map'].includes(kind)) {
    errors.push(unsupportedField(`${path}.${listType}`, kind, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && kind !== 'map') {
    const rule = `must be map if ${mapKeys} is non-empty`;
    errors.push(
      kind === undefined ? requiredField(`${path}.${listType}`, rule) : invalidField(`${path}.${listType}`, kind, rule),
    );
  }
  return kind === 'map' ? [...errors, ...mapErrors(node, keys, path)] : errors;
}

function mapErrors(node: JsonObject, keys: readonly string[], path: string): FieldError[] {
  if (keys.length === 0) return [requiredField(`${path}.${mapKeys}`, `must not be empty if ${listType} is map`)];
  const items = objectAt(node, 'items');
  if (items === undefined) return [requiredField(`${path}.items`, `must have a schema if ${listType} is map`)];
  const errors: FieldError[] = [];
  if (textAt(items, 'type') !== 'object') {
    errors.push(
      invalidField(`${path}.items.type`, textAt(items, 'type'), `must be object if parent array's ${listType} is map`),
    );
  }
  return [...errors, ...keys.flatMap((key, index) => mapKeyErrors(items, { key, index, keys, path }))];
}

interface MapKey {
  readonly key: string;
  readonly index: number;
  readonly keys: readonly string[];
  readonly path: string;
}

function mapKeyErrors(items: JsonObject, { key, index, keys, path }: MapKey): FieldError[] {
  if (keys.indexOf(key) !== index)
    return [invalidField(`${path}.${mapKeys}`, [...keys], 'must not contain duplicate entries')];
  const property = objectAt(items, 'properties', key);
  if (property === undefined) {
    return [invalidField(`${path}.${mapKeys}`, [...keys], 'entries must all be names of item properties')];
  }
  const field = `${path}.items.properties[${key}]`;
  if (!scalarTypes.includes(textAt(property, 'type')) && !isTrueAt(property, intOrString)) {
    return [
      invalidField(
        `${field}.type`,
        textAt(property, 'type'),
        `must be a scalar type if parent array's ${listType} is map`,
      ),
    ];
  }
  if (valueAt(property, 'default') !== undefined || listAt(items, 'required').includes(key)) return [];
  return [
    requiredField(
      `${field}.default`,
      `this property is in ${mapKeys}, so it must have a default or be a required property`,
    ),
  ];
}

interface Place {
  readonly path: string;
  /** Where the node stands: its type must be named, or it is a branch that must name none. */
  readonly role: 'field' | 'item' | 'branch';
}

const roleTexts = {
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
};

function structureErrors(node: JsonObject, { path, role }: Place): FieldError[] {
  if (role === 'branch') return branchErrors(node, path);
  const type = textAt(node, 'type');
  const errors: FieldError[] = [];
  if (type === '' && !isFree(node)) errors.push(requiredField(`${path}.type`, roleTexts[role]));
  if (Array.isArray(valueAt(node, 'items'))) {
    errors.push(forbiddenField(`${path}.items`, 'items must be a schema object and not an array'));
  } else if (type === 'array' && objectAt(node, 'items') === undefined) {
    errors.push(requiredField(`${path}.items`, 'must be specified'));
  }
  return errors;
}

const branchTexts: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  [listType, 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['nullable', 'must be false to be structural'],
  [preserve, 'must be false to be structural'],
  [embedded, 'must be false to be structural'],
  [intOrString, 'must be false to be structural'],
  [mapKeys, 'must be empty to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function branchErrors(node: JsonObject, path: string): FieldError[] {
  return branchTexts
    .filter(([key]) => valueAt(node, key) !== undefined && valueAt(node, key) !== false)
    .map(([key, text]) => forbiddenField(`${path}.${key}`, text));
}

/** `anyOf: [{type: integer}, {type: string}]` beside int-or-string is the one place where branches may name types. */
function isIntOrStringForm(node: JsonObject): boolean {
  const anyOf = objectsAt(node, 'anyOf');
  return isTrueAt(node, intOrString) && anyOf.map((branch) => textAt(branch, 'type')).join() === 'integer,string';
}

interface Child {
  readonly node: JsonObject;
  readonly place: Place;
}

function childrenOf(node: JsonObject, { path, role }: Place): Child[] {
  const children: Child[] = [];
  const add = (value: JsonValue | undefined, at: string, childRole: Place['role']): void => {
    if (isJsonObject(value))
      children.push({ node: value, place: { path: at, role: role === 'branch' ? 'branch' : childRole } });
  };
  for (const [name, property] of Object.entries(objectAt(node, 'properties') ?? {})) {
    add(property, `${path}.properties[${name}]`, 'field');
  }
  add(valueAt(node, 'additionalProperties'), `${path}.additionalProperties`, 'field');
  add(valueAt(node, 'items'), `${path}.items`, 'item');
  add(valueAt(node, 'not'), `${path}.not`, 'branch');
  for (const key of branches) {
    if (key === 'anyOf' && isIntOrStringForm(node)) continue;
    objectsAt(node, key).forEach((branch, index) => add(branch, `${path}.${key}[${index}]`, 'branch'));
  }
  return children;
}

/** Every property that a branch at the root speaks of must be specified outside of branches as well. (Deeper down kube-apiserver does not look.) */
function completenessErrors(
  node: JsonObject,
  branch: JsonObject,
  at: { readonly path: string; readonly branchPath: string },
): FieldError[] {
  return Object.entries(objectAt(branch, 'properties') ?? {}).flatMap(([name, inner]) => {
    const [path, branchPath] = [`${at.path}.properties[${name}]`, `${at.branchPath}.properties[${name}]`];
    const outer = objectAt(node, 'properties', name);
    if (outer === undefined) return [requiredField(path, `because it is defined in ${branchPath}`)];
    return isJsonObject(inner) ? completenessErrors(outer, inner, { path, branchPath }) : [];
  });
}

function allBranches(node: JsonObject): (readonly [string, JsonObject])[] {
  const listed = branches.flatMap((key) =>
    objectsAt(node, key).map((branch, index) => [`${key}[${index}]`, branch] as const),
  );
  const not = objectAt(node, 'not');
  return not === undefined ? listed : [...listed, ['not', not] as const];
}

function defaultErrors(node: JsonObject, path: string): FieldError[] {
  const value = valueAt(node, 'default');
  if (value === undefined) return [];
  const copy = structuredClone(value);
  const schema = node as Schema;
  if (pruneUnknown(copy, schema).length > 0)
    return [invalidField(`${path}.default`, value, 'must not have unknown fields')];
  applyDefaults(copy, schema);
  return validateSchema(copy, schema).map((error) => {
    if (error.field === '<nil>') return error;
    return { ...error, field: error.field === '' ? `${path}.default` : `${path}.default.${error.field}` };
  });
}

function nodeErrors(node: JsonObject, place: Place): FieldError[] {
  const { path, role } = place;
  const ofBranch = role === 'branch' ? [] : extensionErrors(node, path);
  return [
    ...keywordErrors(node, path),
    ...typeErrors(node, path),
    ...patternErrors(node, path),
    ...ofBranch,
    ...structureErrors(node, place),
    ...(role === 'branch' ? [] : defaultErrors(node, path)),
    ...childrenOf(node, place).flatMap((child) => nodeErrors(child.node, child.place)),
  ];
}

function rootErrors(root: JsonObject, path: string): FieldError[] {
  const type = textAt(root, 'type');
  const errors: FieldError[] = [];
  if (type === '') errors.push(requiredField(`${path}.type`, 'must not be empty at the root'));
  else if (type !== 'object') errors.push(invalidField(`${path}.type`, type, 'must be object at the root'));
  if (valueAt(root, 'additionalProperties') !== undefined) {
    errors.push(forbiddenField(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (isTrueAt(root, 'nullable'))
    errors.push(forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root'));
  return [...errors, ...metadataErrors(root, path)];
}

function metadataErrors(root: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, type] of [
    ['apiVersion', 'string'],
    ['kind', 'string'],
    ['metadata', 'object'],
  ] as const) {
    const found = textAt(objectAt(root, 'properties', name), 'type');
    const field = `${path}.properties[${name}]`;
    if (objectAt(root, 'properties', name) !== undefined && found !== type)
      errors.push(invalidField(`${field}.type`, found, `must be ${type}`));
  }
  const metadata = objectAt(root, 'properties', 'metadata');
  const names = Object.keys(objectAt(metadata, 'properties') ?? {});
  const extra = Object.keys(metadata ?? {}).filter((key) => !['type', 'properties', 'description'].includes(key));
  if (names.some((name) => name !== 'name' && name !== 'generateName') || extra.length > 0) {
    const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbiddenField(`${path}.properties[metadata]`, why));
  }
  return errors;
}

/** Why a schema is not one that Kubernetes serves: its keywords, types, list types, defaults and structure. The schema's nesting is bounded by
 *  the decoder.
 *  @see reference "types" 1.3 */
export function structuralErrors(root: JsonObject, path: string): FieldError[] {
  const { type, ...rest } = root;
  // The root's own missing type has a message of its own.
  const node = type === undefined ? { ...rest, type: 'object' } : root;
  const incomplete = allBranches(node).flatMap(([name, branch]) =>
    completenessErrors(node, branch, { path, branchPath: `${path}.${name}` }),
  );
  return [...rootErrors(root, path), ...nodeErrors(node, { path, role: 'field' }), ...incomplete];
}
