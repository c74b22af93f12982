import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/olm-v0.md#catalogsource */
export const catalogSourceResource: Resource = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  plural: 'catalogsources',
};

/** On a CatalogSource, `"true"`: other clients of gRPC reach the catalog by a Service. */
export const catalogServiceAnnotation = 'olm.longshore.dev/grpc-service';

/** `spec.sourceType`; `internal` is an alias of `configmap`.
 *  @see docs/spec/olm-v0.md#catalogsource */
export type CatalogSourceType = 'grpc' | 'configmap' | 'internal';

/** `status.reason`.
 *  @see docs/spec/olm-v0.md#catalogsource */
export type CatalogSourceReason =
  | 'SpecInvalidError'
  | 'ConfigMapError'
  | 'RegistryServerError'
  | 'InvalidIntervalError';

/** `status.connectionState.lastObservedState`.
 *  @see docs/spec/olm-v0.md#catalogsource */
export type CatalogConnectionState = 'IDLE' | 'CONNECTING' | 'READY' | 'TRANSIENT_FAILURE' | 'SHUTDOWN';

/** Types of `status.conditions`.
 *  @see docs/spec/olm-v0.md#catalogsource */
export type CatalogSourceConditionType = 'TemplatesHaveResolved' | 'ResolvedImage';

/** Reasons of `TemplatesHaveResolved`.
 *  @see docs/spec/olm-v0.md#catalogsource */
export type TemplatesResolvedReason = 'AllTemplatesResolved' | 'UnableToResolve';
