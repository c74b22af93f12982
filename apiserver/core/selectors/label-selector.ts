import { isJsonObject, type JsonValue } from '../../../src/base/index.ts';
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

/** Whether a LabelSelector object (`matchLabels`, `matchExpressions`) selects these labels.
 *  Absent selects nothing, `{}` everything; a malformed expression matches nothing. */
export function matchesLabelSelector(selector: JsonValue | undefined, labels: Labels): boolean {
  if (!isJsonObject(selector)) return false;
  const { matchLabels, matchExpressions } = selector;
  const pairs = isJsonObject(matchLabels) ? Object.entries(matchLabels) : [];
  if (!pairs.every(([key, value]) => labelOf(labels, key) === value)) return false;
  const expressions = Array.isArray(matchExpressions) ? matchExpressions : [];
  return expressions.every((expression) => {
    const requirement = requirementOf(expression);
    return requirement !== undefined && isMet(requirement, labels);
  });
}

/** Whether all expressions of a node selector term hold for these labels; with `Gt` and `Lt`, whose value must be an integer, as must the label's. */
export function matchesNodeExpressions(expressions: readonly JsonValue[], labels: Labels): boolean {
  return expressions.every((expression) => {
    const requirement = requirementOf(expression, nodeOperators);
    return requirement !== undefined && isMet(requirement, labels);
  });
}
