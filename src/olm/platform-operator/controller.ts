import { bundleDeploymentResource, bundleResource, platformOperatorResource } from '../../api/index.ts';
import { errorMessage } from '../../base/index.ts';
import { type ControllerDefinition, defineController, type Manager, type Watch } from '../../controller/index.ts';
import { type CacheChange, groupOf, type KubeObject, type NamespacedName, namespacedName } from '../../kube/index.ts';
import type { CatalogViews } from '../cluster-catalog/views.ts';
import { type Resolver } from '../package-resolver/resolve-thread.ts';
import { aggregateController, writeFirstAggregate } from './aggregate.ts';
import { fieldManager, type PlatformContext } from './context.ts';
import { isMadeForPackage, platformOwners } from './deployment-object.ts';
import { steps } from './reconcile.ts';
import { beginOperator, type PlatformRun } from './run.ts';

export interface PlatformOperatorsOptions {
  readonly views: CatalogViews;
  /** Named by the aggregate. */
  readonly systemNamespace: string;
  /** Of this program; named by the aggregate. */
  readonly version: string;
  readonly resolver: Resolver;
  /** BundleDeployments must name a service account, which a PlatformOperator does not. */
  readonly isAccountRequired: boolean;
}

const bundleMetadata = { ...bundleResource, isMetadataOnly: true } as const;

function createContext(manager: Manager, options: PlatformOperatorsOptions): PlatformContext {
  const { kube, clock, log } = manager;
  const { views, isAccountRequired, resolver } = options;
  return {
    kube,
    clock,
    log,
    views,
    isAccountRequired,
    resolver,
    operators: manager.cache(platformOperatorResource),
    deployments: manager.cache(bundleDeploymentResource),
    bundles: manager.cache(bundleMetadata),
    events: manager.eventRecorder(fieldManager),
  };
}

/** The PlatformOperators that a change of a BundleDeployment concerns. */
function ownersOf({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] {
  const owners = [before, after].flatMap((object) => (object === undefined ? [] : platformOwners(object)));
  return owners.map(({ name }) => ({ namespace: '', name }));
}

function watches({ operators }: PlatformContext): readonly Watch[] {
  const all = (): readonly NamespacedName[] => operators.values().map(namespacedName);
  return [
    // Another one for the same package may have its turn once one is deleted.
    { target: platformOperatorResource, requestsFor: ({ after }) => (after === undefined ? all() : []) },
    {
      target: bundleDeploymentResource,
      requestsFor: (change) => {
        const { before, after } = change;
        // A name that was taken may be free now.
        const isFreed = after === undefined && before !== undefined && !isMadeForPackage(before);
        return isFreed ? all() : ownersOf(change);
      },
    },
    { target: bundleMetadata, requestsFor: () => [] },
  ];
}

const group = groupOf(platformOperatorResource.apiVersion);

/** The controller of PlatformOperators. */
export const platformOperatorController: ControllerDefinition<PlatformContext, PlatformRun> = defineController({
  name: 'platformoperator',
  for: platformOperatorResource,
  watches,
  begin: beginOperator,
  steps,
  permissions: {
    cluster: [
      { apiGroups: [group], resources: ['platformoperators'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [group], resources: ['platformoperators/status'], verbs: ['update', 'patch'] },
      // BundleDeployments that are owned by a PlatformOperator hold up its deletion.
      { apiGroups: [group], resources: ['platformoperators/finalizers'], verbs: ['update'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller of PlatformOperators and that of their aggregate. */
export function addPlatformOperators(manager: Manager, options: PlatformOperatorsOptions): void {
  const context = createContext(manager, options);
  const { kube, clock, log, signal } = manager;
  const { operators } = context;
  const { systemNamespace, version } = options;
  const aggregate = { kube, clock, operators, systemNamespace, version };
  const added = manager.add(platformOperatorController, {
    context,
    // One at a time: they share what they need.
    workers: 1,
    beforeWork: async () => {
      try {
        await writeFirstAggregate(aggregate, signal);
      } catch (thrown) {
        log.debug({ why: errorMessage(thrown) }, 'aggregate of platform operators not written');
      }
      const following = options.views.subscribe(() => added.enqueueAll());
      signal.addEventListener('abort', () => following[Symbol.dispose](), { once: true });
    },
  });
  manager.add(aggregateController, { context: aggregate, workers: 1 });
}
