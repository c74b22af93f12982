import type { Clock, Logger } from '../../base/index.ts';
import type { Property } from '../../constraints/index.ts';
import type { EventRecorder, KindCache, KubeClient } from '../../kube/index.ts';
import type { CatalogViews } from '../cluster-catalog/views.ts';
import type { ExtensionResolver } from '../package-resolver/resolve-thread.ts';

/** What the reconciles work with. */
export interface ExtensionContext {
  readonly kube: KubeClient;
  readonly extensions: KindCache;
  readonly deployments: KindCache;
  /** Their metadata. */
  readonly bundles: KindCache;
  readonly catalogs: KindCache;
  /** The properties that are noted on a Bundle. */
  readonly notedOf: (bundleName: string) => readonly Property[];
  readonly views: CatalogViews;
  readonly resolver: ExtensionResolver;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** Nothing is installed with the permissions of the provisioners. */
  readonly isAccountRequired: boolean;
}

/** Field manager of all writes for ClusterExtensions. */
export const fieldManager = 'clusterextension';
