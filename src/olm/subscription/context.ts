import type { Clock, Logger } from '../../base/index.ts';
import type { ReconcileTurns } from '../../controller/index.ts';
import type { EventRecorder, KubeClient } from '../../kube/index.ts';
import type { Metrics } from '../../metrics/index.ts';
import type { BundleContents } from '../../operators/index.ts';
import type { CatalogSourceViews } from '../catalog-source/views.ts';
import type { SubscriptionCounts } from './count.ts';
import type { LastAnswers } from './last-answers.ts';
import type { Newcomers } from './newcomers.ts';
import type { NamespaceResolver } from './resolver.ts';
import type { SituationCaches } from './situation.ts';

/** What the reconciles work with. */
export interface SubscriptionContext {
  readonly kube: KubeClient;
  readonly caches: SituationCaches;
  readonly views: CatalogSourceViews;
  readonly contents: BundleContents;
  readonly resolver: NamespaceResolver;
  readonly answers: LastAnswers;
  /** Of namespaces whose answers are not known. */
  readonly turns: ReconcileTurns;
  readonly counts: SubscriptionCounts;
  readonly newcomers: Newcomers;
  readonly events: EventRecorder;
  readonly metrics: Metrics | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly globalCatalogNamespace: string;
}
