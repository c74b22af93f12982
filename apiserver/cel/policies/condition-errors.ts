import type { FieldError } from '../../http/status-error.ts';
import { invalidField } from '../../schema/field-errors.ts';
import type { AdmissionExpression } from './admission-expressions.ts';

/** The error of an expression that does not compile, as one of a field. */
export function expressionErrors(expression: AdmissionExpression, field: string): FieldError[] {
  if (!('error' in expression)) return [];
  const { text, error, isInternal } = expression;
  if (!isInternal) return [invalidField(field, text, error)];
  return [{ field, reason: 'InternalError', message: `Internal error: ${error}` }];
}
