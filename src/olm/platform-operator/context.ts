import type { Clock, Logger } from '../../base/index.ts';
import type { EventRecorder, KindCache, KubeClient } from '../../kube/index.ts';
import type { CatalogViews } from '../cluster-catalog/views.ts';
import type { Resolver } from '../package-resolver/resolve-thread.ts';

/** What the reconciles work with. */
export interface PlatformContext {
  readonly kube: KubeClient;
  readonly operators: KindCache;
  readonly deployments: KindCache;
  /** Their metadata. */
  readonly bundles: KindCache;
  readonly views: CatalogViews;
  readonly resolver: Resolver;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** Nothing is installed with the permissions of the provisioners. */
  readonly isAccountRequired: boolean;
}

/** Field manager of all writes for PlatformOperators. */
export const fieldManager = 'platformoperator';
