import { installPlanResource, operatorGroupResource, parseInstallPlan } from '../../api/index.ts';
import { type ControllerDefinition, defineController, type Manager, type Watch } from '../../controller/index.ts';
import {
  type CacheChange,
  formatNamespacedName,
  groupOf,
  indexCache,
  type KubeObject,
  type NamespacedName,
  namespacedName,
  parseNamespacedName,
} from '../../kube/index.ts';
import { type BundleContents, originalVersions } from '../../operators/index.ts';
import type { CatalogSourceViews } from '../catalog-source/views.ts';
import { definitionSummaries } from '../definition-summaries.ts';
import { installPlanTarget } from '../plan-target.ts';
import type { PlanContext, PlanSettings } from './context.ts';
import { planMetrics } from './metrics.ts';
import { steps } from './reconcile.ts';
import { beginPlan, type PlanRun } from './run.ts';

export interface InstallPlansOptions extends Partial<PlanSettings> {
  readonly contents: BundleContents;
  readonly views: CatalogSourceViews;
}

const defaults: PlanSettings = { retryTimeoutMs: 60_000, operatorNamespace: 'olm' };
const workers = 4;

const rbacVersion = 'rbac.authorization.k8s.io/v1';

function namespaceOf({ before, after }: CacheChange<KubeObject>): string {
  return (after ?? before)?.metadata.namespace ?? '';
}

function phaseOf(plan: KubeObject): string {
  return parseInstallPlan(plan).status?.phase ?? '';
}

/** Plans of the namespace that are not final. */
function openPlans({ plans }: PlanContext, namespace: string): readonly NamespacedName[] {
  const open = plans.inNamespace(namespace).filter((plan) => !['Complete', 'Failed'].includes(phaseOf(plan)));
  return open.map(namespacedName);
}

/** Whether permissions have changed since a plan has failed; what existed before shows up once after a start. */
function isLater({ before, after }: CacheChange<KubeObject>, plan: KubeObject): boolean {
  if (before !== undefined || after === undefined) return true;
  const { conditions = [] } = parseInstallPlan(plan).status ?? {};
  const failedAt = conditions.find(({ type }) => type === 'Installed')?.lastUpdateTime ?? '';
  return (after.metadata.creationTimestamp ?? '') >= failedAt;
}

/** Plans of the namespace that use the permissions of an account which may have others now. */
function scopedPlans({ plans, revived }: PlanContext, change: CacheChange<KubeObject>): readonly NamespacedName[] {
  return plans.inNamespace(namespaceOf(change)).flatMap((plan) => {
    const { phase, attenuatedServiceAccountRef } = parseInstallPlan(plan).status ?? {};
    if (attenuatedServiceAccountRef === undefined || phase === 'Complete' || !isLater(change, plan)) return [];
    if (phase === 'Failed') revived.add(plan.metadata.uid ?? '');
    return [namespacedName(plan)];
  });
}

/** Definitions that a plan has created, and that it waits for. */
function awaitedBy(plan: KubeObject): string[] {
  const { phase, plan: steps = [] } = parseInstallPlan(plan).status ?? {};
  if (phase !== 'Installing') return [];
  return steps.filter(({ status }) => status === 'WaitingForApi').map(({ resource }) => resource.name);
}

function watches(context: PlanContext): readonly Watch[] {
  const permissions = ['Role', 'RoleBinding'].map(
    (kind): Watch => ({
      target: { apiVersion: rbacVersion, kind, isMetadataOnly: true },
      requestsFor: (change) => scopedPlans(context, change),
    }),
  );
  return [
    { target: operatorGroupResource, requestsFor: (change) => openPlans(context, namespaceOf(change)) },
    { target: originalVersions, requestsFor: () => [] },
    {
      target: definitionSummaries,
      requestsFor: ({ after }) => (after === undefined ? [] : context.plansAwaiting.names(after.metadata.name ?? '')),
    },
    ...permissions,
  ];
}

const group = groupOf(installPlanResource.apiVersion);
const read = ['get', 'list', 'watch'];

/** The controller of InstallPlans. What plans install is granted apart from its own permissions. */
export const installPlanController: ControllerDefinition<PlanContext, PlanRun> = defineController({
  name: 'installplan',
  for: installPlanTarget,
  watches,
  begin: beginPlan,
  steps,
  forget: ({ waiting }, request) => void waiting.delete(formatNamespacedName(request)),
  permissions: {
    cluster: [
      { apiGroups: [group], resources: ['installplans'], verbs: [...read, 'delete'] },
      { apiGroups: [group], resources: ['installplans/status'], verbs: ['update', 'patch'] },
      { apiGroups: [group], resources: ['operatorgroups'], verbs: read },
      { apiGroups: [group], resources: ['clusterserviceversions', 'subscriptions'], verbs: [...read, 'create'] },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: read },
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: [...read, 'create', 'update'],
      },
    ],
  },
  isOptional: true,
});

/** Adds the controller of InstallPlans. */
export function addInstallPlans(manager: Manager, options: InstallPlansOptions): void {
  const { kube, clock, log, metrics, signal } = manager;
  const { contents, views, ...given } = options;
  const plans = manager.cache(installPlanTarget);
  const context: PlanContext = {
    kube,
    clock,
    log,
    metrics,
    plans,
    groups: manager.cache(operatorGroupResource),
    csvs: manager.cache(originalVersions),
    definitions: manager.cache(definitionSummaries),
    plansAwaiting: indexCache(plans, awaitedBy),
    contents,
    views,
    settings: { ...defaults, ...given },
    events: manager.eventRecorder('longshore'),
    waiting: new Set(),
    revived: new Set(),
  };
  const added = manager.add(installPlanController, {
    context,
    workers,
    beforeWork: async () => {
      await Promise.resolve();
      const following = views.subscribe(() => {
        for (const key of context.waiting) {
          const { namespace, name } = parseNamespacedName(key);
          added.enqueue(name, namespace);
        }
      });
      signal.addEventListener('abort', () => following[Symbol.dispose](), { once: true });
    },
  });
  metrics?.readFrom(() => Promise.resolve(manager.isLeading() ? planMetrics(plans) : {}));
}
