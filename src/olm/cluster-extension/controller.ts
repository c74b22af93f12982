import {
  bundleDeploymentResource,
  bundleResource,
  clusterCatalogResource,
  clusterExtensionResource,
} from '../../api/index.ts';
import { type ControllerDefinition, defineController, type Manager, type Watch } from '../../controller/index.ts';
import { type CacheChange, groupOf, type KubeObject, type NamespacedName, namespacedName } from '../../kube/index.ts';
import type { CatalogViews } from '../cluster-catalog/views.ts';
import type { ExtensionResolver } from '../package-resolver/resolve-thread.ts';
import { type ExtensionContext, fieldManager } from './context.ts';
import { extensionOwners } from './find.ts';
import { steps } from './reconcile.ts';
import { beginExtension, type ExtensionRun } from './run.ts';

export interface ClusterExtensionsOptions {
  readonly views: CatalogViews;
  readonly resolver: ExtensionResolver;
  /** A ClusterExtension must name a service account. */
  readonly isAccountRequired: boolean;
}

const bundleMetadata = { ...bundleResource, isMetadataOnly: true } as const;

function createContext(manager: Manager, options: ClusterExtensionsOptions): ExtensionContext {
  const { kube, clock, log } = manager;
  const bundles = manager.cache(bundleMetadata);
  return {
    ...options,
    kube,
    clock,
    log,
    bundles,
    extensions: manager.cache(clusterExtensionResource),
    deployments: manager.cache(bundleDeploymentResource),
    catalogs: manager.cache(clusterCatalogResource),
    answers: new Map(),
    events: manager.eventRecorder(fieldManager),
  };
}

function ownersOf({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] {
  const names = [before, after].flatMap((object) => (object === undefined ? [] : extensionOwners(object)));
  return [...new Set(names)].map((name) => ({ namespace: '', name }));
}

function watches({ extensions, deployments }: ExtensionContext): readonly Watch[] {
  const all = (): readonly NamespacedName[] => extensions.values().map(namespacedName);
  return [
    // Those that wait for the content of a catalog that will not come any more.
    {
      target: clusterCatalogResource,
      requestsFor: ({ before, after }) => (before === undefined || after === undefined ? all() : []),
    },
    {
      target: bundleDeploymentResource,
      // A name that was taken may be free now.
      requestsFor: (change) => (change.after === undefined ? all() : ownersOf(change)),
    },
    {
      target: bundleMetadata,
      requestsFor: ({ before, after }) => {
        const owners = (after ?? before)?.metadata.ownerReferences ?? [];
        return owners.flatMap(({ kind, name }) => {
          const owner = kind === bundleDeploymentResource.kind ? deployments.get(name) : undefined;
          return owner === undefined ? [] : extensionOwners(owner).map((one) => ({ namespace: '', name: one }));
        });
      },
    },
  ];
}

const group = groupOf(clusterExtensionResource.apiVersion);

/** The controller of ClusterExtensions. */
export const clusterExtensionController: ControllerDefinition<ExtensionContext, ExtensionRun> = defineController({
  name: 'clusterextension',
  for: clusterExtensionResource,
  watches,
  begin: beginExtension,
  steps,
  forget: ({ answers }, { name }) => {
    answers.delete(name);
  },
  permissions: {
    cluster: [
      { apiGroups: [group], resources: ['clusterextensions'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [group], resources: ['clusterextensions/status'], verbs: ['patch'] },
      // BundleDeployments that are owned by a ClusterExtension hold up its deletion.
      { apiGroups: [group], resources: ['clusterextensions/finalizers'], verbs: ['update'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller of ClusterExtensions. */
export function addClusterExtensions(manager: Manager, options: ClusterExtensionsOptions): void {
  const context = createContext(manager, options);
  const { signal } = manager;
  const added = manager.add(clusterExtensionController, {
    context,
    // One at a time: they share what they depend on.
    workers: 1,
    beforeWork: () => {
      const following = options.views.subscribe(() => added.enqueueAll());
      signal.addEventListener('abort', () => following[Symbol.dispose](), { once: true });
      return Promise.resolve();
    },
  });
}
