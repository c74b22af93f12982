import { PatternBudget } from '../schema/index.ts';
import { compileExpression, type Evaluator } from './evaluation/compile.ts';
import { CannotCompile, constantPatterns } from './evaluation/constants.ts';
import { Frame, Interrupted, type Lookup, TooExpensive } from './evaluation/frame.ts';
import type { CelType } from './language/cel-type.ts';
import { checkTypes } from './language/checker.ts';
import type { Environment } from './language/environment.ts';
import { childrenOf, type Expression } from './language/expression.ts';
import { parseExpression } from './language/parser.ts';
import { describeIssues, type Issue } from './language/source-text.ts';
import { validateTree } from './language/validators.ts';
import { Failure, type Value } from './values/value.ts';

/** The outcome of one evaluation. */
export interface Outcome {
  /** A Failure when the expression came to no value. */
  readonly value: Value;
  /** In units of cost, also when it failed. */
  readonly cost: number;
}

/** An expression without faults, which can be evaluated any number of times. */
export interface Program {
  readonly root: Expression;
  readonly type: CelType;
  /** Whether a variable is used anywhere. */
  readonly uses: (variable: string) => boolean;
  /** Evaluates within a cost limit, beyond which the value is the error that it was exceeded. Never throws for what an expression does. */
  readonly run: (lookUp: Lookup, limit: number) => Outcome;
}

/** Why an expression does not compile. */
export interface Faults {
  /** Each fault with its place, its line and an arrow. */
  readonly issues?: string;
  /** A constant part has no value: ``error parsing regexp: missing closing ]: `[` ``. */
  readonly instantiation?: string;
}

function usesVariable(node: Expression, variable: string): boolean {
  if (node.kind === 'ident' && node.name.replace(/^\./, '') === variable) return true;
  if (node.kind === 'select' && node.variable?.split('.')[0] === variable) return true;
  return childrenOf(node).some((child) => usesVariable(child, variable));
}

/** More than all expressions of an object together may cost. */
const interruptedCost = 1e9;

function evaluate(evaluator: Evaluator, lookUp: Lookup, limit: number): Outcome {
  const frame = new Frame(lookUp, limit);
  try {
    return { value: evaluator(frame), cost: frame.cost };
  } catch (error) {
    if (!(error instanceof TooExpensive || error instanceof Interrupted)) throw error;
    // One that took too long leaves nothing for others.
    const cost = error instanceof Interrupted ? Math.max(frame.cost, interruptedCost) : frame.cost;
    return { value: new Failure(error.message), cost };
  }
}

/** Regular expressions that are too large to compile. */
function patternIssues(node: Expression, patterns: PatternBudget): Issue[] {
  const problems = constantPatterns(node).flatMap((text) => patterns.problemOf(text) ?? []);
  return [
    ...problems.map((message) => ({ offset: node.offset, message })),
    ...childrenOf(node).flatMap((child) => patternIssues(child, patterns)),
  ];
}

/** Reads, checks and prepares an expression. */
export function compileProgram(text: string, environment: Environment): Program | Faults {
  const { root, issues } = parseExpression(text);
  if (issues.length > 0) return { issues: describeIssues(text, issues) };
  const wrong = checkTypes(root, environment);
  const tooLarge = wrong.length > 0 ? wrong : patternIssues(root, environment.patterns ?? new PatternBudget());
  const faults = tooLarge.length > 0 ? tooLarge : validateTree(root);
  if (faults.length > 0 || root.type === undefined) return { issues: describeIssues(text, faults) };
  try {
    const evaluator = compileExpression(root, environment.functions);
    return {
      root,
      type: root.type,
      uses: (variable) => usesVariable(root, variable),
      run: (lookUp, limit) => evaluate(evaluator, lookUp, limit),
    };
  } catch (error) {
    if (error instanceof CannotCompile) return { instantiation: error.message };
    throw error;
  }
}

/** Whether compiling found faults. */
export function isFaulty(result: Program | Faults): result is Faults {
  return !('run' in result);
}
