import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import {
  compileProgram,
  type Environment,
  estimateCost,
  isFaulty,
  kubernetesFunctions,
  optionalType,
  type Program,
} from '../../../src/cel/index.ts';
import type { PatternBudget, Schema } from '../../../src/schema/index.ts';
import { type DeclaredType, sizeAtPath, structsOf } from './declared-type.ts';
import { resolveFieldPath } from './field-paths.ts';
import { limits } from './limits.ts';

/** One of `x-kubernetes-validations` as it was written. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

/** A rule that was looked at. */
export interface CompiledRule {
  readonly source: Rule;
  readonly program: Program | undefined;
  readonly error: string | undefined;
  readonly usesOldSelf: boolean;
  /** At most, by the schema. */
  readonly maxCost: bigint;
  readonly message: Program | undefined;
  readonly messageError: string | undefined;
  readonly messageMaxCost: bigint;
  /** Of the field that `fieldPath` names, relative to the node. */
  readonly path: string;
}

function textOf(object: JsonObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** The rules of a node of a schema. */
function rulesOf(schema: Schema): Rule[] {
  return (schema['x-kubernetes-validations'] ?? []).filter(isJsonObject).map((rule: JsonObject) => {
    const optional: JsonValue | undefined = Object.hasOwn(rule, 'optionalOldSelf')
      ? rule['optionalOldSelf']
      : undefined;
    return {
      rule: textOf(rule, 'rule'),
      message: textOf(rule, 'message'),
      messageExpression: textOf(rule, 'messageExpression'),
      reason: textOf(rule, 'reason') || undefined,
      fieldPath: textOf(rule, 'fieldPath'),
      optionalOldSelf: typeof optional === 'boolean' ? optional : undefined,
    };
  });
}

interface Compiled {
  readonly program?: Program;
  readonly error?: string;
  readonly maxCost: bigint;
}

interface Context {
  readonly environment: Environment;
  readonly declared: DeclaredType;
}

function compile(text: string, { environment, declared }: Context): Compiled {
  const result = compileProgram(text, environment);
  if (isFaulty(result)) {
    const error =
      result.issues === undefined
        ? `instantiation failed: ${result.instantiation ?? ''}`
        : `compilation failed: ${result.issues}`;
    return { error, maxCost: 0n };
  }
  const { max } = estimateCost(result.root, ([, ...path]) => sizeAtPath(declared, path));
  return { program: result, maxCost: max };
}

function compileRule(rule: string, context: Context): Compiled {
  const { program, error, maxCost } = compile(rule, context);
  if (program === undefined) {
    const text = error ?? '';
    return { error: text.startsWith('instantiation') ? `program ${text}` : text, maxCost };
  }
  if (program.type.kind !== 'bool') return { error: 'cel expression must evaluate to a bool', maxCost: 0n };
  return { program, maxCost };
}

function compileMessage(text: string, context: Context): Compiled {
  const { program, error, maxCost } = compile(text, context);
  if (program === undefined) return { error: `messageExpression ${error ?? ''}`, maxCost };
  if (program.type.kind !== 'string') return { error: 'messageExpression must evaluate to a string', maxCost: 0n };
  return { program, maxCost };
}

function environmentOf(declared: DeclaredType, hasOptionalOld: boolean): Environment {
  const old = hasOptionalOld ? optionalType(declared.type) : declared.type;
  return {
    functions: kubernetesFunctions(),
    variables: new Map([
      ['self', declared.type],
      ['oldSelf', old],
    ]),
    structs: structsOf(declared),
  };
}

function compileOne(source: Rule, schema: Schema, context: Context): CompiledRule {
  const isEmpty = source.rule.trim() === '';
  const rule: Compiled = isEmpty ? { maxCost: 0n } : compileRule(source.rule, context);
  const message: Compiled =
    source.messageExpression === '' || rule.program === undefined
      ? { maxCost: 0n }
      : compileMessage(source.messageExpression, context);
  return {
    source,
    program: rule.program,
    error: rule.error,
    usesOldSelf: rule.program?.uses('oldSelf') ?? false,
    maxCost: rule.maxCost,
    message: message.program,
    messageError: message.error,
    messageMaxCost: message.maxCost,
    path: source.fieldPath === '' ? '' : (resolveFieldPath(source.fieldPath, schema) ?? ''),
  };
}

/** Compiles the rules of one node of a schema, whose declared type is given. */
export function compileRules(schema: Schema, declared: DeclaredType, patterns?: PatternBudget): CompiledRule[] {
  const rules = rulesOf(schema);
  if (rules.length === 0) return [];
  const plain: Context = { environment: { ...environmentOf(declared, false), patterns }, declared };
  const optional: Context = { environment: { ...environmentOf(declared, true), patterns }, declared };
  return rules.map((rule) => compileOne(rule, schema, rule.optionalOldSelf === true ? optional : plain));
}

/** How often data of a declared type can stand in one request. */
export function maxOccurrences(declared: DeclaredType): bigint {
  return BigInt(Math.floor(limits.requestBytes / (declared.minSize + 1)));
}
