/** Whether a CustomResourceDefinition may be changed: a table of named checks, of the two definitions and of the objects that exist.
 *  Main functions: `checkCrdChange`, `describeFindings`. Reads objects through the function that it is given, and writes nothing.
 *  @imports src/schema, src/api, src/base */
export type { CheckInfo, Finding } from './check.ts';
export type { ReadObjects } from './checks/existing-objects.ts';
export { crdNameOf } from './crd.ts';
export { howToIgnore, readSwitches, type SafetySwitches } from './switches.ts';
export { type CrdChange, checkCrdChange, describeFindings, type SafetyOptions } from './upgrade.ts';
