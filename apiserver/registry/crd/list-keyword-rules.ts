import {
  firstIndexes,
  isRepeated,
  isTrueAt,
  type JsonObject,
  lazily,
  listOfTexts,
  objectAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidField,
  PlainText,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';

const listType = 'x-kubernetes-list-type';
const mapType = 'x-kubernetes-map-type';
const mapKeys = 'x-kubernetes-list-map-keys';

function typeRule(node: JsonObject, path: string, [type, keyword]: readonly [string, string]): FieldError[] {
  const found = textAt(node, 'type');
  if (valueAt(node, keyword) === undefined || found === type) return [];
  const [field, rule] = [`${path}.type`, `must be ${type} if ${keyword} is specified`];
  return [found === '' ? requiredField(field, rule) : invalidField(field, found, rule)];
}

/** The items of a set must be taken as a whole. */
function setItemErrors(node: JsonObject, path: string): FieldError[] {
  const items = objectAt(node, 'items');
  if (valueAt(node, listType) !== 'set' || items === undefined) return [];
  const rule = `must be atomic as item of a list with ${listType}=set`;
  const [ofList, ofObject] = [valueAt(items, listType), valueAt(items, mapType)];
  // kube-apiserver shows the list type even where the map type is wrong.
  if (textAt(items, 'type') === 'array' && ofList !== undefined && ofList !== 'atomic') {
    return [invalidField(`${path}.items.${listType}`, ofList, rule)];
  }
  return textAt(items, 'type') === 'object' && ofObject !== 'atomic'
    ? [invalidField(`${path}.items.${mapType}`, ofList, rule)]
    : [];
}

function keyErrors(items: JsonObject, keys: readonly string[], path: string): FieldError[] {
  const first = firstIndexes(keys);
  const field = `${path}.${mapKeys}`;
  // Each shows all keys: they are made once, not once a key.
  const isUnknown = lazily(() => invalidField(field, [...keys], 'entries must all be names of item properties'));
  const isDouble = lazily(() => invalidField(field, [...keys], 'must not contain duplicate entries'));
  return keys.flatMap((key, index) => {
    const errors: FieldError[] = [];
    const property = objectAt(items, 'properties', key);
    if (property === undefined) {
      errors.push(isUnknown());
    } else if (['array', 'object'].includes(textAt(property, 'type'))) {
      const rule = `must be a scalar type if parent array's ${listType} is map`;
      errors.push(invalidField(`${path}.items.properties[${key}].type`, textAt(items, 'type'), rule));
    }
    if (isRepeated(first, key, index)) errors.push(isDouble());
    return errors;
  });
}

function mapListErrors(node: JsonObject, path: string): FieldError[] {
  const keys = listOfTexts(node, mapKeys);
  const errors: FieldError[] = [];
  if (keys.length === 0) errors.push(requiredField(`${path}.${mapKeys}`, `must not be empty if ${listType} is map`));
  const items = objectAt(node, 'items');
  const given = valueAt(node, 'items');
  if (given === undefined) errors.push(requiredField(`${path}.items`, `must have a schema if ${listType} is map`));
  else if (items === undefined) {
    errors.push(
      invalidField(
        `${path}.items`,
        new PlainText('apiextensions.JSONSchemaPropsOrArray{}'),
        `must only have a single schema if ${listType} is map`,
      ),
    );
  }
  if (items === undefined) return errors;
  if (textAt(items, 'type') === 'object') return [...errors, ...keyErrors(items, keys, path)];
  const rule = `must be object if parent array's ${listType} is map`;
  return [...errors, invalidField(`${path}.items.type`, textAt(items, 'type'), rule)];
}

interface MapKeyOptions {
  /** Properties that the items must have. */
  readonly required: ReadonlySet<string>;
  readonly field: string;
}

function mapKeyErrors(items: JsonObject, key: string, options: MapKeyOptions): FieldError[] {
  const { required, field } = options;
  const property = objectAt(items, 'properties', key);
  if (property === undefined) return [];
  const errors: FieldError[] = [];
  const why = `this property is in ${mapKeys}, so it`;
  if (!required.has(key) && valueAt(property, 'default') === undefined) {
    errors.push(requiredField(`${field}.default`, `${why} must have a default or be a required property`));
  }
  if (isTrueAt(property, 'nullable')) errors.push(forbiddenField(`${field}.nullable`, `${why} cannot be nullable`));
  return errors;
}

/** Keys must always be there: required or with a default, and never null. */
function identityErrors(node: JsonObject, path: string): FieldError[] {
  const [type, items] = [valueAt(node, listType), objectAt(node, 'items')];
  if (items === undefined || (type !== 'set' && type !== 'map')) return [];
  const errors: FieldError[] = [];
  if (isTrueAt(items, 'nullable')) {
    errors.push(forbiddenField(`${path}.items.nullable`, `cannot be nullable when ${listType} is ${type}`));
  }
  if (type === 'set') return errors;
  const keys = listOfTexts(node, mapKeys);
  const required = new Set(listOfTexts(items, 'required'));
  const errorsOf = (key: string): FieldError[] =>
    mapKeyErrors(items, key, { required, field: `${path}.items.properties[${key}]` });
  return [...errors, ...keys.flatMap(errorsOf)];
}

function valueErrors(
  node: JsonObject,
  path: string,
  { keyword, allowed }: { readonly keyword: string; readonly allowed: readonly string[] },
): FieldError[] {
  const value = valueAt(node, keyword);
  if (value === undefined || (typeof value === 'string' && allowed.includes(value))) return [];
  return [unsupportedField(`${path}.${keyword}`, value, allowed)];
}

function keysWithoutMapErrors(node: JsonObject, path: string): FieldError[] {
  const type = valueAt(node, listType);
  if (valueAt(node, mapKeys) === undefined || type === 'map') return [];
  const [field, rule] = [`${path}.${listType}`, `must be map if ${mapKeys} is non-empty`];
  return [type === undefined ? requiredField(field, rule) : invalidField(field, type, rule)];
}

/** Errors of list and map types, of one node. */
export function listKeywordErrors(node: JsonObject, path: string): FieldError[] {
  const wrongType = typeRule(node, path, ['array', listType]);
  return [
    ...typeRule(node, path, ['object', mapType]),
    ...valueErrors(node, path, { keyword: mapType, allowed: ['atomic', 'granular'] }),
    ...(wrongType.length > 0 ? wrongType : setItemErrors(node, path)),
    ...valueErrors(node, path, { keyword: listType, allowed: ['atomic', 'set', 'map'] }),
    ...keysWithoutMapErrors(node, path),
    ...(valueAt(node, listType) === 'map' ? mapListErrors(node, path) : []),
    ...identityErrors(node, path),
  ];
}
