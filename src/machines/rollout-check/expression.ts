import type { JsonObject } from '../../base/index.ts';
import {
  basicTypes,
  compileProgram,
  dynamicValue,
  type Environment,
  Failure,
  isFaulty,
  kubernetesFunctions,
  listType,
  type Program,
} from '../../cel/index.ts';
import { PatternBudget } from '../../schema/index.ts';

/** What an expression may use. */
export interface CheckVariables {
  readonly pool: JsonObject;
  /** The node that was updated. */
  readonly node?: JsonObject;
  /** The nodes of the pool, before a batch. */
  readonly nodes?: readonly JsonObject[];
}

/** Some milliseconds, and enough for the conditions of some thousand nodes. */
const maxCost = 200_000;
/** What the regular expressions of one expression may compile to. */
const maxInstructions = 2_000;
const maxIssueCharacters = 500;

function environmentOf({ node, nodes }: CheckVariables): Environment {
  const variables = [
    ['pool', basicTypes.dyn] as const,
    ...(node === undefined ? [] : [['node', basicTypes.dyn] as const]),
    ...(nodes === undefined ? [] : [['nodes', listType(basicTypes.dyn)] as const]),
  ];
  return {
    functions: new Map(kubernetesFunctions()),
    variables: new Map(variables),
    structs: new Map(),
    patterns: new PatternBudget(maxInstructions),
  };
}

function programOf(text: string, variables: CheckVariables): Program | string {
  const program = compileProgram(text, environmentOf(variables));
  if (isFaulty(program)) {
    const issues = program.issues ?? program.instantiation ?? 'it is empty';
    return `the expression does not compile: ${issues.slice(0, maxIssueCharacters)}`;
  }
  // `dyn` may be a truth value.
  if (program.type.kind === 'bool' || program.type.kind === 'dyn') return program;
  return `the expression must be a truth value, not ${program.type.kind}`;
}

/** Why the expression is not true; undefined if it is. An expression that is wrong, too expensive or no truth value is not true. */
export function expressionProblem(text: string, variables: CheckVariables): string | undefined {
  const program = programOf(text, variables);
  if (typeof program === 'string') return program;
  const values = variables as unknown as JsonObject;
  const { value } = program.run((name) => (name in values ? dynamicValue(values[name]) : undefined), maxCost);
  if (value === true) return undefined;
  if (value instanceof Failure) return `the expression has no value: ${value.message.slice(0, maxIssueCharacters)}`;
  return value === false ? `${text.slice(0, 200)} is false` : 'the expression is not a truth value';
}
