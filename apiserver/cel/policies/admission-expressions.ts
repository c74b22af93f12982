import { type CelType, compileProgram, isFaulty, type Program } from '../../../src/cel/index.ts';
import { type AdmissionVariables, admissionEnvironment } from './admission-environment.ts';

/** What an expression may give. */
export type ResultType = 'any' | 'bool' | 'string' | 'string or null';

const typeNames: Readonly<Record<Exclude<ResultType, 'any'>, readonly string[]>> = {
  bool: ['bool'],
  string: ['string'],
  'string or null': ['string', 'null_type'],
};

/** An expression that was looked at: a program, or why it is none. */
export type AdmissionExpression =
  | { readonly text: string; readonly program: Program }
  | { readonly text: string; readonly error: string; readonly isInternal: boolean };

function printType(type: CelType): string {
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map((inner) => printType(inner)).join(', ')})`;
}

function typeProblem(type: CelType, expected: ResultType): string | undefined {
  if (expected === 'any') return undefined;
  const names = typeNames[expected];
  const found = printType(type);
  if (names.includes(found)) return undefined;
  const what = names.length === 1 ? (names[0] ?? '') : `one of [${names.join(' ')}]`;
  return `must evaluate to ${what} but got ${found}`;
}

/** Compiles an expression of a webhook's condition or of a policy. */
export function compileAdmissionExpression(
  text: string,
  expected: ResultType,
  variables: AdmissionVariables,
): AdmissionExpression {
  const result = compileProgram(text, admissionEnvironment(variables));
  if (isFaulty(result)) {
    if (result.issues !== undefined) return { text, error: `compilation failed: ${result.issues}`, isInternal: false };
    return { text, error: `program instantiation failed: ${result.instantiation ?? ''}`, isInternal: true };
  }
  const problem = typeProblem(result.type, expected);
  return problem === undefined ? { text, program: result } : { text, error: problem, isInternal: false };
}
