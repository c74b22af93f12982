/** Server-side apply and the tracking of who owns which field. Main type: `FieldSet`; main functions: `serverSideApply` for
 *  apply patches, `trackUpdate` for every other write. Pure: never stores, defaults or validates beyond the schema's structure.
 *  @imports apiserver/protobuf, apiserver/schema, apiserver/core, src/schema, src/base */
export { FieldSet, type PathElement } from './field-set.ts';
export { type ManagerEntry, type Managers, writeManagers } from './managed-fields.ts';
export { type ServerSideApplyOptions, serverSideApply } from './server-side-apply.ts';
export {
  type Actor,
  keepTimes,
  readManagers,
  type TrackUpdateOptions,
  trackUpdate,
} from './track-update.ts';
export { type Comparison, fieldSetOf } from './value-walk.ts';
export { encodeBuiltIn, withZeroNulls } from './zero-values.ts';
