import { Failure, type Lookup, type Value } from '../../../src/cel/index.ts';
import { Budget, evaluateExpression, LazyVariables, limits, OutOfBudget } from '../../cel/index.ts';
import { checkMatchConditions } from '../match-conditions.ts';
import type { Policy, Validation } from './policy.ts';

/** Something that a policy has against a request. */
export interface Decision {
  readonly message: string;
  /** Absent for an error of the policy itself. */
  readonly reason?: string;
  /** An error that refuses whatever the binding's actions are. */
  readonly isFinal?: boolean;
}

function withVariables(policy: Policy, lookUp: Lookup, budget: Budget): Lookup {
  const own: Lookup = (name) => (name === 'variables' ? variables : lookUp(name));
  const variables = new LazyVariables(policy.variables, own, budget);
  return own;
}

/** A message on one line that is not too long. */
function usable(value: Value | undefined): string {
  const text = typeof value === 'string' ? value.trim() : '';
  return text.includes('\n') || Buffer.byteLength(text) > limits.messageBytes ? '' : text;
}

function messageOf({ message, expression }: Validation, value: Value | undefined): string {
  return usable(value) || message.trim() || `failed expression: ${expression.text.trim()}`;
}

/** What the message expressions of all validations give; a problem when they cost too much. */
function messagesOf(
  policy: Policy,
  lookUp: Lookup,
  budget: Budget,
): (Value | undefined)[] | { readonly problem: string } {
  try {
    return policy.validations.map(({ messageExpression }) =>
      messageExpression === undefined ? undefined : evaluateExpression(messageExpression, lookUp, budget),
    );
  } catch (error) {
    if (error instanceof OutOfBudget) return { problem: `failed messageExpression: ${error.message}` };
    throw error;
  }
}

function validate(policy: Policy, lookUp: Lookup): Decision[] {
  const budget = new Budget(limits.perObject);
  const own = withVariables(policy, lookUp, budget);
  const values = policy.validations.map(({ expression }) => evaluateExpression(expression, own, budget));
  if (values.every((value) => value === true)) return [];
  const messages = messagesOf(policy, own, budget);
  return policy.validations.flatMap((validation, index) => {
    const value = values[index];
    if (value instanceof Failure) return policy.failsClosed ? [{ message: value.message }] : [];
    if ('problem' in messages) return policy.failsClosed ? [{ message: messages.problem }] : [];
    if (value === true) return [];
    return [{ message: messageOf(validation, messages[index]), reason: validation.reason ?? 'Invalid' }];
  });
}

function annotate(policy: Policy, lookUp: Lookup): Decision[] {
  const budget = new Budget(limits.perObject);
  const own = withVariables(policy, lookUp, budget);
  const values = policy.annotations.map(({ expression }) => evaluateExpression(expression, own, budget));
  const failures = values.filter((value) => value instanceof Failure);
  return policy.failsClosed ? failures.map(({ message }) => ({ message, isFinal: true })) : [];
}

/** What a policy has against a request with these variables. */
export function decide(policy: Policy, lookUp: Lookup): Decision[] {
  const match = checkMatchConditions(policy.conditions, lookUp);
  if (match === false) return [];
  if (match !== true) return policy.failsClosed ? [{ message: match.problem }] : [];
  try {
    return [...validate(policy, lookUp), ...annotate(policy, lookUp)];
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return policy.failsClosed ? [{ message: error.message }] : [];
  }
}
