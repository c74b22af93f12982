import type { Clock, Logger } from '../../base/index.ts';
import type { Property } from '../../constraints/index.ts';
import type { EventRecorder, KindCache, KubeClient, KubeObject } from '../../kube/index.ts';
import type { CatalogViews } from '../cluster-catalog/views.ts';
import type { Resolver } from '../package-resolver/resolve-thread.ts';

/** What the reconciles work with. */
export interface PlatformContext {
  readonly kube: KubeClient;
  readonly operators: KindCache;
  readonly deployments: KindCache;
  /** The properties that are noted on the Bundle that a BundleDeployment has installed. */
  readonly notedOf: (deployment: KubeObject) => readonly Property[];
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
