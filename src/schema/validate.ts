import { goQuote, isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import { allOfCheck, anyOfCheck, notCheck, oneOfCheck } from './combinations.ts';
import type { FieldError } from './field-error.ts';
import { invalidField, requiredField, tooManyField, UntypedValue } from './field-errors.ts';
import { isKnownFormat } from './formats.ts';

import { correlatedItems, isUnchanged } from './ratcheting.ts';
import { formatCheck, numberCheck, reportRule, textCheck, typeCheck } from './scalars.ts';
import type { Schema } from './schema.ts';
import { type Check, TooManyChecks, tooManyChecks, ValidationRun } from './validation-run.ts';

/** `root` stands before every field, `old` is the stored value: unchanged parts are not validated again. */
export interface ValidateOptions {
  readonly root?: string;
  readonly old?: JsonValue | undefined;
}

/** A schema made ready to check values. */
export interface CompiledSchema {
  /** All errors of `value`, in the words of kube-apiserver; the first is `tooManyChecks` where it takes too long to find all. Lists of type set and map are not checked for duplicates here:
   *  see `listTypeErrors`. */
  validate(value: JsonValue, options?: ValidateOptions): FieldError[];
}

/** `isDefault`: the schema is to check a default, where kube-apiserver does not look at int-or-string. */
export interface CompileOptions {
  readonly isDefault?: boolean;
}

/** Compiles a schema, which must be a tree of finite depth. Do it once a schema: the checks themselves allocate next to nothing.
 *  @see docs/spec/kube-api-types.md#schema-validation-texts-of-a-custom-resource */
export function compileSchema(schema: Schema, options: CompileOptions = {}): CompiledSchema {
  const check = compileNode(schema, options);
  return {
    validate: (value, { root = '', old } = {}) => {
      const run = new ValidationRun(root);
      try {
        check(value, old, run);
        return run.errors;
      } catch (thrown) {
        if (thrown instanceof TooManyChecks) return [tooManyChecks, ...run.errors];
        throw thrown;
      }
    },
  };
}

/** A node whose errors are ignored where the value is unchanged. */
function compileNode(schema: Schema, options: CompileOptions): Check {
  const check = compilePlain(schema, options);
  return (value, old, run) => {
    const before = run.count;
    const matches = check(value, old, run);
    if (old !== undefined && run.count > before && isUnchanged(value, old, schema)) run.forgetAfter(before);
    return matches;
  };
}

function typesOf(schema: Schema, { isDefault = false }: CompileOptions): string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return isDefault ? [] : ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

function compilePlain(schema: Schema, options: CompileOptions): Check {
  const format = schema.format !== undefined && isKnownFormat(schema.format) ? schema.format : undefined;
  const checkType = typeCheck({ types: typesOf(schema, options), format }, schema.nullable === true);
  const combinations = compileCombinations(schema, options);
  const content = compileContent(schema, options);
  const checkEnum = enumCheck(schema.enum ?? []);
  return (value, old, run) => {
    run.spend(1);
    let matches = checkType(value, old, run);
    if (value === null) return matches + (checkEnum?.(value, old, run) ?? 0);
    // Every kind of check that visits all values counts, and the node itself.
    matches += 5;
    for (const check of combinations) matches += check(value, old, run);
    matches += content.ofScalar(value, old, run);
    checkEnum?.(value, old, run);
    return matches + (isJsonObject(value) ? 1 + content.ofObject(value, old, run) : 0);
  };
}

function compileCombinations(schema: Schema, options: CompileOptions): Check[] {
  const branches = (list: readonly Schema[] | undefined): Check[] =>
    (list ?? []).map((branch) => compilePlain(branch, options));
  const [anyOf, oneOf, allOf] = [branches(schema.anyOf), branches(schema.oneOf), branches(schema.allOf)];
  return [
    ...(anyOf.length > 0 ? [anyOfCheck(anyOf)] : []),
    ...(oneOf.length > 0 ? [oneOfCheck(oneOf)] : []),
    ...(allOf.length > 0 ? [allOfCheck(allOf)] : []),
    ...(schema.not === undefined ? [] : [notCheck(compilePlain(schema.not, options))]),
  ];
}

function compileContent(schema: Schema, options: CompileOptions): { ofScalar: Check; ofObject: Check } {
  const [ofText, ofNumber] = [textCheck(schema), numberCheck(schema)];
  const ofFormat = formatCheck(schema.format);
  const ofList = listCheck(schema, options);
  const ofScalar: Check = (value, old, run) => {
    if (typeof value === 'string') return ofText(value, old, run) + (ofFormat?.(value, old, run) ?? 0);
    if (typeof value === 'number') return ofNumber(value, old, run);
    if (typeof value === 'bigint') return ofNumber(Number(value), old, run);
    return Array.isArray(value) ? ofList(value, old, run) : 0;
  };
  return { ofScalar, ofObject: objectCheck(schema, options) };
}

function enumCheck(allowed: readonly JsonValue[]): Check | undefined {
  if (allowed.length === 0) return undefined;
  const texts = new Set(allowed.filter((item) => typeof item === 'string'));
  const supported = allowed.map((item) => goQuote(typeof item === 'string' ? item : JSON.stringify(item))).join(', ');
  return (value, _old, run) => {
    if (typeof value !== 'string') run.spend(allowed.length);
    if (typeof value === 'string' ? texts.has(value) : isAmong(value, allowed)) return 0;
    const { message } = invalidField('', new UntypedValue(value), '');
    const found = message.slice('Invalid value: '.length);
    const reason = 'FieldValueNotSupported';
    const field = run.fieldOf(run.path);
    run.report({ field, reason, message: `Unsupported value: ${found}: supported values: ${supported}` });
    return 0;
  };
}

function isAmong(value: JsonValue, allowed: readonly JsonValue[]): boolean {
  return value !== null && allowed.some((item) => isJsonEqual(item, value));
}

function listCheck(schema: Schema, options: CompileOptions): Check {
  const { minItems, maxItems } = schema;
  const item = schema.items === undefined ? undefined : compileNode(schema.items, options);
  return (value, old, run) => {
    const list = value as readonly JsonValue[];
    let matches = 2;
    if (item !== undefined) {
      const oldItem = correlatedItems(old, schema);
      for (const [index, member] of list.entries()) {
        run.enter(`[${index}]`);
        matches += item(member, oldItem?.(member), run);
        run.leave();
      }
    }
    if (minItems !== undefined && list.length < minItems) {
      reportRule(run, list.length, `should have at least ${minItems} items`);
    }
    if (maxItems !== undefined && list.length > maxItems) {
      run.report(tooManyField(run.fieldOf(run.path), list.length, maxItems));
    }
    return matches;
  };
}

interface Member {
  readonly name: string;
  readonly step: string;
  readonly check: Check;
}

function oldMember(old: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
}

/** Checks the members that the schema names. */
function memberChecks(properties: Readonly<Record<string, Schema>>, options: CompileOptions): Check {
  const members: Member[] = Object.entries(properties).map(([name, property]) => {
    return { name, step: `.${name}`, check: compileNode(property, options) };
  });
  return (value, old, run) => {
    const object = value as JsonObject;
    const isTop = run.isAtTop();
    let matches = 0;
    run.spend(members.length);
    for (const { name, step, check } of members) {
      const member = Object.hasOwn(object, name) ? object[name] : undefined;
      if (member === undefined) continue;
      run.enter(isTop ? name : step);
      // Kind and version of an object are never taken as they were.
      const isTypeMeta = isTop && (name === 'kind' || name === 'apiVersion');
      matches += check(member, isTypeMeta ? undefined : oldMember(old, name), run);
      run.leave();
    }
    return matches;
  };
}

function requiredCheck(required: readonly string[]): Check {
  return (value, _old, run) => {
    const object = value as JsonObject;
    run.spend(required.length);
    for (const name of required) {
      if (object[name] === undefined || !Object.hasOwn(object, name)) {
        run.report(requiredField(run.fieldOf(`${run.path}.${name}`)));
      }
    }
    return 0;
  };
}

function objectCheck(schema: Schema, options: CompileOptions): Check {
  const { properties = {}, additionalProperties, required = [], minProperties, maxProperties } = schema;
  const additional = additionalCheck(properties, additionalProperties, options);
  const checks = [
    ...(minProperties === undefined && maxProperties === undefined ? [] : [countCheck(schema)]),
    ...(additional === undefined ? [] : [additional]),
    memberChecks(properties, options),
    ...(required.length === 0 ? [] : [requiredCheck(required)]),
  ];
  return (value, old, run) => {
    let matches = 0;
    for (const check of checks) matches += check(value, old, run);
    return matches;
  };
}

function countCheck({ minProperties, maxProperties }: Schema): Check {
  return (value, _old, run) => {
    const count = Object.keys(value as JsonObject).length;
    if (minProperties !== undefined && count < minProperties) {
      reportRule(run, count, `should have at least ${minProperties} properties`);
    }
    if (maxProperties !== undefined && count > maxProperties) {
      run.report(tooManyField(run.fieldOf(run.path), count, maxProperties));
    }
    return 0;
  };
}

function additionalCheck(
  properties: Readonly<Record<string, Schema>>,
  additional: boolean | Schema | undefined,
  options: CompileOptions,
): Check | undefined {
  if (additional === undefined || additional === true) return undefined;
  const check = additional === false ? undefined : compileNode(additional, options);
  return (value, old, run) => {
    let matches = 0;
    const members = Object.entries(value as JsonObject);
    run.spend(members.length);
    for (const [name, member] of members) {
      if (Object.hasOwn(properties, name) || member === undefined) continue;
      if (check === undefined) {
        const { path } = run;
        run.report(invalidField(run.fieldOf(path), name, `${path}.${name} in body is a forbidden property`));
        continue;
      }
      run.enter(`.${name}`);
      matches += check(member, oldMember(old, name), run);
      run.leave();
    }
    return matches;
  };
}
