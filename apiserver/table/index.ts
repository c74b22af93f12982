/** Tables as kubectl prints them: columns of built-in kinds and of custom resources, JSONPath, ages. Pure functions; hostile objects
 *  give odd cells, never an exception. Main functions: `columnsOf`, `columnsOfPrinterColumns`.
 *  @imports apiserver/core, src/base */
export { columnsOf } from './builtin-columns.ts';
export { type JsonPath, parseJsonPath } from './json-path.ts';
export { columnsOfPrinterColumns } from './printer-columns.ts';
