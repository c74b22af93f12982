import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/cluster-version.md#clusterversion-api */
export const clusterVersionResource: Resource = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterVersion',
  plural: 'clusterversions',
};

/** The only object of the kind that is honored. */
export const clusterVersionName = 'version';

/** Condition types of a ClusterVersion.
 *  @see docs/spec/cluster-version.md#conditions */
export type ClusterVersionConditionType =
  | 'Available'
  | 'Failing'
  | 'ImplicitlyEnabledCapabilities'
  | 'Invalid'
  | 'Progressing'
  | 'ReleaseAccepted'
  | 'RetrievedUpdates'
  | 'Upgradeable';

/** Field manager of the objects of a release. */
export const clusterVersionFieldManager = 'cluster-version';
