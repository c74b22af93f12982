/** What every layer of the server speaks of: Status errors, objects and their metadata, resource types, selectors, users, and the contracts
 *  `Cluster` and `AdmissionPlugin`. Main types: `KubeObject`, `ResourceType`, `StatusError`. Never stores, serves or admits anything.
 *  @imports src/schema, src/base */
export type { AdmissionPlugin, AdmissionRequest } from './admission-plugin.ts';
export type { Cluster, ClusterEvent, DeleteOptions, ListChoice, ObjectKey, WriteOptions } from './cluster.ts';
export { connectionProblem } from './connection-problem.ts';
export { FirstPaths } from './first-paths.ts';
export { copyJson } from './json-copy.ts';
export type { KindFacts, MetadataChecks } from './kind-facts.ts';
export type { KindRules, RegistryView, SubresourceRules } from './kind-rules.ts';
export type { KubeObject, ObjectMeta, OwnerReference } from './kube-object.ts';
export {
  annotationErrors,
  dropDuplicateOwners,
  finalizerWarnings,
  labelErrors,
  type MetadataFacts,
  managerErrors,
  validateChangedObjectMeta,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta.ts';
export { type ObjectSummary, summaryOf } from './object-summary.ts';
export {
  asJson,
  countAt,
  ensureObject,
  goTime,
  numberAt,
  objectOf,
  objectsOf,
  setDefaults,
  specOf,
  textOf,
  textsAt,
  textsOf,
} from './reading.ts';
export type {
  AsyncConversion,
  ResourceType,
  ScalePaths,
  Strategy,
  SubresourceType,
  TableColumn,
  Verb,
} from './resource-type.ts';
export { type FieldRequirement, matchesFields, parseFieldSelector } from './selectors/field-selector.ts';
export {
  type LabelSelector,
  type Labels,
  matchesLabelSelector,
  matchesNodeExpressions,
  parseLabelSelector,
} from './selectors/label-selector.ts';
export {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  groupKind,
  groupResource,
  internalError,
  invalid,
  notFound,
  type StatusCause,
  type StatusDetails,
  StatusError,
} from './status-error.ts';
export { atOnce, inTurns, type Steps } from './steps.ts';
export { TurnSlice, Turns, UserTurns } from './turns.ts';
export { compareVersions, groupVersionOf, TypeRegistry } from './type-registry.ts';
export { completeUser, sharerOf, type UserInfo } from './user-info.ts';
export { assertFewValues } from './value-count.ts';
export { webhookServiceErrors, webhookUrlErrors } from './webhook-client-rules.ts';
