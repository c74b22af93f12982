/** The embedded Kubernetes API server: `await using server = await startApiServer()`. Keeps no state of its own.
 *  Never schedules or runs containers; workloads only reach the status that a healthy cluster would give them.
 *  @imports apiserver/faults, apiserver/client, apiserver/aggregation, apiserver/discovery, apiserver/http, apiserver/simulation,
 *    apiserver/controllers, apiserver/admission, apiserver/registry, apiserver/registry/crd, apiserver/auth,
 *    apiserver/apply, apiserver/table, apiserver/patch, apiserver/schema, apiserver/storage, apiserver/core,
 *    src/schema, src/base */
export type { HoldWrite } from './admission/index.ts';
export {
  ApiError,
  type ApiObject,
  type ApiObjectMeta,
  type ApplyOptions,
  type ClientDeleteOptions,
  type ClusterClient,
  type KindReference,
  type ObjectReference,
  type PatchOptions,
  type RawAnswer,
  type RawRequest,
  type Selection,
  type Watch,
  type WatchEvent,
  type WatchSelection,
  type WriteOptions,
} from './client/index.ts';
export type { Cluster, ClusterEvent, KubeObject, ObjectKey, ResourceType } from './core/index.ts';
export type { Fault, FaultError, FaultOptions, Faults, RequestMatch } from './faults/index.ts';
export type { LocalAddress } from './http/index.ts';
export type { Manifest } from './manifests.ts';
export { createObjectValidator, type ObjectValidator, type ValidationResult } from './object-validator.ts';
export type { ApiServerOptions } from './options.ts';
export { builtinResourceTypes } from './registry/index.ts';
export { type ApiServer, startApiServer } from './server.ts';
export type { WebhookServer, WebhookServerOptions } from './webhook-server.ts';
