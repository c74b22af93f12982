import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { FieldError } from '../http/status-error.ts';
import { requiredField, tooManyField } from './field-errors.ts';
import { itemKey } from './list-types.ts';
import { numberErrors, schemaError, stringErrors, typeErrors } from './scalars.ts';
import type { Schema } from './schema.ts';

/** What one schema said of one value. `matches` counts the checks that went well: of several branches the best one's errors are shown. */
interface Outcome {
  readonly errors: FieldError[];
  matches: number;
}

interface Subject {
  readonly value: JsonValue;
  /** The value at the same place of the stored object, where there is one: what has not changed is not checked again. */
  readonly old: JsonValue | undefined;
  readonly path: string;
}

function add(target: Outcome, part: Outcome): void {
  target.errors.push(...part.errors);
  target.matches += part.matches;
}

/** All errors of `value`, in the words of kube-apiserver. With `old` (an update) an unchanged part is taken as it is.
 *  Lists of type set and map are not checked for duplicates here: see `listTypeErrors`.
 *  @see reference "types" 1.6 */
export function validateSchema(value: JsonValue, schema: Schema, options: ValidateOptions = {}): FieldError[] {
  return check({ value, old: options.old, path: options.path ?? '' }, schema).errors;
}

/** `path` stands before every field, `old` is the stored value. */
export interface ValidateOptions {
  readonly path?: string;
  readonly old?: JsonValue | undefined;
}

function check(subject: Subject, schema: Schema): Outcome {
  const { value, old, path } = subject;
  const outcome: Outcome = { errors: [], matches: 0 };
  if (old !== undefined && isJsonEqual(value, old)) return { errors: [], matches: 1 };
  const types = typeErrors(value, schema, path);
  add(outcome, { errors: types, matches: types.length === 0 ? 2 : 1 });
  if (value !== null) {
    add(outcome, checkCombinations(subject, schema));
    add(outcome, checkContent(subject, schema));
  }
  add(outcome, { errors: enumErrors(value, schema, path), matches: 1 });
  if (isJsonObject(value)) add(outcome, checkObject(subject, value, schema));
  return outcome;
}

function checkContent(subject: Subject, schema: Schema): Outcome {
  const { value, path } = subject;
  if (typeof value === 'string') return { errors: stringErrors(value, schema, path), matches: 1 };
  if (typeof value === 'number') return { errors: numberErrors(value, schema, path), matches: 1 };
  return Array.isArray(value) ? checkList(subject, value, schema) : { errors: [], matches: 0 };
}

function enumErrors(value: JsonValue, schema: Schema, path: string): FieldError[] {
  const allowed = schema.enum ?? [];
  if (allowed.length === 0 || (value !== null && allowed.some((item) => isJsonEqual(item, value)))) return [];
  const supported = allowed.map((item) => JSON.stringify(typeof item === 'string' ? item : JSON.stringify(item)));
  const found = value === null ? '"null"' : JSON.stringify(value);
  const message = `Unsupported value: ${found}: supported values: ${supported.join(', ')}`;
  return [{ field: path, reason: 'FieldValueNotSupported', message }];
}

function checkList({ old, path }: Subject, list: readonly JsonValue[], schema: Schema): Outcome {
  const outcome: Outcome = { errors: [], matches: 1 };
  const { items } = schema;
  if (items !== undefined) {
    const findOld = oldItems(old, schema);
    list.forEach((value, index) =>
      add(outcome, check({ value, old: findOld(value), path: `${path}[${index}]` }, items)),
    );
  }
  if (schema.minItems !== undefined && list.length < schema.minItems) {
    outcome.errors.push(schemaError(path, list.length, `should have at least ${schema.minItems} items`));
  }
  if (schema.maxItems !== undefined && list.length > schema.maxItems) {
    outcome.errors.push(tooManyField(path, list.length, schema.maxItems));
  }
  return outcome;
}

/** Items are the same item before and after only in a list of type map, by their keys. */
function oldItems(old: JsonValue | undefined, schema: Schema): (item: JsonValue) => JsonValue | undefined {
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map') return () => undefined;
  const byKey = new Map(old.map((item) => [itemKey(item, schema), item]));
  return (item) => byKey.get(itemKey(item, schema));
}

function propertyCountErrors(count: number, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && count < minProperties) {
    errors.push(schemaError(path, count, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooManyField(path, count, maxProperties));
  return errors;
}

function checkObject(subject: Subject, object: JsonObject, schema: Schema): Outcome {
  const { old, path } = subject;
  const outcome: Outcome = { errors: propertyCountErrors(Object.keys(object).length, schema, path), matches: 1 };
  const oldMember = (key: string): JsonValue | undefined =>
    isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
  const checkMember = (key: string, memberSchema: Schema): void => {
    const value = object[key];
    const memberPath = path === '' ? key : `${path}.${key}`;
    if (value !== undefined) add(outcome, check({ value, old: oldMember(key), path: memberPath }, memberSchema));
  };
  checkAdditional(object, schema, { path, outcome, checkMember });
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(object, key)) checkMember(key, property);
  }
  for (const key of schema.required ?? []) {
    if (object[key] !== undefined && Object.hasOwn(object, key)) continue;
    outcome.errors.push(requiredField(path === '' ? key : `${path}.${key}`));
  }
  return outcome;
}

interface MemberVisit {
  readonly path: string;
  readonly outcome: Outcome;
  readonly checkMember: (key: string, schema: Schema) => void;
}

function checkAdditional(object: JsonObject, schema: Schema, { path, outcome, checkMember }: MemberVisit): void {
  const { additionalProperties, properties = {} } = schema;
  if (additionalProperties === undefined || additionalProperties === true) return;
  for (const key of Object.keys(object)) {
    if (Object.hasOwn(properties, key)) continue;
    if (additionalProperties === false) outcome.errors.push(forbiddenProperty(path, key));
    else checkMember(key, additionalProperties);
  }
}

function forbiddenProperty(path: string, key: string): FieldError {
  const message = `Invalid value: "": ${path}.${key} in body is a forbidden property`;
  return { field: path, reason: 'FieldValueInvalid', message };
}

/** Rules over several schemas are about the object as a whole: no field named, no value shown. */
function combinationError(path: string, rule: string): FieldError {
  return { field: '<nil>', reason: 'FieldValueInvalid', message: `Invalid value: "": "${path}" ${rule}` };
}

function checkCombinations(subject: Subject, schema: Schema): Outcome {
  const outcome: Outcome = { errors: [], matches: 2 };
  const whole = { ...subject, old: undefined };
  if (schema.anyOf !== undefined) add(outcome, checkAnyOf(whole, schema.anyOf));
  if (schema.oneOf !== undefined) add(outcome, checkOneOf(whole, schema.oneOf));
  if (schema.allOf !== undefined) add(outcome, checkAllOf(whole, schema.allOf));
  if (schema.not !== undefined && check(whole, schema.not).errors.length === 0) {
    outcome.errors.push(combinationError(subject.path, 'must not validate the schema (not)'));
  }
  return outcome;
}

function bestOf(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((best, next) => (next.matches > best.matches ? next : best), outcomes[0] ?? none);
}

const none: Outcome = { errors: [], matches: 0 };

function checkAnyOf(subject: Subject, branches: readonly Schema[]): Outcome {
  const outcomes = branches.map((branch) => check(subject, branch));
  const good = outcomes.find((outcome) => outcome.errors.length === 0);
  if (good !== undefined || branches.length === 0) return good ?? none;
  const best = bestOf(outcomes);
  const error = combinationError(subject.path, 'must validate at least one schema (anyOf)');
  return { errors: [error, ...best.errors], matches: best.matches };
}

function checkOneOf(subject: Subject, branches: readonly Schema[]): Outcome {
  const outcomes = branches.map((branch) => check(subject, branch));
  const good = outcomes.filter((outcome) => outcome.errors.length === 0);
  if (good.length === 1 || branches.length === 0) return good[0] ?? none;
  const count = good.length === 0 ? 'Found none valid' : `Found ${good.length} valid alternatives`;
  const error = combinationError(subject.path, `must validate one and only one schema (oneOf). ${count}`);
  const best = good.length === 0 ? bestOf(outcomes) : none;
  return { errors: [error, ...best.errors], matches: best.matches };
}

function checkAllOf(subject: Subject, branches: readonly Schema[]): Outcome {
  const outcome: Outcome = { errors: [], matches: 0 };
  const outcomes = branches.map((branch) => check(subject, branch));
  for (const part of outcomes) add(outcome, part);
  const failures = outcomes.filter((part) => part.errors.length > 0).length;
  if (failures > 0) {
    const end = failures === branches.length ? '. None validated' : '';
    outcome.errors.push(combinationError(subject.path, `must validate all the schemas (allOf)${end}`));
  }
  return outcome;
}
