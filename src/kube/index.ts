/** The Kubernetes API as raw JSON: client with server-side apply, watch and cache, conditions, finalizers, events.
 *  Main types: `KubeClient`, `ObjectCache`. Never turns objects into classes, never drops a field it does not know.
 *  @imports src/metrics, src/api, src/base
 *  @packages @kubernetes/client-node */
export { type ActingUser, serviceAccountUser } from './acting-user.ts';
export { type CacheChange, type CacheOptions, createCache, type ObjectCache } from './cache.ts';
export { type CacheIndex, indexCache } from './cache-index.ts';
export {
  type Applied,
  type ApplyOptions,
  type CallOptions,
  createKubeClient,
  type DeleteOptions,
  type EvictOptions,
  type KubeClient,
  type KubeList,
  type ListTarget,
  type Projection,
  type WriteOptions,
} from './client.ts';
export { type Condition, setCondition } from './conditions.ts';
export type { Resource } from './discovery.ts';
export { createEventRecorder, type EventRecorder, type ObjectEvent } from './event-recorder.ts';
export { hasFinalizer, preconditionOf, removeFinalizer } from './finalizers.ts';
export { findObject, findSame } from './find-object.ts';
export { createKindCache, type KindCache } from './kind-cache.ts';
export {
  isAlreadyExists,
  isBudgetRefusal,
  isConflict,
  isForbidden,
  isKubeError,
  isNotFound,
  isOtherObject,
  type KubeError,
  type KubeFailure,
  KubeRejection,
  KubeUnavailable,
  NoKindMatch,
} from './kube-error.ts';
export {
  describeRef,
  groupOf,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  refKey,
  refOf,
} from './kube-object.ts';
export { type ClusterAccess, type KubeconfigSource, loadClusterAccess } from './kubeconfig.ts';
export {
  formatNamespacedName,
  type NamespacedName,
  namespacedName,
  parseNamespacedName,
} from './namespaced-name.ts';

export { conditionsOf, isConditionTrue } from './object-conditions.ts';
export type { KubeClientOptions } from './sender.ts';
export { tenantOf } from './tenant-of.ts';
export { createTransport, type Transport, type WireRequest, type WireResponse } from './transport.ts';
