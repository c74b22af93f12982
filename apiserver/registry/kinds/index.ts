/** Rules of the built-in kinds, one file a kind: defaults, validation, conversion, warnings. Main function: `rulesOf`.
 *  Pure functions; what they need of the cluster comes through `RegistryView`.
 *  @imports apiserver/registry/crd, apiserver/cel, apiserver/schema, apiserver/core, src/schema, src/base */
export { readSchedule, type Schedule } from './cron-schedule.ts';
export { type BuiltinKind, rulesOf } from './kind-table.ts';
