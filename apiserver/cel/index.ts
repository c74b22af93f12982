/** CEL in the API: rules of CustomResourceDefinitions (`rules/`), expressions of admission policies (`policies/`).
 *  Main functions: `createRuleValidator`, `compileAdmissionExpression`. Never decides what follows from a result.
 *  @imports apiserver/core, src/cel, src/schema, src/base */
export type { AdmissionVariables } from './policies/admission-environment.ts';
export { type AdmissionExpression, compileAdmissionExpression } from './policies/admission-expressions.ts';
export { expressionErrors } from './policies/condition-errors.ts';
export { Budget, evaluateExpression, LazyVariables, OutOfBudget } from './policies/evaluation.ts';
export { PolicyExpressions } from './policies/policy-expressions.ts';
export { checkPolicyTypes } from './policies/type-checking.ts';
export { limits } from './rules/limits.ts';
export { createRuleValidator } from './rules/rule-validator.ts';
export { validationRuleErrors } from './rules/schema-rules.ts';
