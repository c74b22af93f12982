import { isJsonObject, type JsonObject, type JsonValue, remember } from '../../../src/base/index.ts';
import { type LabelRequirement, parseRequirements } from './label-syntax.ts';

/** Labels of an object as they came in; anything but an object of strings counts as no labels. */
export type Labels = Readonly<Record<string, string>> | undefined;

/** A parsed selector: every requirement must hold. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly isEverything: boolean;
  matches(labels: Labels): boolean;
}

function labelOf(labels: Labels, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

const integerPattern = /^[+-]?\d{1,19}$/;

function isBeyond(operator: 'gt' | 'lt', actual: string | undefined, bound: string | undefined): boolean {
  if (actual === undefined || bound === undefined) return false;
  if (!integerPattern.test(actual) || !integerPattern.test(bound)) return false;
  return operator === 'gt' ? BigInt(actual) > BigInt(bound) : BigInt(actual) < BigInt(bound);
}

function isMet(requirement: LabelRequirement, labels: Labels): boolean {
  const value = labelOf(labels, requirement.key);
  switch (requirement.operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
      return value !== undefined && requirement.values.includes(value);
    case 'notin':
      return value === undefined || !requirement.values.includes(value);
    case 'gt':
    case 'lt':
      return isBeyond(requirement.operator, value, requirement.values[0]);
  }
}

/** Parses the query parameter `labelSelector`. The empty text selects everything.
 *  @throws StatusError 400 with kube-apiserver's text */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = parseRequirements(text);
  return {
    requirements,
    isEverything: requirements.length === 0,
    matches: (labels) => requirements.every((requirement) => isMet(requirement, labels)),
  };
}

const expressionOperators: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

const nodeOperators: typeof expressionOperators = { ...expressionOperators, Gt: 'gt', Lt: 'lt' };

function requirementOf(expression: JsonValue, operators = expressionOperators): LabelRequirement | undefined {
  if (!isJsonObject(expression)) return undefined;
  const { key, operator, values } = expression;
  if (typeof key !== 'string' || typeof operator !== 'string' || !Object.hasOwn(operators, operator)) {
    return undefined;
  }
  const known = operators[operator];
  const texts = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
  return known === undefined ? undefined : { key, operator: known, values: texts };
}

/** What all expressions of a selector ask of one label. */
interface LabelRule {
  /** Values that all `In` have; undefined without one. */
  allowed: ReadonlySet<string> | undefined;
  readonly denied: Set<string>;
  isRequired: boolean;
  isForbidden: boolean;
}

function addToRule(rule: LabelRule, { operator, values }: LabelRequirement): void {
  if (operator === 'in') {
    const { allowed } = rule;
    rule.allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)));
  }
  if (operator === 'notin') for (const value of values) rule.denied.add(value);
  if (operator === '!') rule.isForbidden = true;
  if (operator === 'in' || operator === 'exists') rule.isRequired = true;
}

/** The rules of expressions by label, and those that need their label; undefined where an expression is malformed. */
function readRules(
  expressions: readonly JsonValue[],
):
  | { readonly rules: ReadonlyMap<string, LabelRule>; readonly required: readonly (readonly [string, LabelRule])[] }
  | undefined {
  const rules = new Map<string, LabelRule>();
  for (const expression of expressions) {
    const requirement = requirementOf(expression);
    if (requirement === undefined) return undefined;
    const { key } = requirement;
    const rule = rules.get(key) ?? { allowed: undefined, denied: new Set(), isRequired: false, isForbidden: false };
    addToRule(rule, requirement);
    rules.set(key, rule);
  }
  return { rules, required: [...rules].filter(([, { isRequired }]) => isRequired) };
}

function isRuleMet(rule: LabelRule, value: string | undefined): boolean {
  if (value === undefined) return !rule.isRequired;
  return !rule.isForbidden && !rule.denied.has(value) && (rule.allowed?.has(value) ?? true);
}

/** Selectors are compared with every pod of a namespace, and may have thousands of labels and values: both are read once. What is compared is not
 *  changed any more. */
const rulesOf = remember(readRules);
const pairsOf = remember((labels: JsonObject) => Object.entries(labels));

function meetsExpressions(expressions: readonly JsonValue[], labels: NonNullable<Labels> = {}): boolean {
  const read = rulesOf(expressions);
  if (read === undefined) return false;
  for (const [key, rule] of read.required) if (!isRuleMet(rule, labelOf(labels, key))) return false;
  return Object.entries(labels).every(([key, value]) => {
    const rule = read.rules.get(key);
    return rule === undefined || isRuleMet(rule, value);
  });
}

/** Whether a LabelSelector object (`matchLabels`, `matchExpressions`) selects these labels.
 *  Absent selects nothing, `{}` everything; a malformed expression matches nothing. */
export function matchesLabelSelector(selector: JsonValue | undefined, labels: Labels): boolean {
  if (!isJsonObject(selector)) return false;
  const { matchLabels, matchExpressions } = selector;
  const pairs = isJsonObject(matchLabels) ? pairsOf(matchLabels) : [];
  if (!pairs.every(([key, value]) => labelOf(labels, key) === value)) return false;
  return !Array.isArray(matchExpressions) || meetsExpressions(matchExpressions, labels);
}

/** Whether all expressions of a node selector term hold for these labels; with `Gt` and `Lt`, whose value must be an integer, as must the label's. */
export function matchesNodeExpressions(expressions: readonly JsonValue[], labels: Labels): boolean {
  return expressions.every((expression) => {
    const requirement = requirementOf(expression, nodeOperators);
    return requirement !== undefined && isMet(requirement, labels);
  });
}
