/** Resource types and the write path: the built-in table, custom resources, every step of a write from metadata to storage.
 *  Main types: `ObjectWriter`, `LiveCluster`, `CustomResources`. Knows no HTTP; admission plug-ins are given to it.
 *  @imports apiserver/registry/kinds, apiserver/registry/crd, apiserver/apply, apiserver/table, apiserver/patch,
 *    apiserver/schema, apiserver/storage, apiserver/core, src/schema, src/base */
export { bootstrap, describeServer } from './bootstrap.ts';
export { localApiServices } from './bootstrap-objects.ts';
export { builtinResourceTypes } from './builtin-resources.ts';
export { CustomResources } from './custom-resources.ts';
export { checkPreconditions, type DeletionOptions } from './deletion.ts';
export { applyFields, type TrackedWrite, trackFields } from './field-tracking.ts';
export { randomSuffix, suffixAlphabet } from './generated-names.ts';
export { LiveCluster } from './live-cluster.ts';
export { type AdmittedForm, ObjectWriter } from './object-writer.ts';
export { parentManagedFields, type ReplicasField, scaleManagedFields } from './scale-fields.ts';
export { StoredServices } from './stored-services.ts';
export { storageName, type WriteContext, type WriteResult, type WriteTarget } from './write-context.ts';
export { checkIdentity } from './write-metadata.ts';
export { checkUid } from './write-preconditions.ts';
export { newObjectErrors } from './write-validation.ts';
