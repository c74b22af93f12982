import type { DependencyPolicy } from '../src/api/index.ts';
import type { Clock, Logger } from '../src/base/index.ts';
import type { KubeClient } from '../src/kube/index.ts';
import type { Metrics } from '../src/metrics/index.ts';
import { startWebhookServer, type WebhookServer, type WebhookServerOptions } from '../webhook/index.ts';
import { type FactsOptions, factsReader } from './facts.ts';

/** The settings of admission, checked. */
export interface WebhookSettings {
  readonly dependencyPolicy: DependencyPolicy;
  readonly isAccountRequired: boolean;
  /** Classes of other provisioners. */
  readonly foreignClasses: readonly string[];
}

/** What the webhook of one process runs with. */
export interface WebhookContext
  extends Pick<WebhookServerOptions, 'host' | 'port' | 'serving' | 'metricsAccess'>,
    Pick<FactsOptions, 'offersFor' | 'sharedBundles'> {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly systemNamespace: string;
  /** Ends what is watched. */
  readonly signal: AbortSignal;
}

/** Starts the server of the admission webhook, which answers when it resolves. */
export async function startWebhook(settings: WebhookSettings, context: WebhookContext): Promise<WebhookServer> {
  const { dependencyPolicy, isAccountRequired, foreignClasses } = settings;
  return await startWebhookServer({
    ...context,
    facts: factsReader(context),
    dependencyPolicy,
    isAccountRequired,
    foreignClasses,
  });
}
