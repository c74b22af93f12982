import { catalogSourceResource, operatorGroupResource, subscriptionResource } from '../../api/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  ReconcileTurns,
  type Watch,
} from '../../controller/index.ts';
import { type CacheChange, groupOf, type KubeObject, type NamespacedName, namespacedName } from '../../kube/index.ts';
import { type BundleContents, originalVersions } from '../../operators/index.ts';
import type { CatalogSourceViews } from '../catalog-source/views.ts';
import { installPlanTarget } from '../plan-target.ts';
import type { SubscriptionContext } from './context.ts';
import { SubscriptionCounts } from './count.ts';
import { LastAnswers } from './last-answers.ts';
import { subscriptionMetrics } from './metrics.ts';
import { Newcomers } from './newcomers.ts';
import { steps } from './reconcile.ts';
import { createResolver, type NamespaceResolver } from './resolver.ts';
import { beginNamespace, type NamespaceRun } from './run.ts';

export interface SubscriptionsOptions {
  readonly views: CatalogSourceViews;
  readonly contents: BundleContents;
  /** Its CatalogSources are visible in all namespaces. */
  readonly globalCatalogNamespace: string;
  /** Default: a worker thread. */
  readonly resolver?: NamespaceResolver;
}

const namespaces = { apiVersion: 'v1', kind: 'Namespace', isMetadataOnly: true } as const;
const component = 'operator-lifecycle-manager';
/** Namespaces that are reconciled at a time: some resolve, others read content and write. */
const workers = 4;
/** Each in a thread of its own, for as long as their catalogs and Subscriptions take. */
const resolvedAtATime = 2;

function createContext(
  manager: Manager,
  options: SubscriptionsOptions,
  request: (namespace: string) => void,
): SubscriptionContext {
  const { kube, clock, log, metrics } = manager;
  const { views, contents, globalCatalogNamespace, resolver = createResolver(resolvedAtATime) } = options;
  const subscriptions = manager.cache(subscriptionResource);
  return {
    kube,
    clock,
    log,
    metrics,
    views,
    contents,
    resolver,
    globalCatalogNamespace,
    answers: new LastAnswers(),
    turns: new ReconcileTurns({
      atATime: resolvedAtATime,
      reason: 'OtherNamespacesFirst',
      others: 'other namespaces are resolved',
      request,
    }),
    newcomers: new Newcomers(),
    counts: new SubscriptionCounts(),
    events: manager.eventRecorder(component),
    caches: {
      subscriptions,
      csvs: manager.cache(originalVersions),
      plans: manager.cache(installPlanTarget),
      groups: manager.cache(operatorGroupResource),
      sources: manager.cache(catalogSourceResource),
    },
  };
}

function requestFor(namespace: string): NamespacedName {
  return { namespace: '', name: namespace };
}

/** The namespace of what changed. */
function ownNamespace({ before, after }: CacheChange<KubeObject>): readonly NamespacedName[] {
  const { namespace = '' } = (after ?? before)?.metadata ?? {};
  return [requestFor(namespace)];
}

/** The namespaces where a CatalogSource is visible, as far as they have Subscriptions. */
function namespacesSeeing(
  { caches, globalCatalogNamespace }: SubscriptionContext,
  namespace: string,
): readonly NamespacedName[] {
  if (namespace !== globalCatalogNamespace) return [requestFor(namespace)];
  const using = new Set(caches.subscriptions.values().map(({ metadata }) => metadata.namespace ?? ''));
  return [...using].map(requestFor);
}

function watches(context: SubscriptionContext): readonly Watch[] {
  return [
    {
      target: subscriptionResource,
      requestsFor: (change) => {
        if (change.after === undefined && change.before !== undefined)
          context.counts.forget(namespacedName(change.before));
        return ownNamespace(change);
      },
    },
    { target: originalVersions, requestsFor: ownNamespace },
    { target: installPlanTarget, requestsFor: ownNamespace },
    { target: operatorGroupResource, requestsFor: ownNamespace },
    {
      target: catalogSourceResource,
      requestsFor: ({ before, after }) => namespacesSeeing(context, (after ?? before)?.metadata.namespace ?? ''),
    },
  ];
}

const group = groupOf(subscriptionResource.apiVersion);
const kinds = ['subscriptions', 'clusterserviceversions', 'installplans', 'operatorgroups', 'catalogsources'];

/** The controller of Subscriptions. They are resolved namespace by namespace, so that it reconciles Namespaces. */
export const subscriptionController: ControllerDefinition<SubscriptionContext, NamespaceRun> = defineController({
  name: 'subscription',
  for: namespaces,
  watches,
  begin: beginNamespace,
  steps,
  forget: ({ answers, turns }, { name }) => {
    answers.forget(name);
    turns.forget(name);
  },
  permissions: {
    cluster: [
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [group], resources: kinds, verbs: ['get', 'list', 'watch'] },
      { apiGroups: [group], resources: ['subscriptions/status', 'installplans/status'], verbs: ['update', 'patch'] },
      { apiGroups: [group], resources: ['installplans'], verbs: ['create'] },
    ],
  },
  isOptional: true,
});

/** Adds the controller of Subscriptions. */
export function addSubscriptions(manager: Manager, options: SubscriptionsOptions): void {
  const context = createContext(manager, options, (namespace) => added.enqueue(namespace));
  const { resolver, caches, views } = context;
  manager.metrics?.readFrom(() =>
    Promise.resolve(manager.isLeading() ? subscriptionMetrics(caches.subscriptions, context.counts) : {}),
  );
  const added = manager.add(subscriptionController, {
    context,
    workers,
    beforeWork: async () => {
      const following = views.subscribe(({ namespace }) => {
        for (const { name } of namespacesSeeing(context, namespace)) added.enqueue(name);
      });
      manager.signal.addEventListener('abort', () => following[Symbol.dispose](), { once: true });
      await views.whenReady;
    },
    afterWork: () => Promise.resolve(resolver[Symbol.dispose]()),
  });
}
