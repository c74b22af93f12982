import { bundleResource, hasDependenciesLabel } from '../src/api/index.ts';
import type { Clock, Logger } from '../src/base/index.ts';
import { createCache, type KindCache, type KubeClient, type ObjectCache } from '../src/kube/index.ts';
import type { FactsReader } from '../webhook/index.ts';

/** Where Bundles are watched. */
export interface DependentBundlesOptions {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** The cache of all Bundles that the controllers of this process share; undefined while none run. Default: there are no controllers. */
  readonly sharedBundles?: (() => KindCache | undefined) | undefined;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** Whether any Bundle has dependencies: by the cache of the controllers, else by a watch that starts with the first call. Most clusters have no such
 *  Bundle, and are not asked again for every deployment. */
export function watchDependentBundles(options: DependentBundlesOptions): FactsReader['hasDependencies'] {
  const { sharedBundles } = options;
  const { apiVersion, kind } = bundleResource;
  const target = { apiVersion, kind, labelSelector: `${hasDependenciesLabel}=true`, isMetadataOnly: true };
  let own: ObjectCache<true> | undefined;
  return async ({ signal }) => {
    const shared = sharedBundles?.();
    if (shared !== undefined) return shared.labelled(hasDependenciesLabel, 'true').length > 0;
    const ended = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
    if (own?.isAlive() !== true) own = createCache<true>({ ...options, target, project: () => true });
    await Promise.race([own.whenSynced, ended.promise]);
    return own.values().length > 0;
  };
}
