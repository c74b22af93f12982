import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { Failure, Optional, type Value } from '../../../src/cel/index.ts';
import {
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  type Schema,
} from '../../../src/schema/index.ts';
import { Correlation, matchItems } from './correlation.ts';
import { type DeclaredType, declareSchema, withObjectMeta } from './declared-type.ts';
import { hasRulesAnywhere } from './has-rules.ts';
import { limits } from './limits.ts';
import { escapeName } from './property-names.ts';
import { type CompiledRule, compileRules, type Rule } from './rule-compiler.ts';
import { schemaValue } from './schema-value.ts';

/** The rules of a schema, ready to be held against objects. */
export interface RuleValidator {
  /** What is wrong with an object; `old` is what it replaces. A rule that failed before too, on data that did not change, gives a warning
   *  instead of an error. Costs at most ten million units; after that no more rules are looked at. */
  validate(
    object: JsonObject,
    old: JsonObject | undefined,
  ): { readonly errors: FieldError[]; readonly warnings: string[] };
}

/** The rules at and below one node of a schema. */
interface Node {
  /** With the metadata that rules may read, where it is an object of its own. */
  readonly schema: Schema;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, Node>;
  readonly values: Node | undefined;
  readonly items: Node | undefined;
}

interface Build {
  /** Whose rules count. */
  readonly rules: Schema;
  /** The same place on the spine of the schema, which has the types. */
  readonly spine: Schema;
  readonly declared: DeclaredType | undefined;
  readonly isRoot: boolean;
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function valuesOf(schema: Schema): Schema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function buildProperties({ rules, spine, declared }: Build): Map<string, Node> {
  const nodes = new Map<string, Node>();
  for (const [name, property] of Object.entries(rules.properties ?? {})) {
    const own = spine.properties?.[name];
    if (own === undefined || declared === undefined) continue;
    const escaped = escapeName(name);
    const type = escaped === undefined ? declareSchema(own, { name: 'selfType' }) : declared.fields?.get(escaped);
    if (type === undefined) continue;
    const node = build({ rules: property, spine: own, declared: type, isRoot: isEmbedded(own) });
    if (node !== undefined) nodes.set(name, node);
  }
  return nodes;
}

function buildBelow(
  rules: Schema | undefined,
  spine: Schema | undefined,
  declared: DeclaredType | undefined,
): Node | undefined {
  if (rules === undefined || spine === undefined) return undefined;
  return build({ rules, spine, declared, isRoot: isEmbedded(spine) });
}

function build(place: Build): Node | undefined {
  const { rules, spine, declared, isRoot } = place;
  const own = { ...spine, 'x-kubernetes-validations': rules['x-kubernetes-validations'] ?? [] };
  const compiled = declared === undefined ? [] : compileRules(own, declared);
  const properties = buildProperties(place);
  const values = buildBelow(valuesOf(rules), valuesOf(spine), declared?.element);
  const items = buildBelow(rules.items, spine.items, declared?.element);
  const isEmpty = compiled.length + properties.size === 0 && values === undefined && items === undefined;
  if (isEmpty) return undefined;
  return { schema: isRoot ? withObjectMeta(spine) : spine, rules: compiled, properties, values, items };
}

/** Rules are looked at no more: the budget is spent. */
class BudgetSpent extends Error {}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

interface Subject {
  readonly path: string;
  readonly value: JsonValue;
  readonly old: JsonValue | undefined;
  readonly correlation: Correlation;
}

function ruleText({ message, rule }: Rule): string {
  return message.trim() === '' ? rule.trim() : message.trim();
}

function defaultMessage(rule: Rule): string {
  return rule.message === '' ? `failed rule: ${ruleText(rule)}` : rule.message.trim();
}

function errorFor(
  field: string,
  type: string,
  { detail, reason }: { detail: string; reason: string | undefined },
): FieldError {
  if (reason === 'FieldValueForbidden') return forbiddenField(field, detail);
  if (reason === 'FieldValueRequired') return requiredField(field, detail);
  return reason === 'FieldValueDuplicate' ? duplicateField(field, type) : invalidField(field, type, detail);
}

function oldValue({ old }: Subject, schema: Schema): Value | undefined {
  return old === undefined || old === null ? undefined : schemaValue(old, schema);
}

class Run {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  #budget: number = limits.perObject;

  check(node: Node, subject: Subject): void {
    if (subject.value === null) return;
    this.#checkRules(node, subject);
    if (Array.isArray(subject.value)) this.#checkItems(node, subject, subject.value);
    else if (isJsonObject(subject.value)) this.#checkMembers(node, subject, subject.value);
  }

  #checkItems(node: Node, { path, old, correlation }: Subject, values: readonly JsonValue[]): void {
    if (node.items === undefined) return;
    const find = matchItems(old, node.schema);
    for (const [index, value] of values.entries()) {
      const below = correlation.item(index);
      this.check(node.items, { path: `${path}[${index}]`, value, old: find(value), correlation: below });
    }
  }

  #checkMembers(node: Node, { path, old, correlation }: Subject, object: JsonObject): void {
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      const before = isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
      const subject = { value, old: before, correlation: correlation.member(key) };
      if (node.values !== undefined) this.check(node.values, { ...subject, path: `${path}[${key}]` });
      const property = node.properties.get(key);
      if (property !== undefined) this.check(property, { ...subject, path: path === '' ? key : `${path}.${key}` });
    }
  }

  #fail(error: FieldError): never {
    this.errors.push(error);
    throw new BudgetSpent();
  }

  #checkRules(node: Node, subject: Subject): void {
    if (node.rules.length === 0) return;
    const at = { field: subject.path === '' ? '<nil>' : subject.path, type: node.schema.type ?? '' };
    if (this.#budget <= 0) this.#fail(invalidField(at.field, at.type, outOfBudget));
    const self = schemaValue(subject.value, node.schema);
    const oldSelf = oldValue(subject, node.schema);
    for (const rule of node.rules) {
      const old = rule.source.optionalOldSelf === true ? new Optional(oldSelf) : oldSelf;
      const isSkipped = rule.usesOldSelf && old === undefined;
      if (rule.program !== undefined && !isSkipped) this.#checkRule({ rule, self, old, ...at, subject });
    }
  }

  #spend(cost: number): boolean {
    if (cost > this.#budget) return false;
    this.#budget -= cost;
    return true;
  }

  #checkRule(check: RuleCheck): void {
    const { rule, field, type } = check;
    const { value, cost } = rule.program?.run(lookUpIn(check), limits.perCall) ?? { value: true, cost: 0 };
    const text = ruleText(rule.source);
    if (value instanceof Failure && value.message.startsWith('operation cancelled: actual cost limit exceeded')) {
      if (!this.#spend(cost)) this.#fail(invalidField(field, type, outOfBudget));
      const why = 'no further validation rules will be run due to call cost exceeds limit for rule';
      this.#fail(invalidField(field, type, `'${value.message}': ${why}: ${text}`));
    }
    if (!this.#spend(cost)) this.#fail(invalidField(field, type, outOfBudget));
    if (value instanceof Failure) {
      this.errors.push(invalidField(field, type, evaluationProblem(value.message, text)));
    } else if (value !== true) {
      this.#addFailed(check);
    }
  }

  #addFailed(check: RuleCheck): void {
    const { rule, type, subject } = check;
    const at = [subject.path, rule.path].filter((part) => part !== '').join('.');
    const field = at === '' ? '<nil>' : at;
    const message = rule.message === undefined ? { text: defaultMessage(rule.source) } : this.#message(check);
    const detail = 'problem' in message ? message.problem : message.text;
    const error =
      'problem' in message
        ? invalidField(field, type, detail)
        : errorFor(field, type, { detail, reason: rule.source.reason });
    if (!rule.usesOldSelf && subject.correlation.isUnchanged()) this.warnings.push(`${field}: ${error.message}`);
    else this.errors.push(error);
    if ('problem' in message) throw new BudgetSpent();
  }

  /** The result of the message expression, or the default message. */
  #message(check: RuleCheck): { readonly text: string } | { readonly problem: string } {
    const { rule } = check;
    const { value, cost } = rule.message?.run(lookUpIn(check), limits.perCall) ?? { value: '', cost: 0 };
    const source = JSON.stringify(rule.source.messageExpression);
    if (!this.#spend(cost)) {
      const why = 'messageExpression evaluation failed due to running out of cost budget';
      return { problem: `${why}, no further validation rules will be run` };
    }
    if (value instanceof Failure && value.message.startsWith('operation cancelled: actual cost limit exceeded')) {
      const why = 'no further validation rules will be run due to call cost exceeds limit for messageExpression';
      return { problem: `${why}: ${source}` };
    }
    return { text: usableMessage(value) ?? defaultMessage(rule.source) };
  }
}

/** A message on one line, not empty and not too long; undefined for all else. */
function usableMessage(value: Value): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > limits.messageBytes ? undefined : text;
}

interface RuleCheck {
  readonly rule: CompiledRule;
  readonly self: Value;
  readonly old: Value | undefined;
  readonly field: string;
  readonly type: string;
  readonly subject: Subject;
}

function lookUpIn({ self, old }: RuleCheck) {
  return (name: string): Value | undefined => {
    if (name === 'self') return self;
    return name === 'oldSelf' ? old : undefined;
  };
}

function evaluationProblem(message: string, rule: string): string {
  if (!message.startsWith('no such overload')) return `${message} evaluating rule: ${rule}`;
  const why = 'call arguments did not match a supported operator, function or macro signature for rule';
  return `'${message}': ${why}: ${rule}`;
}

/** Compiles the `x-kubernetes-validations` of a schema; undefined when it has none. Work is done once here. */
export function createRuleValidator(root: Schema): RuleValidator | undefined {
  if (!hasRulesAnywhere(root)) return undefined;
  const declared = declareSchema(root, { name: 'selfType', isRoot: true });
  const node = build({ rules: root, spine: root, declared, isRoot: true });
  if (node === undefined) return undefined;
  return {
    validate: (object, old) => {
      const run = new Run();
      const correlation = Correlation.root(object, old, root);
      try {
        run.check(node, { path: '', value: object, old, correlation });
      } catch (error) {
        if (!(error instanceof BudgetSpent)) throw error;
      }
      return { errors: run.errors, warnings: run.warnings };
    },
  };
}
