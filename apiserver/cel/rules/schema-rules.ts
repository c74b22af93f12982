import { goQuote, type JsonObject } from '../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidField,
  type PatternBudget,
  type Schema,
} from '../../../src/schema/index.ts';
import { declareSchema } from './declared-type.ts';
import { hasRulesAnywhere } from './has-rules.ts';
import { limits } from './limits.ts';
import { type CompiledRule, compileRules, maxOccurrences, type Rule } from './rule-compiler.ts';

/** A node of a schema with where it stands. */
interface Node {
  readonly schema: Schema;
  readonly path: string;
  readonly isRoot: boolean;
  /** How often it can stand in an object at most; undefined without bound. */
  readonly occurrences: bigint | undefined;
  /** The nearest list or map above whose items cannot be matched with those of before. */
  readonly uncorrelated: string | undefined;
}

function factorOf({ type, additionalProperties, maxItems, maxProperties }: Schema): bigint | undefined {
  const isMap = type === 'object' && additionalProperties !== undefined;
  if (!isMap && type !== 'array') return 1n;
  const max = isMap ? maxProperties : maxItems;
  return max === undefined ? undefined : BigInt(Math.max(0, max));
}

function occurrencesBelow({ schema, occurrences }: Node): bigint | undefined {
  const factor = factorOf(schema);
  return factor === undefined || occurrences === undefined ? undefined : factor * occurrences;
}

function itemsOf(node: Node): Node[] {
  const { schema, path, uncorrelated } = node;
  if (schema.items === undefined || Array.isArray(schema.items)) return [];
  const isMatched = schema['x-kubernetes-list-type'] === 'map';
  const lost = isMatched ? uncorrelated : (uncorrelated ?? path);
  const occurrences = occurrencesBelow(node);
  return [{ schema: schema.items, path: `${path}.items`, isRoot: false, occurrences, uncorrelated: lost }];
}

function childrenOf(node: Node): Node[] {
  const { schema, path, uncorrelated } = node;
  const common = { isRoot: false, occurrences: occurrencesBelow(node), uncorrelated };
  const children: Node[] = [];
  const { additionalProperties, properties = {} } = schema;
  if (typeof additionalProperties === 'object') {
    children.push({ ...common, schema: additionalProperties, path: `${path}.additionalProperties` });
  }
  for (const name of Object.keys(properties).toSorted()) {
    const property = properties[name];
    if (property !== undefined) children.push({ ...common, schema: property, path: `${path}.properties[${name}]` });
  }
  return [...children, ...itemsOf(node)];
}

function walk(node: Node, visit: (node: Node) => void): void {
  for (const child of childrenOf(node)) walk(child, visit);
  visit(node);
}

function hasRules(schema: Schema): boolean {
  return (schema['x-kubernetes-validations']?.length ?? 0) > 0;
}

function printRule(rule: Rule): string {
  const pointer = (type: string, isSet: boolean): string => `(*${type})(${isSet ? '0xc000000000' : 'nil'})`;
  const parts = [
    `Rule:${goQuote(rule.rule)}`,
    `Message:${goQuote(rule.message)}`,
    `MessageExpression:${goQuote(rule.messageExpression)}`,
    `Reason:${pointer('apiextensions.FieldValueErrorReason', rule.reason !== undefined)}`,
    `FieldPath:${goQuote(rule.fieldPath)}`,
    `OptionalOldSelf:${pointer('bool', rule.optionalOldSelf !== undefined)}`,
  ];
  return `apiextensions.ValidationRule{${parts.join(', ')}}`;
}

function invalidRule(field: string, rule: Rule, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${printRule(rule)}: ${detail}` };
}

function budgetText(what: string, cost: bigint, limit: number): string {
  const excess = Number(cost) / limit;
  let factor = `${excess.toFixed(1)}x`;
  if (excess > 100) factor = 'more than 100x';
  else if (excess < 1.5) factor = `${excess.toFixed(6)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${what} exceeds budget by factor of ${factor} (${advice})`;
}

/** The costs of all rules of a schema together. */
class TotalCost {
  total = 0n;
  #expensive: { readonly path: string; readonly cost: bigint }[] = [];

  note(path: string, cost: bigint): void {
    this.total += cost;
    if (cost < BigInt(limits.staticSchema / 100)) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((a, b) => Number(b.cost - a.cost));
    this.#expensive.length = Math.min(this.#expensive.length, 4);
  }

  errors(path: string): FieldError[] {
    if (this.total <= BigInt(limits.staticSchema)) return [];
    const part = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const max = 2n ** 64n - 1n;
    return [
      ...this.#expensive.map((rule) => forbiddenField(rule.path, part)),
      forbiddenField(path, budgetText(whole, this.total > max ? max : this.total, limits.staticSchema)),
    ];
  }
}

interface RuleCheck {
  readonly node: Node;
  readonly path: string;
  readonly occurrences: bigint;
  readonly total: TotalCost;
}

function saturatedProduct(a: bigint, b: bigint): bigint {
  const max = 2n ** 64n - 1n;
  return a * b > max ? max : a * b;
}

function ruleErrors(rule: CompiledRule, { node, path, occurrences, total }: RuleCheck): FieldError[] {
  const errors: FieldError[] = [];
  const field = `${path}.rule`;
  const cost = saturatedProduct(rule.maxCost, occurrences);
  if (cost > BigInt(limits.staticRule)) {
    errors.push(forbiddenField(field, budgetText('estimated rule cost', cost, limits.staticRule)));
  }
  total.note(field, cost);
  if (rule.error !== undefined) errors.push(invalidRule(field, rule.source, rule.error));
  errors.push(...messageCostErrors(rule, `${path}.messageExpression`, total));
  return [...errors, ...oldSelfErrors(rule, node, path)];
}

function messageCostErrors(rule: CompiledRule, field: string, total: TotalCost): FieldError[] {
  if (rule.messageError !== undefined) return [invalidRule(field, rule.source, rule.messageError)];
  if (rule.message === undefined) return [];
  total.note(field, rule.messageMaxCost);
  if (rule.messageMaxCost <= BigInt(limits.staticRule)) return [];
  return [
    forbiddenField(field, budgetText('estimated messageExpression cost', rule.messageMaxCost, limits.staticRule)),
  ];
}

function oldSelfErrors({ source, usesOldSelf }: CompiledRule, { uncorrelated }: Node, path: string): FieldError[] {
  if (usesOldSelf && uncorrelated !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    return [invalidField(`${path}.rule`, source.rule, why)];
  }
  if (usesOldSelf || source.optionalOldSelf === undefined) return [];
  const why = 'may not be set if oldSelf is not used in rule';
  return [invalidField(`${path}.optionalOldSelf`, source.optionalOldSelf, why)];
}

/** What the rules of a definition may use together. */
interface Totals {
  readonly total: TotalCost;
  readonly patterns: PatternBudget;
}

function nodeErrors(node: Node, { total, patterns }: Totals): FieldError[] {
  const { schema, path, isRoot } = node;
  const isTop = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const declared = declareSchema(schema, { name: `selfType${performance.now().toFixed(0)}`, isRoot: isTop });
  const at = `${path}.x-kubernetes-validations`;
  if (declared === undefined) {
    const why = 'internal error: failed to construct type information for x-kubernetes-validations rules';
    const detail = `${why}: unable to convert structural schema to CEL declarations`;
    return [{ field: at, reason: 'InternalError', message: `Internal error: ${detail}` }];
  }
  const occurrences = node.occurrences ?? maxOccurrences(declared);
  return compileRules(schema, declared, patterns).flatMap((rule, index) =>
    ruleErrors(rule, { node, path: `${at}[${index}]`, occurrences, total }),
  );
}

/** What is wrong with the expressions of the `x-kubernetes-validations` of a schema that is sound otherwise: they do not compile, may cost too much, or use
 *  `oldSelf` where nothing corresponds. */
export function validationRuleErrors(root: JsonObject, path: string, patterns: PatternBudget): FieldError[] {
  if (!hasRulesAnywhere(root)) return [];
  const total = new TotalCost();
  const errors: FieldError[] = [];
  walk(rootNode(root, path), (node) => {
    if (hasRules(node.schema)) errors.push(...nodeErrors(node, { total, patterns }));
  });
  return [...errors, ...total.errors(path)];
}

function rootNode(root: JsonObject, path: string): Node {
  return { schema: root as Schema, path, isRoot: true, occurrences: 1n, uncorrelated: undefined };
}
