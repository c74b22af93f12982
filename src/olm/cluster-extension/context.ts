import type { Clock, Logger } from '../../base/index.ts';
import type { EventRecorder, KindCache, KubeClient } from '../../kube/index.ts';
import type { CatalogViews } from '../cluster-catalog/views.ts';
import type { ExtensionResolver } from '../package-resolver/resolve-thread.ts';
import type { ExtensionAnswer } from './answer.ts';

/** What the reconciles work with. */
export interface ExtensionContext {
  readonly kube: KubeClient;
  readonly extensions: KindCache;
  readonly deployments: KindCache;
  /** Their metadata. */
  readonly bundles: KindCache;
  readonly catalogs: KindCache;
  readonly views: CatalogViews;
  readonly resolver: ExtensionResolver;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** The last answer for each ClusterExtension, by its name, with a digest of its question: the same question about the same catalogs is not asked again. */
  readonly answers: Map<string, { readonly key: string; readonly answer: ExtensionAnswer }>;
  /** Nothing is installed with the permissions of the provisioners. */
  readonly isAccountRequired: boolean;
}

/** Field manager of all writes for ClusterExtensions. */
export const fieldManager = 'clusterextension';
