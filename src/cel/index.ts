/** The Common Expression Language as Kubernetes has it: reads, checks, estimates and runs expressions. Door: `compileProgram`.
 *  Pure; knows neither objects nor clusters; an expression can neither run forever nor throw.
 *  @imports src/schema, src/base */
export { estimateCost } from './cost/cost-estimator.ts';
export type { Range } from './cost/estimate.ts';
export type { Lookup } from './evaluation/frame.ts';
export { basicTypes, type CelType, listType, mapType, optionalType, structType } from './language/cel-type.ts';
export type { Environment, Structs } from './language/environment.ts';
export { type AskAuthorizer, type AuthorizationQuestion, Authorizer, ResourceCheck } from './library/authorizer.ts';
export { declareFunctions, extensionTypes } from './library/declare.ts';
export { kubernetesFunctions } from './library/index.ts';
export { parseTime } from './library/times.ts';
export { compileProgram, isFaulty, type Program } from './program.ts';
export { dynamicValue } from './values/from-json.ts';
export {
  ArrayList,
  Duration,
  equalItems,
  Failure,
  keyOf,
  ListValue,
  MapValue,
  noSuchOverload,
  Opaque,
  Optional,
  printValue,
  Timestamp,
  type Value,
} from './values/value.ts';
