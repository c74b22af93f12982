/** Schemas of the built-in kinds: decoding, pruning, quantities, and how Go prints values. Main functions: `loadBuiltinSchemas`, `checkFields`.
 *  Never decides whether a value is sensible: that is `registry/kinds/`.
 *  @imports apiserver/core, src/schema, src/base */
export { loadBuiltinSchemas } from './builtin-schemas.ts';
export { decodeProblems, dropNulls, UnreadableObject } from './decode.ts';
export { checkFields, dropUnknownFields } from './field-decoding.ts';
export { goJson } from './go-json.ts';
export { goQuantity, goStruct, goTexts, invalidPrinted } from './go-prints.ts';
export { pruneUnknown } from './prune.ts';
export { pruneCustom } from './prune-custom.ts';
export { canonicalQuantity, compareQuantities, isWhole, milliQuantity, parseQuantity, wholeUnits } from './quantity.ts';
export {
  addLists,
  addTo,
  maskList,
  type ResourceList,
  raiseTo,
  resourceList,
  subtractLists,
} from './resource-lists.ts';
export { holdsTexts, isTextMap } from './text-map.ts';
export { unstructuredProblem } from './unstructured.ts';
