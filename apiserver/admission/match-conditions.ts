import { isJsonObject, type JsonValue } from '../../src/base/index.ts';
import { Failure, type Lookup } from '../../src/cel/index.ts';
import {
  type AdmissionExpression,
  type AdmissionVariables,
  Budget,
  compileAdmissionExpression,
  evaluateExpression,
  OutOfBudget,
} from '../cel/index.ts';
import { listed } from './refusal.ts';

/** All conditions of one request may cost this. */
const totalBudget = 2_500_000;

/** `matchConditions`, compiled. */
export type MatchConditions = readonly AdmissionExpression[];

/** Compiles `matchConditions` of a webhook or policy. */
export function compileMatchConditions(
  conditions: JsonValue | undefined,
  variables: AdmissionVariables,
): MatchConditions {
  const list = Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
  return list.map(({ expression }) =>
    compileAdmissionExpression(typeof expression === 'string' ? expression : '', 'bool', variables),
  );
}

/** Whether all conditions hold; one that does not decides, whatever is wrong with others. Else what is wrong with them. */
export function checkMatchConditions(
  conditions: MatchConditions,
  lookUp: Lookup,
): boolean | { readonly problem: string } {
  const budget = new Budget(totalBudget);
  const problems: string[] = [];
  try {
    for (const condition of conditions) {
      const value = evaluateExpression(condition, lookUp, budget);
      if (value === false) return false;
      if (value instanceof Failure) problems.push(value.message);
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return { problem: error.message };
    throw error;
  }
  return problems.length === 0 ? true : { problem: listed(problems) };
}
