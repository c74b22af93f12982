import { bundleResource, hasDependenciesLabel } from '../../src/api/index.ts';
import type { Clock, Logger } from '../../src/base/index.ts';
import { createCache, type KubeClient, type ObjectCache } from '../../src/kube/index.ts';
import type { FactsReader } from '../review/facts.ts';

/** Whether any Bundle has dependencies, by a watch that starts with the first call: most clusters have none, and are
 *  not asked again for every deployment. */
export function watchDependentBundles(options: {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}): FactsReader['hasDependencies'] {
  const { apiVersion, kind } = bundleResource;
  const target = { apiVersion, kind, labelSelector: `${hasDependenciesLabel}=true`, isMetadataOnly: true };
  let dependents: ObjectCache<true> | undefined;
  return async ({ signal }) => {
    const ended = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
    if (dependents?.isAlive() !== true) dependents = createCache<true>({ ...options, target, project: () => true });
    await Promise.race([dependents.whenSynced, ended.promise]);
    return dependents.values().length > 0;
  };
}
