import { clusterServiceVersionResource, olmLabels, type Resource } from '../api/index.ts';

/** ClusterServiceVersions that are operators, as a cache lists them: the same words everywhere, so that controllers share one cache. */
export const originalVersions: Resource & { readonly labelSelector: string } = {
  ...clusterServiceVersionResource,
  labelSelector: `!${olmLabels.copiedFrom}`,
};

/** Copies of ClusterServiceVersions in target namespaces: only their metadata, as there may be very many. */
export const copiedVersions: Resource & { readonly labelSelector: string; readonly isMetadataOnly: boolean } = {
  ...clusterServiceVersionResource,
  labelSelector: olmLabels.copiedFrom,
  isMetadataOnly: true,
};
