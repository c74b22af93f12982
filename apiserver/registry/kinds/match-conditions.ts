import { firstIndexes, isRepeated, type JsonObject, objectsAt, textAt } from '../../../src/base/index.ts';
import {
  duplicateField,
  type FieldError,
  type PatternBudget,
  qualifiedNameProblems,
  requiredField,
  tooManyField,
} from '../../../src/schema/index.ts';
import { compileAdmissionExpression, expressionErrors } from '../../cel/index.ts';
import { invalids } from './checks.ts';

const maxConditions = 64;

interface ConditionVariables {
  readonly hasParams: boolean;
  /** Of the whole object. */
  readonly patterns: PatternBudget;
}

function conditionErrors(condition: JsonObject, path: string, own: ConditionVariables): FieldError[] {
  const [name, expression] = [textAt(condition, 'name'), textAt(condition, 'expression').trim()];
  const field = `${path}.expression`;
  const errors =
    expression === ''
      ? [requiredField(field)]
      : expressionErrors(compileAdmissionExpression(expression, 'bool', { ...own, hasAuthorizer: true }), field);
  const nameErrors =
    name === '' ? [requiredField(`${path}.name`)] : invalids(`${path}.name`, name, qualifiedNameProblems(name));
  return [...errors, ...nameErrors];
}

/** Errors of the `matchConditions` of a webhook or policy. */
export function matchConditionErrors(parent: JsonObject, path: string, options: ConditionVariables): FieldError[] {
  const conditions = objectsAt(parent, 'matchConditions');
  const names = conditions.map((condition) => textAt(condition, 'name'));
  const first = firstIndexes(names);
  const field = `${path}matchConditions`;
  const many = conditions.length > maxConditions ? [tooManyField(field, conditions.length, maxConditions)] : [];
  const each = conditions.flatMap((condition, index) => {
    const name = names[index] ?? '';
    const isSecond = name !== '' && isRepeated(first, name, index);
    const duplicate = isSecond ? [duplicateField(`${field}[${index}].name`, name)] : [];
    return [...conditionErrors(condition, `${field}[${index}]`, options), ...duplicate];
  });
  return [...many, ...each];
}
