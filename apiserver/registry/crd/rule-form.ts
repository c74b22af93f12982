import { type JsonObject, objectsAt, textAt, valueAt } from '../../../src/base/index.ts';
import { type FieldError, invalidField, requiredField, unsupportedField } from '../../../src/schema/index.ts';
import { followFieldPath } from './field-path.ts';
import { structureProblem } from './structural.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

function textErrors(rule: JsonObject, path: string): FieldError[] {
  const [expression, message] = [textAt(rule, 'rule').trim(), textAt(rule, 'message')];
  if (expression === '') return [requiredField(`${path}.rule`, 'rule is not specified')];
  const field = `${path}.message`;
  if (message !== '' && message.trim() === '')
    return [invalidField(field, message, 'message must be non-empty if specified')];
  if (/[\n\r]/.test(message.trim())) return [invalidField(field, message, 'message must not contain line breaks')];
  if (!/[\n\r]/.test(expression) || message.trim() !== '') return [];
  return [requiredField(field, 'message must be specified if rule contains line breaks')];
}

function fieldPathErrors(rule: JsonObject, node: JsonObject, path: string): FieldError[] {
  const given = textAt(rule, 'fieldPath');
  if (given === '') return [];
  const errors: FieldError[] = [];
  const field = `${path}.fieldPath`;
  if (given.trim() === '') errors.push(invalidField(field, given, 'fieldPath must be non-empty if specified'));
  if (/[\n\r]/.test(given)) errors.push(invalidField(field, given, 'fieldPath must not contain line breaks'));
  const isReadable = structureProblem(node) === undefined;
  if (isReadable && 'problem' in followFieldPath(given, node, { hasBrackets: true })) {
    errors.push(invalidField(field, given, 'fieldPath must be a valid path'));
  }
  return errors;
}

/** Errors of the members of `x-kubernetes-validations` except those of the expressions. */
export function ruleFormErrors(node: JsonObject, path: string): FieldError[] {
  return objectsAt(node, 'x-kubernetes-validations').flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const errors = textErrors(rule, at);
    const [messageExpression, reason] = [textAt(rule, 'messageExpression'), valueAt(rule, 'reason')];
    if (messageExpression !== '' && messageExpression.trim() === '') {
      errors.push(requiredField(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'));
    }
    if (typeof reason === 'string' && !reasons.includes(reason)) {
      errors.push(unsupportedField(`${at}.reason`, reason, reasons));
    }
    return [...errors, ...fieldPathErrors(rule, node, at)];
  });
}
