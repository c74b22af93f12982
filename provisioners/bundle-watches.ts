import { type BundleSource, bundleDeploymentResource, bundleResource, parseBundle } from '../src/api/index.ts';
import type { Watch } from '../src/controller/index.ts';
import { type NamespacedName, namespacedName } from '../src/kube/index.ts';
import { definitionOf } from '../src/sources/definitions/index.ts';
import type { ProvisionerContext } from './context.ts';
import { bundlesOf } from './owned-bundles.ts';
import { secretNamesOf, usesServiceAccount } from './source-inputs.ts';

/** Lets Bundles start again whose content is not stored, or is being fetched; returns them. */
export function restartBundles(
  context: Pick<ProvisionerContext, 'bundles' | 'fetches'>,
  isConcerned: (source: BundleSource) => boolean,
): readonly NamespacedName[] {
  return context.bundles
    .values()
    .filter((object) => {
      const { metadata, spec, status } = parseBundle(object);
      if (!isConcerned(spec.source)) return false;
      const isKnown = context.fetches.restart(metadata.name);
      return isKnown || status?.phase !== 'Unpacked';
    })
    .map(namespacedName);
}

/** What the sources of Bundles need: a Secret or ConfigMap that was created or changed concerns the Bundles that name it, the list of pull secrets of the
 *  service account those of images. */
export function inputWatches(context: ProvisionerContext): readonly Watch[] {
  const { systemNamespace: namespace, accountSecrets } = context;
  const inputs = (kind: string, namesOf: (source: BundleSource) => readonly string[]): Watch => ({
    target: { apiVersion: 'v1', kind, namespace, isMetadataOnly: true },
    requestsFor: ({ before, after }) => {
      // A list that is made again shows every object.
      if (after === undefined || after.metadata.resourceVersion === before?.metadata.resourceVersion) return [];
      const { name = '' } = after.metadata;
      return restartBundles(context, (source) => namesOf(source).includes(name));
    },
  });
  return [
    inputs('Secret', (source) => secretNamesOf(source, accountSecrets.names())),
    inputs('ConfigMap', (source) => definitionOf(source).inputs.configMapNames(source)),
    {
      target: accountSecrets.target,
      requestsFor: (change) => (accountSecrets.hasChanged(change) ? restartBundles(context, usesServiceAccount) : []),
    },
  ];
}

/** The first Bundle with dependencies makes the properties of all Bundles matter. */
export function dependencyWatches({ bundles, dependencies }: ProvisionerContext): readonly Watch[] {
  const requestsFor: Watch['requestsFor'] = ({ after }) =>
    dependencies.isFirstUse(after) ? bundles.values().map(namespacedName) : [];
  return [{ target: bundleResource, requestsFor }];
}

/** Bundles are in the shard of their BundleDeployment. */
export function shardWatches(context: ProvisionerContext): readonly Watch[] {
  if (context.shards.isWhole) return [];
  return [
    {
      target: bundleDeploymentResource,
      requestsFor: ({ before, after }) => {
        const deployment = after ?? before;
        return deployment === undefined ? [] : bundlesOf(context, deployment).map(namespacedName);
      },
    },
  ];
}
