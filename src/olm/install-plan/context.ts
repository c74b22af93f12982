import type { Clock, Logger } from '../../base/index.ts';
import type { CacheIndex, EventRecorder, KindCache, KubeClient } from '../../kube/index.ts';
import type { Metrics } from '../../metrics/index.ts';
import type { BundleContents } from '../../operators/index.ts';
import type { CatalogSourceViews } from '../catalog-source/views.ts';

/** How plans are executed. */
export interface PlanSettings {
  /** After which a step that fails makes its plan fail. */
  readonly retryTimeoutMs: number;
  /** Steps of the kind Secret copy one from here. */
  readonly operatorNamespace: string;
}

/** What the reconciles work with. */
export interface PlanContext {
  readonly kube: KubeClient;
  readonly plans: KindCache;
  readonly groups: KindCache;
  /** Without copies. */
  readonly csvs: KindCache;
  /** CustomResourceDefinitions, without their schemas. */
  readonly definitions: KindCache;
  /** Plans by names of definitions that they have created, and that are not served yet. */
  readonly plansAwaiting: CacheIndex;
  readonly contents: BundleContents;
  readonly views: CatalogSourceViews;
  readonly settings: PlanSettings;
  readonly events: EventRecorder;
  readonly metrics: Metrics | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Plans that wait for a catalog that cannot be read, by namespace and name. */
  readonly waiting: Set<string>;
  /** Uids of failed plans whose account may have got the permissions that it lacked. */
  readonly revived: Set<string>;
}
