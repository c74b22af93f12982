import { TerminalError } from './errors.ts';
import { remember } from './remember.ts';

/** Which objects are selected, by their labels; all conditions must hold. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** A selector with thousands of values is compared with every namespace. */
const setOf = remember((values: readonly string[]): ReadonlySet<string> => new Set(values));

const matches: Readonly<Record<string, (value: string | undefined, values: readonly string[]) => boolean>> = {
  In: (value, values) => value !== undefined && setOf(values).has(value),
  NotIn: (value, values) => value === undefined || !setOf(values).has(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
};

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function isMatch({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const test = Object.hasOwn(matches, operator) ? matches[operator] : undefined;
  if (test === undefined) {
    throw new TerminalError('InvalidSelector', `"${operator}" is not a valid label selector operator`);
  }
  const needsValues = operator === 'In' || operator === 'NotIn';
  if (needsValues && values.length === 0) {
    throw new TerminalError(
      'InvalidSelector',
      `values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`,
    );
  }
  if (!needsValues && values.length > 0) {
    const shown = values.join(' ');
    throw new TerminalError(
      'InvalidSelector',
      `values: Invalid value: [${shown}]: values set must be empty for exists and does not exist`,
    );
  }
  return test(labelOf(labels, key), values);
}

/** Users write selectors, which are compared with very many objects while others wait. */
const maxRequirements = 1_000;

const requirementsOf = remember(({ matchLabels = {}, matchExpressions = [] }: LabelSelector): number => {
  return Object.keys(matchLabels).length + matchExpressions.length;
});

function assertShort(selector: LabelSelector): void {
  const count = requirementsOf(selector);
  if (count <= maxRequirements) return;
  const text = `a selector has at most ${maxRequirements} requirements, found ${count}`;
  throw new TerminalError('InvalidSelector', text);
}

/** Whether the labels are selected; an empty selector means all.
 *  @throws TerminalError InvalidSelector */
export function isSelected(selector: LabelSelector, labels: Labels): boolean {
  assertShort(selector);
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const found = matchExpressions.map((requirement) => isMatch(requirement, labels));
  return found.every(Boolean) && Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value);
}
