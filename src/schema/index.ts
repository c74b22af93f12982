/** Kubernetes' structural schemas: defaults and validation, in the words of kube-apiserver. Main types: `Schema`, `CompiledSchema`.
 *  Pure; knows neither objects nor clusters. Patterns run in linear time.
 *  @imports src/base
 *  @packages re2js */
export { compileDefaults, maxDefaultedCharacters } from './defaults.ts';
export type { FieldError } from './field-error.ts';
export {
  duplicateField,
  forbiddenField,
  immutableText,
  invalidField,
  notFoundField,
  PlainText,
  requiredField,
  type ShownValue,
  tooLongField,
  tooManyField,
  UntypedValue,
  unsupportedField,
} from './field-errors.ts';
export { hasFormat } from './formats.ts';
export { goFloat, goNumber, goUntyped } from './go-syntax.ts';
export {
  type GoValue,
  goIntOrString,
  goLabelSelector,
  goLiteral,
  goPointer,
  goTextList,
  goTextMap,
} from './go-values.ts';
export { compileListTypes } from './list-types.ts';
export {
  configKeyProblems,
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  dns1123SubdomainWithUnderscoreProblems,
  labelValueProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
  wildcardSubdomainProblems,
} from './names.ts';
export { patternSizeErrors } from './pattern-limits.ts';
export { compilePattern, instructionsToCompile, type Pattern, PatternBudget, patternProblem } from './patterns.ts';
export type { Schema } from './schema.ts';
export { type CompiledSchema, compileSchema } from './validate.ts';
export { tooManyChecks } from './validation-run.ts';
