import { type Logger, systemClock } from '../src/base/index.ts';
import { type KubeClient, NoKindMatch } from '../src/kube/index.ts';
import type { Metrics } from '../src/metrics/index.ts';
import { type CatalogViews, describeOffers, startPlatformOperators } from '../src/olm/index.ts';
import type { FactsReader } from '../webhook/index.ts';
import { packageVersion } from './process/index.ts';

/** What PlatformOperators are looked after with. */
export interface PlatformOperatorsContext {
  readonly kube: KubeClient;
  readonly views: CatalogViews;
  readonly systemNamespace: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly isAccountRequired: boolean;
  /** Resolves when the process is stopped: nothing is awaited then. Default: never. */
  readonly whenStopped?: Promise<void>;
}

/** Starts the controller of PlatformOperators; ready when it resolves. A cluster without the kind is reported and left alone. */
export async function openPlatformOperators(context: PlatformOperatorsContext): Promise<AsyncDisposable> {
  const { log, whenStopped } = context;
  const stop = new AbortController();
  const operators = startPlatformOperators({
    ...context,
    version: packageVersion(),
    clock: systemClock,
    signal: stop.signal,
  });
  try {
    await Promise.race([operators.whenReady, whenStopped ?? operators.whenReady]);
  } catch (thrown) {
    if (!(thrown instanceof NoKindMatch)) throw thrown;
    const hint = 'apply the manifests of this version, then start the process again';
    log.error({ message: thrown.message, hint }, 'platform operators are not installed: the cluster has no such kind');
  }
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await operators.whenStopped;
    },
  };
}

/** Answers from catalogs that are opened later than those who ask. */
export class LateOffers {
  #views: CatalogViews | undefined;

  constructor(views?: CatalogViews) {
    this.#views = views;
  }

  connect(views: CatalogViews | undefined): void {
    this.#views = views;
  }

  /** As `FactsReader` has it. */
  readonly offersFor: FactsReader['offersFor'] = (dependency) =>
    this.#views === undefined ? [] : describeOffers(this.#views, dependency);
}
