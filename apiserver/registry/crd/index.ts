/** CustomResourceDefinitions: rules for definitions, and resource types made from them. Main function: `resourceTypesOfCrd`.
 *  Never serves a request; conversion webhooks are called through what it is given.
 *  @imports apiserver/cel, apiserver/table, apiserver/schema, apiserver/core, src/schema, src/base */
export { crdRules } from './crd-rules.ts';
export { crdStatus } from './crd-status.ts';
export { type ColumnsOfPrinterColumns, resourceTypesOfCrd } from './custom-types.ts';
export { cleanupFinalizer, type EndStage, isAtEndStage, markDefinition, setEndStage } from './definition-end.ts';
export type { CallConversion } from './webhook-conversion.ts';
