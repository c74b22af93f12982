import {
  type Bundle,
  bundleDeploymentResource,
  bundleResource,
  parseBundle,
  parseBundleDeployment,
} from '../src/api/index.ts';
import type { JsonObject } from '../src/base/index.ts';
import { isNotFound, NoKindMatch } from '../src/kube/index.ts';
import { type FactsReader, watchDependentBundles } from '../webhook/index.ts';

/** What the webhook may read, from the API server. */
export function factsReader(
  runtime: Parameters<typeof watchDependentBundles>[0],
  systemNamespace: string,
): FactsReader {
  const { kube } = runtime;
  return {
    hasDependencies: watchDependentBundles(runtime),
    readConfigMap: async (name, { signal }) => {
      try {
        const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: systemNamespace, name };
        return (await kube.get(ref, { signal })) as unknown as JsonObject;
      } catch (thrown) {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      }
    },
    readObjects: async function* pages(target, options) {
      for await (const { items } of kube.listPages(target, options)) yield items as unknown as readonly JsonObject[];
    },
    listBundles: async ({ signal }): Promise<readonly Bundle[]> => {
      const { items } = await kube.list(bundleResource, { signal });
      return items.map((item) => parseBundle(item));
    },
    listDeployments: async ({ signal }) => {
      const { items } = await kube.list(bundleDeploymentResource, { signal });
      return items.map((item) => parseBundleDeployment(item));
    },
    servesApi: async ({ group, version, kind }, { signal }) => {
      try {
        await kube.resolve(`${group}/${version}`, kind, { signal });
        return true;
      } catch (thrown) {
        if (thrown instanceof NoKindMatch) return false;
        throw thrown;
      }
    },
  };
}
