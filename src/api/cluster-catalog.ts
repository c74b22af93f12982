import type { Resource } from './resource.ts';

/** API group of ClusterCatalog. */
const olmGroup = 'olm.operatorframework.io';

/** Where the kind is served. */
export const clusterCatalogResource: Resource = {
  apiVersion: `${olmGroup}/v1`,
  kind: 'ClusterCatalog',
  plural: 'clustercatalogs',
};

/** On every served ClusterCatalog: its content is removed before the object is deleted. */
export const catalogFinalizer = 'olm.operatorframework.io/delete-server-cache';
/** On every ClusterCatalog: its name, so that selectors of labels can choose by it. */
export const catalogNameLabel = 'olm.operatorframework.io/metadata.name';

/** Condition types of a ClusterCatalog. `Valid`, ours, reports packages that break rules of catalogs; they are served all the same. */
export type ClusterCatalogConditionType = 'Progressing' | 'Serving' | 'Valid';
/** Reasons of all of them. */
export type ClusterCatalogReason =
  | 'Succeeded'
  | 'Unpacking'
  | 'Retrying'
  | 'Blocked'
  | 'Available'
  | 'Unavailable'
  | 'UserSpecifiedUnavailable'
  | 'AllPackagesValid'
  | 'InvalidPackages';
