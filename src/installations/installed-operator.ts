import type { CatalogSource, ClusterServiceVersion, InstallPlan, Subscription } from '../api/index.ts';

/** An operator that is installed by a Subscription, as far as its objects exist. */
export interface InstalledOperator {
  readonly subscription: Subscription;
  /** The one that the Subscription refers to. */
  readonly plan: InstallPlan | undefined;
  /** The one that is being installed, else the installed one. */
  readonly csv: ClusterServiceVersion | undefined;
  /** The one that the Subscription names; undefined where it does not exist, or was not read, because all is well. */
  readonly catalog?: CatalogSource | 'missing' | undefined;
  /** Why its Deployments are not available, a line each. */
  readonly workloads?: readonly string[];
}
