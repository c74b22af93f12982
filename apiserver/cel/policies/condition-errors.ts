import { type FieldError, invalidField } from '../../../src/schema/index.ts';
import type { AdmissionExpression } from './admission-expressions.ts';

/** The error of an expression that does not compile, as one of a field. */
export function expressionErrors(expression: AdmissionExpression, field: string): FieldError[] {
  if (!('error' in expression)) return [];
  const { text, error, isInternal } = expression;
  if (!isInternal) return [invalidField(field, text, error)];
  return [{ field, reason: 'InternalError', message: `Internal error: ${error}` }];
}
