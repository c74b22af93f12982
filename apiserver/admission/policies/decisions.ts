import { Failure, type Lookup, type Value } from '../../../src/cel/index.ts';
import {
  type AdmissionExpression,
  Budget,
  evaluateExpression,
  LazyVariables,
  limits,
  OutOfBudget,
} from '../../cel/index.ts';
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

/** Gives others a turn, where it is their time. */
type TakeTurn = () => Promise<void> | undefined;

interface Evaluation {
  readonly lookUp: Lookup;
  readonly budget: Budget;
  readonly takeTurn: TakeTurn;
}

function beginEvaluation(policy: Policy, lookUp: Lookup, takeTurn: TakeTurn): Evaluation {
  const budget = new Budget(limits.perObject);
  return { lookUp: withVariables(policy, lookUp, budget), budget, takeTurn };
}

/** The values of expressions, each evaluated in a turn of its own where they take long.
 *  @throws OutOfBudget */
async function evaluateInTurns(
  expressions: readonly AdmissionExpression[],
  { lookUp, budget, takeTurn }: Evaluation,
): Promise<Value[]> {
  const values: Value[] = [];
  for (const expression of expressions) {
    await takeTurn();
    values.push(evaluateExpression(expression, lookUp, budget));
  }
  return values;
}

/** What the message expressions of validations give; a problem when they cost too much. */
async function messagesOf(
  validations: readonly Validation[],
  evaluation: Evaluation,
): Promise<ReadonlyMap<Validation, Value> | { readonly problem: string }> {
  const own = validations.flatMap((one) =>
    one.messageExpression === undefined ? [] : [{ one, expression: one.messageExpression }],
  );
  try {
    const expressions = own.map(({ expression }) => expression);
    const values = await evaluateInTurns(expressions, evaluation);
    return new Map(own.map(({ one }, index) => [one, values[index] ?? null]));
  } catch (error) {
    if (error instanceof OutOfBudget) return { problem: `failed messageExpression: ${error.message}` };
    throw error;
  }
}

async function validate(policy: Policy, lookUp: Lookup, takeTurn: TakeTurn): Promise<Decision[]> {
  const evaluation = beginEvaluation(policy, lookUp, takeTurn);
  const expressions = policy.validations.map(({ expression }) => expression);
  const values = await evaluateInTurns(expressions, evaluation);
  if (values.every((value) => value === true)) return [];
  const messages = await messagesOf(policy.validations, evaluation);
  return policy.validations.flatMap((validation, index) => {
    const value = values[index];
    if (value instanceof Failure) return policy.failsClosed ? [{ message: value.message }] : [];
    if ('problem' in messages) return policy.failsClosed ? [{ message: messages.problem }] : [];
    if (value === true) return [];
    return [{ message: messageOf(validation, messages.get(validation)), reason: validation.reason ?? 'Invalid' }];
  });
}

async function annotate(policy: Policy, lookUp: Lookup, takeTurn: TakeTurn): Promise<Decision[]> {
  const expressions = policy.annotations.map(({ expression }) => expression);
  const values = await evaluateInTurns(expressions, beginEvaluation(policy, lookUp, takeTurn));
  const failures = values.filter((value) => value instanceof Failure);
  return policy.failsClosed ? failures.map(({ message }) => ({ message, isFinal: true })) : [];
}

/** What a policy has against a request with these variables. */
export async function decide(policy: Policy, lookUp: Lookup, takeTurn: TakeTurn): Promise<Decision[]> {
  await takeTurn();
  const match = checkMatchConditions(policy.conditions, lookUp);
  if (match === false) return [];
  if (match !== true) return policy.failsClosed ? [{ message: match.problem }] : [];
  try {
    return [...(await validate(policy, lookUp, takeTurn)), ...(await annotate(policy, lookUp, takeTurn))];
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return policy.failsClosed ? [{ message: error.message }] : [];
  }
}
