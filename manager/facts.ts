import {
  type Bundle,
  bundleDeploymentResource,
  bundleResource,
  parseBundle,
  parseBundleDeployment,
  parsePlatformOperator,
  platformOperatorResource,
} from '../src/api/index.ts';
import { isJsonObject, type JsonObject } from '../src/base/index.ts';
import { findObject, isForbidden, type KubeClient, type KubeObject, NoKindMatch } from '../src/kube/index.ts';
import type { FactsReader } from '../webhook/index.ts';
import { type DependentBundlesOptions, watchDependentBundles } from './dependent-bundles.ts';

function accessReader(kube: KubeClient): FactsReader['mayDo'] {
  return async ({ username = '', groups = [], uid, extra }, resourceAttributes, { signal }) => {
    const more = { ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
    const spec = { user: username, groups, ...more, resourceAttributes };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
    const { status } = await kube.create(review as unknown as KubeObject, { fieldManager: 'rukpak-webhooks', signal });
    return isJsonObject(status) && status['allowed'] === true;
  };
}

/** Permissions of an earlier installation may lack the kind. */
function absenceReader(kube: KubeClient): FactsReader['isAbsent'] {
  return async ({ uid, ...ref }, { signal }) => {
    try {
      return (await findObject(kube, ref, { signal }))?.metadata.uid !== uid;
    } catch (thrown) {
      if (thrown instanceof NoKindMatch || isForbidden(thrown)) return false;
      throw thrown;
    }
  };
}

export interface FactsOptions extends DependentBundlesOptions {
  readonly systemNamespace: string;
  /** Bundles of catalogs that would meet a dependency. Default: none are known. */
  readonly offersFor?: FactsReader['offersFor'];
}

/** What the webhook may read, from the API server. */
export function factsReader(options: FactsOptions): FactsReader {
  const { kube, systemNamespace, offersFor = () => [] } = options;
  return {
    offersFor,
    hasDependencies: watchDependentBundles(options),
    readConfigMap: async (name, { signal }) => {
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: systemNamespace, name };
      return (await findObject(kube, ref, { signal })) as JsonObject | undefined;
    },
    readObjects: async function* pages(target, options) {
      for await (const { items } of kube.listPages(target, options)) yield items as unknown as readonly JsonObject[];
    },
    listBundles: async function* pages({ signal }): AsyncGenerator<readonly Bundle[]> {
      for await (const { items } of kube.listPages(bundleResource, { signal })) yield items.map(parseBundle);
    },
    listDeployments: async function* pages({ signal }) {
      for await (const { items } of kube.listPages(bundleDeploymentResource, { signal }))
        yield items.map(parseBundleDeployment);
    },
    listPlatformOperators: async ({ signal }) => {
      const { items } = await kube.list(platformOperatorResource, { signal });
      return items.map((item) => parsePlatformOperator(item));
    },
    mayDo: accessReader(kube),
    isAbsent: absenceReader(kube),
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
